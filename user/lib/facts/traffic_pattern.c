// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The senders and receivers of a pattern of traffic.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#include "base/array.h"
#include "base/names.h"
#include "facts/facts.h"
#include "netlink/nl_fields.h"
#include "netlink/traffic.h"

#define HAS(attr)	WEFT_HAS(WEFT_A_TRAFFIC_##attr)

/**
 * struct picked - the NICs of a list
 * @facts: the lab
 * @n: number of NICs
 * @id: their endpoint ids
 */
struct picked {
	const struct weft_facts *facts;
	unsigned int n;
	uint32_t *id;
};

/**
 * struct make - state of making the generators of a pattern
 * @plan: the pattern
 * @seed: state of the random numbers drawn here
 * @n: number of generators
 * @list: the generators
 */
struct make {
	const struct weft_traffic_plan *plan;
	uint64_t seed;
	unsigned int n;
	struct weft_traffic *list;
};

static bool said(const struct weft_traffic_plan *plan, int key)
{
	return plan->has & 1U << key;
}

/* @name is the name of a NIC or of its node. */
static bool is_called(const char *full, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(full, name, len) && (!full[len] || full[len] == '.');
}

/**
 * weft_traffic_nic() - find a NIC by name
 * @facts: the lab
 * @name: name of a NIC (host0.eth0) or of a node
 * @found: result, number of NICs that match
 *
 * Return: the first of them, NULL for none.
 */
const struct weft_nic *weft_traffic_nic(const struct weft_facts *facts,
					const char *name, unsigned int *found)
{
	const struct weft_nic *nic = NULL;

	*found = 0;
	for (unsigned int i = facts->nics; i-- > 0;)
		if (is_called(facts->nic[i].name, name)) {
			nic = &facts->nic[i];
			++*found;
		}
	return nic;
}

static int pick_nic(struct picked *p, uint32_t id, const char *name,
		    struct weft_err *err)
{
	void *more;

	for (unsigned int i = 0; i < p->n; i++)
		if (p->id[i] == id)
			return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
					    "\"%.60s\" is named twice", name);
	more = weft_array_grow(p->id, p->n, sizeof(*p->id));
	if (!more)
		return weft_err_nomem(err);
	p->id = more;
	p->id[p->n++] = id;
	return 0;
}

/* Pick each NIC of this name. */
static int pick_name(struct picked *p, const char *name, struct weft_err *err)
{
	unsigned int before = p->n;
	int ret = 0;

	for (unsigned int i = 0; !ret && i < p->facts->nics; i++)
		if (is_called(p->facts->nic[i].name, name))
			ret = pick_nic(p, p->facts->nic[i].id, name, err);
	if (ret || p->n > before)
		return ret;
	return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
			    "no NIC is at \"%.60s\": `weft show nics` lists them",
			    name);
}

/* Pick the NICs of "host[0-7]" or "host[0-7].eth1". */
static int pick_item(struct picked *p, const char *item, struct weft_err *err)
{
	const char *dot = strchr(item, '.');
	struct weft_names names;
	char base[128], name[256];
	int ret;

	snprintf(base, sizeof(base), "%.*s",
		 (int)(dot ? dot - item : (long)strlen(item)), item);
	ret = weft_names_expand(&names, base, err);
	for (size_t i = 0; !ret && i < names.n; i++) {
		snprintf(name, sizeof(name), "%s%s", names.name[i],
			 dot ? dot : "");
		ret = pick_name(p, name, err);
	}
	weft_names_free(&names);
	return ret;
}

/* Length up to the next comma outside brackets. */
static size_t item_len(const char *text)
{
	int depth = 0;
	size_t len;

	for (len = 0; text[len] && (depth || text[len] != ','); len++)
		depth += (text[len] == '[') - (text[len] == ']');
	return len;
}

static int pick_list(struct picked *p, const char *text, struct weft_err *err)
{
	char item[128];
	size_t len;
	int ret;

	do {
		len = item_len(text);
		if (len >= sizeof(item))
			return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
					    "\"%.40s...\": expected names",
					    text);
		memcpy(item, text, len);
		item[len] = '\0';
		ret = pick_item(p, item, err);
		text += len;
	} while (!ret && *text++ == ',');
	return ret;
}

static int pick_all(struct picked *p, struct weft_err *err)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < p->facts->nics; i++)
		ret = pick_nic(p, p->facts->nic[i].id, "all", err);
	return ret;
}

static int pick(struct picked *p, const struct weft_facts *facts,
		const struct weft_traffic_plan *plan, int key,
		struct weft_err *err)
{
	const char *text = said(plan, key) ? plan->text[key] : "all";
	int ret;

