// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Entries that change a NIC or a link.
 *
 * The words of an entry are parsed against a lab each time: before the scenario begins, to
 * refuse what is wrong, when it is due, and when the lab is to be as before.
 */
#include <errno.h>
#include <string.h>

#include "facts/setting.h"
#include "scenario/scenario.h"

#define KEY_MAX		48

/**
 * struct change - what an entry changes
 * @is_nic: a NIC, otherwise a link
 * @nic: the NIC as it is to be
 * @link: the link as it is to be
 */
struct change {
	bool is_nic;
	struct weft_nic nic;
	struct weft_link link;
};

static int find_nic(struct change *c, const struct weft_entry *e,
		    const struct weft_facts *facts, struct weft_err *err)
{
	const struct weft_nic *found = weft_setting_nic(facts->nic, facts->nics,
							e->on, err);

	if (!found)
		return err->code;
	c->nic = *found;
	c->nic.has = 0;
	c->nic.verbs.has = 0;
	return 0;
}

/* A fault has the same names of places: both wires, or "A>B". */
static int find_link(struct change *c, const struct weft_entry *e,
		     const struct weft_facts *facts, struct weft_err *err)
{
	struct weft_fault place = { .kind = WEFT_FAULT_KIND_DOWN };

	if (weft_fault_parse_place(&place, e->on, facts, err))
		return err->code;
	c->link = (struct weft_link) {
		.fabric = place.fabric, .id = place.link, .wires = 1,
	};
	if (place.has & WEFT_HAS(WEFT_A_FAULT_DIRECTION))
		c->link.wire[0] = (struct weft_wire) {
			.has = WEFT_WIRE_HAS_DIRECTION,
			.direction = place.direction,
		};
	return 0;
}

static int put_word(struct change *c, const char *word, struct weft_err *err)
{
	const char *value = strchr(word, '=') + 1;
	size_t len = (size_t)(value - word) - 1;
	char key[KEY_MAX];

	if (len >= sizeof(key))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "\"%.40s...\": the key is too long", word);
	memcpy(key, word, len);
	key[len] = '\0';
	return c->is_nic ?
	       weft_setting_nic_word(&c->nic, key, value, err) :
	       weft_setting_wire_word(&c->link.wire[0], key, value, err);
}

static int parse(struct change *c, const struct weft_entry *e,
		 const struct weft_facts *facts, const struct weft_entry_word **at,
		 struct weft_err *err)
{
	*at = NULL;
	*c = (struct change) { .is_nic = !strcmp(e->what, "nic") };
	if (c->is_nic ? find_nic(c, e, facts, err) :
			find_link(c, e, facts, err))
		return err->code;
	for (unsigned int i = 0; i < e->words; i++) {
		*at = &e->word[i];
		if (put_word(c, e->word[i].text, err))
			return err->code;
	}
	return 0;
}

/**
 * weft_entry_set_check() - does an entry that changes something fit a lab?
 * @e: the entry
 * @facts: the lab
 * @at: result of an error: the word that it is about, NULL: the entry
 * @err: what was expected
 *
 * Return: 0 or negative errno.
 */
int weft_entry_set_check(const struct weft_entry *e,
			 const struct weft_facts *facts,
			 const struct weft_entry_word **at, struct weft_err *err)
{
	struct change c;

	return parse(&c, e, facts, at, err);
}

static int apply(struct weft_player *p, const struct change *c,
		 struct weft_err *err)
{
	return c->is_nic ? weft_nic_set(&p->nl, &c->nic, err) :
			   weft_link_set(&p->nl, &c->link, err);
}

/**
 * weft_player_set() - change what an entry changes
 * @p: the player
 * @e: the entry
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_player_set(struct weft_player *p, struct weft_entry *e,
		    struct weft_err *err)
{
	const struct weft_entry_word *at;
	struct change c;

	if (parse(&c, e, &p->facts, &at, err) || apply(p, &c, err))
		return err->code;
	e->running = true;
	return 0;
}

/* What is set has the values of before. */
static void nic_before(struct weft_nic *nic, const struct weft_facts *facts)
{
	uint32_t has = nic->has, verbs = nic->verbs.has;

	for (unsigned int i = 0; i < facts->nics; i++)
		if (facts->nic[i].id == nic->id)
			*nic = facts->nic[i];
	nic->has = has;
	nic->verbs.has = verbs;
}

static void link_before(struct weft_link *link, const struct weft_facts *facts)
{
	struct weft_wire *wire = link->wire;
	const struct weft_link *was = NULL;

	for (unsigned int i = 0; i < facts->links; i++)
		if (facts->link[i].id == link->id)
			was = &facts->link[i];
	if (!was)
		return;
	if (!(wire[0].has & WEFT_WIRE_HAS_DIRECTION)) {
		wire[0].has |= WEFT_WIRE_HAS_DIRECTION;
		wire[1] = wire[0];
		wire[1].direction = 1;
		link->wires = 2;
	}
	for (unsigned int i = 0; i < link->wires; i++) {
		wire[i].rate = was->wire[wire[i].direction].rate;
		wire[i].lanes_up = was->wire[wire[i].direction].lanes_up;
	}
}

/**
 * weft_player_unset() - have what an entry changed be as before the scenario
 * @p: the player
 * @e: the entry
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_player_unset(struct weft_player *p, struct weft_entry *e,
		      struct weft_err *err)
{
	const struct weft_entry_word *at;
	struct change c;

	if (e->kind != WEFT_ENTRY_SET || !e->running)
		return 0;
	e->running = false;
	if (parse(&c, e, &p->facts, &at, err))
		return err->code;
	if (c.is_nic)
		nic_before(&c.nic, &p->facts);
	else
		link_before(&c.link, &p->facts);
	return apply(p, &c, err);
}
