// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Topologies from strings, for the tests, and some profiles.
 */
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ktap.h"

static const char profile_test[] =
	"name: test\n"
	"link: {rate: 400Gbps, propagation: 25ns}\n"
	"switch: {latency: 400ns, forward: cut-through}\n"
	"nic: {mtu: 9000}\n";

static const char profile_pfc[] =
	"name: pfc\n"
	"port: {discipline: pfc, pfc: [0, 3], react: 1us, ecn: {kmin: 100kB, kmax: 400kB, pmax: 0.2}}\n"
	"link: {rate: 400Gbps, propagation: 25ns}\n"
	"switch: {latency: 400ns, buffer: 16MiB, buffer-alpha: 0, xon-offset: 3072}\n"
	"nic: {mtu: 9000}\n";

static const char profile_ib[] =
	"name: ib\n"
	"port: {discipline: credit, classes: 4, credit-buffer: [16KiB, 128KiB], scheduler: vlarb,\n"
	"  vlarb-high: [\"0:4\"], vlarb-low: [\"1:64\", \"2:128\"], high-limit: 3}\n"
	"link: {rate: 400Gbps, propagation: 25ns, overhead: 24, min-frame: 0}\n"
	"switch: {latency: 300ns}\n"
	"nic: {mtu: 4092}\n";

static const char profile_nv[] =
	"name: nv\n"
	"port: {discipline: nvlink, header-credits: [512], data-credits: [8192]}\n"
	"link: {rate: 7200Gbps, propagation: 25ns, lanes: 18, payload: 256, unit: 16, overhead: 16, min-frame: 0}\n"
	"switch: {latency: 120ns}\n"
	"nic: {mtu: 9000}\n";

static const char profile_pcie[] =
	"name: pcie\n"
	"port: {discipline: pcie, header-credits: [512], data-credits: [8192]}\n"
	"link: {rate: 500Gbps, propagation: 5ns, lanes: 16, payload: 256, unit: 4, overhead: 24, min-frame: 0}\n"
	"nic: {mtu: 9000}\n";

static const char profile_uec[] =
	"name: uec\n"
	"port: {discipline: uec, classes: 3, vc-buffer: [64KiB, 0, 32KiB], trim: {classes: [1], to-class: 2, length: 64}}\n"
	"link: {rate: 400Gbps, propagation: 25ns, overhead: 24}\n"
	"switch: {latency: 250ns}\n"
	"nic: {mtu: 9000}\n";

static const char profile_broken[] = "name: broken\nlink: {rate: quick}\n";

static const struct { const char *name, *text; } profiles[] = {
	{ "test", profile_test },
	{ "pfc", profile_pfc },
	{ "ib", profile_ib },
	{ "nv", profile_nv },
	{ "pcie", profile_pcie },
	{ "uec", profile_uec },
	{ "broken", profile_broken },
};

/**
 * load_profile() - the profiles of the tests
 * @ctx: not used
 * @name: name of the profile
 * @file: result, to be freed
 * @text: result, to be freed
 * @len: length of @text
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int load_profile(void *ctx, const char *name, char **file, char **text,
		 size_t *len, struct weft_err *err)
{
	const char *found = NULL;

	(void)ctx;
	for (size_t i = 0; i < sizeof(profiles) / sizeof(*profiles); i++)
		if (!strcmp(name, profiles[i].name))
			found = profiles[i].text;
	if (!found)
		return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
				    "there is no \"%s\"", name);
	*file = strdup("profile.yaml");
	*text = strdup(found);
	*len = strlen(found);
	return 0;
}

/**
 * load_topo() - read a topology
 * @topo: result, to be freed by weft_topo_free() even after an error
 * @text: the topology
 * @len: its length
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int load_topo(struct weft_topo *topo, const char *text, size_t len,
	      struct weft_err *err)
{
	return weft_topo_parse(topo, "t.yaml", text, len, load_profile, NULL,
			       err);
}

/**
 * topo_of() - read a topology that is good; a failure of the test if it is not
 * @text: the topology
 *
 * Return: it, to be freed by weft_topo_free().
 */
struct weft_topo topo_of(const char *text)
{
	struct weft_err err = { 0 };
	struct weft_topo topo;