	*p = (struct picked) { .facts = facts };
	ret = strcmp(text, "all") ? pick_list(p, text, err) : pick_all(p, err);
	if (ret)
		weft_err_prefix(err, "%s", key == WEFT_TRAFFIC_TO ? "to" :
								    "from");
	return ret;
}

static struct weft_traffic *make_one(struct make *m, uint32_t src,
				     unsigned int dsts, struct weft_err *err)
{
	void *more = weft_array_grow(m->list, m->n, sizeof(*m->list));
	struct weft_traffic *t;

	if (!more) {
		weft_err_nomem(err);
		return NULL;
	}
	m->list = more;
	t = &m->list[m->n++];
	t->nic = src;
	t->dst = calloc(dsts, sizeof(*t->dst));
	if (t->dst)
		return t;
	weft_err_nomem(err);
	return NULL;
}

static int make_pair(struct make *m, uint32_t src, uint32_t dst,
		     struct weft_err *err)
{
	struct weft_traffic *t = make_one(m, src, 1, err);

	if (!t)
		return err->code;
	t->dst[t->dsts++] = dst;
	return 0;
}

/* All NICs but the receiver send. */
static int make_incast(struct make *m, const struct picked *from,
		       const struct picked *to, struct weft_err *err)
{
	int ret = 0;

	if (to->n != 1)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "to: expected one NIC, found %u", to->n);
	for (unsigned int i = 0; !ret && i < from->n; i++)
		if (from->id[i] != to->id[0])
			ret = make_pair(m, from->id[i], to->id[0], err);
	return ret;
}

/* splitmix64, like in the model */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* Shuffle by Fisher and Yates. Return: true if no entry is in its old place. */
static bool shuffle(const struct picked *from, uint32_t *to, uint64_t *seed)
{
	bool moved = true;
	uint32_t keep;

	for (unsigned int i = 0; i < from->n; i++)
		to[i] = from->id[i];
	for (unsigned int i = from->n; i > 1; i--) {
		unsigned int k = (unsigned int)(draw(seed) % i);

		keep = to[i - 1];
		to[i - 1] = to[k];
		to[k] = keep;
	}
	for (unsigned int i = 0; i < from->n; i++)
		moved &= to[i] != from->id[i];
	return moved;
}

/*
 * Each permutation without a fixed point is equally likely. One in e of all permutations
 * has none, so few attempts are needed.
 */
static int make_permutation(struct make *m, const struct picked *from,
			    struct weft_err *err)
{
	uint32_t *to = calloc(from->n + 1, sizeof(*to));
	int ret = 0;

	if (!to)
		return weft_err_nomem(err);
	while (!shuffle(from, to, &m->seed))
		;
	for (unsigned int i = 0; !ret && i < from->n; i++)
		ret = make_pair(m, from->id[i], to[i], err);
	free(to);
	return ret;
}

/* Each sender starts with the NIC after it, so that no two send to the same NIC at first. */
static int make_all_to_all(struct make *m, const struct picked *from,
			   struct weft_err *err)
{
	struct weft_traffic *t;

	for (unsigned int i = 0; i < from->n; i++) {
		t = make_one(m, from->id[i], from->n, err);
		if (!t)
			return err->code;
		for (unsigned int k = 1; k < from->n; k++)
			t->dst[t->dsts++] = from->id[(i + k) % from->n];
	}
	return 0;
}

static int make_pairs(struct make *m, const struct picked *from,
		      const struct picked *to, struct weft_err *err)
{
	int ret = 0;

	if (from->n != to->n)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "on-off: from= has %u NICs, to= has %u",
				    from->n, to->n);
	for (unsigned int i = 0; !ret && i < from->n; i++)
		ret = make_pair(m, from->id[i], to->id[i], err);
	return ret;
}

static int make_few(const struct picked *from, struct weft_err *err)
{
	if (from->n >= 2 && from->n <= WEFT_TRAFFIC_DSTS_MAX)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "from: expected 2 to %d NICs, found %u",
			    WEFT_TRAFFIC_DSTS_MAX, from->n);
}

static int make_pattern(struct make *m, const struct picked *from,
			const struct picked *to, struct weft_err *err)
{
	switch (m->plan->pattern) {
	case WEFT_TRAFFIC_PATTERN_INCAST:
		return make_incast(m, from, to, err);
	case WEFT_TRAFFIC_PATTERN_ON_OFF:
		return make_pairs(m, from, to, err);
	}
	if (make_few(from, err))
		return err->code;
	if (m->plan->pattern == WEFT_TRAFFIC_PATTERN_PERMUTATION)
		return make_permutation(m, from, err);
	return make_all_to_all(m, from, err);
}

