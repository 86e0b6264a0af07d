// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The RDMA devices of a topology: good groups "verbs", and mistakes in them.
 */
#include "netlink/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "load.h"
#include "netlink/ipoib.h"
#include "netlink/json.h"
#include "netlink/nic.h"
#include "topology/topo_verbs.h"

#define TWO	"generate: {kind: single-switch, hosts: 2}\n"
#define US	1000000ULL
#define MBPS	1000000ULL

TEST(device_by_discipline)
{
	static const struct { const char *profile, *device; } want[] = {
		{ "test", "weft" }, { "pfc", "weft" }, { "ib", "weft" },
		{ "nv", "" },
	};
	struct weft_plan p;
	char text[128];

	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		snprintf(text, sizeof(text), "name: x\nprofile: %s\n" TWO,
			 want[i].profile);
		p = plan_of(text);
		if (strcmp(p.nic[1].device, want[i].device))
			ktap_fail(__FILE__, __LINE__, "%s: \"%s\"",
				  want[i].profile, p.nic[1].device);
		weft_plan_free(&p);
	}
}

/* Only InfiniBand has a subnet manager, and some NIC has to run it. */
TEST(subnet_manager)
{
	struct weft_plan p = plan_of("name: x\nprofile: ib\nsubnet-manager: external\n" TWO);
	json_t *o = weft_json_fabric(&p.fabric);

	EXPECT(p.fabric.managed);
	EXPECT(json_is_true(json_object_get(o, "managed")));
	json_decref(o);
	weft_plan_free(&p);
	p = plan_of("name: x\nprofile: ib\nsubnet-manager: internal\n" TWO);
	EXPECT(!p.fabric.managed);
	weft_plan_free(&p);
}

/* Its number and address follow the NIC's; what is not InfiniBand has none. */
TEST(ipoib)
{
	struct weft_plan p = plan_of("name: x\nprofile: ib\nsubnet-manager: external\n"
		"nodes: [{name: a, verbs: {ipoib: connected}}, {name: b}]\n"
		"links: [{ends: [a, b], profile: nv}, {ends: [a, b]}]\n");
	json_t *o = weft_plan_json(&p), *nics;

	EXPECT_EQ(p.nic[0].ipoib, WEFT_IPOIB_OFF);
	EXPECT_EQ(p.nic[1].ipoib, WEFT_IPOIB_CONNECTED);
	EXPECT_EQ(p.nic[3].ipoib, WEFT_IPOIB_OFF);
	nics = json_object_get(json_array_get(json_object_get(o, "nodes"), 0), "nics");
	EXPECT(!json_object_get(json_array_get(nics, 0), "ipoib"));
	nics = json_object_get(json_array_get(nics, 1), "ipoib");
	EXPECT(!strcmp(json_string_value(json_object_get(nics, "ifname")), "ib1"));
	EXPECT(!strcmp(json_string_value(json_object_get(nics, "ip")), "10.129.0.1"));
	EXPECT(!strcmp(json_string_value(json_object_get(nics, "mode")), "connected"));
	json_decref(o);
	weft_plan_free(&p);
}

/* What a NIC without a device does not need is not asked of the kernel. */
TEST(device_none)
{
	struct weft_plan p = plan_of("name: x\nprofile: pfc\n"
		"nic: {verbs: {doorbell: 1us}}\n"
		"nodes: [{name: a, verbs: {device: none}}, {name: b, verbs: {device: mlx5_}}]\n"
		"links: [{ends: [a, b]}]\n");

	EXPECT_EQ(*p.nic[0].device, '\0');
	EXPECT_EQ(p.nic[0].nic.verbs.has, 0);
	EXPECT(!strcmp(p.nic[1].device, "mlx5_"));
	EXPECT_EQ(p.nic[1].nic.verbs.doorbell, US);
	weft_plan_free(&p);
}

/* A node's own entry counts for its NIC on Ethernet, and is no mistake on NVLink. */
TEST(device_of_two_kinds)
{
	struct weft_plan p = plan_of("name: x\nprofile: pfc\n"
		"nodes: [{name: \"a[0-1]\", verbs: {qp-cache: 7}}]\n"
		"links: [{ends: [a0, a1], profile: nv}, {ends: [a0, a1]}]\n");

	EXPECT_EQ(*p.nic[0].device, '\0');
	EXPECT_EQ(p.nic[0].nic.verbs.has, 0);
	EXPECT(!strcmp(p.nic[1].device, "weft"));
	EXPECT_EQ(p.nic[1].nic.verbs.qp_cache, 7);
	weft_plan_free(&p);
}

