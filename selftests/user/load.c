// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Topologies from strings, for the tests. There is one profile, "test".
 */
#include "load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "topo.h"

static const char profile_test[] =
	"name: test\n"
	"link: {rate: 400Gbps, propagation: 25ns}\n"
	"switch: {latency: 400ns, forward: cut-through}\n"
	"nic: {mtu: 9000}\n";

static const char profile_broken[] = "name: broken\nlink: {rate: quick}\n";

static int read_profile(void *ctx, const char *name, char **file, char **text,
			size_t *len, struct weft_err *err)
{
	const char *found = !strcmp(name, "test") ? profile_test :
			    !strcmp(name, "broken") ? profile_broken : NULL;

	(void)ctx;
	if (!found)
		return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
				    "there is no \"%s\"", name);
	*file = strdup("profile.yaml");
	*text = strdup(found);
	*len = strlen(found);
	return 0;
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
	ret = weft_topo_parse(&topo, "t.yaml", text, len, read_profile, NULL,
			      err);
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
