/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The agents of a switch: of subnet management (SMA), performance management (PMA) and
 * congestion control.
 *
 * DOC: theory of operation
 *
 * Datagrams for a switch are handed to weft_agent_punt(), in fabric time and under
 * the fabric's lock. The packet is rewritten in place: into the response, or for the
 * next device of a directed route. So an agent needs no memory for a datagram.
 *
 * The state of the agents is memory of the switch, which weft.ko clears when it makes
 * the switch and frees with it. It is set up when the first datagram comes, or when
 * the first link comes up.
 *
 * Ports have the numbers of InfiniBand here: from 1 on, and port 0 is the switch's
 * own, that management reaches by the switch's LID. The model counts from 0 on.
 */
#ifndef WEFT_RDMA_AGENT_SWITCH_H
#define WEFT_RDMA_AGENT_SWITCH_H

#include <linux/types.h>
#include <rdma/ib_mad.h>

#include "fabric/switch.h"
#include "rdma/agent/cc_mad.h"
#include "rdma/agent/mad.h"
#include "rdma/agent/sma_port.h"

struct ib_smp;
struct weft_hwpkt;
struct weft_rpkt;

/**
 * enum weft_agent_trap_kind - kinds of traps; of each one at most is under way
 * @WEFT_AGENT_TRAP_LINK: 128: the state of a link changed
 * @WEFT_AGENT_TRAP_MKEY: 256: wrong M_Key
 * @WEFT_AGENT_TRAP_PKEY: 257: wrong P_Key at port 0
 * @WEFT_AGENT_TRAP_QKEY: 258: wrong Q_Key at port 0
 * @WEFT_AGENT_TRAPS: number of kinds
 */
enum weft_agent_trap_kind {
	WEFT_AGENT_TRAP_LINK,
	WEFT_AGENT_TRAP_MKEY,
	WEFT_AGENT_TRAP_PKEY,
	WEFT_AGENT_TRAP_QKEY,
	WEFT_AGENT_TRAPS
};

/**
 * struct weft_agent_trap - a trap that is repeated until the manager represses it
 */
struct weft_agent_trap {
	/** @left: how often it is still sent; 0: none is under way */
	u32 left;
	/** @at: with @left: when it is sent next */
	fab_time at;
	/** @tid: transaction */
	u64 tid;
	/** @notice: the attribute Notice */
	struct ib_mad_notice_attr notice;
};

/**
 * struct weft_agent_fecn - how a switch or a port marks, as it was set
 */
struct weft_agent_fecn {
	/** @own: of a port: it is in use instead of that of the switch */
	bool own;
	/** @weight: Threshold: 0 marks nothing, 15 the most */
	u8 weight;
	/** @packet_size: Packet_Size */
	u8 packet_size;
	/** @rate: Marking_Rate */
	u16 rate;
};

/**
 * struct weft_agent_port - state of a port of a switch
 */
struct weft_agent_port {
	/** @sma: what a subnet manager sets */
	struct weft_sma_port sma;
	/** @pma: offsets of counters that were set */
	struct weft_pma pma;
	/** @led: its LED was switched on */
	bool led;
	/** @victim: it marks without credit, too */
	bool victim;
	/** @fecn: how it marks */
	struct weft_agent_fecn fecn;
};

/**
 * struct weft_agent - state of the agents of a switch
 *
 * The fabric's lock protects it.
 */
struct weft_agent {
	/** @ready: it is set up */
	bool ready;
	/** @port_change: SwitchInfo: PortStateChange */
	bool port_change;
	/** @life: SwitchInfo: LifeTimeValue */
	u8 life;
	/** @def_port: SwitchInfo: DefaultPort */
	u8 def_port;
	/** @def_mcast: SwitchInfo: DefaultMulticastPrimaryPort and -NotPrimaryPort */
	u8 def_mcast[2];
	/** @mcast_top: SwitchInfo: MulticastFDBTop */
	u16 mcast_top;
	/** @guid: GUID of the node, the system and port 0 */
	__be64 guid;
	/** @cc_key: who may change how it marks */
	struct weft_cc_key cc_key;
	/** @cc_map: SwitchCongestionSetting: Control_Map of the last Set */
	u32 cc_map;
	/** @cc: how ports mark that have nothing of their own */
	struct weft_agent_fecn cc;
	/** @next_tid: transaction of the last trap */
	u64 next_tid;
	/** @trap: traps by kind */
	struct weft_agent_trap trap[WEFT_AGENT_TRAPS];
	/** @port: ports, port 0 first */
	struct weft_agent_port port[];
};

/* switch.c */
struct weft_agent *weft_agent_of(struct weft_switch *sw);
int weft_agent_route(struct weft_switch *sw, struct weft_rpkt *p, u16 lid);
int weft_agent_punt(struct weft_switch *sw, u32 in, struct weft_hwpkt *c);
struct fab_port *weft_agent_fab_port(struct weft_switch *sw, u8 port);
void weft_agent_gate(struct weft_switch *sw, u8 port);
void weft_agent_sync(struct weft_switch *sw, u8 port);
void weft_agent_retrain(struct weft_switch *sw, u8 port);
void weft_agent_init(void);
void weft_agent_exit(void);

/* switch_sma.c */
void weft_agent_link_of(struct weft_switch *sw, u8 in, u8 port,
			struct weft_sma_link *l);
u16 weft_agent_sma(struct weft_switch *sw, u8 in, struct ib_smp *smp);

/* switch_table.c */
u16 weft_agent_lft(struct weft_switch *sw, struct ib_smp *smp, bool set);
u16 weft_agent_mft(struct weft_switch *sw, struct ib_smp *smp, bool set);
u16 weft_agent_sl2vl(struct weft_switch *sw, struct ib_smp *smp, bool set);
u16 weft_agent_vlarb(struct weft_switch *sw, struct ib_smp *smp, bool set);

/* switch_trap.c */
void weft_agent_trap_link(struct weft_switch *sw);
void weft_agent_trap_mkey(struct weft_switch *sw, const struct ib_smp *smp);
void weft_agent_trap_key(struct weft_switch *sw, enum weft_agent_trap_kind kind,
			 const struct weft_rpkt *p);
void weft_agent_trap_repress(struct weft_switch *sw, const struct ib_smp *smp);
void weft_agent_trap_due(struct weft_switch *sw);

/* switch_cc.c */
void weft_agent_cc_init(struct weft_switch *sw);
int weft_agent_cc(struct weft_switch *sw, struct ib_mad *mad);

/* switch_pma.c */
u16 weft_agent_pma(struct weft_switch *sw, struct ib_mad *mad);

/* Does a subnet manager set what the switch does? */
static inline bool weft_agent_managed(const struct weft_switch *sw)
{
	return sw->lft;
}

#endif
