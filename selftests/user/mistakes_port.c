// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mistakes in what a topology file says of disciplines, buffers and ways.
 */
#include "ktap.h"
#include "load.h"

static const struct mistake mistakes[] = {
	{ "key of another discipline",
	  "name: x\n"
	  "profile: pfc\n"
	  "port: {credit-buffer: [64KiB]}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:23: credit-buffer: the discipline is pfc"
	},
	{ "key without the discipline",
	  "name: x\n"
	  "profile: test\n"
	  "port: {pfc: [0]}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:13: pfc: the discipline is drop-tail"
	},
	{ "empty list of another discipline",
	  "name: x\n"
	  "profile: ib\n"
	  "port: {pfc: []}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:13: pfc: the discipline is credit"
	},
	{ "key of the old discipline",
	  "name: x\n"
	  "profile: pfc\n"
	  "port: {discipline: nvlink, watchdog: drop}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:38: watchdog: the discipline is nvlink"
	},
	{ "unknown discipline",
	  "name: x\n"
	  "profile: test\n"
	  "port: {discipline: tcp}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:20: discipline: \"tcp\": expected drop-tail or pause or pfc or credit or nvlink or pcie or cbfc or uec"
	},
	{ "priority out of range",
	  "name: x\n"
	  "profile: pfc\n"
	  "port: {pfc: [0, 8]}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:17: pfc[1]: 8: expected 0 to 7"
	},
	{ "pfc as a number",
	  "name: x\n"
	  "profile: pfc\n"
	  "port: {pfc: 3}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:13: pfc: expected a list, found a single value"
	},
	{ "short pause",
	  "name: x\n"
	  "profile: pfc\n"
	  "port: {pause-quanta: 3}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:22: pause-quanta: 3: expected 4 to 65535"
	},
	{ "no watchdog time",
	  "name: x\n"
	  "profile: pfc\n"
	  "port: {watchdog-poll: 0s}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:23: watchdog-poll: \"0s\": expected 1ps at least"
	},
	{ "trimming with credits",
	  "name: x\n"
	  "profile: ib\n"
	  "port: {trim: {length: 64}}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:23: trim.length: the discipline is credit"
	},
	{ "retry of a link without it",
	  "name: x\n"
	  "profile: uec\n"
	  "port: {discipline: cbfc, llr-buffer: 1MiB}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:38: llr-buffer: the discipline is cbfc"
	},
	{ "credit of no bytes",
	  "name: x\n"
	  "profile: uec\n"
	  "port: {credit-size: 0}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:21: credit-size: \"0\": expected 1B to 4KiB"
	},
	{ "thresholds the wrong way round",
	  "name: x\n"
	  "profile: pfc\n"
	  "port: {ecn: {kmin: 500kB}}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:20: ecn.kmin: 500000 is above kmax 400000"
	},
	{ "probability above one",
	  "name: x\n"
	  "profile: pfc\n"
	  "port: {ecn: {pmax: 1.5}}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:20: ecn.pmax: \"1.5\": expected 0 to 1 with up to 6 decimals, such as 0.2"
	},
	{ "block of credit",
	  "name: x\n"
	  "profile: ib\n"
	  "port: {credit-block: 96}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:22: credit-block: 96: expected a power of two"
	},
	{ "entry of VL arbitration",
	  "name: x\n"
	  "profile: ib\n"
	  "port: {vlarb-high: [\"1:64\", \"2-64\"]}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:29: \"2-64\": expected VL:weight, 0 to 14 and 0 to 255, such as 0:64"
	},
	{ "VL 15 in arbitration",
	  "name: x\n"
	  "profile: ib\n"
	  "port: {vlarb-low: [\"15:1\"]}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:20: \"15:1\": expected VL:weight, 0 to 14 and 0 to 255, such as 0:64"
	},
	{ "few service levels",
	  "name: x\n"
	  "profile: ib\n"
	  "port: {sl2vl: [0, 1]}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:15: sl2vl: expected 16 entries, found 2"
	},
	{ "service level out of range",
	  "name: x\n"
	  "profile: ib\n"
	  "port: {sl2vl: [16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:16: sl2vl[0]: 16: expected 0 to 15"
	},
	{ "no data credits",
	  "name: x\n"
	  "profile: nv\n"
	  "port: {data-credits: [0]}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:23: data-credits[0]: 0: expected 1 to 16777216"
	},
	{ "alpha and threshold",
	  "name: x\n"
	  "profile: pfc\n"
	  "switch: {buffer-alpha: 1, buffer-threshold: 1MB}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:24: buffer-alpha: expected this or buffer-threshold, not both"
	},
	{ "alpha out of range",
	  "name: x\n"
	  "profile: pfc\n"
	  "switch: {lossy-alpha: -21}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:23: lossy-alpha: \"-21\": expected an exponent from -20 to 20"
	},
	{ "flowlets",
	  "name: x\n"
	  "profile: test\n"
	  "switch: {select: flowlet, flowlets: 1000}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:37: flowlets: 1000: expected a power of two"
	},
	{ "more lanes than there are",
	  "name: x\n"
	  "profile: nv\n"
	  "link: {lanes-up: 19}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:18: lanes-up: 19: there are 18 lanes"
	},
	{ "payload below the overhead",
	  "name: x\n"
	  "profile: nv\n"
	  "link: {payload: 15}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:17: payload: 15: expected 0 or at least the overhead, 16"
	},
	{ "slow receiver",
	  "name: x\n"
	  "profile: test\n"
	  "nic: {rx-rate: 1bps}\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:16: rx-rate: \"1bps\": expected 1kbps to 1000Tbps"
	},
	{ "lossless",
	  "name: x\n"
	  "profile: pfc\n"
	  "lossless: maybe\n"
	  "generate: {kind: single-switch, hosts: 2}\n",
	  "t.yaml:3:11: lossless: \"maybe\": expected true or false"
	},
	{ "way to a switch",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: \"s[0-2]\"}]\n"
	  "links: [{ends: [h0, s0]}, {ends: [h1, s2]}, {ends: [s0, s1]}, {ends: [s1, s2]}]\n"
	  "routes:\n"
	  "  - {switch: s0, to: s1, via: [s1]}\n",
	  "t.yaml:7:22: \"s1\" is a switch, expected a node"
	},
	{ "way over a node",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: \"s[0-2]\"}]\n"
	  "links: [{ends: [h0, s0]}, {ends: [h1, s2]}, {ends: [s0, s1]}, {ends: [s1, s2]}]\n"
	  "routes:\n"
	  "  - {switch: s0, to: h1, via: [h0, s2]}\n",
	  "t.yaml:7:32: \"h0\" is a node, expected a switch"
	},
	{ "way without a link",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: \"s[0-2]\"}]\n"
	  "links: [{ends: [h0, s0]}, {ends: [h1, s2]}, {ends: [s0, s1]}, {ends: [s1, s2]}]\n"
	  "routes:\n"
	  "  - {switch: s0, to: h1, via: [s2]}\n",
	  "t.yaml:7:32: there is no link from s0 to s2"
	},
	{ "way that ends early",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: \"s[0-2]\"}]\n"
	  "links: [{ends: [h0, s0]}, {ends: [h1, s2]}, {ends: [s0, s1]}, {ends: [s1, s2]}]\n"
	  "routes:\n"
	  "  - {switch: s0, to: h1, via: [s1]}\n",
	  "t.yaml:7:31: via ends at s1, which has no link to h1"
	},
	{ "way to nowhere",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: \"s[0-2]\"}]\n"
	  "links: [{ends: [h0, s0]}, {ends: [h1, s2]}, {ends: [s0, s1]}, {ends: [s1, s2]}]\n"
	  "routes:\n"
	  "  - {switch: s0, to: h1, via: []}\n",
	  "t.yaml:7:31: via: expected 1 to 64 entries, found 0"
	},
	{ "two ways",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: \"s[0-2]\"}]\n"
	  "links: [{ends: [h0, s0]}, {ends: [h1, s2]}, {ends: [s0, s1]}, {ends: [s1, s2]}]\n"
	  "routes:\n"
	  "  - {switch: s0, to: h1, via: [s1, s2]}\n"
	  "  - {switch: s2, to: h1, via: [s1, s0, s1, s2]}\n",
	  "t.yaml:7:3: s1 has two next hops for h1, s2 and s0: expected one"
	},
};

TEST(topology_files)
{
	expect_mistakes(mistakes, sizeof(mistakes) / sizeof(*mistakes));
}
