// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Switches.
 */
#include "netlink/switch.h"

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>

#include <linux/weft.h>

static void parse_params(struct nlattr **tb, struct weft_switch *sw)
{
	if (tb[WEFT_A_SWITCH_PORTS])
		sw->ports = nla_get_u32(tb[WEFT_A_SWITCH_PORTS]);
	if (tb[WEFT_A_SWITCH_LATENCY])
		sw->latency = nla_get_u64(tb[WEFT_A_SWITCH_LATENCY]);
	if (tb[WEFT_A_SWITCH_FORWARD])
		sw->forward = nla_get_u32(tb[WEFT_A_SWITCH_FORWARD]);
	if (tb[WEFT_A_SWITCH_ARBITER])
		sw->arbiter = nla_get_u32(tb[WEFT_A_SWITCH_ARBITER]);
	if (tb[WEFT_A_SWITCH_SELECT])
		sw->select = nla_get_u32(tb[WEFT_A_SWITCH_SELECT]);
	if (tb[WEFT_A_SWITCH_BUFFER_TOTAL])
		sw->buffer = nla_get_u64(tb[WEFT_A_SWITCH_BUFFER_TOTAL]);
	if (tb[WEFT_A_SWITCH_BUFFER_PER_PORT])
		sw->buffer_per_port =
			nla_get_u64(tb[WEFT_A_SWITCH_BUFFER_PER_PORT]);
	if (tb[WEFT_A_SWITCH_SL2VL])
		sw->sl2vl = nla_get_u32(tb[WEFT_A_SWITCH_SL2VL]);
	if (tb[WEFT_A_SWITCH_LMC])
		sw->lmc = nla_get_u32(tb[WEFT_A_SWITCH_LMC]);
	if (tb[WEFT_A_SWITCH_FLOWLETS])
		sw->flowlets = nla_get_u32(tb[WEFT_A_SWITCH_FLOWLETS]);
	if (tb[WEFT_A_SWITCH_FLOWLET_GAP])
		sw->flowlet_gap = nla_get_u64(tb[WEFT_A_SWITCH_FLOWLET_GAP]);
	if (tb[WEFT_A_SWITCH_QUANTUM])
		sw->quantum = nla_get_u32(tb[WEFT_A_SWITCH_QUANTUM]);
	if (tb[WEFT_A_SWITCH_SMA_LATENCY]) {
		sw->sma_latency = nla_get_u64(tb[WEFT_A_SWITCH_SMA_LATENCY]);
		sw->has |= WEFT_SWITCH_HAS_SMA_LATENCY;
	}
}

static void parse_arn(struct nlattr **tb, struct weft_switch *sw)
{
	if (!tb[WEFT_A_SWITCH_ARN_HOLD])
		return;
	sw->has |= WEFT_SWITCH_HAS_ARN_HOLD;
	sw->arn_hold = nla_get_u64(tb[WEFT_A_SWITCH_ARN_HOLD]);
	if (tb[WEFT_A_SWITCH_ARN_QUEUE])
		sw->arn_queue = nla_get_u32(tb[WEFT_A_SWITCH_ARN_QUEUE]);
	if (tb[WEFT_A_SWITCH_ARN_SENT])
		sw->arn_sent = nla_get_u64(tb[WEFT_A_SWITCH_ARN_SENT]);
	if (tb[WEFT_A_SWITCH_ARN_HEARD])
		sw->arn_heard = nla_get_u64(tb[WEFT_A_SWITCH_ARN_HEARD]);
}

/* Read-only attributes, the table of VLs, and attributes that occur repeatedly. */
static int parse_state(struct nlmsghdr *hdr, struct nlattr **tb,
		       struct weft_switch *sw, struct weft_err *err)
{
	struct nlattr *nla;
	int rem;

