// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What goes from a cell of a simulation to another one: packets and control frames.
 *
 * A cell of the same part gets them at once. For other parts there is a box each. When
 * all have run to the end of the window, each takes what is for it. A packet is copied
 * then, so that each part frees what it has made itself.
 */
#include "sim/sim_run.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BOX_LEAST	256
#define NO_MESSAGE	U32_MAX
#define NO_QP		U32_MAX

/**
 * struct weft_sim_cross - a packet or a control frame between two parts
 * @cut: number of its wire
 * @qp: number of the packet's queue pair, or NO_QP
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

/* Number of the cell of the switch or the node that a port belongs to. */
static u32 cell_of(const struct weft_sim *sim, const struct fab_port *port)
{
	if (port->sw)
		return sim->parts->of_switch[port->sw->id];
	return sim->parts->of_node[sim->plan->nic[port->ep->id].node];
}

static struct weft_sim_cross *cross_new(struct weft_sim *sim, struct fab_cut *cut)
{
	const struct weft_sim_parts *p = sim->parts;
	const struct weft_sim_part *to = p->to[cut->id]->part;
	struct weft_sim_cross *c = box_add(sim, &sim->part->box[to - p->part]);

	if (c)
		c->cut = cut->id;
	return c;
}

/* Let a cell run when what came is due. */
static void expect(struct weft_sim *to, fab_time at)
{
	fab_time *next = &to->part->next[to->number];

	*next = min(*next, at);
}

static void packet_comes(struct weft_sim *to, struct fab_cut *cut, struct fab_pkt *pkt)
{
	expect(to, pkt->at);
	fab_cut_arrive(&to->fab, cut, pkt);
}

static void control_comes(struct weft_sim *to, struct fab_cut *cut,
			  const struct fab_control *c)
{
	expect(to, c->at);
	fab_cut_hear(&to->fab, cut, c);
}

/**
 * weft_sim_leave() - a packet goes to another cell
 * @fab: the fabric of its cell
 * @cut: its wire
 * @pkt: the packet
 */
void weft_sim_leave(struct fab *fab, struct fab_cut *cut, struct fab_pkt *pkt)
{
	struct weft_sim_pkt *gone = weft_sim_pkt_of(pkt);
	struct weft_sim *sim = weft_sim_of(fab), *to = sim->parts->to[cut->id];
	struct weft_sim_cross *c;

	if (to->part == sim->part) {
		packet_comes(to, cut, pkt);
		return;
	}
	c = cross_new(sim, cut);
	if (c) {
		c->is_control = false;
		c->qp = gone->qp ? (u32)(gone->qp - sim->qp) : NO_QP;
		c->message = gone->message ? (u32)(gone->message - sim->message) :
					     NO_MESSAGE;
		weft_sim_pkt_copy(&c->pkt, gone);
	}
	weft_sim_pkt_free(sim, gone);
}

/**
 * weft_sim_tell() - a control frame goes to another cell
 * @fab: the fabric of its cell
 * @cut: its wire
 * @c: the frame
 */
void weft_sim_tell(struct fab *fab, struct fab_cut *cut, const struct fab_control *c)
{
	struct weft_sim *sim = weft_sim_of(fab), *to = sim->parts->to[cut->id];
	struct weft_sim_cross *cross;

	if (to->part == sim->part) {
		control_comes(to, cut, c);
		return;
	}
	cross = cross_new(sim, cut);
	if (!cross)
		return;
	cross->is_control = true;
	cross->control = *c;
}

static void receive_one(const struct weft_sim_parts *p, const struct weft_sim_cross *c)
{
	struct fab_cut *cut = &p->cut[c->cut];
	struct weft_sim *sim = p->to[c->cut];
	struct weft_sim_pkt *pkt;

	if (c->is_control) {
		control_comes(sim, cut, &c->control);
		return;
	}
	pkt = weft_sim_pkt_new(sim, c->pkt.traffic);
	if (!pkt)
		return;
	weft_sim_pkt_copy(pkt, &c->pkt);
	pkt->qp = c->qp == NO_QP ? NULL : &sim->qp[c->qp];
	pkt->message = c->message == NO_MESSAGE ? NULL : &sim->message[c->message];
	packet_comes(sim, cut, &pkt->p);
}

