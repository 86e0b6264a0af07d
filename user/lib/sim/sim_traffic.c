// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Background traffic of a simulation: the generators that `weft traffic add` gives to the
 * kernel, with the same seeds.
 *
 * DOC: theory of operation
 *
 * The generators are the model's (kernel/core/node/traffic.c). What becomes of a packet may
 * be decided in another cell, so its generator does not hear of it. It needs to know only
 * in a lab, where at most `window` of its packets are in the fabric. Here there is no such
 * limit: when a packet begins on the wire, its generator gets another one. So it never
 * lacks one, as at most depth of them wait at the NIC. What is lost there, it hears of.
 *
 * Deliveries and losses are counted in the cells where they happen. The simulation does not
 * wait for packets of traffic, and ends with its messages.
 */
#include "sim/sim_traffic.h"

#include <errno.h>
#include <string.h>

#include <linux/weft.h>

#include "core/node/traffic.h"

/* What kernel/netlink/nl_traffic.c gives a generator for which nothing else is set. */
#define TRAFFIC_DEPTH		64
#define TRAFFIC_DEPTH_GREEDY	4

#define ETH_HEADER		14	/* bytes */

static_assert((int)FAB_TRAFFIC_OVER == WEFT_TRAFFIC_STATE_OVER, "same words");
static_assert(sizeof(struct fab_traffic_message) == sizeof(struct weft_traffic_message) &&
	      offsetof(struct fab_traffic_message, at) ==
	      offsetof(struct weft_traffic_message, at) &&
	      offsetof(struct fab_traffic_message, dst) ==
	      offsetof(struct weft_traffic_message, dst), "same layout");

static int traffic_refuse(const struct weft_sim_traffic *from, const char *why,
			  struct weft_err *err)
{
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL, "%s: %s", from->at, why);
}

static void *traffic_keep(struct weft_sim *sim, const void *list, size_t n, size_t size)
{
	void *mem = weft_sim_alloc(sim, n, size);

	if (mem && n)
		memcpy(mem, list, n * size);
	return mem;
}

#define HAS(attr)		(from->has & WEFT_HAS(WEFT_A_TRAFFIC_##attr))
#define OR(attr, value, other)	(HAS(attr) ? (value) : (other))

/* @number: number of the generator */
static struct fab_traffic_params traffic_params(const struct weft_sim *sim,
						const struct weft_traffic *from, u32 number)
{
	const struct weft_sim_nic *nic = &sim->nic[from->nic];
	const u32 frame = min(nic->plan->mtu + ETH_HEADER, FAB_TRAFFIC_LEN_MAX);
	const bool open = HAS(RATE) || from->messages;

	return (struct fab_traffic_params) {
		.start = from->start,
		.duration = OR(DURATION, from->duration, 0),
		.bytes = OR(BYTES, from->bytes, 0),
		.rate_bps = OR(RATE, from->rate, 0),
		.on = OR(ON, from->on, 0),
		.off = OR(OFF, from->off, 0),
		.drawn_times = HAS(DRAWN_TIMES) && from->drawn_times,
		.drawn_dsts = HAS(DRAWN_DSTS) && from->drawn_dsts,
		.len = OR(SIZE, from->size, frame),
		.depth = OR(DEPTH, from->depth,
			    open ? TRAFFIC_DEPTH : TRAFFIC_DEPTH_GREEDY),
		.sl = (u8)OR(SL, from->sl, 0),
		.cls = weft_sim_class(nic, OR(SL, from->sl, 0)),
		.flags = FAB_PKT_HW | FAB_PKT_ECT,
		.seed = OR(SEED, from->seed,
			   fab_mix(~sim->o->seed ^ fab_mix(number + (u64)1))),
		.name = fab_name(sim->o->seed, WEFT_SIM_NAME_TRAFFIC, number, 0),
		.dsts = from->dsts,
		.messages = from->messages,
	};
}

#undef OR
#undef HAS

static int traffic_check(const struct weft_sim *sim, const struct weft_sim_traffic *of,
			 const struct fab_traffic_params *p, struct weft_err *err)
{
	const struct weft_sim_nic *nic = &sim->nic[of->traffic.nic];
	u32 classes = nic->ep.p->port.classes;

	if (p->len > nic->plan->mtu + ETH_HEADER)
		return traffic_refuse(of, "size: longer than a frame of the NIC's MTU", err);
	if (p->cls >= classes)
		return traffic_refuse(of, "sl: the NIC has no class for it", err);
	if (fab_traffic_params_check(p, classes))
		return traffic_refuse(of, "its numbers are out of range, or do not fit together",
				      err);
	return 0;
}

/* The packets with which a generator begins. */
static int traffic_fill(struct weft_sim *sim, u32 number, const struct fab_traffic_params *p,
			struct weft_err *err)
{
	struct weft_sim_nic *nic = &sim->nic[sim->o->traffic[number].traffic.nic];
	size_t size = nic->sim->part->pkt_size;
	char *block = weft_sim_alloc(sim, p->depth, size);

	if (!block)
		return weft_err_nomem(err);
	for (u32 i = 0; i < p->depth; i++) {
		struct weft_sim_pkt *pkt = (void *)(block + i * size);

		pkt->traffic = true;
		pkt->psn = number;
		pkt->tx = nic;
		fab_fifo_push(&sim->traffic[number].free, &pkt->p);
	}
	return 0;
}

