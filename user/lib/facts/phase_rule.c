// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rule by which traffic of a lab makes phases. Values that the user does not set
 * follow from the slowest link of a NIC; Documentation/phases.rst gives the reasons.
 */
#include "facts/phase_rule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "facts/facts.h"
#include "netlink/phase.h"

#define SHARE		10		/* the default rate is the slowest link's / SHARE */
#define LEAST		262144		/* bytes */
#define QUIET		2000000ULL	/* ps: 2 us */
#define QUIET_REAL	1000000000ULL	/* on a real clock: 1 ms of real time, ps */
#define QUIET_BYTES	524288		/* or the time of these bytes on the slowest link */
#define QUIET_MAX	1000000000000000ULL	/* the kernel's limit: 1000 s */
#define FLIGHTS		8		/* in propagation times of the longest link */
#define RATE_MIN	(8ULL * LEAST * SHARE / 1000)	/* LEAST takes 1000 s at RATE_MIN / SHARE */

static int add_port(struct weft_phase_words *w, const char *name,
		    struct weft_err *err)
{
	if (w->ports == WEFT_PHASE_PORTS_MAX)
		return weft_err_set(err, WEFT_ERR_USAGE, -E2BIG,
				    "ports: %u at most", WEFT_PHASE_PORTS_MAX);
	w->port[w->ports++] = name;
	return 0;
}

static int not_zero(const char *key, uint64_t value, struct weft_err *err)
{
	return value ? 0 : weft_err_set(err, WEFT_ERR_USAGE, -ERANGE,
					"%s: expected more than 0", key);
}

static int take(struct weft_phase_words *w, const char *key, const char *value,
		struct weft_err *err)
{
	uint64_t *to = NULL;
	int ret;

	if (!strcmp(key, "ports"))
		return add_port(w, value, err);
	if (!strcmp(key, "above")) {
		to = &w->above;
		ret = weft_parse_rate(value, to, err);
	} else if (!strcmp(key, "least")) {
		to = &w->least;
		ret = weft_parse_size(value, to, err);
	} else if (!strcmp(key, "quiet")) {
		to = &w->quiet;
		ret = weft_parse_time(value, to, err);
	} else {
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "\"%s\": expected auto, none, or above=RATE, least=SIZE, quiet=TIME, ports=NIC,..., with commas between them",
				    key);
	}
	if (!ret)
		return not_zero(key, *to, err);
	weft_err_prefix(err, "%s", key);
	return ret;
}

/**
 * weft_phase_words_parse() - parse "above=40Gbps,quiet=50us,ports=host0.eth0,host1.eth0"
 * @w: result, refers to @text
 * @text: the rule, is modified; "none": no phases by traffic, "auto": the default rule
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_phase_words_parse(struct weft_phase_words *w, char *text,
			   struct weft_err *err)
{
	char *word, *value;
	int ret = 0;

	*w = (struct weft_phase_words) { 0 };
	w->none = !strcmp(text, "none");
	if (w->none || !strcmp(text, "auto"))
		return 0;
	while (!ret && (word = strsep(&text, ","))) {
		value = strchr(word, '=');
		if (!value && w->ports) {
			ret = add_port(w, word, err);
			continue;
		}
		if (value)
			*value++ = '\0';
		ret = take(w, word, value ? value : "", err);
	}
	return ret;
}

/* Rate of the slowest NIC; 0 if no NIC has a link. */
static uint64_t slowest(const struct weft_facts *f)
{
	uint64_t rate = 0, r;

	for (unsigned int i = 0; i < f->links; i++)
		for (unsigned int dir = 0; dir < 2; dir++) {
			if (!f->link[i].end[dir].is_nic)
				continue;
			r = weft_wire_rate(&f->link[i].wire[dir]);
			if (!rate || r < rate)
				rate = r;
		}
	return rate;
}

static int find_port(const struct weft_facts *f, const char *name, uint32_t *id,
		     struct weft_err *err)
{
	for (unsigned int i = 0; i < f->nics; i++)
		if (!strcmp(f->nic[i].name, name)) {
			*id = f->nic[i].id;
			return 0;
		}
	return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
			    "phases: ports: there is no NIC \"%.40s\": `weft show nics` lists them",
			    name);
}

/* The longest propagation time of a link, ps. */
static uint64_t farthest(const struct weft_facts *f)
{
	uint64_t longest = 0;

	for (unsigned int i = 0; i < f->links; i++)
		for (unsigned int dir = 0; dir < 2; dir++)
			if (f->link[i].wire[dir].propagation > longest)
				longest = f->link[i].wire[dir].propagation;
	return longest;
}

/*
 * Default time without traffic that ends a phase, ps. It is longer than a packet and its
 * reply are under way between two NICs: there and back over a few of the longest links.
 * On a real clock, a program that waits for the CPU is quiet, too; on a virtual clock it
 * never waits.
 */
static uint64_t quiet_of(const struct weft_facts *f, uint64_t rate)
{
	uint64_t least = strcmp(f->clock, "virtual") ?
			 QUIET_REAL / f->fabric.dilation : 0;
	uint64_t ps = (uint64_t)((__uint128_t)QUIET_BYTES * 8 *
				 1000000000000ULL / rate);

	least = least > QUIET ? least : QUIET;
	if (least < FLIGHTS * farthest(f))
		least = FLIGHTS * farthest(f);
	if (least > QUIET_MAX)
		least = QUIET_MAX;
	return ps > least ? ps : least;
}

static void fill(struct weft_phase_rule *rule, const struct weft_phase_words *w,
		 const struct weft_facts *f)
{
	uint64_t rate = slowest(f);

	if (w->none || !rate)
		return;
	/* The kernel refuses a rule for a link this slow, so there is no default. */
	if (!w->above && !w->least && !w->quiet && rate < RATE_MIN)
		return;
	rule->rate = w->above ? w->above : rate / SHARE;
	rule->least = w->least ? w->least : LEAST;
	rule->quiet = w->quiet ? w->quiet : quiet_of(f, rate);
}

static int find_ports(struct weft_phase_rule *rule,
		      const struct weft_phase_words *w,
		      const struct weft_facts *f, struct weft_err *err)
{
	rule->nic = calloc(w->ports + 1, sizeof(*rule->nic));
	if (!rule->nic)
		return weft_err_nomem(err);
	for (; rule->nics < w->ports; rule->nics++)
		if (find_port(f, w->port[rule->nics], &rule->nic[rule->nics],
			      err))
			return err->code;
	return 0;
}

static int watch(const struct weft_lab *lab, const struct weft_phase_words *w,
		 const struct weft_facts *f, struct weft_err *err)
{
	struct weft_phase_rule rule = { 0 };
	struct weft_nl nl;
	int ret;

	fill(&rule, w, f);
	ret = find_ports(&rule, w, f, err);
	if (!ret)
		ret = weft_lab_nl(lab, &nl, err);
	if (!ret) {
		ret = weft_phase_set(&nl, f->fabric.id, &rule, err);
		weft_nl_close(&nl);
	}
	free(rule.nic);
	return ret;
}

/**
 * weft_phases_watch() - set the rule by which traffic makes phases from now on
 * @lab: the lab, up
 * @w: the rule, as the user wrote it
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_phases_watch(const struct weft_lab *lab,
		      const struct weft_phase_words *w, struct weft_err *err)
{
	struct weft_facts facts;
	int ret = weft_facts_read(&facts, lab, err);

	if (!ret)
		ret = watch(lab, w, &facts, err);
	weft_facts_free(&facts);
	return ret;
}
