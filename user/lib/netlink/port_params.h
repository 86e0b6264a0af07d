/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters of a port of a switch or a NIC.
 *
 * Each struct begins with the bits of the attributes that it has, as in
 * nl_fields.h.
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
 * struct weft_pfc_params - of the disciplines pause and pfc
 */
struct weft_pfc_params {
	/** @has: bits of WEFT_A_PFC_* */
	uint32_t has;
	/** @enable: bit per lossless class; pfc only */
	uint32_t enable;
	/** @quanta: pause that is asked for, 512 bit times each */
	uint32_t quanta;
	/** @watchdog: enum weft_watchdog_action */
	uint32_t watchdog;
	/** @poll: distance of the watchdog's looks, ps */
	uint64_t poll;
	/** @detect: how long a class is stuck before it acts, ps */
	uint64_t detect;
	/** @restore: how long no pause comes before it lets go, ps */
	uint64_t restore;
};

/**
 * struct weft_credit_params - of the discipline credit
 */
struct weft_credit_params {
	/** @has: bits of WEFT_A_CREDIT_* */
	uint32_t has;
	/** @blocks: receive buffer of each VL; the last counts for those after */
	struct weft_list blocks;
	/** @block: bytes of a block */
	uint32_t block;
	/** @header: bytes beside the frame that count for credit */
	uint32_t header;
	/** @period: shortest distance of updates that delay data, ps */
	uint64_t period;
	/** @eager: send updates also when the wire would be idle */
	uint32_t eager;
	/** @refresh: when the far end is told again what it lacks, ps, 0: never */
	uint64_t refresh;
};

/**
 * struct weft_flit_params - of the disciplines nvlink and pcie
 */
struct weft_flit_params {
	/** @has: bits of WEFT_A_FLIT_* */
	uint32_t has;
	/** @hdr: header credits of each VC; the last counts for those after */
	struct weft_list hdr;
	/** @data: data credits, the same */
	struct weft_list data;
	/** @payload: most bytes of data in one packet of the link */
	uint32_t payload;
	/** @unit: bytes of a data credit */
	uint32_t unit;
	/** @replay: bytes of the replay buffer, 0 for no limit */
	uint32_t replay;
	/** @header: bytes beside its data that a packet takes there */
	uint32_t header;
	/** @control: bytes of a control flit on the wire */
	uint32_t control;
	/** @carry: credits and acknowledgements also ride in headers */
	uint32_t carry;
	/** @repeat: when what an error may have hit is told again, ps */
	uint64_t repeat;
};

/**
 * struct weft_vlarb - VL arbitration; an entry is two bytes, VL and weight
 */
struct weft_vlarb {
	/** @has: bits of WEFT_A_VLARB_* */
	uint32_t has;
	/** @high: table of high priority */
	struct weft_bytes high;
	/** @low: table of low priority */
	struct weft_bytes low;
	/** @high_limit: units of 4096 bytes, 255 for no limit */
	uint32_t high_limit;
};

/**
 * struct weft_age - lifetimes at an egress port of a switch
 */
struct weft_age {
	/** @has: bits of WEFT_A_AGE_* */
	uint32_t has;
	/** @hoq: as head of a class, ps, 0 for ever */
	uint64_t hoq;
	/** @life: in the switch, ps, 0 for ever */
	uint64_t life;
	/** @stall_count: drops for @hoq in a row that stall a class, 0: never */
	uint32_t stall_count;
};

/**
 * struct weft_red - marking of one class by the length of its queue
 */
struct weft_red {
	/** @has: bits of WEFT_A_RED_* */
	uint32_t has;
	/** @cls: the class */
	uint32_t cls;
	/** @kmin: bytes up to which nothing is marked */
	uint32_t kmin;
	/** @kmax: bytes above which everything is marked, 0: no marking */
	uint32_t kmax;
	/** @pmax: probability at @kmax, ppm */
	uint32_t pmax;
};

/**
 * struct weft_fecn - marking as InfiniBand does it
 */
struct weft_fecn {
	/** @has: bits of WEFT_A_FECN_* */
	uint32_t has;
	/** @threshold: bytes queued from which on a VL is congested, 0: never */
	uint32_t threshold;
	/** @packet_size: packets of fewer blocks of 64 bytes are not marked */
	uint32_t packet_size;
	/** @marking_rate: mean number of packets between two that are marked */
	uint32_t marking_rate;
	/** @victim: mark also where the port lacks credit */
	uint32_t victim;
};

/**
 * struct weft_trim - cutting packets down to their header
 */
struct weft_trim {
	/** @has: bits of WEFT_A_TRIM_* */
	uint32_t has;
	/** @classes: bit per class whose packets are cut */
	uint32_t classes;
	/** @cls: class that the headers go on in */
	uint32_t cls;
	/** @len: bytes that are left, 0 for no trimming */
	uint32_t len;
};

/**
 * struct weft_port_params - parameters of a port
 */
struct weft_port_params {
	/** @has: bits of WEFT_A_PORT_PARAMS_*, but for those of the structs */
	uint32_t has;
	/** @classes: classes in use */
	uint32_t classes;
	/** @queue_limit: bytes that each class queue holds */
	uint32_t queue_limit;
	/** @quantum: bytes per unit of weight */
	uint32_t quantum;
	/** @weight: DRR weight of each class, 0 is strict */
	struct weft_list weight;
	/** @discipline: such as "drop-tail" */
	char discipline[32];
	/** @react: from a control frame's last bit to its effect, ps */
	uint64_t react;
	/** @ipd: packet times that the wire rests after each packet */
	uint32_t ipd;
	/** @scheduler: enum weft_scheduler */
	uint32_t scheduler;
	/** @mark_at: enum weft_mark_at */
	uint32_t mark_at;
	/** @vl: class of each service level, at a NIC */
	struct weft_bytes vl;
	/** @vlarb: with scheduler vlarb */
	struct weft_vlarb vlarb;
	/** @pfc: of pause and pfc */
	struct weft_pfc_params pfc;
	/** @credit: of credit */
	struct weft_credit_params credit;
	/** @flit: of nvlink and pcie */
	struct weft_flit_params flit;
	/** @age: lifetimes */
	struct weft_age age;
	/** @red: of each class; one without bits is not there */
	struct weft_red red[WEFT_CLASSES_MAX];
	/** @fecn: of all classes */
	struct weft_fecn fecn;
	/** @trim: trimming */
	struct weft_trim trim;
};

/**
 * struct weft_buffer_class - what one class of one ingress port may hold
 */
struct weft_buffer_class {
	/** @has: bits of WEFT_A_BUFFER_CLASS_* */
	uint32_t has;
	/** @cls: the class */
	uint32_t cls;
	/** @reserve: bytes that nobody else can take */
	uint32_t reserve;
	/** @headroom: bytes for what arrives after the pause was decided */
	uint32_t headroom;
	/** @xon: the class resumes this many bytes below its threshold */
	uint32_t xon;
	/** @threshold: bytes of the shared part */
	uint64_t threshold;
	/** @alpha: instead; it is 2^alpha times the free shared bytes */
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
