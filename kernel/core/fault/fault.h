/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults of wires and switches: injected, active for a time, removed.
 */
#ifndef FAB_FAULT_H
#define FAB_FAULT_H

#include "core/egress/mark.h"
#include "core/pkt.h"
#include "core/sim/event.h"
#include "core/sim/moment.h"
#include "core/sim/rng.h"

#define FAB_FAULT_PPB		1000000000U	/* probability 1 */
#define FAB_FAULT_BURST_PPB	500000000U	/* maximum loss in bursts */
#define FAB_FAULT_BURST_MAX	1000000U	/* packets, mean */
#define FAB_FAULT_START_MAX	BIT_ULL(63)	/* ps */
#define FAB_FAULT_DSTS_MAX	16U		/* destinations of one fault */

/**
 * enum fab_fault_kind - kinds of faults, of wires if not said otherwise
 * @FAB_FAULT_DOWN: it is down
 * @FAB_FAULT_RATE: it is slower
 * @FAB_FAULT_DELAY: its delay is longer, by a constant and a random part
 * @FAB_FAULT_LOSS: frames are lost at random, one by one or in bursts
 * @FAB_FAULT_CORRUPT: there are more bit errors
 * @FAB_FAULT_DUPLICATE: packets are sent twice
 * @FAB_FAULT_REORDER: later packets overtake some packets
 * @FAB_FAULT_CREDIT_LOSS: frames with credits are lost, packets are not
 * @FAB_FAULT_PAUSE_STORM: the port that sends on it pauses the far end
 * @FAB_FAULT_HANG: the NIC that sends on it neither sends nor takes packets
 * @FAB_FAULT_SLOW: the host of the NIC that sends on it takes packets slowly
 * @FAB_FAULT_ECN: the port that sends on it marks by other thresholds
 * @FAB_FAULT_BLACKHOLE: switch: packets to some destinations are lost
 * @FAB_FAULT_FORGET: switch: it has no routes
 * @FAB_FAULT_MISROUTE: switch: packets to some destinations leave through
 *	another port
 * @FAB_FAULT_REBOOT: switch: it is down with all its links
 * @FAB_FAULT_BUFFER: switch: its shared buffer is smaller
 * @FAB_FAULT_SHARP_DOWN: switch: its aggregation nodes lose all packets
 * @FAB_FAULT_SHARP_SLOW: switch: its aggregation nodes take longer
 */
enum fab_fault_kind {
	FAB_FAULT_DOWN,
	FAB_FAULT_RATE,
	FAB_FAULT_DELAY,
	FAB_FAULT_LOSS,
	FAB_FAULT_CORRUPT,
	FAB_FAULT_DUPLICATE,
	FAB_FAULT_REORDER,
	FAB_FAULT_CREDIT_LOSS,
	FAB_FAULT_PAUSE_STORM,
	FAB_FAULT_HANG,
	FAB_FAULT_SLOW,
	FAB_FAULT_ECN,
	FAB_FAULT_BLACKHOLE,
	FAB_FAULT_FORGET,
	FAB_FAULT_MISROUTE,
	FAB_FAULT_REBOOT,
	FAB_FAULT_BUFFER,
	FAB_FAULT_SHARP_DOWN,
	FAB_FAULT_SHARP_SLOW,
	/* private: */
	__FAB_FAULT_MAX
};

/**
 * enum fab_fault_state - state of a fault
 * @FAB_FAULT_WAITING: it has not begun, or is between two windows
 * @FAB_FAULT_ACTIVE: it is active
 * @FAB_FAULT_OVER: it is over
 */
enum fab_fault_state {
	FAB_FAULT_WAITING,
	FAB_FAULT_ACTIVE,
	FAB_FAULT_OVER,
};

/**
 * struct fab_fault_params - parameters of a fault
 *
 * It is active from @start + k * @period, for @duration, with k from 0 to @count - 1.
 */
