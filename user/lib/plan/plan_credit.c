// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Credits of a plan: do they suffice for the largest packet?
 *
 * A packet is sent as a whole, so credits for less than one packet mean that it
 * is never sent. Credits for less than a round trip make a link slower, which
 * gets a remark. Credits for n packets of L bytes allow the rate n L / a with
 * the round trip a = 2p + L/C + reaction time, propagation p and rate C.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "netlink/discipline.h"
#include "plan/plan_room.h"
#include "topology/topo_port.h"

/* Defaults and limits of the kernel. */
#define BLOCKS		2048
#define BLOCKS_MAX	65535
#define GRANT_MAX	2048
#define BLOCK		64
#define HEADER		24
#define HDR		1024
#define DATA		16384
#define PAYLOAD		256
#define UNIT		16
#define VL_MGMT		15
#define CREDITS		4096
#define CREDIT_SIZE	128

/**
 * struct slow - the link that its credits slow down most
 * @link: the link
 * @rate: rate that the credits allow, bit/s
 * @packets: number of packets for which the credits suffice
 * @n: number of wires that their credits slow down
 */
struct slow {
	const struct weft_link *link;
	uint64_t rate;
	uint64_t packets;
	unsigned int n;
};

/**
 * struct place - the receiving end of a link
 * @r: the plan
 * @name: name of the switch or NIC
 * @p: parameters of its port
 * @l: the largest packet that it may receive
 */
struct place {
	struct weft_rooms *r;
	const char *name;
	const struct weft_port_params *p;
	const struct weft_load *l;
};

static uint64_t up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

/* Entry @i of a list; its last value applies to all entries after it. */
static uint64_t entry(const struct weft_list *list, bool has, uint32_t i,
		      uint64_t def)
{
	if (!has || !list->n)
		return def;
	return list->v[i < list->n ? i : list->n - 1];
}

static uint64_t blocks_for(const struct weft_credit_params *c,
			   const struct weft_load *l)
{
	uint32_t block = c->has & WEFT_HAS(WEFT_A_CREDIT_BLOCK) ? c->block :
								  BLOCK;
	uint32_t header = c->has & WEFT_HAS(WEFT_A_CREDIT_HEADER) ? c->header :
								    HEADER;

	return l->segs * up(up(l->len, l->segs) + header, block);
}

static int check_vl(const struct place *at, uint32_t vl, uint64_t *packets)
{
	const struct weft_credit_params *c = &at->p->credit;
	uint64_t need = blocks_for(c, at->l), have;

	have = entry(&c->blocks, c->has & WEFT_HAS(WEFT_A_CREDIT_BLOCKS), vl,
		     BLOCKS);
	if (!have || have > BLOCKS_MAX)
		return weft_err_set(at->r->err, WEFT_ERR_USAGE, -EINVAL,
				    "%s: credit-buffer of VL %u: expected 1 to %d blocks, found %"
				    PRIu64,
				    at->name, vl, BLOCKS_MAX, have);
	if (have > GRANT_MAX)
		have = GRANT_MAX;
	if (have / need < *packets)
		*packets = have / need;
	if (have >= need)
		return 0;
	return weft_rooms_fault(at->r,
				"%s: VL %u has %" PRIu64
				" blocks of credit (%d can be granted at most), the largest packet of %"
				PRIu64 " bytes in %" PRIu64 " frames needs %" PRIu64,
				at->name, vl, have, GRANT_MAX, at->l->len,
				at->l->segs, need);
}

static int check_vc(const struct place *at, uint32_t vc, uint64_t *packets)
{
	const struct weft_flit_params *f = &at->p->flit;
	bool cut = f->has & WEFT_HAS(WEFT_A_FLIT_PAYLOAD);
	uint64_t len = up(at->l->len, at->l->segs), hdr, data, need_hdr;
	uint64_t need_data;

	hdr = entry(&f->hdr, f->has & WEFT_HAS(WEFT_A_FLIT_HDR), vc, HDR);
	data = entry(&f->data, f->has & WEFT_HAS(WEFT_A_FLIT_DATA), vc, DATA);
	need_hdr = at->l->segs * up(len, cut ? f->payload : PAYLOAD);
	need_data = at->l->segs * up(len, cut ? f->unit : UNIT);
	if (hdr / need_hdr < *packets)
		*packets = hdr / need_hdr;
	if (data / need_data < *packets)
		*packets = data / need_data;
	if (*packets)
		return 0;
	return weft_rooms_fault(at->r,
				"%s: VC %u has %" PRIu64 " header and %" PRIu64
				" data credits, the largest packet of %" PRIu64
				" bytes in %" PRIu64 " frames needs %" PRIu64
				" and %" PRIu64,
				at->name, vc, hdr, data, at->l->len,
				at->l->segs, need_hdr, need_data);
}

