/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults of wires and switches: injected, for a time, and taken back.
 */
#ifndef FAB_FAULT_H
#define FAB_FAULT_H

#include "core/egress/mark.h"
#include "core/pkt.h"
#include "core/sim/event.h"
#include "core/sim/moment.h"
#include "core/sim/rng.h"

#define FAB_FAULT_PPB		1000000000U	/* of a probability: always */
#define FAB_FAULT_BURST_PPB	500000000U	/* most that may be lost in bursts */
#define FAB_FAULT_BURST_MAX	1000000U	/* packets, mean */
#define FAB_FAULT_START_MAX	BIT_ULL(63)	/* ps */
#define FAB_FAULT_DSTS_MAX	16U		/* destinations named */

/**
 * enum fab_fault_kind - what is wrong with the wire, or the switch
 * @FAB_FAULT_DOWN: it is down
 * @FAB_FAULT_RATE: it is slower
 * @FAB_FAULT_DELAY: it is longer, and perhaps not always by as much
 * @FAB_FAULT_LOSS: frames are lost at random, one by one or in bursts
 * @FAB_FAULT_CORRUPT: there are more bit errors
 * @FAB_FAULT_DUPLICATE: packets are sent twice
 * @FAB_FAULT_REORDER: packets are overtaken
 * @FAB_FAULT_CREDIT_LOSS: frames with credits are lost, packets are not
 * @FAB_FAULT_PAUSE_STORM: the port that sends on it stops the far end
 * @FAB_FAULT_HANG: the NIC that sends on it neither sends nor takes packets
 * @FAB_FAULT_SLOW: the host of the NIC that sends on it takes packets slowly
 * @FAB_FAULT_ECN: the port that sends on it marks by other thresholds
 * @FAB_FAULT_BLACKHOLE: switch: packets to some destinations are lost
 * @FAB_FAULT_FORGET: switch: it has no routes
 * @FAB_FAULT_MISROUTE: switch: packets to some destinations leave through
 *	another port
 * @FAB_FAULT_REBOOT: switch: it is down with all its links
 * @FAB_FAULT_BUFFER: switch: its shared buffer is smaller
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
	/* private: */
	__FAB_FAULT_MAX
};

/**
 * enum fab_fault_state - where a fault is in its time
 * @FAB_FAULT_WAITING: not begun, or between two windows
 * @FAB_FAULT_ACTIVE: it acts
 * @FAB_FAULT_OVER: it does not act any more
 */
enum fab_fault_state {
	FAB_FAULT_WAITING,
	FAB_FAULT_ACTIVE,
	FAB_FAULT_OVER,
};

/**
 * struct fab_fault_params - what a fault is, and when it acts
 *
 * It acts from @start + k * @period on, for @duration, with k from 0 to
 * @count - 1.
 */
struct fab_fault_params {
	/** @kind: kind */
	enum fab_fault_kind kind;
	/**
	 * @rate_bps: RATE: the wire carries at most that, bit/s; 0: as it is;
	 * SLOW: the host takes at most that; 0: nothing
	 */
	u64 rate_bps;
	/** @lanes: RATE: at most so many of its lanes work; 0: as it is */
	u32 lanes;
	/** @delay: DELAY, REORDER: packets arrive so much later, ps */
	fab_time delay;
	/** @jitter: DELAY: and up to this, uniformly drawn for each, ps */
	fab_time jitter;
	/**
	 * @ppb: LOSS, DUPLICATE, REORDER: probability of each packet, 1e-9;
	 * CREDIT_LOSS: of each frame with credits; BLACKHOLE, MISROUTE: of each
	 * flow
	 */
	u32 ppb;
	/** @burst: LOSS: mean length of a burst in frames; 0: each by itself */
	u32 burst;
	/** @bits_per_error: CORRUPT: mean distance of bit errors */
	u64 bits_per_error;
	/** @classes: PAUSE_STORM, ECN: bit per class, 0: all */
	u16 classes;
	/** @red: ECN: the thresholds */
	struct fab_red red;
	/** @dsts: BLACKHOLE, MISROUTE: how many destinations; 0: all */
	u32 dsts;
	/** @dst: the destinations */
	u32 dst[FAB_FAULT_DSTS_MAX];
	/** @out: MISROUTE: port that they leave through */
	u32 out;
	/** @size: BUFFER: at most so many bytes are held */
	u64 size;
	/** @moment: what @start counts from; NULL: the time 0 of the fabric */
	struct fab_moment *moment;
	/**
	 * @start: when it begins; a time that is over: at once. Of a fault that
	 * is there, fabric time as soon as its moment came
	 */
	fab_time start;
	/** @duration: how long it acts, ps; 0: until it is removed */
	fab_time duration;
	/** @period: from one beginning to the next, ps; 0: there is only one */
	fab_time period;
	/** @count: with @period, how many times; 0: without end */
	u32 count;
	/** @seed: of its randomness */
	u64 seed;
};

