// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Links and their two wires.
 */
#include "netlink/link.h"

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/weft.h>

/**
 * weft_wire_bytes() - bytes of a frame on a wire
 * @w: the wire
 * @len: bytes of the frame, FCS excluded
 *
 * Return: bytes, with the padding and overhead of each packet of the link.
 */
uint64_t weft_wire_bytes(const struct weft_wire *w, uint64_t len)
{
	uint64_t unit = w->unit ? w->unit : 1;

	if (w->payload)
		return (len + w->payload - 1) / w->payload * w->overhead +
		       (len + unit - 1) / unit * unit;
	return (len < w->min_frame ? w->min_frame : len) + w->overhead;
}

/**
 * weft_wire_rate() - rate of a wire with its working lanes
 * @w: the wire
 *
 * Return: bit/s.
 */
uint64_t weft_wire_rate(const struct weft_wire *w)
{
	if (!w->lanes)
		return w->rate;
	return (uint64_t)((__uint128_t)w->rate * w->lanes_up / w->lanes);
}

static int parse_wire_stats(struct weft_wire *w, struct nlattr *nest,
			    struct weft_err *err)
{
	struct nlattr *nla;
	int rem, ret = 0;

	nla_for_each_nested(nla, nest, rem) {
		if (nla_type(nla) == WEFT_A_WIRE_COUNTER)
			ret = weft_counters_add(&w->counters, nla, err);
		else if (nla_type(nla) == WEFT_A_WIRE_DROP)
			ret = weft_counters_add(&w->drops, nla, err);
		else if (nla_type(nla) == WEFT_A_WIRE_CLASS)
			ret = weft_class_states_add(&w->cls, nla, err);
		if (ret)
			return ret;
	}
	return 0;
}

static void parse_packets(struct weft_wire *w, struct nlattr **tb)
{
	if (tb[WEFT_A_WIRE_PAYLOAD])
		w->payload = nla_get_u32(tb[WEFT_A_WIRE_PAYLOAD]);
	if (tb[WEFT_A_WIRE_UNIT])
		w->unit = nla_get_u32(tb[WEFT_A_WIRE_UNIT]);
	if (tb[WEFT_A_WIRE_LANES])
		w->lanes = nla_get_u32(tb[WEFT_A_WIRE_LANES]);
	if (tb[WEFT_A_WIRE_LANES_UP])
		w->lanes_up = nla_get_u32(tb[WEFT_A_WIRE_LANES_UP]);
}

static int parse_wire(struct weft_wire *w, struct nlattr *nest,
		      struct weft_err *err)
{
	struct nlattr *tb[WEFT_A_WIRE_MAX + 1];

	if (weft_nl_nested(nest, tb, WEFT_A_WIRE_MAX, err))
		return err->code;
	if (tb[WEFT_A_WIRE_DIRECTION])
		w->direction = nla_get_u32(tb[WEFT_A_WIRE_DIRECTION]);
	if (tb[WEFT_A_WIRE_RATE])
		w->rate = nla_get_u64(tb[WEFT_A_WIRE_RATE]);
	if (tb[WEFT_A_WIRE_PROPAGATION])
		w->propagation = nla_get_u64(tb[WEFT_A_WIRE_PROPAGATION]);
	if (tb[WEFT_A_WIRE_OVERHEAD])
		w->overhead = nla_get_u32(tb[WEFT_A_WIRE_OVERHEAD]);
	if (tb[WEFT_A_WIRE_MIN_FRAME])
		w->min_frame = nla_get_u32(tb[WEFT_A_WIRE_MIN_FRAME]);
	if (tb[WEFT_A_WIRE_BITS_PER_ERROR])
		w->bits_per_error = nla_get_u64(tb[WEFT_A_WIRE_BITS_PER_ERROR]);
	if (tb[WEFT_A_WIRE_UP])
		w->up = nla_get_u32(tb[WEFT_A_WIRE_UP]);
	parse_packets(w, tb);
	return parse_wire_stats(w, nest, err);
}

static int parse_end(struct weft_end *end, struct nlattr *nest,
		     struct weft_err *err)
{
	struct nlattr *tb[WEFT_A_END_MAX + 1];

