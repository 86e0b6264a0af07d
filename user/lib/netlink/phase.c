// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Phases of a fabric over netlink.
 */
#include "netlink/phase.h"

#include <inttypes.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/weft.h>

static const struct weft_field fields[] = {
#define F(key, attr, kind, member) \
	WEFT_FIELD(key, PHASE, attr, kind, weft_phase, member)
	F("fabric", FABRIC, U32, fabric),
	F("id", ID, U32, id),
	F("open", OPEN, U32, open),
	F("begin_ps", BEGIN, U64, begin),
	F("end_ps", END, U64, end),
	F("nics", NICS, U32, nics),
	F("nic_bytes", NIC_BYTES, U64, nic_bytes),
	F("link", LINK, U32, link),
	F("direction", DIRECTION, U32, direction),
	F("busy_ps", BUSY, U64, busy),
	F("missed", MISSED, U64, missed),
	F("number", NUMBER, U32, number),
	{ 0 }
#undef F
};

/**
 * weft_phase_set() - set the rule by which traffic makes phases
 * @nl: socket
 * @fabric: the fabric
 * @rule: the rule
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_phase_set(struct weft_nl *nl, uint32_t fabric,
		   const struct weft_phase_rule *rule, struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_PHASE_SET, 0);

	if (msg) {
		nla_put_u32(msg, WEFT_A_PHASE_FABRIC, fabric);
		nla_put_u64(msg, WEFT_A_PHASE_RATE, rule->rate);
		if (rule->rate) {
			nla_put_u64(msg, WEFT_A_PHASE_LEAST, rule->least);
			nla_put_u64(msg, WEFT_A_PHASE_QUIET, rule->quiet);
		}
		for (unsigned int i = 0; i < rule->nics; i++)
			nla_put_u32(msg, WEFT_A_PHASE_NIC, rule->nic[i]);
	}
	return weft_nl_send(nl, msg, WEFT_NL_SET_PHASE, NULL, NULL, err);
}

/**
 * weft_phase_parse() - decode a phase
 * @hdr: the message
 * @ph: result, zeroed by the caller; @ph->latency is to be freed by weft_hist_free()
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_phase_parse(struct nlmsghdr *hdr, struct weft_phase *ph,
		     struct weft_err *err)
{
	struct nlattr *nla;
	int rem, ret = 0;

	nlmsg_for_each_attr(nla, hdr, 4, rem) {
		if (nla_type(nla) == WEFT_A_PHASE_NAME)
			snprintf(ph->name, sizeof(ph->name), "%s",
				 nla_get_string(nla));
		else if (nla_type(nla) == WEFT_A_PHASE_COUNTER)
			ret = weft_counters_add(&ph->counters, nla, err);
		else if (nla_type(nla) == WEFT_A_PHASE_LATENCY)
			ret = weft_hist_parse(&ph->latency, nla, err);
		else
			weft_field_parse(fields, ph, nla);
		if (ret)
			return ret;
	}
	return 0;
}

static int parse_phase(struct nlmsghdr *hdr, void *phase, struct weft_err *err)
{
	return weft_phase_parse(hdr, phase, err);
}

/**
 * weft_phase_list() - read all phases of a fabric, in the order they were found
 * @nl: socket
 * @fabric: the fabric
 * @list: result, to be freed by weft_phase_list_free() even after an error
 * @n: how many
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_phase_list(struct weft_nl *nl, uint32_t fabric,
		    struct weft_phase **list, unsigned int *n,
		    struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_PHASE_GET, NLM_F_DUMP);
	struct weft_nl_array l = { .size = sizeof(**list), .parse = parse_phase };
	int ret;

	if (msg)
		nla_put_u32(msg, WEFT_A_PHASE_FABRIC, fabric);
	ret = weft_nl_send(nl, msg, WEFT_NL_SET_PHASE, weft_nl_array_add, &l, err);
	*list = l.v;
	*n = l.n;
	return ret;
}

/**
 * weft_phase_name() - name of a phase
 * @ph: the phase
 * @buf: buffer for the name
 * @len: its size, bytes
 *
 * Return: @buf.
 */
const char *weft_phase_name(const struct weft_phase *ph, char *buf, size_t len)
{
	if (*ph->name)
		snprintf(buf, len, "%s", ph->name);
	else
		snprintf(buf, len, "traffic-%" PRIu32, ph->number);
	return buf;
}

/**
 * weft_phase_list_free() - free phases
 * @list: the phases
 * @n: how many
 */
void weft_phase_list_free(struct weft_phase *list, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		weft_hist_free(&list[i].latency);
	free(list);
}
