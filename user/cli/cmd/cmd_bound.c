// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft bound: the least time that a collective can take.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "bound/bound.h"
#include "cli.h"
#include "netlink/json.h"

#define SIZES_MAX	64
#define SIZE_MAX_BYTES	(1ULL << 40)
#define CHOSEN_MAX	8
#define COLUMN		10
#define FLOOR		"floor"

/**
 * struct options - the command line
 */
struct options {
	struct weft_share_choice topology;
	enum weft_collective collective;
	const char *algorithm;
	unsigned long long ranks;
	unsigned long long per_node;
	bool verbs;
	unsigned int sizes;
	uint64_t size[SIZES_MAX];
	bool json;
};

/**
 * struct table - algorithms, and their times by size
 * @r: the fabric and its ranks
 * @n: algorithms
 * @algorithm: the algorithms
 * @seconds: times of the algorithms, by size
 * @floor: times that no algorithm can beat, by size
 */
struct table {
	struct weft_rounds r;
	unsigned int n;
	const struct weft_algorithm *algorithm[CHOSEN_MAX];
	double seconds[SIZES_MAX][CHOSEN_MAX];
	double floor[SIZES_MAX];
};

static bool add_size(struct options *o, uint64_t size)
{
	if (o->sizes == SIZES_MAX)
		return false;
	o->size[o->sizes++] = size;
	return true;
}

/* Parse "4KiB" or "4KiB-64MiB"; a range is in powers of two. */
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
		     "expected up to %d sizes, from 1 to 1TiB", SIZES_MAX);
	if (!lo || lo > hi || hi > SIZE_MAX_BYTES)
		return false;
	for (; lo <= hi; lo *= 2)
		if (!add_size(o, lo))
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

/* Format @words as "a, b or c". */
static const char *list(const char *const *words, char *buf, size_t len)
{
	size_t n = 0;

	*buf = '\0';
	for (unsigned int i = 0; words[i]; i++)
		n += (size_t)snprintf(buf + n, len - n, "%s%s", !i ? "" :
				      words[i + 1] ? ", " : " or ", words[i]);
	return buf;
}

static int parse_collective(const struct command *cmd, const char *word,
			    struct options *o)
{
	char all[160];

	for (unsigned int i = 0; weft_collective_words[i]; i++)
		if (!strcmp(weft_collective_words[i], word)) {
			o->collective = (enum weft_collective)i;
			return 0;
		}
	return cli_usage(cmd, "--collective %s: expected %s", word,
			 list(weft_collective_words, all, sizeof(all)));
}

static int check_algorithm(const struct command *cmd, const struct options *o)
{
	const char *words[CHOSEN_MAX + 2] = { NULL };
	unsigned int n = 0;
	char all[160];

	for (unsigned int i = 0; i < weft_algorithms_n; i++)
		if (weft_algorithms[i].collective == o->collective)
			words[n++] = weft_algorithms[i].name;
	words[n] = FLOOR;
	for (unsigned int i = 0; words[i]; i++)
		if (!strcmp(words[i], o->algorithm))
			return 0;
	return cli_usage(cmd, "--algorithm %s: of %s, expected %s", o->algorithm,
			 weft_collective_words[o->collective],
			 list(words, all, sizeof(all)));
}

/**
 * struct words - options that are not parsed yet
 */
struct words {
	const char *collective;
	const char *ranks;
	const char *ppn;
	const char *sizes;
	const char *net;
};

static int parse_values(const struct command *cmd, const struct words *w,
			struct options *o)
{
	if (w->collective && parse_collective(cmd, w->collective, o))
		return EXIT_USAGE;
	if (o->algorithm && check_algorithm(cmd, o))
		return EXIT_USAGE;
	if (w->ranks && cli_number(cmd, "--ranks", w->ranks, 2, 1 << 20, &o->ranks))
		return EXIT_USAGE;
	if (w->ppn && cli_number(cmd, "--ppn", w->ppn, 1, 4096, &o->per_node))
		return EXIT_USAGE;
	if (w->net && strcmp(w->net, "tcp") && strcmp(w->net, "verbs"))
		return cli_usage(cmd, "--net \"%s\": expected tcp or verbs",
				 w->net);
	o->verbs = w->net && !strcmp(w->net, "verbs");
	if (o->collective != WEFT_BARRIER)
		return w->sizes ? parse_sizes(cmd, o, w->sizes) : 0;
	o->sizes = 1;
	o->size[0] = 0;
	return w->sizes ? cli_usage(cmd, "--sizes: a barrier has no data") : 0;
}

