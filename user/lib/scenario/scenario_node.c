// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Node events: processes stop or end, links lose power.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "lab/lab_signal.h"
#include "netlink/link.h"
#include "scenario/scenario.h"

#define KILL_ROUNDS	10000
#define KILL_WAIT_US	100

const char *const weft_node_act_name[WEFT_NODE_ACTS] = {
	[WEFT_NODE_FREEZE] = "freeze", [WEFT_NODE_THAW] = "thaw",
	[WEFT_NODE_KILL] = "kill", [WEFT_NODE_RETURN] = "return",
};

/**
 * weft_entry_act() - what an entry does to a node, one act after the other
 * @e: a node event; a setting has acts, too, of which only the times count
 * @i: number of the act, from 0
 * @at: result: its time, ps since the start of the scenario
 * @act: result: what is done
 *
 * Return: false if there are no more.
 */
bool weft_entry_act(const struct weft_entry *e, uint32_t i, uint64_t *at, enum weft_node_act *act)
{
	uint32_t each = e->duration ? 2 : 1, k = i / each;
	bool undo = i % each;

	if (k >= (e->count ? e->count : 1))
		return false;
	*at = e->at + k * e->period + (undo ? e->duration : 0);
	*act = !undo ? e->act : e->act == WEFT_NODE_FREEZE ? WEFT_NODE_THAW : WEFT_NODE_RETURN;
	return true;
}

/* Kill until no process is left: one that still runs may start others. */
static void end_all(const struct weft_player *p, const char *node)
{
	for (unsigned int i = 0;
	     i < KILL_ROUNDS && weft_lab_signal(p->lab, node, SIGKILL); i++)
		if (i)
			usleep(KILL_WAIT_US);
}

static bool is_nic_of(const struct weft_facts *f, const struct weft_end *end,
		      const char *node)
{
	size_t len = strlen(node);

	for (unsigned int i = 0; end->is_nic && i < f->nics; i++)
		if (f->nic[i].id == end->id)
			return !strncmp(f->nic[i].name, node, len) &&
			       f->nic[i].name[len] == '.';
	return false;
}

static int set_link(struct weft_player *p, uint32_t link, bool up,
		    struct weft_err *err)
{
	struct weft_link change = {
		.fabric = p->facts.fabric.id, .id = link, .wires = 1,
		.wire[0] = { .has = WEFT_WIRE_HAS_UP, .up = up },
	};

	return weft_link_set(&p->nl, &change, err);
}

static bool is_cut(const struct weft_player *p, uint32_t link)
{
	for (unsigned int i = 0; i < p->cuts; i++)
		if (p->cut[i].link == link)
			return true;
	return false;
}

static int cut_link(struct weft_player *p, const char *node, uint32_t link,
		    struct weft_err *err)
{
	struct weft_cut *more;

	more = weft_array_grow(p->cut, p->cuts, sizeof(*more));
	if (!more)
		return weft_err_nomem(err);
	p->cut = more;
	if (set_link(p, link, false, err))
		return err->code;
	more[p->cuts++] = (struct weft_cut) { link, node };
	return 0;
}

/* A link that was down before is not cut, so it stays down when the node returns. */
static int cut_links(struct weft_player *p, const char *node,
		     struct weft_err *err)
{
	for (unsigned int i = 0; i < p->facts.links; i++) {
		const struct weft_link *l = &p->facts.link[i];

		if (!is_nic_of(&p->facts, &l->end[0], node) &&
		    !is_nic_of(&p->facts, &l->end[1], node))
			continue;
		if (!l->wire[0].up || is_cut(p, l->id))
			continue;
		if (cut_link(p, node, l->id, err))
			return err->code;
	}
	return 0;
}

static int join_links(struct weft_player *p, const char *node,
		      struct weft_err *err)
{
	unsigned int left = 0;
	int ret = 0;

	for (unsigned int i = 0; i < p->cuts; i++) {
		if (!ret && !strcmp(p->cut[i].node, node))
			ret = set_link(p, p->cut[i].link, true, err);
		else
			p->cut[left++] = p->cut[i];
	}
	p->cuts = left;
	return ret;
}

/**
 * weft_player_act() - do something to a node
 * @p: the player
 * @node: name of the node; outlives the player
 * @act: what is done
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_player_act(struct weft_player *p, const char *node,
		    enum weft_node_act act, struct weft_err *err)
{
	switch (act) {
	case WEFT_NODE_FREEZE:
		weft_lab_freeze(p->lab, node);
		return 0;
	case WEFT_NODE_THAW:
		weft_lab_signal(p->lab, node, SIGCONT);
		return 0;
	case WEFT_NODE_KILL:
		if (cut_links(p, node, err))
			return err->code;
		end_all(p, node);
		return 0;
	default:
		return join_links(p, node, err);
	}
}