	if (tb[WEFT_A_SWITCH_VL] &&
	    nla_len(tb[WEFT_A_SWITCH_VL]) == sizeof(sw->vl)) {
		memcpy(sw->vl, nla_data(tb[WEFT_A_SWITCH_VL]), sizeof(sw->vl));
		sw->has |= WEFT_SWITCH_HAS_VL;
	}
	if (tb[WEFT_A_SWITCH_BUFFER_USED])
		sw->buffer_used = nla_get_u64(tb[WEFT_A_SWITCH_BUFFER_USED]);
	if (tb[WEFT_A_SWITCH_REDUCED])
		sw->reduced = nla_get_u64(tb[WEFT_A_SWITCH_REDUCED]);
	if (tb[WEFT_A_SWITCH_BUFFER_PEAK])
		sw->buffer_peak = nla_get_u64(tb[WEFT_A_SWITCH_BUFFER_PEAK]);
	nlmsg_for_each_attr(nla, hdr, 4, rem)
		if (nla_type(nla) == WEFT_A_SWITCH_BUFFER_CLASS &&
		    weft_buffer_add(&sw->classes, nla, err))
			return err->code;
	return 0;
}

static int parse_switch(struct nlmsghdr *hdr, void *ctx, struct weft_err *err)
{
	struct nlattr *tb[WEFT_A_SWITCH_MAX + 1];
	struct weft_switch *sw = ctx;

	if (weft_nl_attrs(hdr, tb, WEFT_A_SWITCH_MAX, err))
		return err->code;
	if (tb[WEFT_A_SWITCH_FABRIC])
		sw->fabric = nla_get_u32(tb[WEFT_A_SWITCH_FABRIC]);
	if (tb[WEFT_A_SWITCH_ID])
		sw->id = nla_get_u32(tb[WEFT_A_SWITCH_ID]);
	if (tb[WEFT_A_SWITCH_NAME])
		snprintf(sw->name, sizeof(sw->name), "%s",
			 nla_get_string(tb[WEFT_A_SWITCH_NAME]));
	parse_params(tb, sw);
	parse_arn(tb, sw);
	if (parse_state(hdr, tb, sw, err))
		return err->code;
	if (tb[WEFT_A_SWITCH_PORT_PARAMS])
		return weft_port_params_parse(&sw->port,
					      tb[WEFT_A_SWITCH_PORT_PARAMS],
					      err);
	return 0;
}

static void put_ways(struct nl_msg *msg, const struct weft_switch *sw)
{
	if (sw->has & WEFT_SWITCH_HAS_SELECT)
		nla_put_u32(msg, WEFT_A_SWITCH_SELECT, sw->select);
	if (sw->has & WEFT_SWITCH_HAS_SL2VL)
		nla_put_u32(msg, WEFT_A_SWITCH_SL2VL, sw->sl2vl);
	if (sw->has & WEFT_SWITCH_HAS_VL)
		nla_put(msg, WEFT_A_SWITCH_VL, sizeof(sw->vl), sw->vl);
	if (sw->has & WEFT_SWITCH_HAS_LMC)
		nla_put_u32(msg, WEFT_A_SWITCH_LMC, sw->lmc);
	if (sw->has & WEFT_SWITCH_HAS_FLOWLETS)
		nla_put_u32(msg, WEFT_A_SWITCH_FLOWLETS, sw->flowlets);
	if (sw->has & WEFT_SWITCH_HAS_FLOWLET_GAP)
		nla_put_u64(msg, WEFT_A_SWITCH_FLOWLET_GAP, sw->flowlet_gap);
	if (sw->has & WEFT_SWITCH_HAS_QUANTUM)
		nla_put_u32(msg, WEFT_A_SWITCH_QUANTUM, sw->quantum);
	if (sw->has & WEFT_SWITCH_HAS_SMA_LATENCY)
		nla_put_u64(msg, WEFT_A_SWITCH_SMA_LATENCY, sw->sma_latency);
	if (sw->has & WEFT_SWITCH_HAS_ARN_HOLD)
		nla_put_u64(msg, WEFT_A_SWITCH_ARN_HOLD, sw->arn_hold);
	if (sw->has & WEFT_SWITCH_HAS_ARN_QUEUE)
		nla_put_u32(msg, WEFT_A_SWITCH_ARN_QUEUE, sw->arn_queue);
}

