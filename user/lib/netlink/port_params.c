// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parameters of a port of a switch or a NIC.
 */
#include "netlink/port_params.h"

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>

#include "netlink/nl.h"

static const char *const scheduler_words[] = { "drr", "vlarb", NULL };
static const char *const mark_words[] = { "enqueue", "dequeue", NULL };
static const char *const watchdog_words[] = { "off", "drop", "forward", NULL };

static const struct weft_field port_fields[] = {
#define P(key, attr, kind, member) \
	WEFT_FIELD(key, PORT_PARAMS, attr, kind, weft_port_params, member)
	P("classes", CLASSES, U32, classes),
	P("queue_limit", QUEUE_LIMIT, U32, queue_limit),
	P("weights", WEIGHT, LIST, weight),
	P("quantum", QUANTUM, U32, quantum),
	P("react_ps", REACT, U64, react),
	P("ipd", IPD, U32, ipd),
	WEFT_FIELD_WORDS("scheduler", PORT_PARAMS, SCHEDULER, weft_port_params,
			 scheduler, scheduler_words),
	WEFT_FIELD_WORDS("mark_at", PORT_PARAMS, MARK_AT, weft_port_params,
			 mark_at, mark_words),
	P("vl", VL, BYTES, vl),
	{ 0 }
};

static const struct weft_field pfc_fields[] = {
#define F(key, attr, kind, member) \
	WEFT_FIELD(key, PFC, attr, kind, weft_pfc_params, member)
	F("enable", ENABLE, U32, enable),
	F("quanta", QUANTA, U32, quanta),
	WEFT_FIELD_WORDS("watchdog", PFC, WATCHDOG, weft_pfc_params,
			 watchdog, watchdog_words),
	F("poll_ps", POLL, U64, poll),
	F("detect_ps", DETECT, U64, detect),
	F("restore_ps", RESTORE, U64, restore),
	{ 0 }
#undef F
};

static const struct weft_field credit_fields[] = {
#define F(key, attr, kind, member) \
	WEFT_FIELD(key, CREDIT, attr, kind, weft_credit_params, member)
	F("blocks", BLOCKS, LIST, blocks),
	F("block", BLOCK, U32, block),
	F("header", HEADER, U32, header),
	F("period_ps", PERIOD, U64, period),
	F("eager", EAGER, U32, eager),
	F("refresh_ps", REFRESH, U64, refresh),
	{ 0 }
#undef F
};

static const struct weft_field flit_fields[] = {
#define F(key, attr, kind, member) \
	WEFT_FIELD(key, FLIT, attr, kind, weft_flit_params, member)
	F("hdr", HDR, LIST, hdr),
	F("data", DATA, LIST, data),
	F("payload", PAYLOAD, U32, payload),
	F("unit", UNIT, U32, unit),
	F("replay", REPLAY, U32, replay),
	F("header", HEADER, U32, header),
	F("control", CONTROL, U32, control),
	F("carry", CARRY, U32, carry),
	F("repeat_ps", REPEAT, U64, repeat),
	{ 0 }
#undef F
};

static const struct weft_field cbfc_fields[] = {
#define F(key, attr, kind, member) \
	WEFT_FIELD(key, CBFC, attr, kind, weft_cbfc_params, member)
	F("limit", LIMIT, LIST, limit),
	F("size", SIZE, U32, size),
	F("overhead", OVERHEAD, U32, overhead),
	F("spacing", SPACING, U32, spacing),
	F("repeat", REPEAT, U32, repeat),
	F("sync_ps", SYNC, U64, sync),
	{ 0 }
#undef F
};

static const struct weft_field llr_fields[] = {
#define F(key, attr, kind, member) \
	WEFT_FIELD(key, LLR, attr, kind, weft_llr_params, member)
	F("replay", REPLAY, U32, replay),
	F("spacing", SPACING, U32, spacing),
	F("repeat_ps", REPEAT, U64, repeat),
	{ 0 }
#undef F
};

static const struct weft_field vlarb_fields[] = {
#define F(key, attr, kind, member) \
	WEFT_FIELD(key, VLARB, attr, kind, weft_vlarb, member)
	F("high", HIGH, BYTES, high),
	F("low", LOW, BYTES, low),
	F("high_limit", HIGH_LIMIT, U32, high_limit),
	{ 0 }
#undef F
};