struct fab_fault_params {
	/** @kind: kind */
	enum fab_fault_kind kind;
	/**
	 * @rate_bps: RATE: maximum rate of the wire, bits per second, 0: no limit;
	 * SLOW: maximum rate of the host, bits per second, 0: it takes no packet
	 */
	u64 rate_bps;
	/** @lanes: RATE: maximum number of lanes that work; 0: no limit */
	u32 lanes;
	/** @delay: DELAY, REORDER: additional delay of a packet; SHARP_SLOW: of a result, ps */
	fab_time delay;
	/** @jitter: DELAY: maximum of a random delay, drawn uniformly for each packet, ps */
	fab_time jitter;
	/**
	 * @ppb: probability, 1e-9. LOSS, DUPLICATE, REORDER: of each packet;
	 * CREDIT_LOSS: of each frame with credits; BLACKHOLE, MISROUTE: of each
	 * flow
	 */
	u32 ppb;
	/** @burst: LOSS: mean length of a burst in frames; 0: independent losses */
	u32 burst;
	/** @bits_per_error: CORRUPT: mean distance of bit errors, bits */
	u64 bits_per_error;
	/** @classes: PAUSE_STORM, ECN: bit per class, 0: all */
	u16 classes;
	/** @red: ECN: the thresholds */
	struct fab_red red;
	/** @dsts: BLACKHOLE, MISROUTE: number of destinations in @dst; 0: all are hit */
	u32 dsts;
	/** @dst: endpoint ids of the destinations */
	u32 dst[FAB_FAULT_DSTS_MAX];
	/** @out: MISROUTE: egress port of packets to them */
	u32 out;
	/** @size: BUFFER: size of the shared buffer, bytes */
	u64 size;
	/** @moment: moment from which @start counts; NULL: the time 0 of the fabric */
	struct fab_moment *moment;
	/**
	 * @start: when it begins, ps after @moment; in the past: at once. Once the
	 * moment of an added fault has come, this is fabric time.
	 */
	fab_time start;
	/** @duration: duration of a window, ps; 0: until it is removed */
	fab_time duration;
	/** @period: from one begin to the next, ps; 0: there is one window */
	fab_time period;
	/** @count: with @period, number of windows; 0: no limit */
	u32 count;
	/** @seed: seed of its random numbers */
	u64 seed;
};

/**
 * struct fab_fault_counters - counters of a fault
 */
struct fab_fault_counters {
	/** @packets: frames that it affected */
	u64 packets;
	/** @control: control frames that it affected */
	u64 control;
	/** @windows: number of times that it began */
	u64 windows;
	/** @active_ps: time that it was active, ps */
	u64 active_ps;
};

/**
 * struct fab_fault - one fault of one wire or switch
 */
struct fab_fault {
	/** @next: next fault of the same wire or switch */
	struct fab_fault *next;
	/** @port: port that sends on the wire; NULL: it is of a switch, or removed */
	struct fab_port *port;
	/** @sw: the switch; NULL: it is of a wire, or removed */
	struct fab_switch *sw;
	/** @state: state */
	enum fab_fault_state state;
	/** @bad: LOSS: a burst is going on */
	bool bad;
	/** @p: parameters */
	struct fab_fault_params p;
	/** @timer: fires when it begins or ends next */
	struct fab_event timer;
	/** @waiter: waits for its moment */
	struct fab_waiter waiter;
	/** @begun: time up to which @c.active_ps counts: its begin, or the last update */
	fab_time begun;
	/** @rng: its random state */
	u64 rng;
	/** @error_in: CORRUPT: bits until the next error */
	u64 error_in;
	/**
	 * @enter: probability that a frame or flow is hit, 2^-64; LOSS with bursts:
	 * that a frame begins a burst
	 */
	u64 enter;
	/** @leave: LOSS with bursts: probability that a burst is over, 2^-64 */
	u64 leave;
	/** @lost_before: DOWN: frames lost before its begin, or before the last update */
	u64 lost_before;
	/** @c: counters; fab_fault_settle() brings them up to date */
	struct fab_fault_counters c;
};

/**
 * struct fab_port_faults - the faults of a port and of its outgoing wire
 */
struct fab_port_faults {
	/** @first: all faults, in the order in which they were added */
	struct fab_fault *first;
	/** @cuts: number of faults that keep the wire down */
	u32 cuts;
	/** @late: number of packets in flight that others may overtake */
	u32 late;
	/** @storm: bit per class in which a fault pauses the far end */
	u16 storm;
	/** @marks: bit per class that is marked by thresholds of a fault */
	u16 marks;
	/** @hangs: a fault keeps the NIC from sending */
	bool hangs;
	/** @lost: the packet whose transmission begins is lost */
	bool lost;
	/** @order: while @late: arrival of the last packet that is not reordered */
	fab_time order;
};

