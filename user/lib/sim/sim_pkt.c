// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packets of a simulation: they are made in blocks and used again.
 */
#include "sim/sim_run.h"

#include <stdlib.h>

#define PKT_BLOCK	1024

/**
 * struct block - memory of packets
 * @next: the block that was made before
 * @pkt: the packets
 */
struct block {
	struct block *next;
	struct weft_sim_pkt pkt[PKT_BLOCK];
};

static void pkt_spare(struct weft_sim *sim, struct weft_sim_pkt *pkt)
{
	pkt->p.next = sim->spare;
	sim->spare = &pkt->p;
}

static bool pkt_more(struct weft_sim *sim)
{
	struct block *b = malloc(sizeof(*b));

	if (!b)
		return false;
	b->next = sim->blocks;
	sim->blocks = b;
	for (unsigned int i = 0; i < PKT_BLOCK; i++)
		pkt_spare(sim, &b->pkt[i]);
	return true;
}

/**
 * weft_sim_pkt_new() - make a packet
 * @sim: the simulation
 *
 * Return: a packet, zeroed; NULL without memory: the simulation has failed.
 */
struct weft_sim_pkt *weft_sim_pkt_new(struct weft_sim *sim)
{
	struct weft_sim_pkt *pkt;

	if (!sim->spare && !pkt_more(sim)) {
		weft_sim_fail(sim, "out of memory for packets");
		return NULL;
	}
	pkt = weft_sim_pkt_of(sim->spare);
	sim->spare = pkt->p.next;
	sim->state.made++;
	memset(pkt, 0, sizeof(*pkt));
	return pkt;
}

/**
 * weft_sim_pkt_free() - give a packet back
 * @sim: the simulation
 * @pkt: the packet, in no queue
 */
void weft_sim_pkt_free(struct weft_sim *sim, struct weft_sim_pkt *pkt)
{
	sim->state.gone++;
	sim->state.quiet = sim->fab.now;
	pkt_spare(sim, pkt);
}

/**
 * weft_sim_pkts_free() - free the memory of all packets
 * @sim: the simulation, at its end
 */
void weft_sim_pkts_free(struct weft_sim *sim)
{
	struct block *b = sim->blocks, *next;

	for (; b; b = next) {
		next = b->next;
		free(b);
	}
	sim->blocks = NULL;
	sim->spare = NULL;
}
