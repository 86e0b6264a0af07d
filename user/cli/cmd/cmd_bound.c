// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft bound: the least time that a collective can take.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli.h"
#include "netlink/json.h"
#include "plan/bound.h"

#define SIZES_MAX	64

/**
 * struct options - the command line
 */
struct options {
	struct weft_share_choice topology;
	const char *collective;
	unsigned long long ranks;
	unsigned long long per_node;
	unsigned int sizes;
	uint64_t size[SIZES_MAX];
	bool json;
};

static bool add_size(struct options *o, uint64_t size)
{
	if (o->sizes == SIZES_MAX)
		return false;
	o->size[o->sizes++] = size;
	return true;
}

/* "4KiB" or "4KiB-64MiB", the latter in powers of two. */
static bool add_range(struct options *o, char *text, struct weft_err *err)
{
	char *to = strchr(text, '-');
	uint64_t lo, hi;

	if (to)
		*to = '\0';
	if (weft_parse_size(text, &lo, err))
		return false;
	hi = lo;
	if (to && weft_parse_size(to + 1, &hi, err))
		return false;
	weft_err_set(err, WEFT_ERR_USAGE, -1,
		     "expected up to %d sizes, from 1 up", SIZES_MAX);
	if (!lo || lo > hi)
		return false;
	for (; lo <= hi; lo *= 2)
		if (!add_size(o, lo) || lo > UINT64_MAX / 2)
			return false;
	return true;
}

static int parse_sizes(const struct command *cmd, struct options *o,
		       const char *text)
{
	char *copy = strdup(text), *rest = copy, *part;
	struct weft_err err = { 0 };
	int ret = 0;

	o->sizes = 0;
	while (!ret && (part = strsep(&rest, ",")))
		if (!add_range(o, part, &err))
			ret = cli_usage(cmd, "--sizes: %s", err.msg);
	free(copy);
	return ret;
}

static int parse_values(const struct command *cmd, const char *ranks,
			const char *ppn, const char *sizes, struct options *o)
{
	if (o->collective && strcmp(o->collective, "allreduce"))
		return cli_usage(cmd, "--collective %s: expected allreduce",
				 o->collective);
	if (ranks && cli_number(cmd, "--ranks", ranks, 2, 1 << 20, &o->ranks))
		return EXIT_USAGE;
	if (ppn && cli_number(cmd, "--ppn", ppn, 1, 4096, &o->per_node))
		return EXIT_USAGE;
	return sizes ? parse_sizes(cmd, o, sizes) : 0;
}

static int parse(const struct command *cmd, int argc, char **argv,
		 struct options *o, int *code)
{
	const char *ranks = NULL, *ppn = NULL, *sizes = NULL;
	const struct cli_option opt[] = {
		CLI_TEXT("collective", &o->collective), CLI_TEXT("ranks", &ranks),
		CLI_TEXT("ppn", &ppn), CLI_TEXT("sizes", &sizes),
		CLI_FLAG("json", &o->json), CLI_END,
	};

	if (!cli_options(cmd, argc, argv, opt, code))
		return -1;
	*code = parse_values(cmd, ranks, ppn, sizes, o);
	if (*code)
		return -1;
	if (argc == optind) {
		*code = cli_usage(cmd, "expected TOPOLOGY");
		return -1;
	}
	cli_topology(&o->topology, argc, argv);
	return 0;
}

static int print_json(const struct options *o, const struct weft_ring *ring)
{
	json_t *rows = json_array(), *row, *all = json_object();
	struct weft_err err;
	int ret;

	for (unsigned int i = 0; i < o->sizes; i++) {
		double t = weft_ring_allreduce(ring, o->size[i]);

		row = json_pack("{s:I, s:f}", "bytes", (json_int_t)o->size[i],
				"seconds", t);
		json_array_append_new(rows, row);
	}
	json_object_set_new(all, "collective", json_string("allreduce"));
	json_object_set_new(all, "ranks", json_integer(ring->ranks));
	json_object_set_new(all, "rate_bps", weft_json_u64(ring->rate));
	json_object_set_new(all, "latency_ps", weft_json_u64(ring->latency));
	json_object_set_new(all, "packet_payload", json_integer(ring->payload));
	json_object_set_new(all, "packet_wire", json_integer(ring->wire));
	json_object_set_new(all, "bounds", rows);
	/* Seconds need more digits than a report's shares. */
	ret = cli_put_json(all, cli_json_flags() | JSON_REAL_PRECISION(12), &err);
	json_decref(all);
	return ret ? cli_fail(&err) : cli_done();
}

static int print_text(const struct options *o, const struct weft_ring *ring)
{
	char rate[32], latency[32];

	printf("# ring all-reduce, %u ranks: link %s, %u of %u bytes payload, latencies %s\n",
	       ring->ranks, weft_format_rate(rate, sizeof(rate), ring->rate),
	       ring->payload, ring->wire,
	       weft_format_time(latency, sizeof(latency), ring->latency));
	puts("# bytes seconds");
	for (unsigned int i = 0; i < o->sizes; i++)
		printf("%" PRIu64 " %.12f\n", o->size[i],
		       weft_ring_allreduce(ring, o->size[i]));
	return cli_done();
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct options o = { .per_node = 1 };
	struct weft_share_design design;
	struct weft_plan plan;
	struct weft_ring ring;
	struct weft_err err;
	int ret;

	for (uint64_t size = 4096; size <= 64 << 20; size *= 2)
		add_size(&o, size);
	if (parse(cmd, argc, argv, &o, &ret))
		return ret;
	if (cli_plan(&o.topology, &design, &plan, &err) ||
	    weft_ring_make(&ring, &plan,
			   (unsigned int)(o.ranks ? o.ranks : plan.nodes),
			   (unsigned int)o.per_node, &err))
		ret = cli_fail(&err);
	else
		ret = o.json ? print_json(&o, &ring) : print_text(&o, &ring);
	weft_plan_free(&plan);
	weft_share_design_free(&design);
	return ret;
}

const struct command cmd_bound = {
	.name = "bound",
	.run = run,
	.summary = "the least time that a collective can take on a topology",
	.usage =
"usage: weft bound TOPOLOGY [KEY=VALUE]... [OPTION]...\n"
"\n"
"Print the least time that a collective can take on TOPOLOGY, by size, as lines\n"
"\"BYTES SECONDS\". Documentation/report.rst derives the formula.\n"
"\n"
"      --collective allreduce  a ring all-reduce (default)\n"
"      --ranks N               ranks, filled in order of the nodes (default: one\n"
"                              for each)\n"
"      --ppn N                 ranks on each node (default 1)\n"
"      --sizes LIST            sizes and ranges in powers of two (default\n"
"                              4KiB-64MiB)\n"
"  -j, --json                  as JSON\n"
"  -p, --pretty                JSON with indents\n",
};