/**
 * struct fab_switch_faults - the faults of a switch
 */
struct fab_switch_faults {
	/** @first: all faults, in the order in which they were added */
	struct fab_fault *first;
	/** @reboots: number of faults that keep it down */
	u32 reboots;
	/** @sharp_down: number of faults by which its aggregation nodes lose all packets */
	u32 sharp_down;
	/** @sharp_delay: what the active faults add to the latency of its aggregation nodes, ps */
	fab_time sharp_delay;
	/** @detours: number of active faults that check each packet to be forwarded */
	u32 detours;
};

/**
 * fab_fault_of_switch() - does a kind of fault belong to a switch?
 * @kind: the kind
 *
 * Return: true if it does; the others belong to a wire.
 */
static inline bool fab_fault_of_switch(enum fab_fault_kind kind)
{
	return kind >= FAB_FAULT_BLACKHOLE && kind <= FAB_FAULT_SHARP_SLOW;
}

/**
 * fab_fault_there() - is a fault on a wire or switch?
 * @f: the fault
 *
 * Return: true if it was added and not removed.
 */
static inline bool fab_fault_there(const struct fab_fault *f)
{
	return f->port || f->sw;
}

int fab_fault_params_check(const struct fab_fault_params *p);
bool fab_fault_suits(const struct fab_port *port, enum fab_fault_kind kind);
void fab_fault_add(struct fab *fab, struct fab_port *port, struct fab_fault *f,
		   const struct fab_fault_params *p);
void fab_fault_remove(struct fab *fab, struct fab_fault *f);
void fab_fault_settle(const struct fab *fab, struct fab_fault *f);
fab_time fab_fault_next(const struct fab_fault *f);
const char *fab_fault_check(const struct fab_port *port, u64 *events);

/* fault_switch.c */
int fab_fault_fits(const struct fab_switch *sw,
		   const struct fab_fault_params *p);
void fab_fault_add_switch(struct fab *fab, struct fab_switch *sw,
			  struct fab_fault *f,
			  const struct fab_fault_params *p);
void fab_fault_change_switch(struct fab *fab, const struct fab_fault *f);
const char *fab_fault_check_switch(const struct fab_switch *sw, u64 *events);
enum fab_drop fab_fault_meet(const struct fab_switch *sw,
			     const struct fab_pkt *pkt, int *out);
void fab_fault_refused(const struct fab_switch *sw, const struct fab_pkt *pkt,
		       enum fab_drop why);
bool fab_fault_aggregates(const struct fab_switch *sw, const struct fab_pkt *pkt);
void fab_fault_cut_off(const struct fab_port *port, const struct fab_pkt *pkt);
bool fab_fault_cuts(const struct fab_port *port);

/* for fault_switch.c */
void fab_fault_enlist(struct fab *fab, struct fab_fault **last,
		      struct fab_fault *f, const struct fab_fault_params *p);
const char *fab_fault_check_timers(const struct fab_fault *f, u64 *events);

/* for the port and its wire */
void fab_fault_expose(struct fab *fab, struct fab_port *port,
		      struct fab_pkt *pkt, u32 bytes);
bool fab_fault_expose_control(struct fab_port *port, u32 bytes);
void fab_fault_carry(struct fab *fab, struct fab_port *port,
		     struct fab_pkt *pkt, fab_time time);
fab_time fab_fault_delay_control(struct fab_port *port);
void fab_fault_arrived(struct fab_port *port, struct fab_pkt *pkt);
void fab_fault_cleared(struct fab_port *port);

/* fault_port.c: faults of the port itself */
void fab_fault_change_port(struct fab *fab, struct fab_fault *f);
bool fab_fault_ride(struct fab_port *port);
void fab_fault_stormed(struct fab_port *port, u16 classes);
void fab_fault_received(struct fab_port *port, const struct fab_pkt *pkt);
struct fab_fault *fab_fault_marks(const struct fab_port *port, u32 cls);
const char *fab_fault_check_port(const struct fab_port *port);

/**
 * fab_fault_chance() - draw from the random numbers of a fault
 * @f: the fault
 * @chance: the probability, 2^-64; U64_MAX: 1
 *
 * Return: true with this probability.
 */
static inline bool fab_fault_chance(struct fab_fault *f, u64 chance)
{
	return chance == U64_MAX || fab_rng_next(&f->rng) < chance;
}

#endif
