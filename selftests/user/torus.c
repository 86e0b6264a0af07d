// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Places in a torus: good files, and mistakes in them.
 */
#include "ktap.h"
#include "load.h"

/* Three of the six switches of a 3 x 2 torus, in a row round a corner. */
#define TOP								\
	"name: x\n"							\
	"profile: test\n"						\
	"nodes: [{name: a}, {name: b}, {name: c}]\n"
#define LINKS								\
	"links: [{ends: [a, s]}, {ends: [b, t]}, {ends: [c, u]},\n"	\
	"  {ends: [s, t]}, {ends: [t, u]}]\n"

TEST(places_are_taken)
{
	struct weft_topo t =
		topo_of(TOP
			"torus: [3, 2]\n"
			"switches: [{name: s, at: [0, 1]},\n"
			"  {name: t, at: [2, 1]}, {name: u, at: [2, 0]}]\n"
			LINKS);

	EXPECT_EQ(t.dims, 2);
	EXPECT_EQ(t.dim[0], 3);
	EXPECT_EQ(t.dim[1], 2);
	EXPECT(t.sw[1].placed);
	EXPECT_EQ(t.sw[1].coord[0], 2);
	EXPECT_EQ(t.sw[1].coord[1], 1);
	weft_topo_free(&t);
}

TEST(no_torus_no_places)
{
	struct weft_topo t =
		topo_of(TOP
			"switches: [{name: s}, {name: t}, {name: u}]\n"
			LINKS);

	EXPECT_EQ(t.dims, 0);
	EXPECT(!t.sw[0].placed);
	weft_topo_free(&t);
}

static const struct mistake mistakes[] = {
	{ "no dimension",
	  TOP
	  "torus: []\n",
	  "t.yaml:4:8: torus: expected 1 to 3 entries, found 0"
	},
	{ "four dimensions",
	  TOP
	  "torus: [2, 2, 2, 2]\n",
	  "t.yaml:4:8: torus: expected 1 to 3 entries, found 4"
	},
	{ "a dimension of one switch",
	  TOP
	  "torus: [4, 1]\n",
	  "t.yaml:4:12: torus[1]: 1: expected 2 to 4096"
	},
	{ "too many switches",
	  TOP
	  "torus: [64, 65]\n",
	  "t.yaml:4:8: torus: more than 4096 switches"
	},
	{ "a place without torus",
	  TOP
	  "switches: [{name: s, at: [0]}, {name: t}, {name: u}]\n"
	  LINKS,
	  "t.yaml:4:26: at: the file has no \"torus\""
	},
	{ "too few coordinates",
	  TOP
	  "torus: [3, 2]\n"
	  "switches: [{name: s, at: [0]}, {name: t}, {name: u}]\n"
	  LINKS,
	  "t.yaml:5:26: at: expected 2 entries, as \"torus\" has, found 1"
	},
	{ "outside",
	  TOP
	  "torus: [3, 2]\n"
	  "switches: [{name: s, at: [0, 2]}, {name: t}, {name: u}]\n"
	  LINKS,
	  "t.yaml:5:30: at[1]: 2: expected 0 to 1"
	},
	{ "a switch without place",
	  TOP
	  "torus: [3, 2]\n"
	  "switches: [{name: s, at: [0, 1]}, {name: t}, {name: u}]\n"
	  LINKS,
	  "t.yaml:5:11: switch \"t\" has no place in the torus: it lacks \"at\""
	},
	{ "two switches at the same place",
	  TOP
	  "torus: [3, 2]\n"
	  "switches: [{name: s, at: [0, 1]}, {name: t, at: [1, 1]},\n"
	  "  {name: u, at: [1, 1]}]\n"
	  LINKS,
	  "t.yaml:5:11: switch \"u\" has the same place as another one"
	},
	{ "a link across",
	  TOP
	  "torus: [3, 2]\n"
	  "switches: [{name: s, at: [0, 1]}, {name: t, at: [1, 1]},\n"
	  "  {name: u, at: [2, 0]}]\n"
	  LINKS,
	  "t.yaml:7:8: link \"t-u\" does not join neighbours in the torus"
	},
	{ "a link too far",
	  TOP
	  "torus: [4, 2]\n"
	  "switches: [{name: s, at: [0, 1]}, {name: t, at: [1, 1]},\n"
	  "  {name: u, at: [3, 1]}]\n"
	  LINKS,
	  "t.yaml:7:8: link \"t-u\" does not join neighbours in the torus"
	},
};

TEST(mistakes)
{
	expect_mistakes(mistakes, sizeof(mistakes) / sizeof(*mistakes));
}
