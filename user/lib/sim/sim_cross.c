// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What goes from a part of a simulation to another one: packets and control frames.
 *
 * A part puts them into a box for each other part. When all have run to the end of the
 * window, each takes what is for it. A packet is copied, so that each part frees what it
 * has made itself.
 */
#include "sim/sim_run.h"

#include <stdlib.h>

#define BOX_LEAST	256
#define NO_MESSAGE	U32_MAX

/**
 * struct weft_sim_cross - a packet or a control frame between two parts
 * @cut: number of its wire
 * @qp: number of the packet's queue pair
 * @message: number of its message, or NO_MESSAGE
 * @is_control: it is a control frame
 * @pkt: the packet; pointers in it count only where it was sent
 * @control: the control frame
 */
struct weft_sim_cross {
	u32 cut;
	u32 qp;
	u32 message;
	bool is_control;
	union {
		struct weft_sim_pkt pkt;
		struct fab_control control;
	};
};

/* Room for one more; NULL without memory: the part has failed. */
static struct weft_sim_cross *box_add(struct weft_sim *sim, struct weft_sim_box *box)
{
	size_t room = box->room ? 2 * box->room : BOX_LEAST;
	struct weft_sim_cross *more;

	if (box->n < box->room)
		return &box->cross[box->n++];
	more = realloc(box->cross, room * sizeof(*more));
	if (!more) {
		weft_sim_fail(sim, "out of memory for what goes to other parts");
		return NULL;
	}
	box->cross = more;
	box->room = room;
	return &box->cross[box->n++];
}

/* The part of the switch or the node that a port belongs to. */
static u32 part_of(const struct weft_sim *sim, const struct fab_port *port)
{
	if (port->sw)
		return sim->parts->of_switch[port->sw->id];
	return sim->parts->of_node[sim->plan->nic[port->ep->id].node];
}

static struct weft_sim_cross *cross_new(struct weft_sim *sim, struct fab_cut *cut)
{
	struct weft_sim_cross *c = box_add(sim, &sim->box[part_of(sim, cut->from->peer)]);

	if (c)
		c->cut = cut->id;
	return c;
}

/**
 * weft_sim_leave() - a packet goes to another part
 * @fab: the fabric of its part
 * @cut: its wire
 * @pkt: the packet
 */
void weft_sim_leave(struct fab *fab, struct fab_cut *cut, struct fab_pkt *pkt)
{
	struct weft_sim_pkt *gone = weft_sim_pkt_of(pkt);
	struct weft_sim *sim = weft_sim_of(fab);
	struct weft_sim_cross *c = cross_new(sim, cut);

	if (c) {
		c->is_control = false;
		c->qp = (u32)(gone->qp - sim->qp);
		c->message = gone->message ? (u32)(gone->message - sim->message) :
					     NO_MESSAGE;
		c->pkt = *gone;
	}
	weft_sim_pkt_free(sim, gone);
}

/**
 * weft_sim_tell() - a control frame goes to another part
 * @fab: the fabric of its part
 * @cut: its wire
 * @c: the frame
 */
void weft_sim_tell(struct fab *fab, struct fab_cut *cut, const struct fab_control *c)
{
	struct weft_sim_cross *to = cross_new(weft_sim_of(fab), cut);

	if (!to)
		return;
	to->is_control = true;
	to->control = *c;
}

static void receive_one(struct weft_sim *sim, const struct weft_sim_cross *c)
{
	struct fab_cut *cut = &sim->parts->cut[c->cut];
	struct weft_sim_pkt *pkt;

	if (c->is_control) {
		fab_cut_hear(&sim->fab, cut, &c->control);
		return;
	}
	pkt = weft_sim_pkt_new(sim);
	if (!pkt)
		return;
	*pkt = c->pkt;
	pkt->qp = &sim->qp[c->qp];
	pkt->message = c->message == NO_MESSAGE ? NULL : &sim->message[c->message];
	fab_cut_arrive(&sim->fab, cut, &pkt->p);
}

static void receive_all(struct weft_sim *sim, const struct weft_sim_cross *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		receive_one(sim, &c[i]);
}

/**
 * weft_sim_receive() - take what other parts of this process have sent
 * @sim: the part; no part is running
 */
void weft_sim_receive(struct weft_sim *sim)
{
	for (u32 i = 0; i < sim->parts->n; i++) {
		const struct weft_sim_box *box = &sim->parts->part[i].box[sim->part];

		receive_all(sim, box->cross, box->n);
	}
}

/**
 * weft_sim_exchange() - send to other ranks what is for them, and take what they send
 * @sim: the part of this process
 */
