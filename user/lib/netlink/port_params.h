/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters of a port of a switch or a NIC.
 *
 * Each struct begins with a bit per attribute that is set, see nl_fields.h.
 */
#ifndef WEFT_PORT_PARAMS_H
#define WEFT_PORT_PARAMS_H

#include <jansson.h>
#include <stdint.h>

#include <linux/weft.h>

#include "base/err.h"
#include "netlink/nl_fields.h"

struct nl_msg;
struct nlattr;

/**
 * struct weft_pfc_params - parameters of the disciplines pause and pfc
 */
struct weft_pfc_params {
	/** @has: bits of WEFT_A_PFC_* */
	uint32_t has;
	/** @enable: bit per lossless class; pfc only */
	uint32_t enable;
	/** @quanta: length of a requested pause, units of 512 bit times */
	uint32_t quanta;
	/** @watchdog: enum weft_watchdog_action */
	uint32_t watchdog;
	/** @poll: period of the watchdog, ps */
	uint64_t poll;
	/** @detect: a class stuck for this time makes the watchdog act, ps */
	uint64_t detect;
	/** @restore: no pause for this time makes the watchdog stop acting, ps */
	uint64_t restore;
};

/**
 * struct weft_credit_params - parameters of the discipline credit
 */
struct weft_credit_params {
	/** @has: bits of WEFT_A_CREDIT_* */
	uint32_t has;
	/** @blocks: receive buffer of each VL, blocks; the last entry is also for further VLs */
	struct weft_list blocks;
	/** @block: bytes of a block */
	uint32_t block;
	/** @header: bytes beside the frame that need credit */
	uint32_t header;
	/** @period: shortest time between updates that may delay data, ps */
	uint64_t period;
	/** @eager: also send updates when no data can be sent */
	uint32_t eager;
	/** @refresh: an update that the far end did not get is repeated after this, ps; 0: never */
	uint64_t refresh;
};

/**
 * struct weft_flit_params - parameters of the disciplines nvlink and pcie
 */
struct weft_flit_params {
	/** @has: bits of WEFT_A_FLIT_* */
	uint32_t has;
	/** @hdr: header credits of each VC; the last entry is also for further VCs */
	struct weft_list hdr;
	/** @data: data credits of each VC, in the same way */
	struct weft_list data;
	/** @payload: most bytes of data in one packet of the link */
	uint32_t payload;
	/** @unit: bytes of a data credit */
	uint32_t unit;
	/** @replay: size of the replay buffer, bytes; 0: no limit */
	uint32_t replay;
	/** @header: bytes of a packet in the replay buffer beside its data */
	uint32_t header;
	/** @control: size of a control flit on the wire, bytes */
	uint32_t control;
	/** @carry: headers of packets also carry credits and acknowledgements */
	uint32_t carry;
	/** @repeat: control that a bit error may have hit is repeated after this time, ps */
	uint64_t repeat;
};

/**
 * struct weft_cbfc_params - credits of the disciplines cbfc and uec
 */
struct weft_cbfc_params {
	/** @has: bits of WEFT_A_CBFC_* */
	uint32_t has;
	/** @limit: credits of each VC, 0 for best effort; the last entry is also for further VCs */
	struct weft_list limit;
	/** @size: bytes of a credit */
	uint32_t size;
	/** @overhead: bytes beside the frame that need credits */
	uint32_t overhead;
	/** @spacing: least bytes between two CF_Updates */
	uint32_t spacing;
	/** @repeat: bytes after which one that the far end lacks is repeated; 0: never */
	uint32_t repeat;
	/** @sync: interval of CC_Updates, ps */
	uint64_t sync;
};

/**
 * struct weft_llr_params - link-layer retry of the discipline uec
 */
struct weft_llr_params {
	/** @has: bits of WEFT_A_LLR_* */
	uint32_t has;
	/** @replay: size of the replay buffer, bytes; 0: no limit */
	uint32_t replay;
	/** @spacing: bytes of packets between acknowledgements that delay packets */
	uint32_t spacing;
	/** @repeat: what a bit error may have hit is repeated after this time, ps */
	uint64_t repeat;
};

/**
 * struct weft_vlarb - VL arbitration; an entry of a table is two bytes, VL and weight
 */
struct weft_vlarb {
	/** @has: bits of WEFT_A_VLARB_* */
	uint32_t has;
	/** @high: table of high priority */
	struct weft_bytes high;
	/** @low: table of low priority */
	struct weft_bytes low;
	/** @high_limit: limit of high priority, units of 4096 bytes; 255: no limit */
	uint32_t high_limit;
};

/**
 * struct weft_age - packet lifetimes at an egress port of a switch
 */
struct weft_age {
	/** @has: bits of WEFT_A_AGE_* */
	uint32_t has;
	/** @hoq: lifetime at the head of a queue, ps; 0: no limit */
	uint64_t hoq;
	/** @life: lifetime in the switch, ps; 0: no limit */
	uint64_t life;
	/** @stall_count: consecutive drops by @hoq that stall the class; 0: never */
	uint32_t stall_count;
};