TEST(model)
{
	struct weft_plan p = plan_of("name: x\nprofile: pfc\n"
		"nic: {verbs: {doorbell: 300ns, process: 250ns, message-rate: 215M, pcie-rate: 252Gbps,\n"
		"  qp-cache: 1024, qp-miss: 1us, ack-every: 16, ordering: any, reorder-time: 5us,\n"
		"  congestion: swift, target-delay: 30us, cnp-priority: 6,\n"
		"  kind: efa, paths: 12, retransmit-time: 40us}}\n"
		TWO);
	const struct weft_verbs *v = &p.nic[1].nic.verbs;

	EXPECT_EQ(v->doorbell, 300000);
	EXPECT_EQ(v->process, 250000);
	EXPECT_EQ(v->message_rate, 215000000);
	EXPECT_EQ(v->pcie_rate, 252000 * MBPS);
	EXPECT_EQ(v->qp_cache, 1024);
	EXPECT_EQ(v->qp_miss, US);
	EXPECT_EQ(v->ack_every, 16);
	EXPECT_EQ(v->ordering, WEFT_ORDERING_ANY);
	EXPECT_EQ(v->reorder_time, 5 * US);
	EXPECT_EQ(v->congestion, WEFT_CONGESTION_SWIFT);
	EXPECT_EQ(v->target_delay, 30 * US);
	EXPECT_EQ(v->kind, WEFT_VERBS_KIND_EFA);
	EXPECT_EQ(v->paths, 12);
	EXPECT_EQ(v->retransmit_time, 40 * US);
	EXPECT_EQ(v->cnp_sl, 6);
	EXPECT_EQ(v->dcqcn.has, 0);
	EXPECT_EQ(v->ibcc.has, 0);
	weft_plan_free(&p);
}

TEST(dcqcn)
{
	struct weft_plan p = plan_of("name: x\nprofile: pfc\n"
		"nic: {verbs: {dcqcn: {g: 4, initial-alpha: 512, alpha-timer: 55us, reduce-period: 50us, increase-timer: 1500us,\n"
		"  byte-reset: 10MB, threshold: 5, ai-rate: 40Mbps, hai-rate: 200Mbps, min-rate: 1Mbps,\n"
		"  clamp-target: on, cnp-interval: 50us}}}\n" TWO);
	const struct weft_dcqcn *d = &p.nic[0].nic.verbs.dcqcn;

	EXPECT_EQ(d->g, 4);
	EXPECT_EQ(d->initial_alpha, 512);
	EXPECT_EQ(d->alpha_timer, 55 * US);
	EXPECT_EQ(d->reduce_period, 50 * US);
	EXPECT_EQ(d->increase_timer, 1500 * US);
	EXPECT_EQ(d->byte_reset, 10000000);
	EXPECT_EQ(d->threshold, 5);
	EXPECT_EQ(d->ai_rate, 40 * MBPS);
	EXPECT_EQ(d->hai_rate, 200 * MBPS);
	EXPECT_EQ(d->min_rate, MBPS);
	EXPECT_EQ(d->clamp_target, 1);
	EXPECT_EQ(d->cnp_interval, 50 * US);
	weft_plan_free(&p);
}

TEST(ibcc)
{
	struct weft_plan p = plan_of("name: x\nprofile: ib\n"
		"nic: {verbs: {congestion: ibcc, ibcc: {increase: 2, limit: 3, min: 1, timer: 153600ns,\n"
		"  cct: [\"0:0\", \"0:1\", \"1:3\", \"3:16383\"]}}}\n" TWO);
	const struct weft_ibcc *c = &p.nic[1].nic.verbs.ibcc;

	EXPECT_EQ(c->increase, 2);
	EXPECT_EQ(c->limit, 3);
	EXPECT_EQ(c->min, 1);
	EXPECT_EQ(c->timer, 153600000);
	EXPECT_EQ(c->cct.n, 4);
	EXPECT_EQ(c->cct.v[1], 1);
	EXPECT_EQ(c->cct.v[2], 1 << 14 | 3);
	EXPECT_EQ(c->cct.v[3], 65535);
	weft_plan_free(&p);
}

