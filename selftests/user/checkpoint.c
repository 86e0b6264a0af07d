// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checkpoints of simulations: what is in one, and that a run which goes on from one does
 * only what is left. checkpoint.sh compares outputs. Links and NICs are those of
 * simulate.c.
 */
#include "sim/sim.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ktap.h"
#include "load.h"
#include "wires.h"

#define PACKET		((4096 + 82) * BYTE)
#define PACKETS		400ULL
#define NIC		"nic: {mtu: 5000, tx-latency: 100ns, rx-latency: 50ns, verbs: {doorbell: 0ns,\n" \
	"  process: 11ns, ack-every: 0"
#define MAPS_MAX	4096
#define MAP_LARGE	(1ULL << 40)	/* the sanitisers' own */
#define SMALL		4096
#define MAP_LOW		(1ULL << 32)	/* numbers are less */

/**
 * struct maps - memory of this process that another one does not have at this place
 * @n: entries of @begin and @end
 * @exe_begin: the program, which others have
 * @exe_end: its end
 */
struct maps {
	size_t n;
	uint64_t begin[MAPS_MAX];
	uint64_t end[MAPS_MAX];
	uint64_t exe_begin;
	uint64_t exe_end;
};

static void read_maps(struct maps *m)
{
	char line[PATH_MAX + 128], exe[PATH_MAX] = "", *path;
	FILE *f = fopen("/proc/self/maps", "r");
	uint64_t begin, end;

	memset(m, 0, sizeof(*m));
	EXPECT(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		path = strchr(line, '/');
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &begin, &end) != 2 ||
		    end - begin > MAP_LARGE)
			continue;
		if (begin < MAP_LOW && !path && !strstr(line, "[heap]"))
			continue;
		if (path && !strcmp(path, exe)) {
			m->exe_begin = m->exe_begin ? m->exe_begin : begin;
			m->exe_end = end;
		} else if (m->n < MAPS_MAX) {
			m->begin[m->n] = begin;
			m->end[m->n++] = end;
		}
	}
	EXPECT(f && m->n && m->n < MAPS_MAX);
	fclose(f);
}

static bool leads_out(const struct maps *m, uint64_t word)
{
	/* A small number of 32 bits, beside padding, which can be anything. */
	if ((uint32_t)word < SMALL)
		return false;
	for (size_t i = 0; i < m->n; i++)
		if (word >= m->begin[i] && word < m->end[i])
			return true;
	return false;
}

/* The path of the only file of a checkpoint. */
static void file_of(const char *dir, char path[PATH_MAX])
{
	json_error_t e;
	char text[PATH_MAX];
	json_t *index;

	snprintf(text, sizeof(text), "%s/checkpoint", dir);
	index = json_load_file(text, 0, &e);
	EXPECT_EQ(json_array_size(json_object_get(index, "files")), 1);
	snprintf(path, PATH_MAX, "%s/%s", dir,
		 json_string_value(json_array_get(json_object_get(index, "files"), 0)));
	json_decref(index);
}

static void remove_all(const char *dir)
{
	char path[PATH_MAX];

	file_of(dir, path);
	unlink(path);
	snprintf(path, sizeof(path), "%s/checkpoint", dir);
	unlink(path);
	rmdir(dir);
}

/*
 * Words of a file are numbers, addresses in the regions of the simulation, which are not
 * there any more, and addresses in the program. If there were one of anything else, it
 * would be wrong in the next process.
 */
static void expect_closed(const char *dir)
{
	struct maps *m = malloc(sizeof(*m));
	size_t words = 0, in_program = 0, out = 0;
	char path[PATH_MAX];
	uint64_t word;
	FILE *f;

	file_of(dir, path);
	f = fopen(path, "r");
	read_maps(m);
	while (f && fread(&word, sizeof(word), 1, f) == 1) {
		words++;
		in_program += word >= m->exe_begin && word < m->exe_end;
		out += leads_out(m, word);
	}
	EXPECT(words > 10000);
	EXPECT(in_program > 0);
	EXPECT_EQ(out, 0);
	if (f)
		fclose(f);
	free(m);
}