static const struct weft_field age_fields[] = {
#define F(key, attr, kind, member) \
	WEFT_FIELD(key, AGE, attr, kind, weft_age, member)
	F("hoq_ps", HOQ, U64, hoq),
	F("life_ps", LIFE, U64, life),
	F("stall_count", STALL_COUNT, U32, stall_count),
	{ 0 }
#undef F
};

static const struct weft_field red_fields[] = {
#define F(key, attr, kind, member) \
	WEFT_FIELD(key, RED, attr, kind, weft_red, member)
	F("class", CLASS, U32, cls),
	F("kmin", KMIN, U32, kmin),
	F("kmax", KMAX, U32, kmax),
	F("pmax_ppm", PMAX, U32, pmax),
	{ 0 }
#undef F
};

static const struct weft_field fecn_fields[] = {
#define F(key, attr, kind, member) \
	WEFT_FIELD(key, FECN, attr, kind, weft_fecn, member)
	F("threshold", THRESHOLD, U32, threshold),
	F("packet_size", PACKET_SIZE, U32, packet_size),
	F("marking_rate", MARKING_RATE, U32, marking_rate),
	F("victim", VICTIM, U32, victim),
	{ 0 }
#undef F
};

static const struct weft_field trim_fields[] = {
#define F(key, attr, kind, member) \
	WEFT_FIELD(key, TRIM, attr, kind, weft_trim, member)
	F("classes", CLASSES, U32, classes),
	F("class", CLASS, U32, cls),
	F("len", LEN, U32, len),
	{ 0 }
#undef F
};

static const struct weft_field buffer_fields[] = {
#define F(key, attr, kind, member) \
	WEFT_FIELD(key, BUFFER_CLASS, attr, kind, weft_buffer_class, member)
	F("class", CLASS, U32, cls),
	F("reserve", RESERVE, U32, reserve),
	F("headroom", HEADROOM, U32, headroom),
	F("xon", XON, U32, xon),
	F("threshold", THRESHOLD, U64, threshold),
	F("alpha", ALPHA, S32, alpha),
	{ 0 }
#undef F
};

/**
 * struct nest - a struct in the parameters of a port
 * @key: key in JSON
 * @attr: the attribute
 * @offset: offset in struct weft_port_params, bytes
 * @fields: table of the struct
 */
struct nest {
	const char *key;
	int attr;
	size_t offset;
	const struct weft_field *fields;
};

static const struct nest nests[] = {
#define N(name, attr) { #name, WEFT_A_PORT_PARAMS_##attr,		\
	offsetof(struct weft_port_params, name), name##_fields }
	N(vlarb, VLARB),
	N(pfc, PFC),
	N(credit, CREDIT),
	N(flit, FLIT),
	N(cbfc, CBFC),
	N(llr, LLR),
	N(age, AGE),
	N(fecn, FECN),
	N(trim, TRIM),
};

#define NESTS	(sizeof(nests) / sizeof(*nests))

/* A struct in the parameters of a port; its first member is its u32 of bits. */
static uint32_t *nest_at(const struct weft_port_params *p,
			 const struct nest *n)
{
	return (uint32_t *)((char *)(uintptr_t)p + n->offset);
}

static bool is_empty(const struct weft_port_params *p)
{
	uint32_t has = p->has;

	for (size_t i = 0; i < NESTS; i++)
		has |= *nest_at(p, &nests[i]);
	for (size_t i = 0; i < WEFT_CLASSES_MAX; i++)
		has |= p->red[i].has;
	return !has;
}

/**
 * weft_port_params_put() - encode the parameters of a port
 * @msg: request
 * @type: attribute that holds them; omitted if none is set
 * @p: the parameters
 */
void weft_port_params_put(struct nl_msg *msg, int type,
			  const struct weft_port_params *p)
{
	struct nlattr *nest;

	if (is_empty(p))
		return;
	nest = nla_nest_start(msg, type | NLA_F_NESTED);
	if (!nest)
		return;
	weft_fields_put(msg, port_fields, p);
	if (p->has & WEFT_HAS(WEFT_A_PORT_PARAMS_DISCIPLINE))
		nla_put_string(msg, WEFT_A_PORT_PARAMS_DISCIPLINE,
			       p->discipline);
	for (size_t i = 0; i < NESTS; i++)
		weft_fields_put_nest(msg, nests[i].attr, nests[i].fields,
				     nest_at(p, &nests[i]));
	for (size_t i = 0; i < WEFT_CLASSES_MAX; i++)
		weft_fields_put_nest(msg, WEFT_A_PORT_PARAMS_RED, red_fields,
				     &p->red[i]);
	nla_nest_end(msg, nest);
}