static void put_params(struct nl_msg *msg, const struct weft_switch *sw)
{
	nla_put_u32(msg, WEFT_A_SWITCH_FABRIC, sw->fabric);
	nla_put_u32(msg, WEFT_A_SWITCH_PORTS, sw->ports);
	if (*sw->name)
		nla_put_string(msg, WEFT_A_SWITCH_NAME, sw->name);
	if (sw->has & WEFT_SWITCH_HAS_LATENCY)
		nla_put_u64(msg, WEFT_A_SWITCH_LATENCY, sw->latency);
	if (sw->has & WEFT_SWITCH_HAS_FORWARD)
		nla_put_u32(msg, WEFT_A_SWITCH_FORWARD, sw->forward);
	if (sw->has & WEFT_SWITCH_HAS_ARBITER)
		nla_put_u32(msg, WEFT_A_SWITCH_ARBITER, sw->arbiter);
	if (sw->has & WEFT_SWITCH_HAS_BUFFER)
		nla_put_u64(msg, WEFT_A_SWITCH_BUFFER_TOTAL, sw->buffer);
	if (sw->has & WEFT_SWITCH_HAS_BUFFER_PER_PORT)
		nla_put_u64(msg, WEFT_A_SWITCH_BUFFER_PER_PORT,
			    sw->buffer_per_port);
	put_ways(msg, sw);
	weft_buffer_put(msg, WEFT_A_SWITCH_BUFFER_CLASS, &sw->classes);
	weft_port_params_put(msg, WEFT_A_SWITCH_PORT_PARAMS, &sw->port);
}

/**
 * weft_switch_new() - add a switch
 * @nl: socket
 * @sw: its fabric and parameters; @sw->id is the result
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_switch_new(struct weft_nl *nl, struct weft_switch *sw,
		    struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_SWITCH_NEW, 0);

	if (msg)
		put_params(msg, sw);
	return weft_nl_send(nl, msg, WEFT_NL_SET_SWITCH, parse_switch, sw, err);
}

/**
 * weft_switch_del() - remove a switch and the links to it
 * @nl: socket
 * @fabric: its fabric
 * @id: its number
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_switch_del(struct weft_nl *nl, uint32_t fabric, uint32_t id,
		    struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_SWITCH_DEL, 0);

	if (msg) {
		nla_put_u32(msg, WEFT_A_SWITCH_FABRIC, fabric);
		nla_put_u32(msg, WEFT_A_SWITCH_ID, id);
	}
	return weft_nl_send(nl, msg, WEFT_NL_SET_SWITCH, NULL, NULL, err);
}

/**
 * weft_switch_set_vl() - set the classes on the next wire for a pair of ports
 * @nl: socket
 * @sw: its fabric, number and @sw->vl; its sl2vl must be "ports" or "class"
 * @in_port: ingress port, NULL for all
 * @out_port: egress port, NULL for all
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_switch_set_vl(struct weft_nl *nl, const struct weft_switch *sw,
		       const uint32_t *in_port, const uint32_t *out_port,
		       struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_SWITCH_SET, 0);

	if (msg) {
		nla_put_u32(msg, WEFT_A_SWITCH_FABRIC, sw->fabric);
		nla_put_u32(msg, WEFT_A_SWITCH_ID, sw->id);
		if (in_port)
			nla_put_u32(msg, WEFT_A_SWITCH_IN_PORT, *in_port);
		if (out_port)
			nla_put_u32(msg, WEFT_A_SWITCH_OUT_PORT, *out_port);
		nla_put(msg, WEFT_A_SWITCH_VL, sizeof(sw->vl), sw->vl);
	}
	return weft_nl_send(nl, msg, WEFT_NL_SET_SWITCH, NULL, NULL, err);
}

/**
 * weft_switch_list() - read all switches of a fabric
 * @nl: socket
 * @fabric: the fabric
 * @list: result, to be freed by free()
 * @n: how many
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_switch_list(struct weft_nl *nl, uint32_t fabric,
		     struct weft_switch **list, unsigned int *n,
		     struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_SWITCH_GET, NLM_F_DUMP);
	struct weft_nl_array l = { .size = sizeof(**list), .parse = parse_switch };
	int ret;

	if (msg)
		nla_put_u32(msg, WEFT_A_SWITCH_FABRIC, fabric);
	ret = weft_nl_send(nl, msg, WEFT_NL_SET_SWITCH, weft_nl_array_add, &l, err);
	*list = l.v;
	*n = l.n;
	return ret;
}

/**
 * weft_switch_find() - find a switch by its number
 * @list: switches
 * @n: how many
 * @id: the number
 *
 * Return: the switch, NULL if there is none.
 */
const struct weft_switch *weft_switch_find(const struct weft_switch *list, unsigned int n,
					   uint32_t id)
{
	for (unsigned int i = 0; i < n; i++)
		if (list[i].id == id)
			return &list[i];
	return NULL;
}