void weft_sim_exchange(struct weft_sim *sim)
{
	const struct weft_sim_parts *p = sim->parts;

	for (u32 i = 0; i < p->n; i++) {
		p->out[i].data = sim->box[i].cross;
		p->out[i].bytes = sim->box[i].n * sizeof(*sim->box[i].cross);
	}
	weft_sim_team(p)->ops->exchange(p->out, p->in);
	for (u32 i = 0; i < p->n; i++) {
		const struct weft_sim_cross *c = p->in[i].data;

		receive_all(sim, c, p->in[i].bytes / sizeof(*c));
	}
}

static int cut_wire(struct weft_sim_parts *p, struct fab_port *port,
		    struct weft_err *err)
{
	void *mem = calloc(1, fab_cut_mem(port) + 1);

	if (!mem)
		return weft_err_nomem(err);
	fab_cut_init(&p->cut[p->cuts], p->cuts, port, mem);
	p->cuts++;
	p->ahead = min(p->ahead, port->wire.p.propagation);
	return 0;
}

static int cut_links(struct weft_sim *sim, struct weft_err *err)
{
	struct weft_sim_parts *p = sim->parts;

	p->cut = calloc(2 * (size_t)sim->plan->links + 1, sizeof(*p->cut));
	if (!p->cut)
		return weft_err_nomem(err);
	for (u32 i = 0; i < sim->plan->links; i++) {
		struct fab_port *port = weft_sim_port_of(sim, &sim->plan->link[i].end[0]);

		if (part_of(sim, port) == part_of(sim, port->peer))
			continue;
		if (cut_wire(p, port, err) || cut_wire(p, port->peer, err))
			return err->code;
	}
	return 0;
}

/* Give the objects of the first part to the others. */
static void hand_over(struct weft_sim *sim)
{
	const struct weft_sim_parts *p = sim->parts;

	for (u32 i = 0; i < sim->plan->switches; i++)
		if (p->of_switch[i])
			fab_switch_change(&sim->fab, &p->part[p->of_switch[i]].fab,
					  &sim->sw[i]);
	for (u32 i = 0; i < sim->plan->nics; i++) {
		struct weft_sim_nic *nic = &sim->nic[i];
		u32 part = p->of_node[nic->plan->node];

		nic->sim = &p->part[part];
		if (part)
			fab_endpoint_change(&sim->fab, &p->part[part].fab, &nic->ep);
	}
}

/* The other parts share what the first one has. */
static int make_parts(struct weft_sim *sim, struct weft_err *err)
{
	struct weft_sim_parts *p = sim->parts;

	for (u32 i = 0; i < p->n; i++) {
		struct weft_sim *part = &p->part[i];

		if (i) {
			*part = *sim;
			part->spare = NULL;
			part->blocks = NULL;
			fab_init(&part->fab, &weft_sim_host, sim->o->seed);
			part->fab.guests = sim->fab.guests;
			part->starts.heap = NULL;
			part->part = i;
		}
		part->box = calloc(p->n, sizeof(*part->box));
		if (!part->box || weft_sim_starts_init(part, err))
			return weft_err_nomem(err);
	}
	return 0;
}

/**
 * weft_sim_split() - make the parts that weft_sim_divide() has chosen
 * @sim: the first part, which has all: the model, messages, queue pairs
 * @err: error
 *
 * Return: 0 or negative errno; in any case weft_sim_unsplit() frees them.
 */
int weft_sim_split(struct weft_sim *sim, struct weft_err *err)
{
	const struct weft_team *team = weft_sim_team(sim->parts);
	struct weft_sim_parts *p = sim->parts;

	p->mine = team ? &p->part[team->rank] : sim;
	p->in = calloc(p->n, sizeof(*p->in));
	p->out = calloc(p->n, sizeof(*p->out));
	if (!p->in || !p->out)
		return weft_err_nomem(err);
	if (make_parts(sim, err))
		return err->code;
	hand_over(sim);
	return cut_links(sim, err);
}

/**
 * weft_sim_unsplit() - free the parts, but not what the first one has for all
 * @p: the parts
 */
void weft_sim_unsplit(struct weft_sim_parts *p)
{
	for (u32 i = 0; i < p->n; i++) {
		struct weft_sim *part = &p->part[i];

		for (u32 k = 0; part->box && k < p->n; k++)
			free(part->box[k].cross);
		free(part->box);
		free(part->starts.heap);
		weft_sim_pkts_free(part);
	}
	for (u32 i = 0; p->in && i < p->n; i++)
		free(p->in[i].data);
	free(p->in);
	free(p->out);
	for (u32 i = 0; i < p->cuts; i++)
		free(p->cut[i].far.slot);
	free(p->cut);
	free(p->of_node);
	free(p->of_switch);
	free(p->state);
	free(p->part);
}
