/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Subnet management agent of a channel adapter.
 *
 * DOC: theory of operation
 *
 * In a fabric that manages itself (internal), the port has its LID from the start
 * and is ACTIVE while the link is up. A Set changes nothing and is answered with the
 * present values.
 *
 * In a managed fabric (external) the port starts in INIT without a LID. A Set changes
 * what the adapter does: its LID and LMC, the state of the port and with it whether
 * data passes, the partitions, the mapping of SLs to VLs, the tables of VL
 * arbitration, prefix and further GUIDs of GIDs. Who uses the device hears of it by
 * the events of the verbs, and the manager of violations by traps.
 *
 * All of it is protected by the fabric's lock.
 */
#ifndef WEFT_RDMA_SMA_H
#define WEFT_RDMA_SMA_H

#include <rdma/ib_mad.h>

#include "core/sim/event.h"
#include "rdma/agent/sma_port.h"

struct ib_smp;
struct weft_rdma_dev;
struct weft_rpkt;

#define WEFT_SMA_GUIDS	8	/* of the port: one block */

/**
 * enum weft_trap_kind - kinds of traps; of each one at most is under way
 * @WEFT_TRAP_CHANGE: 144: capability mask or node description changed
 * @WEFT_TRAP_MKEY: 256: wrong M_Key
 * @WEFT_TRAP_PKEY: 257: wrong P_Key
 * @WEFT_TRAP_QKEY: 258: wrong Q_Key
 * @WEFT_TRAPS: number of kinds
 */
enum weft_trap_kind {
	WEFT_TRAP_CHANGE,
	WEFT_TRAP_MKEY,
	WEFT_TRAP_PKEY,
	WEFT_TRAP_QKEY,
	WEFT_TRAPS
};

/**
 * struct weft_trap - a trap that is repeated until the manager represses it
 */
struct weft_trap {
	/** @dev: the device; constant */
	struct weft_rdma_dev *dev;
	/** @repeat: event: send it again */
	struct fab_event repeat;
	/** @left: how often it is still sent; 0: none is under way */
	u32 left;
	/** @tid: transaction */
	u64 tid;
	/** @notice: the attribute Notice */
	struct ib_mad_notice_attr notice;
};

/**
 * struct weft_sma - state of the agent
 */
struct weft_sma {
	/** @managed: a subnet manager manages the fabric; constant */
	bool managed;
	/** @caps: bits of the capability mask that users of the device set */
	u32 caps;
	/** @init_type: PortInfo:InitType: what a user of the device asks for */
	u8 init_type;
	/** @port: what a manager sets at the port */
	struct weft_sma_port port;
	/** @sl_vl: VL of each SL as set, 15: drop */
	u8 sl_vl[FAB_CLASSES_MAX];
	/** @guids: GUIDs of the port; the first is the hardware's */
	__be64 guids[WEFT_SMA_GUIDS];
	/** @next_tid: transaction of the next trap */
	u64 next_tid;
	/** @trap: traps by kind */
	struct weft_trap trap[WEFT_TRAPS];
};

/* sma.c */
int weft_sma_answer(struct weft_rdma_dev *dev, int flags, struct ib_mad *out);

/* sma_state.c */
void weft_sma_init(struct weft_rdma_dev *dev);
bool weft_sma_link(struct weft_rdma_dev *dev, bool up);
void weft_sma_follow(struct weft_rdma_dev *dev);
void weft_sma_retrain(struct weft_rdma_dev *dev);
void weft_sma_describe(struct weft_rdma_dev *dev, struct weft_sma_link *l);
void weft_sma_changed(struct weft_rdma_dev *dev, u32 changed);
void weft_sma_caps(struct weft_rdma_dev *dev, u32 set, u32 clear);
u8 weft_sma_phys_state(const struct weft_rdma_dev *dev);
bool weft_sma_has_lid(const struct weft_rdma_dev *dev, u16 lid);
void weft_sma_bad_pkey(struct weft_rdma_dev *dev, const struct weft_rpkt *p);
void weft_sma_bad_qkey(struct weft_rdma_dev *dev, const struct weft_rpkt *p);
bool weft_sma_sends(const struct weft_rdma_dev *dev, const struct weft_rpkt *p);
bool weft_sma_receives(struct weft_rdma_dev *dev, const struct weft_rpkt *p);

/* trap.c */
void weft_traps_init(struct weft_rdma_dev *dev);
void weft_traps_stop(struct weft_rdma_dev *dev);
void weft_trap_caps(struct weft_rdma_dev *dev);
void weft_trap_node_desc(struct weft_rdma_dev *dev);
void weft_trap_mkey(struct weft_rdma_dev *dev, const struct ib_smp *smp);
void weft_trap_key(struct weft_rdma_dev *dev, enum weft_trap_kind kind,
		   const struct weft_rpkt *p);
void weft_trap_repress(struct weft_rdma_dev *dev, const struct ib_smp *smp);

#endif
