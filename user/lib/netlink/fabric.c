// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fabrics.
 */
#include "netlink/fabric.h"

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/weft.h>

#include "base/array.h"

_Static_assert(WEFT_FABRIC_NO_CPU == WEFT_CPU_NONE, "as in the uapi header");

static uint64_t u64_of(struct nlattr *attr)
{
	return attr ? nla_get_u64(attr) : 0;
}

static uint32_t u32_of(struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

static int parse_end(struct weft_change *c, struct nlattr *nest,
		     struct weft_err *err)
{
	struct nlattr *tb[WEFT_A_END_MAX + 1];

	if (!nest)
		return 0;
	if (weft_nl_nested(nest, tb, WEFT_A_END_MAX, err))
		return err->code;
	c->id = u32_of(tb[WEFT_A_END_SWITCH]);
	c->port = u32_of(tb[WEFT_A_END_PORT]);
	return 0;
}

static int parse_change(struct nlattr *nest, struct weft_change *c,
			struct weft_err *err)
{
	struct nlattr *tb[WEFT_A_CHANGE_MAX + 1];

	*c = (struct weft_change) { 0 };
	if (weft_nl_nested(nest, tb, WEFT_A_CHANGE_MAX, err))
		return err->code;
	c->at = u64_of(tb[WEFT_A_CHANGE_AT]);
	c->links = u32_of(tb[WEFT_A_CHANGE_LINKS]);
	c->up = u32_of(tb[WEFT_A_CHANGE_UP]);
	c->trapped = tb[WEFT_A_CHANGE_TRAP];
	c->trap = u64_of(tb[WEFT_A_CHANGE_TRAP]);
	c->managed = tb[WEFT_A_CHANGE_MANAGER];
	c->manager = u64_of(tb[WEFT_A_CHANGE_MANAGER]);
	c->first = u64_of(tb[WEFT_A_CHANGE_FIRST]);
	c->last = u64_of(tb[WEFT_A_CHANGE_LAST]);
	c->blocks = u32_of(tb[WEFT_A_CHANGE_BLOCKS]);
	return parse_end(c, tb[WEFT_A_CHANGE_END], err);
}

static int add_change(struct weft_fabric *f, struct nlattr *nla,
		      struct weft_err *err)
{
	struct weft_change *more;

	more = weft_array_grow(f->change, f->changes, sizeof(*more));
	if (!more)
		return weft_err_nomem(err);
	f->change = more;
	return parse_change(nla, &more[f->changes++], err);
}

static int parse_stats(struct nlattr *nla, struct weft_fabric *f,
		       struct weft_err *err)
{
	switch (nla_type(nla)) {
	case WEFT_A_FABRIC_CHANGE:
		return add_change(f, nla, err);
	case WEFT_A_FABRIC_LATENESS:
		return weft_hist_parse(&f->lateness, nla, err);
	case WEFT_A_FABRIC_COUNTER:
		return weft_counters_add(&f->counters, nla, err);
	case WEFT_A_FABRIC_HOST_DROP:
		return weft_counters_add(&f->host_drops, nla, err);
	}
	return 0;
}

static void parse_params(struct nlattr **tb, struct weft_fabric *f)
{
	if (tb[WEFT_A_FABRIC_ID])
		f->id = nla_get_u32(tb[WEFT_A_FABRIC_ID]);
	if (tb[WEFT_A_FABRIC_NAME])
		snprintf(f->name, sizeof(f->name), "%s",
			 nla_get_string(tb[WEFT_A_FABRIC_NAME]));
	if (tb[WEFT_A_FABRIC_SEED])
		f->seed = nla_get_u64(tb[WEFT_A_FABRIC_SEED]);
	if (tb[WEFT_A_FABRIC_DILATION])
		f->dilation = nla_get_u32(tb[WEFT_A_FABRIC_DILATION]);
	if (tb[WEFT_A_FABRIC_MAX_NICS])
		f->max_nics = nla_get_u32(tb[WEFT_A_FABRIC_MAX_NICS]);
	if (tb[WEFT_A_FABRIC_LATE_BOUND])
		f->late_bound = nla_get_u64(tb[WEFT_A_FABRIC_LATE_BOUND]);
	f->pinned = tb[WEFT_A_FABRIC_CPU];
	if (f->pinned)
		f->cpu = nla_get_u32(tb[WEFT_A_FABRIC_CPU]);
	f->managed = tb[WEFT_A_FABRIC_MANAGED];
	if (tb[WEFT_A_FABRIC_CHANGES_MISSED])
		f->changes_missed = nla_get_u32(tb[WEFT_A_FABRIC_CHANGES_MISSED]);
	if (tb[WEFT_A_FABRIC_NOW])
		f->now = nla_get_u64(tb[WEFT_A_FABRIC_NOW]);
	if (tb[WEFT_A_FABRIC_LATE_EVENTS])
		f->late_events = nla_get_u64(tb[WEFT_A_FABRIC_LATE_EVENTS]);
}

static int parse_fabric(struct nlmsghdr *hdr, void *ctx, struct weft_err *err)
{
	struct nlattr *tb[WEFT_A_FABRIC_MAX + 1], *nla;
	struct weft_fabric *f = ctx;
	int rem;

	if (weft_nl_attrs(hdr, tb, WEFT_A_FABRIC_MAX, err))
		return err->code;
	parse_params(tb, f);
	nlmsg_for_each_attr(nla, hdr, 4, rem)
		if (parse_stats(nla, f, err))
			return err->code;
	return 0;
}

static void put_params(struct nl_msg *msg, const struct weft_fabric *f)
{
	if (*f->name)
		nla_put_string(msg, WEFT_A_FABRIC_NAME, f->name);
	if (f->has & WEFT_FABRIC_HAS_SEED)
		nla_put_u64(msg, WEFT_A_FABRIC_SEED, f->seed);
	if (f->has & WEFT_FABRIC_HAS_DILATION)
		nla_put_u32(msg, WEFT_A_FABRIC_DILATION, f->dilation);
	if (f->has & WEFT_FABRIC_HAS_MAX_NICS)
		nla_put_u32(msg, WEFT_A_FABRIC_MAX_NICS, f->max_nics);
	if (f->has & WEFT_FABRIC_HAS_LATE_BOUND)
		nla_put_u64(msg, WEFT_A_FABRIC_LATE_BOUND, f->late_bound);
	if (f->managed)
		nla_put_flag(msg, WEFT_A_FABRIC_MANAGED);
}

/**
 * weft_fabric_new() - create a fabric
 * @nl: socket
 * @f: its parameters; set from the kernel's reply, which has @f->id
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_fabric_new(struct weft_nl *nl, struct weft_fabric *f,
		    struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_FABRIC_NEW, 0);

	if (msg)
		put_params(msg, f);
	return weft_nl_send(nl, msg, WEFT_NL_SET_FABRIC, parse_fabric, f, err);
}

/**
 * weft_fabric_del() - remove a fabric and all objects in it
 * @nl: socket
 * @id: its number
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_fabric_del(struct weft_nl *nl, uint32_t id, struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_FABRIC_DEL, 0);

	if (msg)
		nla_put_u32(msg, WEFT_A_FABRIC_ID, id);
	return weft_nl_send(nl, msg, WEFT_NL_SET_FABRIC, NULL, NULL, err);
}

/**
 * weft_fabric_pin() - run a fabric by a thread of its own, or by the timer
 * @nl: socket
 * @id: its number
 * @cpu: CPU of the thread; WEFT_FABRIC_NO_CPU: no thread, the timer
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_fabric_pin(struct weft_nl *nl, uint32_t id, uint32_t cpu,
		    struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_FABRIC_SET, 0);

	if (msg) {
		nla_put_u32(msg, WEFT_A_FABRIC_ID, id);
		nla_put_u32(msg, WEFT_A_FABRIC_CPU, cpu);
	}
	return weft_nl_send(nl, msg, WEFT_NL_SET_FABRIC, NULL, NULL, err);
}

/**
 * weft_fabric_find() - read the fabric of a name
 * @nl: socket
 * @name: its name
 * @f: result, to be freed by weft_fabric_free() even after an error
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_fabric_find(struct weft_nl *nl, const char *name,
		     struct weft_fabric *f, struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_FABRIC_GET, 0);

	*f = (struct weft_fabric) { 0 };
	if (msg)
		nla_put_string(msg, WEFT_A_FABRIC_NAME, name);
	return weft_nl_send(nl, msg, WEFT_NL_SET_FABRIC, parse_fabric, f, err);
}

/**
 * weft_fabric_list() - read all fabrics of the socket's network namespace
 * @nl: socket
 * @list: result, to be freed by weft_fabric_free() of each and free() of the list,
 * even after an error
 * @n: how many
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_fabric_list(struct weft_nl *nl, struct weft_fabric **list,
		     unsigned int *n, struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_FABRIC_GET, NLM_F_DUMP);
	struct weft_nl_array l = { .size = sizeof(**list), .parse = parse_fabric };
	int ret;

	ret = weft_nl_send(nl, msg, WEFT_NL_SET_FABRIC, weft_nl_array_add, &l, err);
	*list = l.v;
	*n = l.n;
	return ret;
}

/**
 * weft_fabric_free() - free what a fabric holds
 * @f: the fabric
 */
void weft_fabric_free(struct weft_fabric *f)
{
	weft_hist_free(&f->lateness);
	free(f->change);
	f->change = NULL;
	f->changes = 0;
}