/**
 * struct fab_fault_counters - what a fault did
 */
struct fab_fault_counters {
	/** @packets: frames that it acted on */
	u64 packets;
	/** @control: control frames that it acted on */
	u64 control;
	/** @windows: times that it began */
	u64 windows;
	/** @active_ps: time that it acted */
	u64 active_ps;
};

/**
 * struct fab_fault - one fault of one wire or switch
 */
struct fab_fault {
	/** @next: the next one of the same place */
	struct fab_fault *next;
	/** @port: that sends on the wire; NULL: a switch's, or removed */
	struct fab_port *port;
	/** @sw: the switch; NULL: a wire's, or removed */
	struct fab_switch *sw;
	/** @state: where it is in its time */
	enum fab_fault_state state;
	/** @bad: LOSS: in a burst */
	bool bad;
	/** @p: parameters */
	struct fab_fault_params p;
	/** @timer: fires when it begins or ends next */
	struct fab_event timer;
	/** @waiter: waits for its moment */
	struct fab_waiter waiter;
	/** @begun: when it began last */
	fab_time begun;
	/** @rng: its generator */
	u64 rng;
	/** @error_in: CORRUPT: bits until the next error */
	u64 error_in;
	/**
	 * @enter: LOSS: chance of a frame to begin a burst or be lost, 2^-64;
	 * BLACKHOLE, MISROUTE: of a flow to be hit
	 */
	u64 enter;
	/** @leave: LOSS: chance that a burst is over after a frame, 2^-64 */
	u64 leave;
	/** @lost_before: DOWN: frames that had been lost when it began */
	u64 lost_before;
	/** @c: what it did; fab_fault_settle() brings it up to date */
	struct fab_fault_counters c;
};

/**
 * struct fab_port_faults - the faults of a port's outgoing wire, or of itself
 */
struct fab_port_faults {
	/** @first: all, in the order of being added */
	struct fab_fault *first;
	/** @cuts: how many keep the wire down */
	u32 cuts;
	/** @late: packets in flight that others may overtake */
	u32 late;
	/** @hangs: how many keep the NIC from sending */
	u32 hangs;
	/** @storm: bit per class that the far end is stopped in, come what may */
	u16 storm;
	/** @marks: bit per class that is marked by other thresholds */
	u16 marks;
	/** @lost: the packet that is being sent is lost */
	bool lost;
	/** @order: while @late: arrival of the last packet that was in order */
	fab_time order;
};

/**
 * struct fab_switch_faults - the faults of a switch
 */
struct fab_switch_faults {
	/** @first: all, in the order of being added */
	struct fab_fault *first;
	/** @reboots: how many keep it down */
	u32 reboots;
	/** @detours: how many look at each packet that is to be forwarded */
	u32 detours;
};

/**
 * fab_fault_of_switch() - is a kind of fault one of switches?
 * @kind: the kind
 *
 * Return: whether it is; the others are of wires.
 */
static inline bool fab_fault_of_switch(enum fab_fault_kind kind)
{
	return kind >= FAB_FAULT_BLACKHOLE && kind <= FAB_FAULT_BUFFER;
}

/**
 * fab_fault_there() - does a fault have a place?
 * @f: the fault
 *
 * Return: whether it was added and not removed.
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
 * fab_fault_chance() - draw whether a fault with a probability acts
 * @f: the fault
 * @chance: the probability, 2^-64; all ones: always
 *
 * Return: whether it does.
 */
static inline bool fab_fault_chance(struct fab_fault *f, u64 chance)
{
	return chance == U64_MAX || fab_rng_next(&f->rng) < chance;
}

#endif
