// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft reroute: compute the routes of a lab again, without the links that are down.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

#include "cli.h"
#include "lab/lab_routes.h"
#include "print/print_reroute.h"
#include "run/rerouter.h"

/**
 * struct options - the command line
 * @lab: the lab, NULL for the only one
 * @dry_run: change nothing
 * @watch: keep watching the links
 * @json: print JSON
 */
struct options {
	const char *lab;
	bool dry_run;
	bool watch;
	bool json;
};

static int print(const struct options *o, const struct weft_lab_routes *r,
		 const struct weft_reroute *re)
{
	json_t *all = weft_reroute_json(r, re, WEFT_NO_DEADLINE);
	json_t *changes = weft_reroute_changes(r, re);

	if (o->json) {
		json_object_set_new(all, "changes", changes);
		return cli_json(all);
	}
	if (o->dry_run)
		print_changes(stdout, changes);
	print_reroute(stdout, all);
	json_decref(changes);
	json_decref(all);
	return cli_done();
}

static int reroute(const struct options *o, const struct weft_lab *lab)
{
	struct weft_reroute re = { 0 };
	struct weft_lab_routes r;
	struct weft_err err;
	bool news;
	int ret;

	ret = weft_lab_routes_open(&r, lab, &err);
	if (!ret)
		ret = weft_lab_routes_look(&r, &news, &err);
	if (!ret)
		ret = o->dry_run ? weft_lab_routes_find(&r, &re, &err) :
		      weft_lab_routes_run(&r, &re, WEFT_NO_DEADLINE, &err);
	ret = ret ? cli_fail(&err) : print(o, &r, &re);
	weft_reroute_free(&re);
	weft_lab_routes_close(&r);
	return ret;
}

static void tell_text(json_t *done)
{
	print_reroute(stdout, done);
	fflush(stdout);
}

static void tell_json(json_t *done)
{
	struct weft_err err;

	if (cli_put_json(done, JSON_COMPACT | cli_json_flags(), &err))
		cli_fail(&err);
	fflush(stdout);
}

static int watch(const struct options *o, const struct weft_lab *lab)
{
	struct weft_err err;
	uint64_t wait;

	if (!weft_lab_converges(lab, &wait)) {
		weft_err_set(&err, WEFT_ERR_USAGE, -EINVAL,
			     "lab \"%s\": --watch needs \"routing: {convergence: TIME}\" in its topology",
			     lab->name);
		return cli_fail(&err);
	}
	if (rerouter_run(lab, wait, o->json ? tell_json : tell_text, &err))
		return cli_fail(&err);
	return cli_done();
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct options o = { 0 };
	const struct cli_option opt[] = {
		CLI_FLAG("dry-run", &o.dry_run), CLI_FLAG("watch", &o.watch),
		CLI_FLAG("json", &o.json), CLI_TEXT("lab", &o.lab),
		CLI_END,
	};
	struct weft_lab lab;
	struct weft_err err;
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	if (cli_no_words(cmd, argc, argv))
		return EXIT_USAGE;
	if (o.dry_run && o.watch)
		return cli_usage(cmd, "--watch changes routes, --dry-run does not");
	if (cli_lab(&lab, o.lab, &err))
		return cli_fail(&err);
	ret = o.watch ? watch(&o, &lab) : reroute(&o, &lab);
	weft_lab_close(&lab);
	return ret;
}

const struct command cmd_reroute = {
	.name = "reroute",
	.run = run,
	.summary = "compute the routes of a lab again, around failed links",
	.usage =
"usage: weft reroute [OPTION]...\n"
"\n"
"Compute the routes of a lab again, by its topology's policy, without the links\n"
"that are down now, and set what changed. Destinations that cannot be reached any\n"
"more lose their routes. With all links up, the routes are the original ones.\n"
"\n"
"  -n, --dry-run  print each change, and change nothing\n"
"      --watch    keep watching: set new routes TIME after links go down or come\n"
"                 up, from \"routing: {convergence: TIME}\"; ends with the lab\n"
"  -j, --json     as JSON; keys never change\n"
"  -p, --pretty   JSON with indents\n"
"  -l, --lab LAB  the lab (default: $WEFT_LAB, or the only one)\n",
};
