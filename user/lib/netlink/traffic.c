// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generators of background traffic over netlink.
 */
#include "netlink/traffic.h"

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdlib.h>

#include <linux/weft.h>

#include "base/array.h"
#include "netlink/traffic_fields.h"

static const char *const state_words[] = { "waiting", "active", "over", NULL };

const struct weft_field weft_traffic_fields[] = {
#define F(key, attr, kind, member) \
	WEFT_FIELD(key, TRAFFIC, attr, kind, weft_traffic, member)
	F("fabric", FABRIC, U32, fabric),
	F("id", ID, U32, id),
	F("group", GROUP, U32, group),
	F("pattern", PATTERN, U32, pattern),
	F("nic", NIC, U32, nic),
	F("after_ps", AFTER, U64, after),
	F("trigger", TRIGGER, U32, trigger),
	F("sl", SL, U32, sl),
	F("size", SIZE, U32, size),
	F("rate_bps", RATE, U64, rate),
	F("depth", DEPTH, U32, depth),
	F("window", WINDOW, U32, window),
	F("on_ps", ON, U64, on),
	F("off_ps", OFF, U64, off),
	F("drawn_times", DRAWN_TIMES, U32, drawn_times),
	F("drawn_dsts", DRAWN_DSTS, U32, drawn_dsts),
	F("start_ps", START, U64, start),
	F("duration_ps", DURATION, U64, duration),
	F("bytes", BYTES, U64, bytes),
	F("seed", SEED, SEED, seed),
	F("messages", MESSAGES, U32, messages),
	WEFT_FIELD_WORDS("state", TRAFFIC, STATE, weft_traffic, state,
			 state_words),
	F("inside", INSIDE, U32, inside),
	{ 0 }
#undef F
};

const struct weft_field *const weft_traffic_fields_shown =
	weft_traffic_fields + 7;

static int add_dst(struct weft_traffic *t, uint32_t dst, struct weft_err *err)
{
	void *more = weft_array_grow(t->dst, t->dsts, sizeof(*t->dst));

	if (!more)
		return weft_err_nomem(err);
	t->dst = more;
	t->dst[t->dsts++] = dst;
	return 0;
}

static int parse_traffic(struct nlmsghdr *hdr, void *ctx, struct weft_err *err)
{
	struct weft_traffic *t = ctx;
	struct nlattr *nla;
	int rem, ret = 0;

	nlmsg_for_each_attr(nla, hdr, 4, rem) {
		if (nla_type(nla) == WEFT_A_TRAFFIC_COUNTER)
			ret = weft_counters_add(&t->counters, nla, err);
		else if (nla_type(nla) == WEFT_A_TRAFFIC_DST)
			ret = add_dst(t, nla_get_u32(nla), err);
		else
			weft_field_parse(weft_traffic_fields, t, nla);
		if (ret)
			return ret;
	}
	return 0;
}

/* Send a request about a generator; the reply replaces the members of @t. */
static int ask(struct weft_nl *nl, uint8_t cmd, struct weft_traffic *t,
	       struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, cmd, 0);

	free(t->dst);
	t->dst = NULL;
	t->dsts = 0;
	t->counters.n = 0;
	if (msg) {
		nla_put_u32(msg, WEFT_A_TRAFFIC_FABRIC, t->fabric);
		nla_put_u32(msg, WEFT_A_TRAFFIC_ID, t->id);
	}
	return weft_nl_send(nl, msg, WEFT_NL_SET_TRAFFIC, parse_traffic, t,
			    err);
}

static void put_list(struct nl_msg *msg, const struct weft_traffic *t)
{
	for (unsigned int i = 0; i < t->dsts; i++)
		nla_put_u32(msg, WEFT_A_TRAFFIC_DST, t->dst[i]);
	if (t->message)
		nla_put(msg, WEFT_A_TRAFFIC_MESSAGE,
			(int)(t->messages * sizeof(*t->message)), t->message);
}

/**
 * weft_traffic_new() - add a generator of packets at a NIC
 * @nl: socket
 * @t: its parameters; @t->id and @t->group are results
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_traffic_new(struct weft_nl *nl, struct weft_traffic *t,
		     struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_TRAFFIC_NEW, 0);

	if (msg) {
		weft_fields_put(msg, weft_traffic_fields, t);
		put_list(msg, t);
	}
	return weft_nl_send(nl, msg, WEFT_NL_SET_TRAFFIC, parse_traffic, t,
			    err);
}

/**
 * weft_traffic_get() - read a generator
 * @nl: socket
 * @t: its fabric and number; the rest is the result
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_traffic_get(struct weft_nl *nl, struct weft_traffic *t,
		     struct weft_err *err)
{
	return ask(nl, WEFT_CMD_TRAFFIC_GET, t, err);
}

/**
 * weft_traffic_del() - remove a generator
 * @nl: socket
 * @t: its fabric and number; the rest is the result, with its final counters
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_traffic_del(struct weft_nl *nl, struct weft_traffic *t,
		     struct weft_err *err)
{
	return ask(nl, WEFT_CMD_TRAFFIC_DEL, t, err);
}

/**
 * weft_traffic_list() - read all generators of a fabric
 * @nl: socket
 * @fabric: the fabric
 * @list: result, to be freed by weft_traffic_list_free() even after an error
 * @n: how many
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_traffic_list(struct weft_nl *nl, uint32_t fabric,
		      struct weft_traffic **list, unsigned int *n,
		      struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_TRAFFIC_GET, NLM_F_DUMP);
	struct weft_nl_array l = { .size = sizeof(**list), .parse = parse_traffic };
	int ret;

	if (msg)
		nla_put_u32(msg, WEFT_A_TRAFFIC_FABRIC, fabric);
	ret = weft_nl_send(nl, msg, WEFT_NL_SET_TRAFFIC, weft_nl_array_add, &l, err);
	*list = l.v;
	*n = l.n;
	return ret;
}

/**
 * weft_traffic_list_free() - free a list of generators
 * @list: the generators
 * @n: how many
 */
void weft_traffic_list_free(struct weft_traffic *list, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		free(list[i].dst);
		free(list[i].message);
	}
	free(list);
}