	if (weft_nl_nested(nest, tb, WEFT_A_END_MAX, err))
		return err->code;
	if (tb[WEFT_A_END_NIC]) {
		end->is_nic = true;
		end->id = nla_get_u32(tb[WEFT_A_END_NIC]);
	} else if (tb[WEFT_A_END_SWITCH]) {
		end->id = nla_get_u32(tb[WEFT_A_END_SWITCH]);
	}
	if (tb[WEFT_A_END_PORT])
		end->port = nla_get_u32(tb[WEFT_A_END_PORT]);
	return 0;
}

/* The kernel sends wires in the order of directions, but this does not rely on it. */
static int parse_wires(struct weft_link *link, struct nlmsghdr *hdr,
		       struct weft_err *err)
{
	struct weft_wire w;
	struct nlattr *nla;
	int rem;

	nlmsg_for_each_attr(nla, hdr, 4, rem) {
		if (nla_type(nla) != WEFT_A_LINK_WIRE)
			continue;
		w = (struct weft_wire) { 0 };
		if (parse_wire(&w, nla, err)) {
			weft_class_states_free(&w.cls);
			return err->code;
		}
		weft_class_states_free(&link->wire[w.direction & 1].cls);
		link->wire[w.direction & 1] = w;
		link->wires = 2;
	}
	return 0;
}