/* A VC of Ultra Ethernet; best effort needs no credits. */
static int check_credits(const struct place *at, uint32_t vc, uint64_t *packets)
{
	const struct weft_cbfc_params *c = &at->p->cbfc;
	uint32_t size = c->has & WEFT_HAS(WEFT_A_CBFC_SIZE) ? c->size : CREDIT_SIZE;
	uint32_t more = c->has & WEFT_HAS(WEFT_A_CBFC_OVERHEAD) ? c->overhead : 0;
	uint64_t need = at->l->segs * up(up(at->l->len, at->l->segs) + more, size);
	uint64_t have = entry(&c->limit, c->has & WEFT_HAS(WEFT_A_CBFC_LIMIT), vc,
			      CREDITS);

	if (!have)
		return 0;
	if (have / need < *packets)
		*packets = have / need;
	if (have >= need)
		return 0;
	return weft_rooms_fault(at->r,
				"%s: VC %u has %" PRIu64
				" credits of %u bytes, the largest packet of %" PRIu64
				" bytes in %" PRIu64 " frames needs %" PRIu64,
				at->name, vc, have, size, at->l->len, at->l->segs, need);
}

/* The replay buffer must hold the largest packet. */
static int check_replay(const struct place *at, const struct weft_wire *w)
{
	bool llr = weft_port_discipline(at->p)->llr;
	uint32_t replay = llr ? at->p->llr.replay : at->p->flit.replay;
	uint64_t need = llr ? at->l->len : weft_load_wire(at->l, w);

	if (!replay || replay >= need)
		return 0;
	return weft_rooms_fault(at->r,
				"%s: the replay buffer has %u bytes, the largest packet takes %"
				PRIu64,
				at->name, replay, need);
}

static int check_class(const struct place *at, uint32_t cls, uint64_t *packets)
{
	switch (weft_port_discipline(at->p)->flow) {
	case WEFT_FLOW_CREDIT:
		return cls == VL_MGMT ? 0 : check_vl(at, cls, packets);
	case WEFT_FLOW_CBFC:
		return check_credits(at, cls, packets);
	default:
		return check_vc(at, cls, packets);
	}
}

static int check_port(const struct place *at, const struct weft_wire *w,
		      uint64_t *packets)
{
	uint32_t n = weft_port_classes(at->p);

	for (uint32_t i = 0; i < n; i++)
		if (check_class(at, i, packets))
			return at->r->err->code;
	return check_replay(at, w);
}

/* Rate with credits for @packets, bit/s; UINT64_MAX if it is more. */
static uint64_t loop_rate(const struct place *at, const struct weft_wire *w,
			  uint64_t packets)
{
	uint64_t bytes = weft_load_wire(at->l, w);
	__uint128_t bits = (__uint128_t)bytes * 8 * WEFT_PS_PER_S, loop;

	loop = 2 * (__uint128_t)w->propagation + at->p->react + bits / weft_wire_rate(w);
	bits = loop ? bits * packets / loop : UINT64_MAX;
	return bits < UINT64_MAX ? (uint64_t)bits : UINT64_MAX;
}

static struct place place_at(struct weft_rooms *r, const struct weft_end *end)
{
	struct weft_plan *p = r->plan;

	if (end->is_nic)
		return (struct place) {
			r, p->nic[end->id].nic.name, &p->nic[end->id].nic.port,
			&r->load[p->switches + end->id]
		};
	return (struct place) {
		r, p->sw[end->id].name, &p->sw[end->id].port, &r->load[end->id]
	};
}

static int check_end(struct weft_rooms *r, const struct weft_link *link,
		     unsigned int side, struct slow *slow)
{
	struct place at = place_at(r, &link->end[side]);
	const struct weft_wire *w = &link->wire[0];
	uint64_t packets = UINT32_MAX, rate;

	if (!weft_port_credits(at.p))
		return 0;
	if (check_port(&at, w, &packets))
		return r->err->code;
	rate = loop_rate(&at, w, packets);
	if (!packets || rate >= weft_wire_rate(w))
		return 0;
	slow->n++;
	if (slow->link && slow->rate <= rate)
		return 0;
	slow->link = link;
	slow->rate = rate;
	slow->packets = packets;
	return 0;
}

/**
 * weft_rooms_credits() - check whether the credits suffice
 * @r: the plan
 *
 * Return: 0 or negative errno.
 */
int weft_rooms_credits(struct weft_rooms *r)
{
	struct weft_plan *p = r->plan;
	struct slow slow = { 0 };
	char is[32], could[32];
	uint64_t full;

	for (unsigned int i = 0; i < p->links; i++)
		for (unsigned int s = 0; s < 2; s++)
			if (check_end(r, &p->link[i], s, &slow))
				return r->err->code;
	if (!slow.link)
		return 0;
	full = weft_wire_rate(&slow.link->wire[0]);
	return weft_plan_note(p, r->err,
			      "link %s: credits for %" PRIu64 " packets limit a class to %s of %s (%u wires are limited)",
			      slow.link->name, slow.packets,
			      weft_format_rate(is, sizeof(is), slow.rate),
			      weft_format_rate(could, sizeof(could), full),
			      slow.n);
}