/* Pairs of hosts of a star send to each other. */
static void run(struct weft_plan *p, const struct weft_sim_options *o,
		struct weft_sim_result *r, uint64_t *end)
{
	struct weft_work w = { 0 };
	struct weft_err err = { 0 };

	for (uint32_t i = 0; i < 16; i++)
		add_message(&w, i, i ^ 1, PACKETS * 4096, 0);
	if (weft_sim_run(p, &w, o, r, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	*end = last_end(&w);
	weft_work_free(&w);
}

static struct weft_plan star(const char *port, const char *verbs)
{
	char text[1024];

	snprintf(text, sizeof(text), "name: x\nprofile: test\n%s" SHARED NIC "%s}}\n" STAR, port,
		 verbs);
	return plan_of(text);
}

TEST(checkpoints_lead_nowhere)
{
	static const char *const ports[] = {
		"port: {discipline: drop-tail}\n", "port: {discipline: pfc, pfc: [0], react: 1us}\n",
		"port: {discipline: credit, credit-buffer: [128KiB], credit-period: 4096ns}\n",
	};
	static const char *const verbs[] = {
		"", ", ordering: any", ", congestion: swift", ", kind: efa, ordering: any",
	};
	struct weft_sim_objects objects;

	for (size_t i = 0; i < sizeof(ports) / sizeof(*ports); i++) {
		for (size_t k = 0; k < sizeof(verbs) / sizeof(*verbs); k++) {
			char dir[] = "/tmp/weft-checkpoint-XXXXXX";
			const struct weft_sim_options o = {
				.transport = k == 3 ? "srd" : "rc", .parts = 2,
				.ack_timeout = 14, .retries = 7, .objects = &objects,
				.checkpoint = mkdtemp(dir), .every = 10000 * NS,
			};
			struct weft_plan p = star(ports[i], verbs[k]);
			struct weft_sim_result r;
			uint64_t end;

			run(&p, &o, &r, &end);
			EXPECT_EQ(r.ended, 16);
			weft_sim_objects_free(&objects);
			expect_closed(dir);
			remove_all(dir);
			weft_plan_free(&p);
		}
	}
}

/* Keep the first of what is told. */
static bool first_progress(void *ctx, const struct weft_sim_progress *now)
{
	struct weft_sim_progress *first = ctx;

	if (!first->total)
		*first = *now;
	return true;
}

/*
 * Sixteen messages, two wires each, none shared: the last bit is executed
 *
 *	TX + K P + CABLE + CUT + CABLE + RX + PROCESS
 *
 * after the start, plus the P of store and forward that no switch here has. A run that
 * goes on at T begins with the packets that were on a wire until T: at least those of
 * which T - TX - P has room for, less one, on the first wires.
 */
TEST(checkpoint_goes_on)
{
	char dir[] = "/tmp/weft-checkpoint-XXXXXX";
	struct weft_sim_options o = {
		.transport = "rc", .checkpoint = mkdtemp(dir), .every = 10000 * NS,
		.ack_timeout = 14, .retries = 7,
	};
	const uint64_t law = TX + PACKETS * PACKET + 2 * CABLE + CUT + RX + 11 * NS;
	struct weft_plan p = star("port: {discipline: drop-tail}\n", "");
	uint64_t at = law - law % o.every, before = 16 * ((at - TX) / PACKET - 1), end;
	struct weft_sim_progress first = { 0 };
	struct weft_sim_result all, rest;

	run(&p, &o, &all, &end);
	EXPECT_EQ(end, law);
	o.resume = o.checkpoint;
	o.checkpoint = NULL;
	o.progress = first_progress;
	o.ctx = &first;
	run(&p, &o, &rest, &end);
	EXPECT_EQ(end, law);
	EXPECT_EQ(rest.hops, all.hops);
	EXPECT_EQ(rest.packets, all.packets);
	EXPECT(first.hops >= before);
	EXPECT(first.hops < all.hops);
	remove_all(dir);
	weft_plan_free(&p);
}
