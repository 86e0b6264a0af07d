// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parameters of ports as netlink attributes: what is put is what is parsed.
 */
#include "netlink/port_params.h"

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

#include "ktap.h"
#include "load.h"
#include "netlink/nl.h"
#include "netlink/stats.h"

static struct weft_port_params round_trip(const struct weft_port_params *p)
{
	struct nl_msg *msg = nlmsg_alloc_simple(1, 0);
	struct weft_port_params out = { 0 };
	struct weft_err err = { 0 };
	struct nlattr *nla;

	weft_port_params_put(msg, WEFT_A_SWITCH_PORT_PARAMS, p);
	nla = nlmsg_find_attr(nlmsg_hdr(msg), 0, WEFT_A_SWITCH_PORT_PARAMS);
	EXPECT(nla);
	if (nla)
		EXPECT_EQ(weft_port_params_parse(&out, nla, &err), 0);
	nlmsg_free(msg);
	return out;
}

/* Each profile fills other structs, and none has padding that is not zero. */
static void check_profile(const char *text)
{
	struct weft_port_params out;
	struct weft_err err = { 0 };
	struct weft_plan plan;

	EXPECT_EQ(load_plan(&plan, text, &err), 0);
	if (!err.kind) {
		out = round_trip(&plan.nic[0].nic.port);
		/* behind the end of the string there may be an older one */
		EXPECT(!strcmp(out.discipline,
			       plan.nic[0].nic.port.discipline));
		memcpy(out.discipline, plan.nic[0].nic.port.discipline,
		       sizeof(out.discipline));
		EXPECT(!memcmp(&out.pfc, &plan.nic[0].nic.port.pfc,
			       sizeof(out.pfc)));
		EXPECT(!memcmp(&out.credit, &plan.nic[0].nic.port.credit,
			       sizeof(out.credit)));
		EXPECT(!memcmp(&out.flit, &plan.nic[0].nic.port.flit,
			       sizeof(out.flit)));
		EXPECT(!memcmp(&out.cbfc, &plan.nic[0].nic.port.cbfc,
			       sizeof(out.cbfc)));
		EXPECT(!memcmp(&out.llr, &plan.nic[0].nic.port.llr,
			       sizeof(out.llr)));
		EXPECT(!memcmp(&out.vlarb, &plan.nic[0].nic.port.vlarb,
			       sizeof(out.vlarb)));
		EXPECT(!memcmp(&out, &plan.nic[0].nic.port, sizeof(out)));
	}
	weft_plan_free(&plan);
}

TEST(round_trips)
{
	check_profile("name: x\nprofile: pfc\nport: {weights: [1, 0, 3], quantum: 512, ipd: 2,\n"
		      "  watchdog: forward, watchdog-detect: 3ms, pause-quanta: 100,\n"
		      "  trim: {classes: [1, 2], to-class: 7, length: 64}}\n"
		      "generate: {kind: single-switch, hosts: 2}\n");
	check_profile("name: x\nprofile: ib\nport: {credit-block: 128, credit-eager: off, credit-refresh: 1ms,\n"
		      "  sl2vl: [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 15],\n"
		      "  hoq-life: 1ms, switch-life: 2ms, stall-count: 7,\n"
		      "  fecn: {threshold: 64KiB, packet-size: 8, marking-rate: 3, victim: on}}\n"
		      "generate: {kind: single-switch, hosts: 2}\n");
	check_profile("name: x\nprofile: nv\nport: {replay-buffer: 1MiB, flit-control: 8, flit-carry: off,\n"
		      "  flit-repeat: 3us, data-unit: 32, ecn: {classes: [1], kmin: 1kB, kmax: 2kB, at: dequeue}}\n"
		      "generate: {kind: single-switch, hosts: 2}\n");
	check_profile("name: x\nprofile: uec\nport: {credit-size: 254, credit-overhead: 8, credit-spacing: 800,\n"
		      "  credit-repeat: 64KiB, credit-sync: 1ms, llr-buffer: 100kB, llr-spacing: 1000, llr-repeat: 3us}\n"
		      "generate: {kind: single-switch, hosts: 2}\n");
}

TEST(buffer_limits)
{
	const struct weft_buffer_class c = {
		.has = WEFT_HAS(WEFT_A_BUFFER_CLASS_CLASS) |
		       WEFT_HAS(WEFT_A_BUFFER_CLASS_HEADROOM) |
		       WEFT_HAS(WEFT_A_BUFFER_CLASS_ALPHA),
		.cls = 3, .headroom = 79698, .alpha = -4,
	};
	struct weft_buffer in = { .n = 1, .cls = { c } }, out = { 0 };
	struct nl_msg *msg = nlmsg_alloc_simple(1, 0);
	struct weft_err err = { 0 };

	weft_buffer_put(msg, WEFT_A_SWITCH_BUFFER_CLASS, &in);
	EXPECT_EQ(weft_buffer_add(&out, nlmsg_find_attr(nlmsg_hdr(msg), 0,
							WEFT_A_SWITCH_BUFFER_CLASS),
				  &err), 0);
	EXPECT(!memcmp(&in, &out, sizeof(in)));
	nlmsg_free(msg);
}

/* A nest of class 5 with two counters. */
TEST(class_counters)
{
	struct nl_msg *msg = nlmsg_alloc_simple(1, 0);
	static const char *const names[] = { "tx_packets", "wait_ps" };
	struct weft_class_states s = { 0 };
	struct weft_err err = { 0 };
	struct nlattr *nest, *one;

	nest = nla_nest_start(msg, WEFT_A_NIC_CLASS);
	nla_put_u32(msg, WEFT_A_CLASS_STATE_CLASS, 5);
	for (uint64_t i = 0; i < 2; i++) {
		one = nla_nest_start(msg, WEFT_A_CLASS_STATE_COUNTER);
		nla_put_string(msg, WEFT_A_COUNTER_NAME, names[i]);
		nla_put_u64(msg, WEFT_A_COUNTER_VALUE, 100 + i);
		nla_nest_end(msg, one);
	}
	nla_nest_end(msg, nest);
	EXPECT_EQ(weft_class_states_add(&s, nest, &err), 0);
	EXPECT_EQ(weft_class_states_get(&s, 5, "tx_packets"), 100);
	EXPECT_EQ(weft_class_states_get(&s, 5, "wait_ps"), 101);
	EXPECT_EQ(weft_class_states_get(&s, 4, "wait_ps"), 0);
	weft_class_states_free(&s);
	nlmsg_free(msg);
}

/* The kernel says where; the path says what. */
TEST(names_of_refused_attributes)
{
	struct weft_port_params p = {
		.pfc = { .has = WEFT_HAS(WEFT_A_PFC_QUANTA), .quanta = 3 },
	};
	struct nl_msg *msg = nlmsg_alloc_simple(1, 0);
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	uint32_t at, genl = 0;
	char path[64];

	nlmsg_append(msg, &genl, sizeof(genl), NLMSG_ALIGNTO);
	at = hdr->nlmsg_len;
	weft_port_params_put(msg, WEFT_A_NIC_PORT_PARAMS, &p);
	/* two headers of nests, then the attribute */
	weft_nl_attr_path(hdr, at + 2 * NLA_HDRLEN, WEFT_NL_SET_NIC, path,
			  sizeof(path));
	EXPECT(!strcmp(path, "port-params.pfc.quanta"));
	nlmsg_free(msg);
}