/* The moment from which a generator's start counts. The first of a group adds it. */
static int add_moment(struct weft_sim *sim, const struct weft_sim_traffic *of,
		      struct fab_traffic_params *p, struct weft_err *err)
{
	u32 number = weft_sim_trigger_of(sim, of);

	if (!of->by.given)
		return 0;
	if (!sim->trigger[number].prev &&
	    weft_sim_trigger_add(sim, number, &of->by, of->at, err))
		return err->code;
	p->moment = &sim->trigger[number].moment;
	p->start = of->by.after;
	return 0;
}

static int add_generator(struct weft_sim *sim, u32 number, struct weft_err *err)
{
	const struct weft_sim_traffic *of = &sim->o->traffic[number];
	const struct weft_traffic *from = &of->traffic;
	struct fab_traffic_params p = traffic_params(sim, from, number);
	struct weft_sim_nic *nic = &sim->nic[from->nic];

	p.dst = traffic_keep(sim, from->dst, from->dsts, sizeof(*from->dst));
	p.message = traffic_keep(sim, from->message, from->messages, sizeof(*from->message));
	if (!p.dst || !p.message)
		return weft_err_nomem(err);
	if (traffic_check(sim, of, &p, err) || traffic_fill(sim, number, &p, err) ||
	    add_moment(sim, of, &p, err))
		return err->code;
	fab_traffic_add(&nic->sim->fab, &nic->ep, &sim->traffic[number], &p);
	return 0;
}

/* All cells know all generators, and count for themselves. */
static int traffic_cells(struct weft_sim *sim, struct weft_err *err)
{
	const u32 n = sim->o->traffics;

	sim->traffic = weft_sim_alloc(sim, n, sizeof(*sim->traffic));
	for (u32 i = 0; i < sim->parts->cells; i++) {
		struct weft_sim *cell = sim->parts->cell[i];

		cell->traffic = sim->traffic;
		cell->heard = weft_sim_alloc(sim, n, sizeof(*cell->heard));
		if (!cell->heard)
			return weft_err_nomem(err);
	}
	return sim->traffic ? 0 : weft_err_nomem(err);
}

/**
 * weft_sim_traffic_groups() - count the groups of traffic
 * @o: options
 *
 * Return: the highest number of a group, plus 1.
 */
u32 weft_sim_traffic_groups(const struct weft_sim_options *o)
{
	u32 n = 0;

	for (u32 i = 0; i < o->traffics; i++)
		n = max(n, o->traffic[i].traffic.group + 1);
	return n;
}

/**
 * weft_sim_add_traffic() - add the background traffic of the options
 * @sim: the first cell, after weft_sim_split()
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_sim_add_traffic(struct weft_sim *sim, struct weft_err *err)
{
	if (sim->o->traffics && traffic_cells(sim, err))
		return err->code;
	for (u32 i = 0; i < sim->o->traffics; i++)
		if (add_generator(sim, i, err))
			return err->code;
	return 0;
}

/**
 * weft_sim_traffic_sent() - a packet of traffic begins on the first wire
 * @pkt: the packet
 */
void weft_sim_traffic_sent(struct weft_sim_pkt *pkt)
{
	struct weft_sim_nic *nic = pkt->tx;
	struct weft_sim *sim = nic->sim;
	struct fab_traffic *t = &sim->traffic[pkt->psn];
	struct weft_sim_pkt *next = weft_sim_pkt_new(sim, true);

	pkt->tx = NULL;
	if (!next)
		return;
	next->psn = pkt->psn;
	next->tx = nic;
	fab_fifo_push(&t->free, &next->p);
	fab_traffic_sent(&sim->fab, t);
}

/**
 * weft_sim_traffic_lost() - a packet of traffic is lost
 * @sim: the cell in which it is
 * @pkt: the packet; taken
 */
void weft_sim_traffic_lost(struct weft_sim *sim, struct weft_sim_pkt *pkt)
{
	if (pkt->tx) {
		fab_traffic_lost(&sim->fab, &sim->traffic[pkt->psn], &pkt->p, true);
		return;
	}
	sim->heard[pkt->psn].lost += !pkt->copy;
	weft_sim_pkt_free(sim, pkt);
}

/**
 * weft_sim_traffic_delivered() - a packet of traffic arrived
 * @nic: where
 * @pkt: the packet; taken
 *
 * Counts as fab_traffic_delivered() does. A packet that arrives at the wrong NIC is lost.
 */
void weft_sim_traffic_delivered(const struct weft_sim_nic *nic, struct weft_sim_pkt *pkt)
{
	struct weft_sim *sim = nic->sim;
	struct weft_sim_heard *h = &sim->heard[pkt->psn];
	fab_time latency = sim->fab.now - pkt->p.born;

	if (pkt->p.dst != nic->ep.id) {
		weft_sim_traffic_lost(sim, pkt);
		return;
	}
	if (!pkt->copy) {
		h->min = h->packets ? min(h->min, latency) : latency;
		h->max = max(h->max, latency);
		h->sum += latency;
		h->packets++;
		h->bytes += pkt->p.len;
		h->marked += !!(pkt->p.flags & FAB_PKT_CE);
	}
	weft_sim_pkt_free(sim, pkt);
}