static int parse(const struct command *cmd, int argc, char **argv,
		 struct options *o, int *code)
{
	struct words w = { 0 };
	const struct cli_option opt[] = {
		CLI_TEXT("collective", &w.collective),
		CLI_TEXT("algorithm", &o->algorithm), CLI_TEXT("ranks", &w.ranks),
		CLI_TEXT("ppn", &w.ppn), CLI_TEXT("sizes", &w.sizes),
		CLI_TEXT("net", &w.net),
		CLI_FLAG("json", &o->json), CLI_END,
	};

	if (!cli_options(cmd, argc, argv, opt, code))
		return -1;
	*code = parse_values(cmd, &w, o);
	if (*code)
		return -1;
	if (argc == optind) {
		*code = cli_usage(cmd, "expected TOPOLOGY");
		return -1;
	}
	cli_topology(&o->topology, argc, argv);
	return 0;
}

/* The fastest algorithm of @row. */
static unsigned int least_of(const struct table *t, unsigned int row)
{
	unsigned int least = 0;

	for (unsigned int i = 1; i < t->n; i++)
		if (t->seconds[row][i] < t->seconds[row][least])
			least = i;
	return least;
}

static json_t *row_json(const struct table *t, const struct options *o,
			unsigned int row)
{
	json_t *times = json_object(), *all = json_object();

	for (unsigned int i = 0; i < t->n; i++)
		json_object_set_new(times, t->algorithm[i]->name,
				    json_real(t->seconds[row][i]));
	json_object_set_new(all, "bytes", json_integer((json_int_t)o->size[row]));
	json_object_set_new(all, "floor_seconds", json_real(t->floor[row]));
	json_object_set_new(all, "least", t->n ?
			    json_string(t->algorithm[least_of(t, row)]->name) :
			    json_null());
	json_object_set_new(all, "seconds", times);
	return all;
}

static int print_json(const struct options *o, const struct table *t)
{
	json_t *rows = json_array(), *all = json_object();
	struct weft_err err;
	int ret;

	for (unsigned int i = 0; i < o->sizes; i++)
		json_array_append_new(rows, row_json(t, o, i));
	json_object_set_new(all, "version", json_integer(WEFT_JSON_VERSION));
	json_object_set_new(all, "collective",
			    json_string(weft_collective_words[o->collective]));
	json_object_set_new(all, "ranks", json_integer(t->r.ranks));
	json_object_set_new(all, "ranks_per_node", json_integer(t->r.per_node));
	json_object_set_new(all, "net", json_string(o->verbs ? "verbs" : "tcp"));
	json_object_set_new(all, "bounds", rows);
	/* Seconds need more digits than the shares in a report. */
	ret = cli_put_json(all, cli_json_flags() | JSON_REAL_PRECISION(12), &err);
	json_decref(all);
	return ret ? cli_fail(&err) : cli_done();
}

/* Lines for programs: the times of one algorithm, or of the floor. */
static int print_lines(const struct options *o, const struct table *t)
{
	printf("# %s of %s, %u ranks, %s\n# bytes seconds\n", o->algorithm,
	       weft_collective_words[o->collective], t->r.ranks,
	       o->verbs ? "verbs" : "sockets");
	for (unsigned int i = 0; i < o->sizes; i++)
		printf("%" PRIu64 " %.12f\n", o->size[i],
		       t->n ? t->seconds[i][0] : t->floor[i]);
	return cli_done();
}

/* Names take two lines: "double-tree" is "double" above "tree". */
static int width_of(const char *name)
{
	int above = (int)strcspn(name, "-"), below = (int)strlen(name) - above;
	int most = above > below ? above : below;

	return most + 2 > COLUMN ? most + 2 : COLUMN;
}

static void print_head(const struct table *t)
{
	printf("%-8s", "");
	for (unsigned int i = 0; i < t->n; i++)
		printf("%*.*s ", width_of(t->algorithm[i]->name) - 1,
		       (int)strcspn(t->algorithm[i]->name, "-"),
		       t->algorithm[i]->name);
	printf("%*s\n%-8s", COLUMN - 1, FLOOR, "size");
	for (unsigned int i = 0; i < t->n; i++) {
		const char *rest = strchr(t->algorithm[i]->name, '-');

		printf("%*s ", width_of(t->algorithm[i]->name) - 1,
		       rest ? rest + 1 : "");
	}
	printf("%*s\n", COLUMN - 1, "us");
}