static int parse_red(struct weft_port_params *p, struct nlattr *nla,
		     struct weft_err *err)
{
	struct weft_red red = { 0 };

	if (weft_fields_parse_nest(red_fields, &red, nla, err))
		return err->code;
	if (red.cls < WEFT_CLASSES_MAX)
		p->red[red.cls] = red;
	return 0;
}

static int parse_one(struct weft_port_params *p, struct nlattr *nla,
		     struct weft_err *err)
{
	if (nla_type(nla) == WEFT_A_PORT_PARAMS_RED)
		return parse_red(p, nla, err);
	if (nla_type(nla) == WEFT_A_PORT_PARAMS_DISCIPLINE) {
		snprintf(p->discipline, sizeof(p->discipline), "%s",
			 nla_get_string(nla));
		p->has |= WEFT_HAS(WEFT_A_PORT_PARAMS_DISCIPLINE);
		return 0;
	}
	for (size_t i = 0; i < NESTS; i++)
		if (nla_type(nla) == nests[i].attr)
			return weft_fields_parse_nest(nests[i].fields,
						      nest_at(p, &nests[i]),
						      nla, err);
	weft_field_parse(port_fields, p, nla);
	return 0;
}

/**
 * weft_port_params_parse() - decode the parameters of a port
 * @p: result
 * @nest: attribute that holds the parameters
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_port_params_parse(struct weft_port_params *p, struct nlattr *nest,
			   struct weft_err *err)
{
	struct nlattr *tb[WEFT_A_PORT_PARAMS_MAX + 1], *nla;
	int rem;

	*p = (struct weft_port_params) { 0 };
	if (weft_nl_nested(nest, tb, WEFT_A_PORT_PARAMS_MAX, err))
		return err->code;
	nla_for_each_nested(nla, nest, rem)
		if (parse_one(p, nla, err))
			return err->code;
	return 0;
}

static void red_json(json_t *o, const struct weft_port_params *p)
{
	json_t *all = json_array(), *one;

	for (size_t i = 0; i < WEFT_CLASSES_MAX; i++) {
		if (!p->red[i].has)
			continue;
		one = json_object();
		weft_fields_json(one, red_fields, &p->red[i]);
		json_array_append_new(all, one);
	}
	if (json_array_size(all))
		json_object_set(o, "ecn", all);
	json_decref(all);
}

/**
 * weft_port_params_json() - add the parameters of a port to a JSON object
 * @o: the JSON object
 * @p: the parameters
 */
void weft_port_params_json(json_t *o, const struct weft_port_params *p)
{
	json_t *one;

	if (p->has & WEFT_HAS(WEFT_A_PORT_PARAMS_DISCIPLINE))
		json_object_set_new(o, "discipline",
				    json_string(p->discipline));
	weft_fields_json(o, port_fields, p);
	for (size_t i = 0; i < NESTS; i++) {
		if (!*nest_at(p, &nests[i]))
			continue;
		one = json_object();
		weft_fields_json(one, nests[i].fields, nest_at(p, &nests[i]));
		json_object_set_new(o, nests[i].key, one);
	}
	red_json(o, p);
}

/**
 * weft_buffer_put() - encode the limits of a buffer
 * @msg: request
 * @type: attribute of one class
 * @b: the limits
 */
void weft_buffer_put(struct nl_msg *msg, int type, const struct weft_buffer *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		weft_fields_put_nest(msg, type, buffer_fields, &b->cls[i]);
}

/**
 * weft_buffer_add() - decode the limits of one class of a buffer
 * @b: the limits, to which they are added; more than WEFT_CLASSES_MAX are ignored
 * @nest: the attribute
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_buffer_add(struct weft_buffer *b, struct nlattr *nest,
		    struct weft_err *err)
{
	if (b->n == WEFT_CLASSES_MAX)
		return 0;
	return weft_fields_parse_nest(buffer_fields, &b->cls[b->n++], nest,
				      err);
}

/**
 * weft_buffer_json() - limits of a buffer as JSON
 * @b: the limits
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_buffer_json(const struct weft_buffer *b)
{
	json_t *a = json_array(), *one;

	for (uint32_t i = 0; i < b->n; i++) {
		one = json_object();
		weft_fields_json(one, buffer_fields, &b->cls[i]);
		json_array_append_new(a, one);
	}
	return a;
}