static int make_places(struct make *m, const struct weft_facts *facts,
		       struct weft_err *err)
{
	struct picked from, to = { 0 };
	int ret = pick(&from, facts, m->plan, WEFT_TRAFFIC_FROM, err);

	if (!ret && said(m->plan, WEFT_TRAFFIC_TO))
		ret = pick(&to, facts, m->plan, WEFT_TRAFFIC_TO, err);
	if (!ret)
		ret = make_pattern(m, &from, &to, err);
	free(from.id);
	free(to.id);
	if (!ret && !m->n)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "from: no NIC is left to send");
	return ret;
}

static void put_u32(struct weft_traffic *t,
		    const struct weft_traffic_plan *plan, int key,
		    uint32_t attr, uint32_t *member)
{
	if (!said(plan, key))
		return;
	*member = (uint32_t)plan->value[key];
	t->has |= attr;
}

static void put_u64(struct weft_traffic *t,
		    const struct weft_traffic_plan *plan, int key,
		    uint32_t attr, uint64_t *member)
{
	if (!said(plan, key))
		return;
	*member = plan->value[key];
	t->has |= attr;
}

static void put_start(struct weft_traffic *t,
		      const struct weft_traffic_plan *plan)
{
	if (plan->triggered) {
		t->trigger = plan->trigger;
		t->has |= HAS(TRIGGER);
	}
	if (plan->relative)
		put_u64(t, plan, WEFT_TRAFFIC_START, HAS(AFTER), &t->after);
	else
		put_u64(t, plan, WEFT_TRAFFIC_START, HAS(START), &t->start);
}

/* Set the parameters shared by all generators of the pattern; each has its own seed. */
static void put_common(struct weft_traffic *t, const struct make *m,
		       uint32_t fabric, unsigned int i)
{
	const struct weft_traffic_plan *plan = m->plan;

	t->fabric = fabric;
	t->pattern = plan->pattern;
	t->has |= HAS(FABRIC) | HAS(NIC) | HAS(PATTERN);
	put_u32(t, plan, WEFT_TRAFFIC_SL, HAS(SL), &t->sl);
	put_u32(t, plan, WEFT_TRAFFIC_SIZE, HAS(SIZE), &t->size);
	put_u32(t, plan, WEFT_TRAFFIC_DEPTH, HAS(DEPTH), &t->depth);
	put_u32(t, plan, WEFT_TRAFFIC_WINDOW, HAS(WINDOW), &t->window);
	put_u32(t, plan, WEFT_TRAFFIC_TIMES, HAS(DRAWN_TIMES), &t->drawn_times);
	put_u32(t, plan, WEFT_TRAFFIC_ORDER, HAS(DRAWN_DSTS), &t->drawn_dsts);
	put_u64(t, plan, WEFT_TRAFFIC_RATE, HAS(RATE), &t->rate);
	put_u64(t, plan, WEFT_TRAFFIC_ON, HAS(ON), &t->on);
	put_u64(t, plan, WEFT_TRAFFIC_OFF, HAS(OFF), &t->off);
	put_u64(t, plan, WEFT_TRAFFIC_DURATION, HAS(DURATION), &t->duration);
	put_u64(t, plan, WEFT_TRAFFIC_BYTES, HAS(BYTES), &t->bytes);
	put_u64(t, plan, WEFT_TRAFFIC_SEED, HAS(SEED), &t->seed);
	t->seed += i;
	put_start(t, plan);
}

/**
 * weft_traffic_resolve() - make the generators of a pattern
 * @plan: the pattern, which weft_traffic_complete() accepts
 * @facts: the lab
 * @list: result, to be freed by weft_traffic_list_free() even after an error
 * @n: result, number of generators
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_traffic_resolve(const struct weft_traffic_plan *plan,
			 const struct weft_facts *facts,
			 struct weft_traffic **list, unsigned int *n,
			 struct weft_err *err)
{
	struct make m = {
		.plan = plan,
		.seed = said(plan, WEFT_TRAFFIC_SEED) ?
			plan->value[WEFT_TRAFFIC_SEED] : facts->fabric.seed,
	};
	int ret;

	if (plan->pattern == WEFT_TRAFFIC_PATTERN_TRACE)
		ret = weft_traffic_read(plan->text[WEFT_TRAFFIC_FILE], facts,
					&m.list, &m.n, err);
	else
		ret = make_places(&m, facts, err);
	for (unsigned int i = 0; i < m.n; i++)
		put_common(&m.list[i], &m, facts->fabric.id, i);
	*list = m.list;
	*n = m.n;
	return ret;
}