static int print_text(const struct options *o, const struct table *t)
{
	char size[32];

	printf("%s, %u ranks, %u on each node, %s. *: the least of these algorithms.\n",
	       weft_collective_words[o->collective], t->r.ranks, t->r.per_node,
	       o->verbs ? "verbs" : "sockets");
	printf("No algorithm takes less than %s.\n", FLOOR);
	print_head(t);
	for (unsigned int row = 0; row < o->sizes; row++) {
		unsigned int least = least_of(t, row);

		printf("%-8s", weft_format_size(size, sizeof(size), o->size[row]));
		for (unsigned int i = 0; i < t->n; i++)
			printf("%*.2f%c", width_of(t->algorithm[i]->name) - 1,
			       t->seconds[row][i] * 1e6, i == least ? '*' : ' ');
		printf("%*.2f\n", COLUMN - 1, t->floor[row] * 1e6);
	}
	return cli_done();
}

static void choose(struct table *t, const struct options *o)
{
	for (unsigned int i = 0; i < weft_algorithms_n; i++) {
		const struct weft_algorithm *a = &weft_algorithms[i];

		if (a->collective != o->collective ||
		    (o->algorithm && strcmp(o->algorithm, a->name)) ||
		    !weft_bound_has(&t->r, a))
			continue;
		t->algorithm[t->n++] = a;
	}
}

static int fill(struct table *t, const struct options *o, struct weft_err *err)
{
	choose(t, o);
	if (o->algorithm && !t->n && strcmp(o->algorithm, FLOOR))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "--algorithm %s with %u ranks: expected a power of two, and at most %u ranks",
				    o->algorithm, t->r.ranks,
				    WEFT_KNOWN_NODES_MAX);
	for (unsigned int row = 0; row < o->sizes; row++) {
		t->floor[row] = weft_bound_floor(&t->r, o->collective,
						 o->size[row]);
		for (unsigned int i = 0; i < t->n; i++)
			if (weft_bound_time(&t->r, t->algorithm[i], o->size[row],
					    &t->seconds[row][i], err))
				return err->code;
	}
	return 0;
}

static int print(const struct options *o, const struct table *t)
{
	if (o->json)
		return print_json(o, t);
	return o->algorithm ? print_lines(o, t) : print_text(o, t);
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct options o = { .per_node = 1 };
	struct weft_share_design design;
	struct table t = { .n = 0 };
	struct weft_plan plan;
	struct weft_err err;
	int ret;

	for (uint64_t size = 4096; size <= 64 << 20; size *= 2)
		add_size(&o, size);
	if (parse(cmd, argc, argv, &o, &ret))
		return ret;
	if (cli_plan(&o.topology, &design, &plan, &err) ||
	    weft_bound_make(&t.r, &plan, o.ranks ? (unsigned int)o.ranks :
			    plan.nodes * (unsigned int)o.per_node,
			    (unsigned int)o.per_node, o.verbs, &err) ||
	    fill(&t, &o, &err))
		ret = cli_fail(&err);
	else
		ret = print(&o, &t);
	weft_rounds_free(&t.r);
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
"Print the least time of each usual algorithm of a collective on TOPOLOGY, by\n"
"size, and the time that no algorithm can beat. Documentation/bound.rst has the\n"
"laws.\n"
"\n"
"Algorithms:\n"
"  allreduce       ring, recursive-doubling, rabenseifner, binomial, double-tree,\n"
"                  linear\n"
"  allgather       ring, recursive-doubling, bruck, linear\n"
"  reduce-scatter  ring, recursive-halving, pairwise, linear\n"
"  broadcast       binomial, scatter-ring, double-tree, chain, linear\n"
"  reduce          binomial, rabenseifner, double-tree, chain, linear\n"
"  alltoall        pairwise, bruck, linear\n"
"  barrier         recursive-doubling, dissemination, binomial, linear,\n"
"                  double-ring\n"
"  point-to-point  direct\n"
"\n"
"      --collective COLLECTIVE  allreduce (default), allgather, reduce-scatter,\n"
"                               broadcast, reduce, alltoall, barrier or\n"
"                               point-to-point\n"
"      --algorithm ALGORITHM    this one only, or floor: lines \"BYTES SECONDS\"\n"
"      --ranks N                ranks, filled in order of the nodes (default: all\n"
"                               nodes are filled)\n"
"      --ppn N                  ranks on each node (default 1)\n"
"      --sizes LIST             sizes and ranges in powers of two (default\n"
"                               4KiB-64MiB)\n"
"      --net tcp|verbs          what sends messages (default: tcp)\n"
"  -j, --json                   as JSON\n"
"  -p, --pretty                 JSON with indents\n",
};