/* A list that an inner group gives replaces the outer one's. */
TEST(inner_table)
{
	struct weft_plan p = plan_of("name: x\nprofile: ib\n"
		"nic: {verbs: {ibcc: {cct: [\"0:0\", \"0:9\"]}}}\n"
		"nodes: [{name: a, verbs: {ibcc: {cct: [\"0:5\"]}}}, {name: b}]\n"
		"links: [{ends: [a, b]}]\n");

	EXPECT_EQ(p.nic[0].nic.verbs.ibcc.cct.n, 1);
	EXPECT_EQ(p.nic[0].nic.verbs.ibcc.cct.v[0], 5);
	EXPECT_EQ(p.nic[1].nic.verbs.ibcc.cct.n, 2);
	weft_plan_free(&p);
}

TEST(json)
{
	struct weft_verbs v = { 0 };
	struct weft_err err;
	json_t *o;

	EXPECT_EQ(weft_verbs_set(&v, "doorbell", "2us", &err), 0);
	EXPECT_EQ(weft_verbs_set(&v, "congestion", "ibcc", &err), 0);
	EXPECT_EQ(weft_verbs_set(&v, "dcqcn.ai-rate", "5Mbps", &err), 0);
	EXPECT_EQ(weft_verbs_set(&v, "ibcc.cct", "0:1,2:3", &err), 0);
	o = weft_verbs_json(&v);
	EXPECT_EQ(json_object_size(o), 4);
	EXPECT_EQ(json_integer_value(json_object_get(o, "doorbell_ps")),
		  2 * US);
	EXPECT(!strcmp(json_string_value(json_object_get(o, "congestion")),
		       "ibcc"));
	EXPECT_EQ(json_integer_value(json_object_get(json_object_get(o, "dcqcn"),
						     "ai_rate_bps")), 5 * MBPS);
	EXPECT_EQ(json_array_size(json_object_get(json_object_get(o, "ibcc"),
						  "cct")), 2);
	json_decref(o);
}

TEST(no_limit)
{
	struct weft_verbs v = { .message_rate = 1, .pcie_rate = 1 };
	struct weft_err err;

	EXPECT_EQ(weft_verbs_set(&v, "message-rate", "unlimited", &err), 0);
	EXPECT_EQ(weft_verbs_set(&v, "pcie-rate", "unlimited", &err), 0);
	EXPECT_EQ(v.message_rate, 0);
	EXPECT_EQ(v.pcie_rate, 0);
}

static void expect_refusal(const char *key, const char *text, const char *msg)
{
	struct weft_verbs v = { 0 };
	struct weft_err err = { 0 };

	if (!weft_verbs_set(&v, key, text, &err))
		ktap_fail(__FILE__, __LINE__, "%s %s: accepted", key, text);
	else if (strcmp(err.msg, msg))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
}

TEST(refused_words)
{
	expect_refusal("door", "1us",
		       "there is no parameter \"door\" of verbs");
	expect_refusal("ibcc.cct", "0:1,,0:2",
		       "ibcc.cct: \"\": expected SHIFT:MULTIPLIER, 0 to 3 and 0 to 16383, such as 0:1");
	expect_refusal("dcqcn.min-rate", "unlimited",
		       "dcqcn.min-rate: \"unlimited\": expected a rate such as 400Gbps (bps, kbps, Mbps, Gbps, Tbps)");
}

#define GROUP(text)	"name: x\nprofile: pfc\nnic: {verbs: {" text "}}\n" TWO

