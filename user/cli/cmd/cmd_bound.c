// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft bound: the least time that a collective can take.
 */
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
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
	const char *topology;
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

static int parse_sizes(const struct command *cmd, struct options *o, char *text)
{
	struct weft_err err = { 0 };
	char *part;

	o->sizes = 0;
	while ((part = strsep(&text, ",")))
		if (!add_range(o, part, &err))
			return cli_usage(cmd, "--sizes: %s", err.msg);
	return 0;
}

static int parse_one(const struct command *cmd, struct options *o, int c)
{
	switch (c) {
	case 'c':
		if (!strcmp(optarg, "allreduce"))
			return 0;
		return cli_usage(cmd, "--collective %s: expected allreduce",
				 optarg);
	case 'r':
		return cli_number(cmd, "--ranks", optarg, 2, 1 << 20,
				  &o->ranks);
	case 'p':
		return cli_number(cmd, "--ppn", optarg, 1, 4096, &o->per_node);
	case 's':
		return parse_sizes(cmd, o, optarg);
	case 'j':
		o->json = true;
		return 0;
	case 'h':
		exit(cli_help(cmd));
	default:
		return EXIT_USAGE;
	}
}

static int parse(const struct command *cmd, int argc, char **argv,
		 struct options *o)
{
	static const struct option longopts[] = {
		{ "collective", required_argument, NULL, 'c' },
		{ "ranks", required_argument, NULL, 'r' },
		{ "ppn", required_argument, NULL, 'p' },
		{ "sizes", required_argument, NULL, 's' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c, ret;

	while ((c = getopt_long(argc, argv, "h", longopts, NULL)) != -1) {
		ret = parse_one(cmd, o, c);
		if (ret)
			return ret;
	}
	if (argc - optind != 1)
		return cli_usage(cmd, "expected one TOPOLOGY");
	o->topology = argv[optind];
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
	ret = cli_put_json(all, JSON_INDENT(2) | JSON_REAL_PRECISION(12), &err);
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
	struct weft_plan plan = { 0 };
	struct weft_ring ring;
	char path[PATH_MAX];
	struct weft_err err;
	int ret;

	for (uint64_t size = 4096; size <= 64 << 20; size *= 2)
		add_size(&o, size);
	ret = parse(cmd, argc, argv, &o);
	if (ret)
		return ret;
	if (cli_plan(o.topology, &plan, path, &err) ||
	    weft_ring_make(&ring, &plan,
			   (unsigned int)(o.ranks ? o.ranks : plan.nodes),
			   (unsigned int)o.per_node, &err))
		ret = cli_fail(&err);
	else
		ret = o.json ? print_json(&o, &ring) : print_text(&o, &ring);
	weft_plan_free(&plan);
	return ret;
}

const struct command cmd_bound = {
	.name = "bound",
	.run = run,
	.summary = "the least time that a collective can take on a topology",
	.usage =
"usage: weft bound TOPOLOGY [OPTION]...\n"
"\n"
"Print the least time that a collective can take on TOPOLOGY, by size, as lines\n"
"\"BYTES SECONDS\". Documentation/report.rst derives the formula.\n"
"\n"
"  --collective allreduce  a ring all-reduce (default)\n"
"  --ranks N               ranks, filled in order of the nodes (default: one\n"
"                          for each)\n"
"  --ppn N                 ranks on each node (default 1)\n"
"  --sizes LIST            sizes and ranges in powers of two (default\n"
"                          4KiB-64MiB)\n"
"  --json                  as JSON\n",
};