static void receive_all(const struct weft_sim_parts *p, const struct weft_sim_cross *c,
			size_t n)
{
	for (size_t i = 0; i < n; i++)
		receive_one(p, &c[i]);
}

/**
 * weft_sim_receive() - take what other parts of this process have sent
 * @p: the parts, none of which is running
 * @part: number of the part that takes it
 */
void weft_sim_receive(const struct weft_sim_parts *p, u32 part)
{
	for (u32 i = 0; i < p->n; i++) {
		const struct weft_sim_box *box = &p->part[i].box[part];

		receive_all(p, box->cross, box->n);
	}
}

/**
 * weft_sim_exchange() - send to other ranks what is for them, and take what they send
 * @p: the parts, of which this process runs one
 */
void weft_sim_exchange(const struct weft_sim_parts *p)
{
	const struct weft_sim_box *box = p->mine->box;

	for (u32 i = 0; i < p->n; i++) {
		p->out[i].data = box[i].cross;
		p->out[i].bytes = box[i].n * sizeof(*box->cross);
	}
	weft_sim_team(p)->ops->exchange(p->out, p->in);
	for (u32 i = 0; i < p->n; i++) {
		const struct weft_sim_cross *c = p->in[i].data;

		receive_all(p, c, p->in[i].bytes / sizeof(*c));
	}
}

static int cut_wire(struct weft_sim *sim, struct fab_port *port, size_t *ring,
		    struct weft_err *err)
{
	struct weft_sim_parts *p = sim->parts;
	void *mem = weft_sim_alloc(sim, 1, fab_cut_mem(port));

	if (!mem)
		return weft_err_nomem(err);
	fab_cut_init(&p->cut[p->cuts], p->cuts, port, mem, p->rings + *ring);
	*ring += fab_cut_ring_mem(port);
	p->to[p->cuts] = p->cell[cell_of(sim, port->peer)];
	p->cuts++;
	p->ahead = min(p->ahead, port->wire.p.propagation);
	return 0;
}

/* The port at the first end of a link that is cut, else NULL. */
static struct fab_port *cut_link(const struct weft_sim *sim, u32 link)
{
	struct fab_port *port = weft_sim_port_of(sim, &sim->plan->link[link].end[0]);

	return cell_of(sim, port) == cell_of(sim, port->peer) ? NULL : port;
}

static size_t cut_rings(const struct weft_sim *sim)
{
	const struct fab_port *port;
	size_t bytes = 0;

	for (u32 i = 0; i < sim->plan->links; i++) {
		port = cut_link(sim, i);
		if (port)
			bytes += fab_cut_ring_mem(port) + fab_cut_ring_mem(port->peer);
	}
	return bytes;
}

static int cut_links(struct weft_sim *sim, struct weft_err *err)
{
	struct weft_sim_parts *p = sim->parts;
	struct fab_port *port;
	size_t ring = 0;

	p->rings = weft_sim_alloc(sim, 1, cut_rings(sim));
	p->cut = weft_sim_alloc(sim, 2 * (size_t)sim->plan->links, sizeof(*p->cut));
	p->to = calloc(2 * (size_t)sim->plan->links + 1, sizeof(*p->to));
	if (!p->rings || !p->cut || !p->to)
		return weft_err_nomem(err);
	for (u32 i = 0; i < sim->plan->links; i++) {
		port = cut_link(sim, i);
		if (port && (cut_wire(sim, port, &ring, err) ||
			     cut_wire(sim, port->peer, &ring, err)))
			return err->code;
	}
	return 0;
}

/* Give the objects of the first cell to the others. */
static void hand_over(struct weft_sim *sim)
{
	const struct weft_sim_parts *p = sim->parts;

	for (u32 i = 0; i < sim->plan->switches; i++)
		if (p->of_switch[i])
			fab_switch_change(&sim->fab, &p->cell[p->of_switch[i]]->fab,
					  &sim->sw[i]);
	for (u32 i = 0; i < sim->plan->nics; i++) {
		struct weft_sim_nic *nic = &sim->nic[i];

		nic->sim = weft_sim_at(sim, nic->plan->node);
		if (nic->sim != sim)
			fab_endpoint_change(&sim->fab, &nic->sim->fab, &nic->ep);
	}
}

