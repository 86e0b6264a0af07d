/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lifetimes: how long a packet may wait in a switch.
 */
#ifndef FAB_AGE_H
#define FAB_AGE_H

#include "core/sim/event.h"

#define FAB_AGE_STALL	8	/* a stall lasts this many head-of-queue lives */

/**
 * struct fab_age_params - lifetimes at an egress port of a switch
 */
struct fab_age_params {
	/** @hoq: head-of-queue life, ps; 0: no limit */
	fab_time hoq;
	/** @life: lifetime in the switch, ps; 0: no limit */
	fab_time life;
	/** @stall_count: drops for @hoq in a row that stall the class, 0: never */
	u8 stall_count;
};

/**
 * struct fab_age_class - one class
 */
struct fab_age_class {
	/** @stalled_until: with its bit in fab_age.stalled: when the stall ends */
	fab_time stalled_until;
	/** @drops: drops for the head-of-queue life since a packet was sent */
	u32 drops;
};

/**
 * struct fab_age - state of a port
 */
struct fab_age {
	/** @due: event: a lifetime may be over; pending while packets wait */
	struct fab_event due;
	/** @port: the port */
	struct fab_port *port;
	/** @moved: when a queue last lost its head; by class, then by fifo */
	fab_time *moved;
	/** @stalled: bit per class */
	u16 stalled;
	/** @cls: the classes */
	struct fab_age_class cls[FAB_CLASSES_MAX];
};

/**
 * fab_age_time() - decode a lifetime as InfiniBand's subnet management has it
 * @v: exponent of 5 bits (HOQLife, LifeTimeValue)
 *
 * Return: 4.096 us * 2^@v in ps; 0, for ever, above 19.
 */
static inline fab_time fab_age_time(u32 v)
{
	return v > 19 ? 0 : 4096ULL * FAB_PS_PER_NS << v;
}

int fab_age_params_check(const struct fab_age_params *p);
size_t fab_age_mem(const struct fab_port_params *p, u32 fifos);
void fab_age_init(struct fab_port *port, void **mem);
void fab_age_joined(struct fab *fab, struct fab_port *port,
		    const struct fab_pkt *pkt);
void fab_age_sent(struct fab *fab, struct fab_port *port,
		  const struct fab_pkt *pkt);
void fab_age_rest(struct fab *fab, struct fab_port *port);
void fab_age_stop(struct fab *fab, struct fab_port *port);
const char *fab_age_check(const struct fab *fab, const struct fab_port *port);

#endif
