// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generators as text: what they write into the file, what the user sets in it,
 * and mistakes in both.
 */
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "load.h"
#include "topology/topo_open.h"

#define HEAD	"name: x\nprofile: test\n"

/* The text that a file comes to, or the error. */
static char *open_text(const char *file, const char *text, char *const *set,
		       unsigned int sets)
{
	struct weft_topo_source from = { file, text, strlen(text), set, sets };
	struct weft_err err = { 0 };
	struct weft_topo t = { 0 };
	struct weft_yaml y;
	char *out;

	if (weft_topo_open(&y, &from, &err) ||
	    weft_topo_make(&t, &y, load_profile, NULL, &err))
		out = strdup(err.msg);
	else
		out = strndup(y.text, y.len);
	weft_topo_free(&t);
	weft_yaml_close(&y);
	return out;
}

static void expect_text(const char *text, const char *want)
{
	char *got = open_text("t.yaml", text, NULL, 0);

	if (strcmp(got, want))
		ktap_fail(__FILE__, __LINE__, "%s", got);
	free(got);
}

TEST(written_out)
{
	expect_text(HEAD
		    "generate: {kind: fat-tree, leaves: 2, spines: 1, hosts-per-leaf: 2,\n"
		    "  host-link: {rate: 100Gbps}, uplink: {profile: pfc, lanes: 2}}\n",
		    HEAD
		    "nodes:\n"
		    "- {name: 'host[0-3]'}\n"
		    "switches:\n"
		    "- {name: 'leaf[0-1]'}\n"
		    "- {name: spine0, profile: pfc}\n"
		    "links:\n"
		    "- {ends: ['host[0-1]', leaf0], rate: 100Gbps}\n"
		    "- {ends: ['host[2-3]', leaf1], rate: 100Gbps}\n"
		    "- {ends: ['leaf[0-1]', spine0], profile: pfc, lanes: 2, join: all}\n");
}

/* A part without a profile has that of the hosts' links, also in a switch. */
TEST(profiles_of_parts)
{
	expect_text(HEAD
		    "generate: {kind: fat-tree, leaves: 1, spines: 1, hosts-per-leaf: 2,\n"
		    "  host-link: {profile: ib}, uplink: {rate: 800Gbps}}\n",
		    HEAD
		    "nodes:\n"
		    "- {name: 'host[0-1]'}\n"
		    "switches:\n"
		    "- {name: leaf0, profile: ib}\n"
		    "- {name: spine0, profile: ib}\n"
		    "links:\n"
		    "- {ends: ['host[0-1]', leaf0], profile: ib}\n"
		    "- {ends: [leaf0, spine0], profile: ib, rate: 800Gbps, join: all}\n");
}

/* What the file has itself comes after; empty lists and styles stay. */
TEST(lists_are_joined)
{
	expect_text(HEAD
		    "port: {discipline: pfc, pfc: []}\n"
		    "nodes: [{name: extra}]\n"
		    "generate: {kind: single-switch, hosts: 2, front-end: {profile: test}}\n"
		    "links: [{ends: [extra, leaf0]}]\n",
		    HEAD
		    "port: {discipline: pfc, pfc: []}\n"
		    "nodes:\n"
		    "- {name: 'host[0-1]'}\n"
		    "- {name: extra}\n"
		    "switches:\n"
		    "- {name: leaf0}\n"
		    "- {name: front, profile: test}\n"
		    "links:\n"
		    "- {ends: ['host[0-1]', leaf0]}\n"
		    "- {ends: ['host[0-1]', front], profile: test}\n"
		    "- {ends: [extra, leaf0]}\n");
}

/* What is not generated stays as it is, comments included. */
TEST(nothing_to_generate)
{
	static const char text[] =
		"# mine\n" HEAD
		"nodes: [{name: \"a[0-1]\"}]\n"
		"switches: [{name: s}]\n"
		"links: [{ends: [\"a[0-1]\", s]}]\n";

	expect_text(text, text);
}