/**
 * weft_link_parse() - decode a link
 * @hdr: the message
 * @link: result; the classes of its wires are to be freed even after an error
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_link_parse(struct nlmsghdr *hdr, struct weft_link *link,
		    struct weft_err *err)
{
	struct nlattr *tb[WEFT_A_LINK_MAX + 1];

	if (weft_nl_attrs(hdr, tb, WEFT_A_LINK_MAX, err))
		return err->code;
	if (tb[WEFT_A_LINK_FABRIC])
		link->fabric = nla_get_u32(tb[WEFT_A_LINK_FABRIC]);
	if (tb[WEFT_A_LINK_ID])
		link->id = nla_get_u32(tb[WEFT_A_LINK_ID]);
	if (tb[WEFT_A_LINK_NAME])
		snprintf(link->name, sizeof(link->name), "%s",
			 nla_get_string(tb[WEFT_A_LINK_NAME]));
	if (tb[WEFT_A_LINK_A] &&
	    parse_end(&link->end[0], tb[WEFT_A_LINK_A], err))
		return err->code;
	if (tb[WEFT_A_LINK_B] &&
	    parse_end(&link->end[1], tb[WEFT_A_LINK_B], err))
		return err->code;
	return parse_wires(link, hdr, err);
}

static int parse_link(struct nlmsghdr *hdr, void *ctx, struct weft_err *err)
{
	return weft_link_parse(hdr, ctx, err);
}

static void put_end(struct nl_msg *msg, int type, const struct weft_end *end)
{
	struct nlattr *nest = nla_nest_start(msg, type | NLA_F_NESTED);

	if (!nest)
		return;
	if (end->is_nic) {
		nla_put_u32(msg, WEFT_A_END_NIC, end->id);
	} else {
		nla_put_u32(msg, WEFT_A_END_SWITCH, end->id);
		nla_put_u32(msg, WEFT_A_END_PORT, end->port);
	}
	nla_nest_end(msg, nest);
}

static void put_packets(struct nl_msg *msg, const struct weft_wire *w)
{
	if (w->has & WEFT_WIRE_HAS_PAYLOAD)
		nla_put_u32(msg, WEFT_A_WIRE_PAYLOAD, w->payload);
	if (w->has & WEFT_WIRE_HAS_UNIT)
		nla_put_u32(msg, WEFT_A_WIRE_UNIT, w->unit);
	if (w->has & WEFT_WIRE_HAS_LANES)
		nla_put_u32(msg, WEFT_A_WIRE_LANES, w->lanes);
	if (w->has & WEFT_WIRE_HAS_LANES_UP)
		nla_put_u32(msg, WEFT_A_WIRE_LANES_UP, w->lanes_up);
}

static void put_wire(struct nl_msg *msg, const struct weft_wire *w)
{
	struct nlattr *nest = nla_nest_start(msg,
					     WEFT_A_LINK_WIRE | NLA_F_NESTED);

	if (!nest)
		return;
	if (w->has & WEFT_WIRE_HAS_DIRECTION)
		nla_put_u32(msg, WEFT_A_WIRE_DIRECTION, w->direction);
	if (w->has & WEFT_WIRE_HAS_RATE)
		nla_put_u64(msg, WEFT_A_WIRE_RATE, w->rate);
	if (w->has & WEFT_WIRE_HAS_PROPAGATION)
		nla_put_u64(msg, WEFT_A_WIRE_PROPAGATION, w->propagation);
	if (w->has & WEFT_WIRE_HAS_OVERHEAD)
		nla_put_u32(msg, WEFT_A_WIRE_OVERHEAD, w->overhead);
	if (w->has & WEFT_WIRE_HAS_MIN_FRAME)
		nla_put_u32(msg, WEFT_A_WIRE_MIN_FRAME, w->min_frame);
	if (w->has & WEFT_WIRE_HAS_BITS_PER_ERROR)
		nla_put_u64(msg, WEFT_A_WIRE_BITS_PER_ERROR, w->bits_per_error);
	if (w->has & WEFT_WIRE_HAS_UP)
		nla_put_u32(msg, WEFT_A_WIRE_UP, w->up);
	put_packets(msg, w);
	nla_nest_end(msg, nest);
}

static void put_wires(struct nl_msg *msg, const struct weft_link *link)
{
	for (unsigned int i = 0; i < link->wires; i++)
		put_wire(msg, &link->wire[i]);
}

/**
 * weft_link_new() - add a link between two ports
 * @nl: socket
 * @link: its fabric, ends and wires; @link->id is the result
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_link_new(struct weft_nl *nl, struct weft_link *link,
		  struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_LINK_NEW, 0);

	if (msg) {
		nla_put_u32(msg, WEFT_A_LINK_FABRIC, link->fabric);
		if (*link->name)
			nla_put_string(msg, WEFT_A_LINK_NAME, link->name);
		put_end(msg, WEFT_A_LINK_A, &link->end[0]);
		put_end(msg, WEFT_A_LINK_B, &link->end[1]);
		put_wires(msg, link);
	}
	return weft_nl_send(nl, msg, WEFT_NL_SET_LINK, parse_link, link, err);
}

/**
 * weft_link_set() - change parameters of the wires of a link
 * @nl: socket
 * @link: its fabric and number, and wires with the parameters to change
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_link_set(struct weft_nl *nl, const struct weft_link *link,
		  struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_LINK_SET, 0);

	if (msg) {
		nla_put_u32(msg, WEFT_A_LINK_FABRIC, link->fabric);
		nla_put_u32(msg, WEFT_A_LINK_ID, link->id);
		put_wires(msg, link);
	}
	return weft_nl_send(nl, msg, WEFT_NL_SET_LINK, NULL, NULL, err);
}

/**
 * weft_link_del() - remove a link
 * @nl: socket
 * @fabric: its fabric
 * @id: its number
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_link_del(struct weft_nl *nl, uint32_t fabric, uint32_t id,
		  struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_LINK_DEL, 0);

	if (msg) {
		nla_put_u32(msg, WEFT_A_LINK_FABRIC, fabric);
		nla_put_u32(msg, WEFT_A_LINK_ID, id);
	}
	return weft_nl_send(nl, msg, WEFT_NL_SET_LINK, NULL, NULL, err);
}

/**
 * weft_link_list() - read all links of a fabric
 * @nl: socket
 * @fabric: the fabric
 * @list: result, to be freed by weft_link_list_free() even after an error
 * @n: how many
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_link_list(struct weft_nl *nl, uint32_t fabric, struct weft_link **list,
		   unsigned int *n, struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_LINK_GET, NLM_F_DUMP);
	struct weft_nl_array l = { .size = sizeof(**list), .parse = parse_link };
	int ret;

	if (msg)
		nla_put_u32(msg, WEFT_A_LINK_FABRIC, fabric);
	ret = weft_nl_send(nl, msg, WEFT_NL_SET_LINK, weft_nl_array_add, &l, err);
	*list = l.v;
	*n = l.n;
	return ret;
}

/**
 * weft_link_list_free() - free what weft_link_list() read
 * @list: the links
 * @n: how many
 */
void weft_link_list_free(struct weft_link *list, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int k = 0; k < 2; k++)
			weft_class_states_free(&list[i].wire[k].cls);
	free(list);
}