static const struct mistake mistakes[] = {
	{ "device that ends with a digit", GROUP("device: mlx5"),
	  "t.yaml:3:23: device: \"mlx5\": expected none, or the start of device names, such as mlx5_"
	},
	{ "device with a blank", GROUP("device: \"a b\""),
	  "t.yaml:3:23: device: \"a b\": expected none, or the start of device names, such as mlx5_"
	},
	{ "doorbell without unit", GROUP("doorbell: 300"),
	  "t.yaml:3:25: doorbell: \"300\": expected a time such as 500ns (ps, ns, us, ms, s)"
	},
	{ "long processing", GROUP("process: 1001s"),
	  "t.yaml:3:24: process: \"1001s\": expected 0ps to 1000s"
	},
	{ "message rate with a data rate's unit", GROUP("message-rate: 215Mbps"),
	  "t.yaml:3:29: message-rate: \"215Mbps\": expected a number such as 215M (k, M, G)"
	},
	{ "no messages", GROUP("message-rate: 0"),
	  "t.yaml:3:29: message-rate: \"0\": expected 1 to 1000000000000"
	},
	{ "slow bus", GROUP("pcie-rate: 10bps"),
	  "t.yaml:3:26: pcie-rate: \"10bps\": expected 1kbps to 1000Tbps"
	},
	{ "more queue pairs than numbers", GROUP("qp-cache: 16777217"),
	  "t.yaml:3:25: qp-cache: \"16777217\": expected 0 to 16777216"
	},
	{ "time of a miss", GROUP("qp-miss: soon"),
	  "t.yaml:3:24: qp-miss: \"soon\": expected a time such as 500ns (ps, ns, us, ms, s)"
	},
	{ "negative distance", GROUP("ack-every: -1"),
	  "t.yaml:3:26: ack-every: \"-1\": expected a whole number"
	},
	{ "unknown order", GROUP("ordering: none"),
	  "t.yaml:3:25: ordering: \"none\": expected strict or any"
	},
	{ "long patience", GROUP("reorder-time: 1001s"),
	  "t.yaml:3:29: reorder-time: \"1001s\": expected 0ps to 1000s"
	},
	{ "unknown reaction", GROUP("congestion: timely"),
	  "t.yaml:3:27: congestion: \"timely\": expected none or dcqcn or ibcc or swift"
	},
	{ "priority of notifications", GROUP("cnp-priority: 8"),
	  "t.yaml:3:29: cnp-priority: \"8\": expected 0 to 7"
	},
	{ "weight of all", GROUP("dcqcn: {g: 1024}"),
	  "t.yaml:3:26: dcqcn.g: \"1024\": expected 1 to 1023"
	},
	{ "alpha of one", GROUP("dcqcn: {initial-alpha: 1024}"),
	  "t.yaml:3:38: dcqcn.initial-alpha: \"1024\": expected 0 to 1023"
	},
	{ "short timer of alpha", GROUP("dcqcn: {alpha-timer: 1ps}"),
	  "t.yaml:3:36: dcqcn.alpha-timer: \"1ps\": expected 1ns to 1000s"
	},
	{ "period of cuts", GROUP("dcqcn: {reduce-period: 4}"),
	  "t.yaml:3:38: dcqcn.reduce-period: \"4\": expected a time such as 500ns (ps, ns, us, ms, s)"
	},
	{ "no timer of increases", GROUP("dcqcn: {increase-timer: 0s}"),
	  "t.yaml:3:39: dcqcn.increase-timer: \"0s\": expected 1ns to 1000s"
	},
	{ "bytes between increases", GROUP("dcqcn: {byte-reset: 1Gbps}"),
	  "t.yaml:3:35: dcqcn.byte-reset: \"1Gbps\": expected a size such as 16MiB (B, kB, MB, GB, KiB, MiB, GiB)"
	},
	{ "many stages", GROUP("dcqcn: {threshold: 32}"),
	  "t.yaml:3:34: dcqcn.threshold: \"32\": expected 0 to 31"
	},
	{ "additive increase", GROUP("dcqcn: {ai-rate: 5MB}"),
	  "t.yaml:3:32: dcqcn.ai-rate: \"5MB\": expected a rate such as 400Gbps (bps, kbps, Mbps, Gbps, Tbps)"
	},
	{ "hyper increase", GROUP("dcqcn: {hai-rate: 1bps}"),
	  "t.yaml:3:33: dcqcn.hai-rate: \"1bps\": expected 1kbps to 1000Tbps"
	},
	{ "least rate", GROUP("dcqcn: {min-rate: 0bps}"),
	  "t.yaml:3:33: dcqcn.min-rate: \"0bps\": expected 1kbps to 1000Tbps"
	},
	{ "clamped", GROUP("dcqcn: {clamp-target: yes}"),
	  "t.yaml:3:37: dcqcn.clamp-target: \"yes\": expected off or on"
	},
	{ "distance of notifications", GROUP("dcqcn: {cnp-interval: 2000s}"),
	  "t.yaml:3:37: dcqcn.cnp-interval: \"2000s\": expected 0ps to 1000s"
	},
	{ "steps up", GROUP("ibcc: {increase: 65536}"),
	  "t.yaml:3:32: ibcc.increase: \"65536\": expected 0 to 65535"
	},
	{ "index beyond the table", GROUP("ibcc: {limit: 256}"),
	  "t.yaml:3:29: ibcc.limit: \"256\": expected 0 to 255"
	},
	{ "least above most", GROUP("ibcc: {limit: 4, min: 5}"),
	  "t.yaml:3:37: ibcc.min: 5 is above limit 4"
	},
	{ "timer of the index", GROUP("ibcc: {timer: 0s}"),
	  "t.yaml:3:29: ibcc.timer: \"0s\": expected 1ps to 1000s"
	},
	{ "shift of a table", GROUP("ibcc: {cct: [\"0:1\", \"4:1\"]}"),
	  "t.yaml:3:35: ibcc.cct: \"4:1\": expected SHIFT:MULTIPLIER, 0 to 3 and 0 to 16383, such as 0:1"
	},
	{ "table of one word", GROUP("ibcc: {cct: 5}"),
	  "t.yaml:3:27: cct: expected a list, found a single value"
	},
	{ "unknown key of verbs", GROUP("door: 1us"),
	  "t.yaml:3:15: unknown key \"door\" in verbs: expected one of device, ipoib, doorbell, process, message-rate, pcie-rate, qp-cache, qp-miss, ack-every, ordering, reorder-time, congestion, target-delay, kind, paths, retransmit-time, cnp-priority, dcqcn, ibcc"
	},
	{ "verbs as a word", "name: x\nprofile: pfc\nnic: {verbs: off}\n" TWO,
	  "t.yaml:3:14: verbs: expected a mapping, found a single value"
	},
	{ "in a node's entry",
	  "name: x\nprofile: pfc\nnodes: [{name: \"a[0-1]\", verbs: {qp-miss: 1}}]\n"
	  "links: [{ends: [a0, a1]}]\n",
	  "t.yaml:3:43: qp-miss: \"1\": expected a time such as 500ns (ps, ns, us, ms, s)"
	},
	{ "DCQCN on InfiniBand",
	  "name: x\nprofile: ib\nnic: {verbs: {congestion: dcqcn}}\n" TWO,
	  "host0.eth0: verbs.congestion: expected none, ibcc or swift with discipline credit, not dcqcn"
	},
	{ "subnet manager without InfiniBand",
	  "name: x\nprofile: pfc\nsubnet-manager: external\n" TWO,
	  "subnet-manager: external: no NIC has an RDMA device on InfiniBand, so nothing could run the subnet manager"
	},
	{ "subnet manager without a device",
	  "name: x\nprofile: ib\nsubnet-manager: external\nnic: {verbs: {device: none}}\n" TWO,
	  "subnet-manager: external: no NIC has an RDMA device on InfiniBand, so nothing could run the subnet manager"
	},
	{ "unknown mode of IP over InfiniBand", GROUP("ipoib: on"),
	  "t.yaml:3:22: ipoib: \"on\": expected off or datagram or connected"
	},
	{ "IP over InfiniBand without InfiniBand", GROUP("ipoib: connected"),
	  "verbs.ipoib: no NIC has an RDMA device on InfiniBand, which IP over InfiniBand needs"
	},
	{ "IP over InfiniBand without a subnet manager",
	  "name: x\nprofile: ib\nnic: {verbs: {ipoib: datagram}}\n" TWO,
	  "verbs.ipoib: expected off with subnet-manager: internal, as nobody there answers for multicast groups: set subnet-manager: external and run opensm in a node"
	},
	{ "InfiniBand's table on Ethernet", GROUP("congestion: ibcc"),
	  "host0.eth0: verbs.congestion: expected none, dcqcn or swift with discipline pfc, not ibcc"
	},
};

TEST(mistakes)
{
	expect_mistakes(mistakes, sizeof(mistakes) / sizeof(*mistakes));
}
