// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Triggers over netlink.
 */
#include "netlink/trigger.h"

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/weft.h>

static const struct weft_field fields[] = {
#define F(key, attr, kind, member) \
	WEFT_FIELD(key, TRIGGER, attr, kind, weft_trigger, member)
	F("fabric", FABRIC, U32, fabric),
	F("id", ID, U32, id),
	F("kind", KIND, U32, kind),
	F("number", NUMBER, U32, number),
	F("nic", NIC, U32, nic),
	F("rate_bps", RATE, U64, rate),
	F("size", SIZE, U64, size),
	F("sent", SENT, U64, sent),
	F("at_ps", AT, U64, at),
	F("found_ps", FOUND, U64, found),
	{ 0 }
#undef F
};

static int parse_trigger(struct nlmsghdr *hdr, void *ctx, struct weft_err *err)
{
	struct weft_trigger *t = ctx;
	struct nlattr *nla;
	int rem;

	(void)err;
	nlmsg_for_each_attr(nla, hdr, 4, rem) {
		if (nla_type(nla) == WEFT_A_TRIGGER_NAME)
			snprintf(t->name, sizeof(t->name), "%s",
				 nla_get_string(nla));
		else
			weft_field_parse(fields, t, nla);
	}
	return 0;
}

/**
 * weft_trigger_new() - add a trigger, which waits for a condition from now on
 * @nl: socket
 * @t: the condition; @t->id is the result
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_trigger_new(struct weft_nl *nl, struct weft_trigger *t,
		     struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_TRIGGER_NEW, 0);

	if (msg) {
		weft_fields_put(msg, fields, t);
		if (*t->name)
			nla_put_string(msg, WEFT_A_TRIGGER_NAME, t->name);
	}
	return weft_nl_send(nl, msg, WEFT_NL_SET_TRIGGER, parse_trigger, t,
			    err);
}

/**
 * weft_trigger_del() - remove a trigger
 * @nl: socket
 * @t: its fabric and number
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno; -EBUSY while a fault or traffic refers to it.
 */
int weft_trigger_del(struct weft_nl *nl, const struct weft_trigger *t,
		     struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_TRIGGER_DEL, 0);

	if (msg) {
		nla_put_u32(msg, WEFT_A_TRIGGER_FABRIC, t->fabric);
		nla_put_u32(msg, WEFT_A_TRIGGER_ID, t->id);
	}
	return weft_nl_send(nl, msg, WEFT_NL_SET_TRIGGER, NULL, NULL, err);
}

/**
 * weft_trigger_list() - read all triggers of a fabric
 * @nl: socket
 * @fabric: the fabric
 * @list: result, to be freed even after an error
 * @n: how many
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_trigger_list(struct weft_nl *nl, uint32_t fabric,
		      struct weft_trigger **list, unsigned int *n,
		      struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_TRIGGER_GET, NLM_F_DUMP);
	struct weft_nl_array l = { .size = sizeof(**list), .parse = parse_trigger };
	int ret;

	if (msg)
		nla_put_u32(msg, WEFT_A_TRIGGER_FABRIC, fabric);
	ret = weft_nl_send(nl, msg, WEFT_NL_SET_TRIGGER, weft_nl_array_add, &l, err);
	*list = l.v;
	*n = l.n;
	return ret;
}

/**
 * weft_trigger_find() - find a trigger by its number
 * @list: triggers
 * @n: how many
 * @id: the number
 *
 * Return: the trigger, NULL if there is none.
 */
const struct weft_trigger *weft_trigger_find(const struct weft_trigger *list,
					     unsigned int n, uint32_t id)
{
	for (unsigned int i = 0; i < n; i++)
		if (list[i].id == id)
			return &list[i];
	return NULL;
}

/**
 * weft_trigger_met() - has the condition of a trigger been met?
 * @t: the trigger
 *
 * Return: true if it has.
 */
bool weft_trigger_met(const struct weft_trigger *t)
{
	return t->has & WEFT_HAS(WEFT_A_TRIGGER_AT);
}

/**
 * weft_trigger_late() - delay of what begins by a trigger that was found late
 * @t: the trigger, whose condition was met
 * @after: intended time from the moment of the trigger to the begin, ps
 *
 * Return: how much later than intended it begins, ps; 0 if it begins in time.
 */
uint64_t weft_trigger_late(const struct weft_trigger *t, uint64_t after)
{
	uint64_t found_after = t->found - t->at;

	return found_after > after ? found_after - after : 0;
}