	if (load_topo(&topo, text, strlen(text), &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	return topo;
}

/**
 * load_plan_len() - plan a topology
 * @plan: result, to be freed by weft_plan_free() even after an error
 * @text: the topology
 * @len: its length
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int load_plan_len(struct weft_plan *plan, const char *text, size_t len,
		  struct weft_err *err)
{
	struct weft_topo topo;
	int ret;

	*plan = (struct weft_plan) { 0 };
	ret = load_topo(&topo, text, len, err);
	if (!ret)
		ret = weft_plan_make(plan, &topo, err);
	weft_topo_free(&topo);
	return ret;
}

/**
 * load_plan() - plan a topology
 * @plan: result, to be freed by weft_plan_free() even after an error
 * @text: the topology
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int load_plan(struct weft_plan *plan, const char *text, struct weft_err *err)
{
	return load_plan_len(plan, text, strlen(text), err);
}

/**
 * plan_of() - plan a topology that is good; a failure of the test if it is not
 * @text: the topology
 *
 * Return: the plan, to be freed by weft_plan_free().
 */
struct weft_plan plan_of(const char *text)
{
	struct weft_err err = { 0 };
	struct weft_plan plan;

	if (load_plan(&plan, text, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	return plan;
}

/**
 * find_route() - the way of a switch to a NIC
 * @p: a plan
 * @sw: the switch
 * @nic: endpoint id of the NIC
 *
 * Return: it, or NULL.
 */
const struct weft_route *find_route(const struct weft_plan *p, uint32_t sw,
				    uint32_t nic)
{
	for (unsigned int i = 0; i < p->routes; i++)
		if (p->route[i].sw == sw && !p->route[i].flood &&
		    p->route[i].dst <= nic && nic <= p->route[i].dst_last)
			return &p->route[i];
	return NULL;
}

/**
 * expect_mistakes() - each bad topology gets its answer
 * @m: the topologies
 * @n: how many
 */
void expect_mistakes(const struct mistake *m, size_t n)
{
	struct weft_plan plan;
	struct weft_err err;

	printf("# %zu bad topologies\n", n);
	for (; n; n--, m++) {
		err = (struct weft_err) { 0 };
		if (!load_plan(&plan, m->text, &err))
			ktap_fail(__FILE__, __LINE__, "%s: accepted", m->what);
		else if (err.kind != WEFT_ERR_USAGE || strcmp(err.msg, m->msg))
			ktap_fail(__FILE__, __LINE__, "%s: %s", m->what,
				  err.msg);
		weft_plan_free(&plan);
	}
}

/**
 * load_work() - read a workload from text
 * @w: result, to be freed by weft_work_free() even after an error
 * @file: name of the file
 * @text: its content
 * @plan: the plan
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int load_work(struct weft_work *w, const char *file, const char *text,
	      const struct weft_plan *plan, struct weft_err *err)
{
	char *copy = strdup(text);
	int ret;

	if (!copy)
		abort();
	ret = weft_work_parse(w, file, copy, plan, err);
	free(copy);
	return ret;
}

/**
 * expect_starts() - each start is the latest end of what the message waits for, and its
 * work later
 * @w: the workload, after a simulation in which each message ended
 */
void expect_starts(const struct weft_work *w)
{
	for (unsigned int i = 0; i < w->messages; i++) {
		const struct weft_message *m = &w->message[i];
		uint64_t latest = 0;

		for (uint32_t k = 0; k < m->afters; k++) {
			const struct weft_message *on = &w->message[w->after[m->after + k]];

			if (on->end > latest)
				latest = on->end;
		}
		EXPECT(m->end != WEFT_NOT_YET);
		EXPECT_EQ(m->start, latest + m->delay);
	}
}

/* A message, at a time in ps. */
void add_message(struct weft_work *w, uint32_t from, uint32_t to, uint64_t bytes,
		 uint64_t at)
{
	const struct weft_message like = {
		.from = from, .to = to, .bytes = bytes, .at = at,
	};
	struct weft_err err;

	if (!weft_work_add(w, &like, &err))
		abort();
}

/* When the last message ended, ps. */
uint64_t last_end(const struct weft_work *w)
{
	uint64_t last = 0;

	for (unsigned int i = 0; i < w->messages; i++)
		if (w->message[i].end > last)
			last = w->message[i].end;
	return last;
}
