// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Aggregation nodes over netlink.
 */
#include "sharp/aggregator.h"

#include <netlink/attr.h>
#include <netlink/msg.h>

#include <linux/weft.h>

static const char *const to_words[] = { "all", "owner", NULL };

static const struct weft_field fields[] = {
#define F(key, attr, kind, member) \
	WEFT_FIELD(key, AGGREGATOR, attr, kind, weft_aggregator, member)
	F("fabric", FABRIC, U32, fabric),
	F("id", ID, U32, id),
	F("group", GROUP, U32, group),
	F("switch", SWITCH, U32, sw),
	F("child", CHILD, U16S, child),
	F("parent", PARENT, U32, parent),
	F("slots", SLOTS, U32, slots),
	F("latency_ps", LATENCY, U64, latency),
	WEFT_FIELD_WORDS("to", AGGREGATOR, TO, weft_aggregator, to, to_words),
	F("qkey", QKEY, U32, qkey),
	F("results", RESULTS, U64, results),
	F("late", LATE, U64, late),
	F("refused", REFUSED, U64, refused),
	F("busy", BUSY, U32, busy),
	F("peak", PEAK, U32, peak),
	F("down", DOWN, U32, down),
	F("lost", LOST, U64, lost),
	{ 0 }
#undef F
};

static int parse_aggregator(struct nlmsghdr *hdr, void *ctx, struct weft_err *err)
{
	struct nlattr *nla;
	int rem;

	(void)err;
	nlmsg_for_each_attr(nla, hdr, 4, rem)
		weft_field_parse(fields, ctx, nla);
	return 0;
}

/**
 * weft_aggregator_new() - add an aggregation node to a switch
 * @nl: socket
 * @ag: the aggregation node; @ag->id is the result
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_aggregator_new(struct weft_nl *nl, struct weft_aggregator *ag,
			struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_AGGREGATOR_NEW, 0);

	if (msg)
		weft_fields_put(msg, fields, ag);
	return weft_nl_send(nl, msg, WEFT_NL_SET_AGGREGATOR, parse_aggregator, ag, err);
}

/**
 * weft_aggregator_del() - remove an aggregation node
 * @nl: socket
 * @ag: its fabric and number
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_aggregator_del(struct weft_nl *nl, const struct weft_aggregator *ag,
			struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_AGGREGATOR_DEL, 0);

	if (msg) {
		nla_put_u32(msg, WEFT_A_AGGREGATOR_FABRIC, ag->fabric);
		nla_put_u32(msg, WEFT_A_AGGREGATOR_ID, ag->id);
	}
	return weft_nl_send(nl, msg, WEFT_NL_SET_AGGREGATOR, NULL, NULL, err);
}

/**
 * weft_aggregator_list() - read all aggregation nodes of a fabric
 * @nl: socket
 * @fabric: the fabric
 * @list: result, to be freed even after an error
 * @n: how many
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_aggregator_list(struct weft_nl *nl, uint32_t fabric,
			 struct weft_aggregator **list, unsigned int *n,
			 struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_AGGREGATOR_GET, NLM_F_DUMP);
	struct weft_nl_array l = { .size = sizeof(**list), .parse = parse_aggregator };
	int ret;

	if (msg)
		nla_put_u32(msg, WEFT_A_AGGREGATOR_FABRIC, fabric);
	ret = weft_nl_send(nl, msg, WEFT_NL_SET_AGGREGATOR, weft_nl_array_add, &l, err);
	*list = l.v;
	*n = l.n;
	return ret;
}

/**
 * weft_aggregator_json() - write an aggregation node as JSON
 * @o: object that gets its members
 * @ag: the aggregation node
 */
void weft_aggregator_json(json_t *o, const struct weft_aggregator *ag)
{
	weft_fields_json(o, fields, ag);
}
