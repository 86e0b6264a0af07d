// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mistakes in topology files: each is answered with file, line, column and what
 * was expected.
 */
#include <string.h>

#include "ktap.h"
#include "load.h"

static const struct mistake mistakes[] = {
	{ "empty",
	  "",
	  "t.yaml:1:1: the file is empty"
	},
	{ "comment only",
	  "# nothing\n",
	  "t.yaml:1:1: the file is empty"
	},
	{ "not YAML",
	  "name: [x\n",
	  "t.yaml:2:1: not valid YAML: did not find expected ',' or ']'"
	},
	{ "tab",
	  "name: x\n"
	  "\tprofile: test\n",
	  "t.yaml:2:1: not valid YAML: found a tab character that violates indentation"
	},
	{ "unbalanced quote",
	  "name: \"x\n",
	  "t.yaml:2:1: not valid YAML: found unexpected end of stream"
	},
	{ "a list",
	  "- a\n",
	  "t.yaml:1:1: the file: expected a mapping, found a list"
	},
	{ "a word",
	  "hello\n",
	  "t.yaml:1:1: the file: expected a mapping, found a single value"
	},
	{ "bad byte",
	  "name: \377\n",
	  "t.yaml:1:7: not valid YAML: invalid leading UTF-8 octet"
	},
	{ "no name",
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:1:1: the file lacks the key \"name\""
	},
	{ "no profile",
	  "name: x\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:1:1: the file lacks the key \"profile\""
	},
	{ "unknown profile",
	  "name: x\n"
	  "profile: nope\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:2:10: profile: there is no \"nope\""
	},
	{ "error in a profile",
	  "name: x\n"
	  "profile: broken\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "profile.yaml:2:14: rate: \"quick\": expected a rate such as 400Gbps (bps, kbps, Mbps, Gbps, Tbps)"
	},
	{ "unknown key",
	  "name: x\n"
	  "profile: test\n"
	  "nodse: []\n",
	  "t.yaml:3:1: unknown key \"nodse\" in the file: expected one of name, description, profile, clock, seed, late-bound, subnet-manager, lossless, port, link, switch, nic, settings, routing, torus, generate, nodes, switches, links, routes"
	},
	{ "unknown key of a node",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0, mut: 9000}]\n",
	  "t.yaml:3:20: unknown key \"mut\" in an entry of nodes: expected one of name, profile, port, mtu, segmentation, tx-latency, rx-latency, rx-rate, rx-buffer, rx-alpha, rx-threshold, rx-headroom, rx-xon, queue-limit, classes, moderation, verbs"
	},
	{ "key twice",
	  "name: x\n"
	  "profile: test\n"
	  "name: y\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:1: key \"name\" is given twice"
	},
	{ "nodes as a mapping",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: {name: h0}\n",
	  "t.yaml:3:8: nodes: expected a list, found a mapping"
	},
	{ "node as a word",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [h0]\n",
	  "t.yaml:3:9: an entry of nodes: expected a mapping, found a single value"
	},
	{ "node without name",
	  "name: x\n"
	  "profile: test\n"
	  "nodes:\n"
	  "  - mtu: 9000\n",
	  "t.yaml:4:5: an entry of nodes lacks the key \"name\""
	},
	{ "name as a list",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: [h0]}]\n",
	  "t.yaml:3:16: name: expected a single value, found a list"
	},
	{ "empty name",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: }]\n",
	  "t.yaml:3:16: name: expected a value, found nothing"
	},
	{ "bad name",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h_0}]\n",
	  "t.yaml:3:16: name: \"h_0\": expected a name of 1 to 24 letters, digits and inner hyphens"
	},
	{ "long name",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: abcdefghijklmnopqrstuvwxyz}]\n",
	  "t.yaml:3:16: name: \"abcdefghijklmnopqrstuvwxyz\": expected a name of 1 to 24 letters, digits and inner hyphens"
	},
	{ "bad topology name",
	  "name: a/b\n"
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:1:7: name: \"a/b\": expected a name of 1 to 24 letters, digits and inner hyphens"
	},
	{ "bad range",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: \"h[0-\"}]\n",
	  "t.yaml:3:16: name: \"h[0-\": expected a range such as host[0-7] or host[0-3,8]"
	},
	{ "backward range",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: \"h[3-1]\"}]\n",
	  "t.yaml:3:16: name: \"h[3-1]\": expected a range such as host[0-7] or host[0-3,8]"
	},
	{ "huge range",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: \"h[0-99999]\"}]\n",
	  "t.yaml:3:16: name: \"h[0-99999]\": a range may hold 16384 names at most"
	},
	{ "name twice",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h0}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}]\n",
	  "t.yaml:3:8: the name \"h0\" is given twice"
	},
	{ "node and switch of one name",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: a}]\n"
	  "switches: [{name: a}]\n",
	  "t.yaml:3:8: the name \"a\" is given twice"
	},
	{ "no nodes",
	  "name: x\n"
	  "profile: test\n",
	  "t.yaml:1:1: there are no nodes: expected \"nodes\" or \"generate\""
	},
	{ "node without link",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h1}, {name: h2}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:8: node \"h2\" has no link"
	},
	{ "switch without link",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches:\n"
	  "  - {name: s}\n"
	  "  - {name: t}\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:5:3: switch \"t\" has no link"
	},
	{ "unknown end",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links:\n"
	  "  - ends: [h0, s]\n"
	  "  - ends: [h1, t]\n",
	  "t.yaml:7:16: there is no node or switch \"t\""
	},
	{ "one end",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0]}]\n",
	  "t.yaml:5:16: ends: expected 2 entries, found 1"
	},
	{ "three ends",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, h1, s]}]\n",
	  "t.yaml:5:16: ends: expected 2 entries, found 3"
	},
	{ "no ends",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{rate: 1Gbps}]\n",
	  "t.yaml:5:9: an entry of links lacks the key \"ends\""
	},
	{ "ends as a word",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: h0}]\n",
	  "t.yaml:5:16: ends: expected a list, found a single value"
	},
	{ "link to itself",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [s, s]}]\n",
	  "t.yaml:5:16: a link cannot join \"s\" to itself"
	},
	{ "ranges that do not match",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: \"h[0-2]\"}]\n"
	  "switches: [{name: \"s[0-1]\"}]\n"
	  "links: [{ends: [\"h[0-2]\", \"s[0-1]\"]}]\n",
	  "t.yaml:5:16: 3 names cannot be joined to 2 one to one: expected equal numbers, one name, or \"join: all\""
	},
	{ "bad rate",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links:\n"
	  "  - ends: [h0, s]\n"
	  "    rate: 400G\n",
	  "t.yaml:7:11: rate: \"400G\": expected a rate such as 400Gbps (bps, kbps, Mbps, Gbps, Tbps)"
	},
	{ "rate too low",
	  "name: x\n"
	  "profile: test\n"
	  "link: {rate: 10bps}\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:14: rate: \"10bps\": expected 1kbps to 1000Tbps"
	},
	{ "rate too high",
	  "name: x\n"
	  "profile: test\n"
	  "link: {rate: 2000Tbps}\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:14: rate: \"2000Tbps\": expected 1kbps to 1000Tbps"
	},
	{ "bad propagation",
	  "name: x\n"
	  "profile: test\n"
	  "link: {propagation: 5m}\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:21: propagation: \"5m\": expected a time such as 500ns (ps, ns, us, ms, s)"
	},
	{ "propagation too long",
	  "name: x\n"
	  "profile: test\n"
	  "link: {propagation: 1001s}\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:21: propagation: \"1001s\": expected 1000s at most"
	},
	{ "bad overhead",
	  "name: x\n"
	  "profile: test\n"
	  "link: {overhead: 257}\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:18: overhead: 257: expected 0 to 256"
	},
	{ "bad bit error rate",
	  "name: x\n"
	  "profile: test\n"
	  "link: {ber: 2}\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:13: ber: \"2\": expected a bit error rate such as 1e-12 (0, or 1e-16 to 0.5)"
	},
	{ "bad state",
	  "name: x\n"
	  "profile: test\n"
	  "link: {state: on}\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:15: state: \"on\": expected down or up"
	},
	{ "bad count",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s], count: 0}]\n",
	  "t.yaml:5:32: count: 0: expected 1 to 64"
	},
	{ "bad join",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s], join: some}]\n",
	  "t.yaml:5:31: join: \"some\": expected pairs or all"
	},
	{ "bad forward",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0}]\n"
	  "switches: [{name: s, forward: fast}]\n",
	  "t.yaml:4:31: forward: \"fast\": expected cut-through or store-forward"
	},
	{ "bad arbiter",
	  "name: x\n"
	  "profile: test\n"
	  "switch: {arbiter: random}\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:19: arbiter: \"random\": expected fifo or round-robin"
	},
	{ "bad select",
	  "name: x\n"
	  "profile: test\n"
	  "switch: {select: [ecmp]}\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:18: select: expected a single value, found a list"
	},
	{ "bad buffer",
	  "name: x\n"
	  "profile: test\n"
	  "switch: {buffer: 16M}\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:18: buffer: \"16M\": expected a size such as 16MiB (B, kB, MB, GB, KiB, MiB, GiB)"
	},
	{ "no buffer",
	  "name: x\n"
	  "profile: test\n"
	  "switch: {buffer: 0}\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:18: buffer: \"0\": expected 1B to 1024GiB"
	},
	{ "bad classes",
	  "name: x\n"
	  "profile: test\n"
	  "switch: {classes: 17}\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:19: classes: 17: expected 1 to 16"
	},
	{ "bad latency",
	  "name: x\n"
	  "profile: test\n"
	  "switch: {latency: -1ns}\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:19: latency: \"-1ns\": expected a time such as 500ns (ps, ns, us, ms, s)"
	},
	{ "bad MTU",
	  "name: x\n"
	  "profile: test\n"
	  "nic: {mtu: 9k}\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:12: mtu: \"9k\": expected a whole number"
	},
	{ "small MTU",
	  "name: x\n"
	  "profile: test\n"
	  "nic: {mtu: 60}\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:12: mtu: 60: expected 68 to 65521"
	},
	{ "bad segmentation",
	  "name: x\n"
	  "profile: test\n"
	  "nic: {segmentation: tso}\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:21: segmentation: \"tso\": expected mtu or train"
	},
	{ "bad queue limit",
	  "name: x\n"
	  "profile: test\n"
	  "nic: {queue-limit: 3GiB}\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:20: queue-limit: \"3GiB\": expected 1B to 2GiB"
	},
	{ "bad seed",
	  "name: x\n"
	  "profile: test\n"
	  "seed: abc\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:7: seed: \"abc\": expected a whole number"
	},
	{ "bad clock",
	  "name: x\n"
	  "profile: test\n"
	  "clock: fast\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:8: clock: \"fast\": expected a clock: virtual, real, real/auto or real/K with K from 1 to 1000000"
	},
	{ "bad dilation",
	  "name: x\n"
	  "profile: test\n"
	  "clock: real/0\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:8: clock: \"real/0\": expected a clock: virtual, real, real/auto or real/K with K from 1 to 1000000"
	},
	{ "bad late bound",
	  "name: x\n"
	  "profile: test\n"
	  "late-bound: soon\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:13: late-bound: \"soon\": expected a time such as 500ns (ps, ns, us, ms, s)"
	},
	{ "bad neighbours",
	  "name: x\n"
	  "profile: test\n"
	  "settings: {neighbours: none}\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:24: neighbours: \"none\": expected static or arp"
	},
	{ "bad TCP buffer",
	  "name: x\n"
	  "profile: test\n"
	  "settings: {tcp-buffer: 1KiB}\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:24: tcp-buffer: \"1KiB\": expected 64KiB to 1GiB"
	},
	{ "bad congestion control",
	  "name: x\n"
	  "profile: test\n"
	  "settings: {congestion: \"a b\"}\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s]}, {ends: [h1, s]}]\n",
	  "t.yaml:3:24: congestion: \"a b\": expected the name of a TCP congestion control such as cubic"
	},
	{ "unknown generator",
	  "name: x\n"
	  "profile: test\n"
	  "generate: {kind: tree}\n",
	  "t.yaml:3:18: kind: \"tree\": expected single-switch or fat-tree or rail-optimized or nvl72 or torus or dragonfly"
	},
	{ "generator without kind",
	  "name: x\n"
	  "profile: test\n"
	  "generate: {hosts: 8}\n",
	  "t.yaml:3:11: generate lacks the key \"kind\""
	},
	{ "single switch without hosts",
	  "name: x\n"
	  "profile: test\n"
	  "generate: {kind: single-switch}\n",
	  "t.yaml:3:11: generate lacks the key \"hosts\""
	},
	{ "single switch with spines",
	  "name: x\n"
	  "profile: test\n"
	  "generate: {kind: single-switch, hosts: 8, spines: 2}\n",
	  "t.yaml:3:51: unknown key \"spines\" in generate of kind single-switch: expected one of kind, hosts, host-link, front-end"
	},
	{ "fat tree without spines",
	  "name: x\n"
	  "profile: test\n"
	  "generate: {kind: fat-tree, leaves: 2, hosts-per-leaf: 4}\n",
	  "t.yaml:3:11: generate lacks the key \"spines\""
	},
	{ "fat tree with hosts",
	  "name: x\n"
	  "profile: test\n"
	  "generate: {kind: fat-tree, leaves: 2, spines: 2, hosts-per-leaf: 4, hosts: 8}\n",
	  "t.yaml:3:76: unknown key \"hosts\" in generate of kind fat-tree: expected one of kind, leaves, spines, hosts-per-leaf, uplinks-per-spine, oversubscription, k, host-link, uplink, front-end"
	},
	{ "too many nodes",
	  "name: x\n"
	  "profile: test\n"
	  "generate: {kind: fat-tree, leaves: 200, spines: 1, hosts-per-leaf: 100}\n",
	  "t.yaml:3:11: more than 16384 nodes"
	},
	{ "too many ports",
	  "name: x\n"
	  "profile: test\n"
	  "generate: {kind: single-switch, hosts: 1025}\n",
	  "t.yaml:3:11: switch \"leaf0\" has more than 1024 links"
	},
	{ "bad rate in a generator",
	  "name: x\n"
	  "profile: test\n"
	  "generate:\n"
	  "  kind: single-switch\n"
	  "  hosts: 2\n"
	  "  host-link: {rate: fast}\n",
	  "t.yaml:6:21: rate: \"fast\": expected a rate such as 400Gbps (bps, kbps, Mbps, Gbps, Tbps)"
	},
	{ "no rate",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [{name: h0}, {name: h1}]\n"
	  "switches: [{name: s}]\n"
	  "links: [{ends: [h0, s], rate: 0bps}]\n",
	  "t.yaml:5:31: rate: \"0bps\": expected 1kbps to 1000Tbps"
	},
	{ "alias",
	  "name: x\n"
	  "profile: test\n"
	  "nodes: [&a {name: h0}, *a]\n",
	  "t.yaml:3:24: aliases are not supported, write the value out"
	},
};

TEST(topology_files)
{
	expect_mistakes(mistakes, sizeof(mistakes) / sizeof(*mistakes));
}

/* A zero byte ends a C string, so it needs a length. */
TEST(zero_byte)
{
	static const char text[] = "name: \"a\\0b\"\nprofile: test\n";
	struct weft_err err = { 0 };
	struct weft_plan plan;

	EXPECT(load_plan_len(&plan, text, sizeof(text) - 1, &err));
	EXPECT(!strcmp(err.msg, "t.yaml:1:7: name: a zero byte in the value"));
	weft_plan_free(&plan);
}