/* Another cell shares what the first one has. */
static bool cell_new(struct weft_sim *first, struct weft_sim **cell)
{
	struct weft_sim *sim = weft_sim_alloc(first, 1, sizeof(*sim));

	*cell = sim;
	if (!sim)
		return false;
	*sim = *first;
	memset(&sim->fab, 0, sizeof(sim->fab));
	fab_init(&sim->fab, &weft_sim_host, sim->o->seed);
	sim->fab.guests = first->fab.guests;
	sim->starts.heap = NULL;
	return true;
}

static int make_cells(struct weft_sim *sim, struct weft_err *err)
{
	struct weft_sim_parts *p = sim->parts;
	struct weft_sim **all = realloc(p->cell, (p->cells + (size_t)1) * sizeof(*all));

	if (!all)
		return weft_err_nomem(err);
	p->cell = all;
	memset(all + 1, 0, p->cells * sizeof(*all));
	for (u32 i = 0; i < p->cells; i++)
		if ((i && !cell_new(sim, &all[i])) || weft_sim_starts_init(all[i], err))
			return weft_err_nomem(err);
	return 0;
}

/* There is no memory for INT where nobody wants it. */
static size_t pkt_size(const struct weft_sim *sim)
{
	for (u32 i = 0; i < sim->plan->nics; i++)
		if (sim->nic[i].cc->measures)
			return sizeof(struct weft_sim_pkt);
	return offsetof(struct weft_sim_pkt, hop);
}

/* First cell of a part: each has as many, or one more. */
static u32 first_cell(const struct weft_sim_parts *p, u32 part)
{
	return (u32)((u64)part * p->cells / p->n);
}

static int make_part(struct weft_sim_parts *p, u32 number, struct weft_err *err)
{
	struct weft_sim_part *part = &p->part[number];
	u32 first = first_cell(p, number);

	part->cells = first_cell(p, number + 1) - first;
	part->cell = &p->cell[first];
	part->next = calloc(part->cells + (size_t)1, sizeof(*part->next));
	part->box = calloc(p->n, sizeof(*part->box));
	part->pkt_size = pkt_size(*p->cell);
	if (!part->next || !part->box)
		return weft_err_nomem(err);
	for (u32 i = 0; i < part->cells; i++) {
		part->cell[i]->part = part;
		part->cell[i]->number = i;
	}
	return 0;
}

static int make_parts(struct weft_sim_parts *p, struct weft_err *err)
{
	for (u32 i = 0; i < p->n; i++)
		if (make_part(p, i, err))
			return err->code;
	return 0;
}

/**
 * weft_sim_split() - make the cells that weft_sim_divide() has chosen
 * @sim: the first one, which has all: the model, messages, queue pairs
 * @err: error
 *
 * Return: 0 or negative errno; in any case weft_sim_unsplit() frees them.
 */
int weft_sim_split(struct weft_sim *sim, struct weft_err *err)
{
	const struct weft_team *team = weft_sim_team(sim->parts);
	struct weft_sim_parts *p = sim->parts;

	p->mine = &p->part[team ? team->rank : 0];
	p->in = calloc(p->n, sizeof(*p->in));
	p->out = calloc(p->n, sizeof(*p->out));
	if (!p->in || !p->out)
		return weft_err_nomem(err);
	if (make_cells(sim, err) || make_parts(p, err))
		return err->code;
	hand_over(sim);
	return cut_links(sim, err);
}

static void part_free(struct weft_sim_part *part, u32 parts)
{
	for (u32 i = 0; part->box && i < parts; i++)
		free(part->box[i].cross);
	free(part->box);
	free(part->next);
}

/**
 * weft_sim_unsplit() - free the parts and cells, but not what the first cell has for all
 * @p: the parts
 */
void weft_sim_unsplit(struct weft_sim_parts *p)
{
	for (u32 i = 0; p->part && i < p->n; i++)
		part_free(&p->part[i], p->n);
	for (u32 i = 0; p->in && i < p->n; i++)
		free(p->in[i].data);
	free(p->in);
	free(p->out);
	free(p->to);
	free(p->of_node);
	free(p->of_switch);
	free(p->state);
	free(p->part);
	free(p->cell);
}
