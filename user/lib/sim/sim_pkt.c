// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packets of a simulation: they are made in blocks and used again.
 */
#include "sim/sim_run.h"

#include <stddef.h>
#include <string.h>

#define PKT_BLOCK	1024

static void pkt_spare(struct weft_sim_part *part, struct weft_sim_pkt *pkt)
{
	pkt->p.next = part->spare;
	part->spare = &pkt->p;
}

static bool pkt_more(struct weft_sim *sim)
{
	struct weft_sim_part *part = sim->part;
	char *block = weft_sim_alloc_part(sim, PKT_BLOCK * part->pkt_size);

	for (size_t i = 0; block && i < PKT_BLOCK; i++)
		pkt_spare(part, (void *)(block + i * part->pkt_size));
	return block;
}

/**
 * weft_sim_pkt_new() - make a packet
 * @sim: the cell
 * @traffic: it is of background traffic, not of a message
 *
 * Return: a packet, zeroed but for @traffic; NULL without memory: the simulation has failed.
 */
struct weft_sim_pkt *weft_sim_pkt_new(struct weft_sim *sim, bool traffic)
{
	struct weft_sim_part *part = sim->part;
	struct weft_sim_pkt *pkt;

	if (!part->spare && !pkt_more(sim)) {
		weft_sim_fail(sim, "out of memory for packets");
		return NULL;
	}
	pkt = weft_sim_pkt_of(part->spare);
	part->spare = pkt->p.next;
	part->state.made += !traffic;
	memset(pkt, 0, offsetof(struct weft_sim_pkt, hop));
	pkt->traffic = traffic;
	return pkt;
}

/**
 * weft_sim_pkt_copy() - copy a packet
 * @to: a packet
 * @from: another one
 */
void weft_sim_pkt_copy(struct weft_sim_pkt *to, const struct weft_sim_pkt *from)
{
	memcpy(to, from, offsetof(struct weft_sim_pkt, hop) + from->hops * sizeof(*from->hop));
}

/**
 * weft_sim_pkt_free() - give a packet back
 * @sim: the cell
 * @pkt: the packet, in no queue
 *
 * Nobody waits for traffic.
 */
void weft_sim_pkt_free(struct weft_sim *sim, struct weft_sim_pkt *pkt)
{
	struct weft_sim_part *part = sim->part;

	if (!pkt->traffic) {
		part->state.gone++;
		part->state.quiet = max(part->state.quiet, sim->fab.now);
	}
	pkt_spare(part, pkt);
}