/**
 * struct weft_red - ECN marking of one class by the length of its queue
 */
struct weft_red {
	/** @has: bits of WEFT_A_RED_* */
	uint32_t has;
	/** @cls: the class */
	uint32_t cls;
	/** @kmin: bytes up to which nothing is marked */
	uint32_t kmin;
	/** @kmax: bytes above which everything is marked; 0: no marking */
	uint32_t kmax;
	/** @pmax: probability at @kmax, ppm */
	uint32_t pmax;
};

/**
 * struct weft_fecn - FECN marking of InfiniBand
 */
struct weft_fecn {
	/** @has: bits of WEFT_A_FECN_* */
	uint32_t has;
	/** @threshold: queued bytes from which on a VL is congested; 0: never */
	uint32_t threshold;
	/** @packet_size: smaller packets are not marked, units of 64 bytes */
	uint32_t packet_size;
	/** @marking_rate: mean number of packets between two marked ones */
	uint32_t marking_rate;
	/** @victim: also mark if the port lacks credit */
	uint32_t victim;
};

/**
 * struct weft_trim - trimming: packets are cut down to their header
 */
struct weft_trim {
	/** @has: bits of WEFT_A_TRIM_* */
	uint32_t has;
	/** @classes: bit per class whose packets are trimmed */
	uint32_t classes;
	/** @cls: class of the trimmed packets */
	uint32_t cls;
	/** @len: bytes of a trimmed packet; 0: no trimming */
	uint32_t len;
};

/**
 * struct weft_port_params - parameters of a port
 */
struct weft_port_params {
	/** @has: bits of WEFT_A_PORT_PARAMS_*, nests excluded */
	uint32_t has;
	/** @classes: classes in use */
	uint32_t classes;
	/** @queue_limit: size of the queue of each class, bytes */
	uint32_t queue_limit;
	/** @quantum: bytes per unit of weight */
	uint32_t quantum;
	/** @weight: DRR weight of each class; 0: strict priority */
	struct weft_list weight;
	/** @discipline: such as "drop-tail" */
	char discipline[32];
	/** @react: from the last bit of a control frame to its effect, ps */
	uint64_t react;
	/** @ipd: the wire is idle after each packet for this many times the packet's time */
	uint32_t ipd;
	/** @scheduler: enum weft_scheduler */
	uint32_t scheduler;
	/** @mark_at: enum weft_mark_at */
	uint32_t mark_at;
	/** @vl: at a NIC: class of each service level */
	struct weft_bytes vl;
	/** @vlarb: of the scheduler vlarb */
	struct weft_vlarb vlarb;
	/** @pfc: of the disciplines pause and pfc */
	struct weft_pfc_params pfc;
	/** @credit: of the discipline credit */
	struct weft_credit_params credit;
	/** @flit: of the disciplines nvlink and pcie */
	struct weft_flit_params flit;
	/** @cbfc: of the disciplines cbfc and uec */
	struct weft_cbfc_params cbfc;
	/** @llr: of the discipline uec */
	struct weft_llr_params llr;
	/** @age: packet lifetimes */
	struct weft_age age;
	/** @red: ECN marking of each class; not set if it has no bits */
	struct weft_red red[WEFT_CLASSES_MAX];
	/** @fecn: FECN marking of all classes */
	struct weft_fecn fecn;
	/** @trim: trimming */
	struct weft_trim trim;
};

/**
 * struct weft_buffer_class - buffer limits of one class of one ingress port
 */
struct weft_buffer_class {
	/** @has: bits of WEFT_A_BUFFER_CLASS_* */
	uint32_t has;
	/** @cls: the class */
	uint32_t cls;
	/** @reserve: bytes for this class only */
	uint32_t reserve;
	/** @headroom: bytes for packets that arrive after the decision to pause */
	uint32_t headroom;
	/** @xon: the class resumes this many bytes below its threshold */
	uint32_t xon;
	/** @threshold: limit in the shared buffer, bytes */
	uint64_t threshold;
	/** @alpha: instead of @threshold: the limit is 2^alpha times the free shared bytes */
	int32_t alpha;
};

/**
 * struct weft_buffer - limits of all classes
 */
struct weft_buffer {
	/** @n: entries of @cls */
	uint32_t n;
	/** @cls: the classes that have limits */
	struct weft_buffer_class cls[WEFT_CLASSES_MAX];
};

void weft_port_params_put(struct nl_msg *msg, int type,
			  const struct weft_port_params *p);
int weft_port_params_parse(struct weft_port_params *p, struct nlattr *nest,
			   struct weft_err *err);
void weft_port_params_json(json_t *o, const struct weft_port_params *p);

void weft_buffer_put(struct nl_msg *msg, int type, const struct weft_buffer *b);
int weft_buffer_add(struct weft_buffer *b, struct nlattr *nest,
		    struct weft_err *err);
json_t *weft_buffer_json(const struct weft_buffer *b);

#endif
