// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parameters of the RDMA device of a NIC.
 */
#include "netlink/verbs.h"

#include <netlink/attr.h>
#include <netlink/msg.h>

#include "netlink/nl.h"

const char *const weft_ordering_words[] = { "strict", "any", NULL };
const char *const weft_verbs_kind_words[] = { "hca", "efa", NULL };
const char *const weft_congestion_words[] = { "none", "dcqcn", "ibcc", "swift", NULL };

static const struct weft_field verbs_fields[] = {
#define F(key, attr, kind, member) \
	WEFT_FIELD(key, VERBS, attr, kind, weft_verbs, member)
	F("doorbell_ps", DOORBELL, U64, doorbell),
	F("process_ps", PROCESS, U64, process),
	F("message_rate", MESSAGE_RATE, U64, message_rate),
	F("pcie_rate_bps", PCIE_RATE, U64, pcie_rate),
	F("qp_cache", QP_CACHE, U32, qp_cache),
	F("qp_miss_ps", QP_MISS, U64, qp_miss),
	F("ack_every", ACK_EVERY, U32, ack_every),
	WEFT_FIELD_WORDS("ordering", VERBS, ORDERING, weft_verbs, ordering,
			 weft_ordering_words),
	F("reorder_time_ps", REORDER_TIME, U64, reorder_time),
	WEFT_FIELD_WORDS("congestion", VERBS, CONGESTION, weft_verbs,
			 congestion, weft_congestion_words),
	F("target_delay_ps", TARGET_DELAY, U64, target_delay),
	WEFT_FIELD_WORDS("kind", VERBS, KIND, weft_verbs, kind, weft_verbs_kind_words),
	F("paths", PATHS, U32, paths),
	F("retransmit_time_ps", RETRANSMIT_TIME, U64, retransmit_time),
	F("cnp_priority", CNP_SL, U32, cnp_sl),
	{ 0 }
#undef F
};

static const struct weft_field dcqcn_fields[] = {
#define F(key, attr, kind, member) \
	WEFT_FIELD(key, DCQCN, attr, kind, weft_dcqcn, member)
	F("g", G, U32, g),
	F("initial_alpha", INITIAL_ALPHA, U32, initial_alpha),
	F("alpha_timer_ps", ALPHA_TIMER, U64, alpha_timer),
	F("reduce_period_ps", REDUCE_PERIOD, U64, reduce_period),
	F("increase_timer_ps", INCREASE_TIMER, U64, increase_timer),
	F("byte_reset", BYTE_RESET, U64, byte_reset),
	F("threshold", THRESHOLD, U32, threshold),
	F("ai_rate_bps", AI_RATE, U64, ai_rate),
	F("hai_rate_bps", HAI_RATE, U64, hai_rate),
	F("min_rate_bps", MIN_RATE, U64, min_rate),
	F("clamp_target", CLAMP_TARGET, U32, clamp_target),
	F("cnp_interval_ps", CNP_INTERVAL, U64, cnp_interval),
	{ 0 }
#undef F
};

static const struct weft_field ibcc_fields[] = {
#define F(key, attr, kind, member) \
	WEFT_FIELD(key, IBCC, attr, kind, weft_ibcc, member)
	F("increase", INCREASE, U32, increase),
	F("limit", LIMIT, U32, limit),
	F("min", MIN, U32, min),
	F("timer_ps", TIMER, U64, timer),
	F("cct", CCT, U16S, cct),
	{ 0 }
#undef F
};

/**
 * weft_verbs_put() - encode the parameters that are set
 * @msg: request
 * @type: attribute that holds them; omitted if none is set
 * @v: the parameters
 */
void weft_verbs_put(struct nl_msg *msg, int type, const struct weft_verbs *v)
{
	struct nlattr *nest;

	if (!(v->has | v->dcqcn.has | v->ibcc.has))
		return;
	nest = nla_nest_start(msg, type | NLA_F_NESTED);
	if (!nest)
		return;
	weft_fields_put(msg, verbs_fields, v);
	weft_fields_put_nest(msg, WEFT_A_VERBS_DCQCN, dcqcn_fields, &v->dcqcn);
	weft_fields_put_nest(msg, WEFT_A_VERBS_IBCC, ibcc_fields, &v->ibcc);
	nla_nest_end(msg, nest);
}

static int parse_one(struct weft_verbs *v, struct nlattr *nla,
		     struct weft_err *err)
{
	switch (nla_type(nla)) {
	case WEFT_A_VERBS_DCQCN:
		return weft_fields_parse_nest(dcqcn_fields, &v->dcqcn, nla,
					      err);
	case WEFT_A_VERBS_IBCC:
		return weft_fields_parse_nest(ibcc_fields, &v->ibcc, nla, err);
	default:
		weft_field_parse(verbs_fields, v, nla);
		return 0;
	}
}

/**
 * weft_verbs_parse() - decode parameters
 * @v: result, zeroed by the caller
 * @nest: the attribute
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_verbs_parse(struct weft_verbs *v, struct nlattr *nest,
		     struct weft_err *err)
{
	struct nlattr *nla;
	int rem;

	nla_for_each_nested(nla, nest, rem)
		if (parse_one(v, nla, err))
			return err->code;
	return 0;
}

static void json_nest(json_t *o, const char *key, const struct weft_field *f,
		      const void *obj)
{
	json_t *nest = json_object();

	weft_fields_json(nest, f, obj);
	if (json_object_size(nest))
		json_object_set(o, key, nest);
	json_decref(nest);
}

/**
 * weft_verbs_json() - the parameters that are set, as JSON
 * @v: the parameters
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_verbs_json(const struct weft_verbs *v)
{
	json_t *o = json_object();

	weft_fields_json(o, verbs_fields, v);
	json_nest(o, "dcqcn", dcqcn_fields, &v->dcqcn);
	json_nest(o, "ibcc", ibcc_fields, &v->ibcc);
	return o;
}