static const char small[] =
	HEAD "generate: {kind: single-switch, hosts: 2}\n";

static void expect_set(const char *set, const char *want)
{
	char *one = strdup(set), *got;

	got = open_text(NULL, small, &one, 1);
	if (strcmp(got, want))
		ktap_fail(__FILE__, __LINE__, "%s: %s", set, got);
	free(got);
	free(one);
}

#define SMALL(top, n, part)						\
	"name: x\nprofile: test\n" top					\
	"nodes:\n- {name: 'host[0-" #n "]'}\n"				\
	"switches:\n- {name: leaf0}\n"					\
	"links:\n- {ends: ['host[0-" #n "]', leaf0]" part "}\n"

TEST(set)
{
	expect_set("hosts=4", SMALL("", 3, ""));
	expect_set("host-link.rate=1Gbps", SMALL("", 1, ", rate: 1Gbps"));
	expect_set("host-link={rate: 1Gbps}", SMALL("", 1, ", rate: 1Gbps"));
	expect_set("generate.hosts=3", SMALL("", 2, ""));
	expect_set("seed=7", "name: x\nprofile: test\nseed: 7\n"
		   "nodes:\n- {name: 'host[0-1]'}\n"
		   "switches:\n- {name: leaf0}\n"
		   "links:\n- {ends: ['host[0-1]', leaf0]}\n");
}

