// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults of links and switches over netlink.
 */
#include "netlink/fault.h"

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdlib.h>

#include <linux/weft.h>

#include "netlink/fault_fields.h"

static const char *const direction_words[] = { "a-to-b", "b-to-a", NULL };
static const char *const state_words[] = { "waiting", "active", "over", NULL };
const char *const weft_fault_kind_words[] = {
	"down", "rate", "delay", "loss", "corrupt", "duplicate", "reorder",
	"credit-loss", "pause-storm", "hang", "slow", "ecn",
	"blackhole", "forget", "misroute", "reboot", "buffer", "sharp-down",
	"sharp-slow", NULL,
};

const struct weft_field weft_fault_fields[] = {
#define F(key, attr, kind, member) \
	WEFT_FIELD(key, FAULT, attr, kind, weft_fault, member)
	F("fabric", FABRIC, U32, fabric),
	F("id", ID, U32, id),
	F("link", LINK, U32, link),
	F("switch", SWITCH, U32, sw),
	F("dst", DST, LIST, dst),
	WEFT_FIELD_WORDS("direction", FAULT, DIRECTION, weft_fault, direction,
			 direction_words),
	F("after_ps", AFTER, U64, after),
	F("trigger", TRIGGER, U32, trigger),
	WEFT_FIELD_WORDS("kind", FAULT, KIND, weft_fault, kind,
			 weft_fault_kind_words),
	F("rate_bps", RATE, U64, rate),
	F("lanes", LANES, U32, lanes),
	F("delay_ps", DELAY, U64, delay),
	F("jitter_ps", JITTER, U64, jitter),
	F("probability_ppb", PROBABILITY, U32, probability),
	F("burst", BURST, U32, burst),
	F("bits_per_error", BITS_PER_ERROR, U64, bits_per_error),
	F("classes", CLASSES, U32, classes),
	F("kmin", KMIN, U32, kmin),
	F("kmax", KMAX, U32, kmax),
	F("pmax_ppm", PMAX, U32, pmax),
	F("start_ps", START, U64, start),
	F("duration_ps", DURATION, U64, duration),
	F("period_ps", PERIOD, U64, period),
	F("count", COUNT, U32, count),
	F("seed", SEED, SEED, seed),
	F("flows_ppb", FLOWS, U32, flows),
	F("port", PORT, U32, port),
	F("size_bytes", SIZE, U64, size),
	WEFT_FIELD_WORDS("state", FAULT, STATE, weft_fault, state, state_words),
	F("next_ps", NEXT, U64, next),
	{ 0 }
#undef F
};

const struct weft_field *const weft_fault_fields_shown = weft_fault_fields + 8;

/**
 * weft_fault_of_switch() - is a fault one of a switch?
 * @fault: the fault, with its kind
 *
 * Return: true if it is of a switch, false if it is of a link.
 */
bool weft_fault_of_switch(const struct weft_fault *fault)
{
	switch (fault->kind) {
	case WEFT_FAULT_KIND_BLACKHOLE:
	case WEFT_FAULT_KIND_FORGET:
	case WEFT_FAULT_KIND_MISROUTE:
	case WEFT_FAULT_KIND_REBOOT:
	case WEFT_FAULT_KIND_BUFFER:
	case WEFT_FAULT_KIND_SHARP_DOWN:
	case WEFT_FAULT_KIND_SHARP_SLOW:
		return true;
	default:
		return false;
	}
}

static int parse_fault(struct nlmsghdr *hdr, void *ctx, struct weft_err *err)
{
	struct weft_fault *fault = ctx;
	struct nlattr *nla;
	int rem, ret = 0;

	nlmsg_for_each_attr(nla, hdr, 4, rem) {
		if (nla_type(nla) == WEFT_A_FAULT_COUNTER)
			ret = weft_counters_add(&fault->counters, nla, err);
		else
			weft_field_parse(weft_fault_fields, fault, nla);
		if (ret)
			return ret;
	}
	return 0;
}

/* Send a request about a fault; the reply replaces the members of @fault. */
static int ask(struct weft_nl *nl, uint8_t cmd, struct weft_fault *fault,
	       struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, cmd, 0);

	/* Destinations of the reply are appended to the list. */
	fault->dst.n = 0;
	if (msg) {
		nla_put_u32(msg, WEFT_A_FAULT_FABRIC, fault->fabric);
		nla_put_u32(msg, WEFT_A_FAULT_ID, fault->id);
	}
	return weft_nl_send(nl, msg, WEFT_NL_SET_FAULT, parse_fault, fault,
			    err);
}

/**
 * weft_fault_new() - add a fault of a link or a switch
 * @nl: socket
 * @fault: the fault; @fault->id is the result
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_fault_new(struct weft_nl *nl, struct weft_fault *fault,
		   struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_FAULT_NEW, 0);

	if (msg)
		weft_fields_put(msg, weft_fault_fields, fault);
	return weft_nl_send(nl, msg, WEFT_NL_SET_FAULT, parse_fault, fault,
			    err);
}

/**
 * weft_fault_get() - read a fault
 * @nl: socket
 * @fault: its fabric and number; the rest is the result
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_fault_get(struct weft_nl *nl, struct weft_fault *fault,
		   struct weft_err *err)
{
	return ask(nl, WEFT_CMD_FAULT_GET, fault, err);
}

/**
 * weft_fault_del() - remove a fault
 * @nl: socket
 * @fault: its fabric and number; the rest is the result, with its final counters
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_fault_del(struct weft_nl *nl, struct weft_fault *fault,
		   struct weft_err *err)
{
	return ask(nl, WEFT_CMD_FAULT_DEL, fault, err);
}

/**
 * weft_fault_list() - read all faults of a fabric
 * @nl: socket
 * @fabric: the fabric
 * @list: result, to be freed even after an error
 * @n: how many
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_fault_list(struct weft_nl *nl, uint32_t fabric,
		    struct weft_fault **list, unsigned int *n,
		    struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_FAULT_GET, NLM_F_DUMP);
	struct weft_nl_array l = { .size = sizeof(**list), .parse = parse_fault };
	int ret;

	if (msg)
		nla_put_u32(msg, WEFT_A_FAULT_FABRIC, fabric);
	ret = weft_nl_send(nl, msg, WEFT_NL_SET_FAULT, weft_nl_array_add, &l, err);
	*list = l.v;
	*n = l.n;
	return ret;
}
