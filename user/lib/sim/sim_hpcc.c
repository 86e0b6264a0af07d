// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * HPCC: a window that follows what switches measure.
 *
 * Source: Li et al., HPCC: High Precision Congestion Control, SIGCOMM 2019, algorithm 1.
 * Each switch writes into a packet what its port has sent so far, its queue, its rate and
 * the time (INT); the acknowledgement brings that back. Of each port the sender computes
 * the bytes in flight as a share of what the wire takes in a round trip T: from the
 * queue, and from the bytes sent between two acknowledgements. The window is kept so
 * that the fullest port is at 0.95 of that, and the packets are paced at the window for each T.
 *
 * The parameters are the paper's: eta 0.95, five steps of additive increase before a
 * multiplicative one. Choices, as the paper leaves them to the fabric: T is the round trip
 * of a packet alone; the increase is what 100 flows share of the other 0.05. INT takes 42
 * bytes of each packet and acknowledgement, and five ports are measured. The queue is
 * what the wire has sent while the packet waited, so that those which are on their way
 * through the switch do not count.
 */
#include "sim/sim_run.h"

#include <string.h>

#include "core/sim/fixed.h"

#define HPCC_INT	42		/* bytes */
#define HPCC_ONE	(1ULL << 20)	/* of shares */
#define HPCC_ETA	(HPCC_ONE * 95 / 100)
#define HPCC_STAGES	5
#define HPCC_FLOWS	100
#define HPCC_LEAST	(WEFT_SIM_PACKET / 1000)
#define HPCC_TIME	16		/* ps: unit of times in INT */

/**
 * weft_sim_measure() - a port begins to send a packet with INT: write into it
 * @port: the port
 * @pkt: the packet
 */
void weft_sim_measure(const struct fab_port *port, struct weft_sim_pkt *pkt)
{
	const struct weft_sim_parts *p = pkt->qp->from->sim->parts;
	fab_time now;

	if (!port->sw || pkt->hops == WEFT_SIM_HOPS)
		return;
	now = p->cell[p->of_switch[port->sw->id]]->fab.now;
	pkt->hop[pkt->hops++] = (struct weft_sim_hop) {
		.port = port->sw->id << 10 | port->index,
		.at = (u32)(now / HPCC_TIME),
		.sent = (u32)port->c.tx_wire_bytes,
		.wait = (u32)((now - pkt->p.at) / HPCC_TIME),
		.kbps = (u32)(port->wire.bps / 1000),
	};
}

/* The window that has as many bytes in flight as the NIC's wire takes in a round trip. */
static u64 hpcc_whole(const struct weft_sim_qp *qp)
{
	u64 window = qp->alone * WEFT_SIM_PACKET / weft_sim_packet_time(qp->from);

	return min(window, WEFT_SIM_CWND_MAX);
}

static void hpcc_init(struct weft_sim_nic *nic)
{
	nic->header += HPCC_INT;
	nic->ack_len += HPCC_INT;
}

/* A packet may be sent as long as less than the window is in flight. */
static void hpcc_set(struct weft_sim_qp *qp, u64 window)
{
	qp->hpcc.exact = window;
	qp->cwnd = (window + WEFT_SIM_PACKET - 1) / WEFT_SIM_PACKET * WEFT_SIM_PACKET;
}

static void hpcc_begin(struct weft_sim_qp *qp)
{
	hpcc_set(qp, hpcc_whole(qp));
	qp->hpcc.window = qp->hpcc.exact;
}

/* Bytes in flight of a port as a share of what its wire takes in T; and over which time. */
static u64 hpcc_share(fab_time round, const struct weft_sim_hop *was,
		      const struct weft_sim_hop *is, fab_time *time)
{
	u64 bps = max((u64)is->kbps * 1000, (u64)1);
	fab_time wait = (fab_time)min(is->wait, was->wait) * HPCC_TIME;
	u64 rate;

	*time = (fab_time)(is->at - was->at) * HPCC_TIME;
	if (is->port != was->port || !*time)
		return 0;
	rate = (u64)((__uint128_t)fab_serialise(is->sent - was->sent, bps) * HPCC_ONE / *time);
	return rate + (u64)((__uint128_t)wait * HPCC_ONE / round);
}

/* Measure the fullest port, averaged over a round trip. Return: nothing was measured. */
static bool hpcc_measure(struct weft_sim_qp *qp, const struct weft_sim_pkt *ack)
{
	struct weft_sim_hpcc *h = &qp->hpcc;
	fab_time round = qp->alone, over = 0, time;
	u64 most = 0, share;
	u32 n = min(h->hops, ack->hops);

	for (u32 i = 0; i < n; i++) {
		share = hpcc_share(round, &h->hop[i], &ack->hop[i], &time);
		if (share <= most)
			continue;
		most = share;
		over = min(time, round);
	}
	h->hops = ack->hops;
	memcpy(h->hop, ack->hop, ack->hops * sizeof(*h->hop));
	if (!over)
		return false;
	h->share = (u64)(((__uint128_t)h->share * (round - over) + (__uint128_t)most * over) /
			 round);
	return true;
}

static void hpcc_acked(struct weft_sim *sim, struct weft_sim_qp *qp,
		       const struct weft_sim_pkt *ack, u32 packets)
{
	bool round = (s32)(ack->psn - qp->hpcc.round_end) > 0;
	u64 whole = hpcc_whole(qp), window;
	struct weft_sim_hpcc *h = &qp->hpcc;
	bool shrink;

	if (!hpcc_measure(qp, ack))
		return;
	shrink = h->share && (h->share >= HPCC_ETA || h->stage >= HPCC_STAGES);
	window = h->window;
	if (shrink)
		window = (u64)((__uint128_t)window * HPCC_ETA / h->share);
	window = min(window + whole / 20 / HPCC_FLOWS, whole);
	hpcc_set(qp, max(window, HPCC_LEAST));
	if (!round)
		return;
	h->stage = shrink ? 0 : h->stage + 1;
	h->window = h->exact;
	h->round_end = qp->high;
}

static fab_time hpcc_pace(struct weft_sim *sim, struct weft_sim_qp *qp, u32 bytes)
{
	u32 whole = weft_sim_packet_bytes(qp->from);

	return sim->fab.now + (fab_time)((__uint128_t)qp->alone * bytes * WEFT_SIM_PACKET /
					 ((__uint128_t)qp->hpcc.exact * whole));
}

const struct weft_sim_cc weft_sim_hpcc = {
	.name = "hpcc",
	.links = WEFT_SIM_CC_ETHERNET,
	.window = true,
	.measures = true,
	.init = hpcc_init,
	.begin = hpcc_begin,
	.pace = hpcc_pace,
	.acked = hpcc_acked,
};