/* No line: the key is what the user knows. */
TEST(mistakes_in_settings)
{
	static const struct { const char *set, *msg; } rows[] = {
		{ "hosts",
		  "\"hosts\": expected KEY=VALUE such as hosts=8 or uplink.rate=200Gbps" },
		{ "=4",
		  "\"=4\": expected KEY=VALUE such as hosts=8 or uplink.rate=200Gbps" },
		{ "host-link.=4",
		  "expected KEY=VALUE such as hosts=8 or uplink.rate=200Gbps" },
		{ "hosts=",
		  "hosts=: expected a YAML value such as 8 or 200Gbps" },
		{ "hosts=[",
		  "hosts=[: expected a YAML value such as 8 or 200Gbps" },
		{ "hosts=many",
		  "hosts: \"many\": expected a whole number" },
		{ "hosts=0",
		  "hosts: 0: expected 1 to 16384" },
		{ "hosts=[1, 2]",
		  "hosts: expected a single value, found a list" },
		{ "spines=2",
		  "unknown key \"spines\" in generate of kind single-switch: expected one of kind, hosts, host-link, front-end",
		},
		{ "host-link=fast",
		  "host-link: expected a mapping, found a single value" },
		{ "host-link.speed=1",
		  "unknown key \"speed\" in host-link: expected one of profile, rate, propagation, overhead, min-frame, ber, state, payload, unit, lanes, lanes-up",
		},
		{ "host-link.rate=fast",
		  "rate: \"fast\": expected a rate such as 400Gbps (bps, kbps, Mbps, Gbps, Tbps)" },
		{ "profile=nope",
		  "profile: there is no \"nope\"" },
		{ "seed=-1",
		  "seed: \"-1\": expected a whole number" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect_set(rows[i].set, rows[i].msg);
}

static json_t *plan_json(const char *text)
{
	struct weft_plan p = plan_of(text);
	json_t *o = weft_plan_json(&p);

	weft_plan_free(&p);
	return o;
}

/* The printed file comes to the same plan as the one with the generator. */
TEST(round_trip)
{
	static const char *const designs[] = {
		"kind: single-switch, hosts: 8",
		"kind: fat-tree, leaves: 4, spines: 2, hosts-per-leaf: 4, uplinks-per-spine: 2",
		"kind: fat-tree, k: 4, uplink: {rate: 100Gbps, propagation: 5us}",
		"kind: rail-optimized, hosts: 4, gpus: 4, hosts-per-su: 2, spines: 2",
		"kind: rail-optimized, hosts: 2, gpus: 4, node: gpu, spines: 1, nvlink: {profile: nv}, front-end: {profile: pfc}",
		"kind: nvl72, racks: 2, rails: 4, spines: 3, nvlink: {profile: nv}",
		"kind: torus, size: 3x4x2",
		"kind: dragonfly, p: 2, a: 3, h: 1, global: {propagation: 500ns}",
	};

	for (size_t i = 0; i < sizeof(designs) / sizeof(*designs); i++) {
		json_t *a, *b;
		char *text, *out;

		if (asprintf(&text, HEAD "generate: {%s}\n", designs[i]) < 0)
			abort();
		out = open_text("t.yaml", text, NULL, 0);
		EXPECT(!strstr(out, "generate"));
		a = plan_json(text);
		b = plan_json(out);
		EXPECT(json_equal(a, b));
		json_decref(a);
		json_decref(b);
		free(out);
		free(text);
	}
}

#define DESIGN(numbers)	HEAD "generate: {" numbers "}\n"

static const struct mistake mistakes[] = {
	{ "a word",
	  HEAD "generate: torus\n",
	  "t.yaml:3:11: generate: expected a mapping"
	},
	{ "a key twice",
	  DESIGN("kind: torus, size: 4, size: 5"),
	  "t.yaml:3:31: key \"size\" is given twice"
	},
	{ "a list as a key",
	  DESIGN("kind: torus, [a]: 4"),
	  "t.yaml:3:11: expected keys that are single values"
	},
	{ "torus without size",
	  DESIGN("kind: torus"),
	  "t.yaml:3:11: generate lacks the key \"size\""
	},
	{ "torus of one switch",
	  DESIGN("kind: torus, size: 4x1"),
	  "t.yaml:3:31: size: \"4x1\": expected 1 to 3 sizes from 2 to 4096, such as 4x4x4"
	},
	{ "torus of four sizes",
	  DESIGN("kind: torus, size: 2x2x2x2"),
	  "t.yaml:3:31: size: \"2x2x2x2\": expected 1 to 3 sizes from 2 to 4096, such as 4x4x4"
	},
	{ "torus with an x too many",
	  DESIGN("kind: torus, size: 4x4x"),
	  "t.yaml:3:31: size: \"4x4x\": expected 1 to 3 sizes from 2 to 4096, such as 4x4x4"
	},
	{ "torus of negative size",
	  DESIGN("kind: torus, size: 4x-4"),
	  "t.yaml:3:31: size: \"4x-4\": expected 1 to 3 sizes from 2 to 4096, such as 4x4x4"
	},
	{ "torus too large",
	  DESIGN("kind: torus, size: 17x17x17"),
	  "t.yaml:3:11: more than 4096 switches"
	},
	{ "torus twice",
	  HEAD "torus: [4]\ngenerate: {kind: torus, size: 4}\n",
	  "t.yaml:4:11: the file has \"torus\", and generate makes one: expected only one of them"
	},
	{ "odd k",
	  DESIGN("kind: fat-tree, k: 5"),
	  "t.yaml:3:31: k: expected an even number of ports"
	},
	{ "k and leaves",
	  DESIGN("kind: fat-tree, k: 4, leaves: 2"),
	  "t.yaml:3:42: leaves: expected this or k, not both"
	},
	{ "k too large",
	  DESIGN("kind: fat-tree, k: 42"),
	  "t.yaml:3:11: more than 16384 nodes"
	},
	{ "uplinks twice",
	  DESIGN(
	  "kind: fat-tree, leaves: 2, spines: 2, hosts-per-leaf: 4, uplinks-per-spine: 2, oversubscription: 1"
	  ),
	  "t.yaml:3:109: oversubscription: expected this or uplinks-per-spine, not both"
	},
	{ "no ratio",
	  DESIGN("kind: fat-tree, leaves: 2, spines: 2, hosts-per-leaf: 4, oversubscription: full"),
	  "t.yaml:3:87: oversubscription: \"full\": expected a ratio such as 2 or 3:2"
	},
	{ "half a ratio",
	  DESIGN("kind: fat-tree, leaves: 2, spines: 2, hosts-per-leaf: 4, oversubscription: '2:'"),
	  "t.yaml:3:87: oversubscription: \"2:\": expected a ratio such as 2 or 3:2"
	},
	{ "a ratio of 0",
	  DESIGN("kind: fat-tree, leaves: 2, spines: 2, hosts-per-leaf: 4, oversubscription: 0"),
	  "t.yaml:3:87: oversubscription: \"0\": expected a ratio such as 2 or 3:2"
	},
	{ "a ratio that does not come out even",
	  DESIGN(
	  "kind: fat-tree, leaves: 2, spines: 2, hosts-per-leaf: 4, oversubscription: '3:2'"),
	  "t.yaml:3:87: oversubscription: 4 links down at 3:2 are not 1 to 64 links up to each of 2 spines"
	},
	{ "too many links",
	  DESIGN(
	  "kind: fat-tree, leaves: 1000, spines: 64, hosts-per-leaf: 4, uplinks-per-spine: 2"),
	  "t.yaml:3:11: more than 65536 links"
	},
	{ "rails without spines",
	  DESIGN("kind: rail-optimized, hosts: 4"),
	  "t.yaml:3:11: generate lacks the key \"spines\""
	},
	{ "an SU that does not divide",
	  DESIGN("kind: rail-optimized, hosts: 6, spines: 1, hosts-per-su: 4"),
	  "t.yaml:3:69: hosts-per-su: 4 does not divide 6 hosts"
	},
	{ "rails that do not divide",
	  DESIGN("kind: rail-optimized, hosts: 6, spines: 1, rails: 3"),
	  "t.yaml:3:62: rails: 3 does not divide 8 GPUs"
	},
	{ "more rails than GPUs",
	  DESIGN("kind: rail-optimized, node: gpu, hosts: 6, spines: 1, rails: 16"),
	  "t.yaml:3:73: rails: 16: expected 1 to 8"
	},
	{ "NVLink of hosts",
	  DESIGN("kind: rail-optimized, hosts: 6, spines: 1, nvlink: {rate: 1Gbps}"),
	  "t.yaml:3:63: nvlink: needs node: gpu, as NVLink is inside a host"
	},
	{ "unknown kind of node",
	  DESIGN("kind: rail-optimized, hosts: 6, spines: 1, node: rack"),
	  "t.yaml:3:61: node: \"rack\": expected host or gpu"
	},
	{ "spines without rails",
	  DESIGN("kind: nvl72, spines: 2"),
	  "t.yaml:3:33: spines: there are no rails: set \"rails\""
	},
	{ "no h",
	  DESIGN("kind: dragonfly, p: 2, a: 4"),
	  "t.yaml:3:11: generate lacks the key \"h\""
	},
	{ "unknown arrangement",
	  DESIGN("kind: dragonfly, p: 2, a: 4, h: 2, arrangement: random"),
	  "t.yaml:3:60: arrangement: \"random\": expected absolute or relative"
	},
	{ "dragonfly too large",
	  DESIGN("kind: dragonfly, p: 16, a: 32, h: 16"),
	  "t.yaml:3:11: more than 16384 nodes"
	},
	{ "nodes that are no list",
	  HEAD "nodes: 4\ngenerate: {kind: torus, size: 4}\n",
	  "t.yaml:3:8: nodes: expected a list, found a single value"
	},
	{ "a name that the generator has as well",
	  HEAD "nodes: [{name: host1}]\ngenerate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:4:11: the name \"host1\" is given twice"
	},
};

TEST(mistakes)
{
	expect_mistakes(mistakes, sizeof(mistakes) / sizeof(*mistakes));
}
