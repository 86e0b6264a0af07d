// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The group "port": parameters that both ends of a link have in common.
 *
 * A table has for each key the flow controls that have it, the type of its value and
 * the member that it sets.
 */
#include "topology/topo_port.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#include "base/units.h"
#include "netlink/discipline.h"

#define PPM		1000000
#define VLARB_ENTRY	2
#define BLOCK_DEFAULT	64
#define CREDIT_DEFAULT	128

/* The flow controls that have a key. */
#define ANY		0xff
#define PFC		(1 << WEFT_FLOW_PFC)
#define PAUSES		(1 << WEFT_FLOW_PAUSE | 1 << WEFT_FLOW_PFC)
#define CREDIT		(1 << WEFT_FLOW_CREDIT)
#define FLITS		(1 << WEFT_FLOW_FLIT)
#define CBFC		(1 << WEFT_FLOW_CBFC)
#define TRIMS		(1 << WEFT_FLOW_NONE | PAUSES | CBFC)

static const char *const onoff[] = { "off", "on", NULL };
static const char *const schedulers[] = { "drr", "vlarb", NULL };
static const char *const actions[] = { "off", "drop", "forward", NULL };
static const char *const marks[] = { "enqueue", "dequeue", NULL };

/**
 * enum kind - type of the value of a key
 * @NUMBER: a number, u32
 * @SIZE: bytes, u32
 * @TIME: a time, u64
 * @CHOICE: one of several words, u32
 * @FRACTION: a probability, u32 in ppm
 * @NUMBERS: a list of numbers, struct weft_list
 * @SIZES: a list of sizes in bytes, struct weft_list
 * @BITS: a list of classes, u32 with a bit for each
 * @LEVELS: a class for each service level, struct weft_bytes
 * @ENTRIES: a list of VL:weight, struct weft_bytes
 */
enum kind {
	NUMBER,
	SIZE,
	TIME,
	CHOICE,
	FRACTION,
	NUMBERS,
	SIZES,
	BITS,
	LEVELS,
	ENTRIES,
};

/**
 * struct key - one key
 * @name: the key; "ecn.kmin" for one in a group
 * @flows: bit per flow control that has it
 * @kind: type of its value
 * @raw: offset of its text in struct weft_raw_port
 * @to: offset of its value in struct weft_topo_port
 * @has: offset of the bits of set values in struct weft_topo_port
 * @bit: its bit there
 * @lo: least value
 * @hi: largest value
 * @words: words of a choice, NULL-terminated
 */
struct key {
	const char *name;
	unsigned int flows;
	enum kind kind;
	size_t raw;
	size_t to;
	size_t has;
	uint32_t bit;
	uint64_t lo;
	uint64_t hi;
	const char *const *words;
};

#define RAW(member)	offsetof(struct weft_raw_port, member)
#define TO(member)	offsetof(struct weft_topo_port, member)

#define P(name, flow, kind, raw, member, attr, lo, hi, words)		\
	{ name, flow, kind, RAW(raw), TO(p.member), TO(p.has),		\
	  WEFT_HAS(WEFT_A_PORT_PARAMS_##attr), lo, hi, words }
#define S(name, flow, kind, raw, nest, member, attr, lo, hi, words)	\
	{ name, flow, kind, RAW(raw), TO(p.nest.member), TO(p.nest.has), \
	  WEFT_HAS(WEFT_A_##attr), lo, hi, words }
#define E(name, kind, raw, member, attr, lo, hi, words)			\
	{ name, ANY, kind, RAW(raw), TO(ecn.member), TO(ecn.has),	\
	  WEFT_HAS(WEFT_A_RED_##attr), lo, hi, words }

static const struct key keys[] = {
	P("classes", ANY, NUMBER, classes, classes, CLASSES, 1,
	  WEFT_CLASSES_MAX, NULL),
	P("react", ANY, TIME, react, react, REACT, 0, 0, NULL),
	P("scheduler", ANY, CHOICE, scheduler, scheduler, SCHEDULER, 0, 0,
	  schedulers),
	P("weights", ANY, NUMBERS, weights, weight, WEIGHT, 0, 65535, NULL),
	P("quantum", ANY, SIZE, quantum, quantum, QUANTUM, 1, UINT32_MAX,
	  NULL),
	S("vlarb-high", ANY, ENTRIES, vlarb_high, vlarb, high, VLARB_HIGH, 0,
	  0, NULL),
	S("vlarb-low", ANY, ENTRIES, vlarb_low, vlarb, low, VLARB_LOW, 0, 0,
	  NULL),
	S("high-limit", ANY, NUMBER, high_limit, vlarb, high_limit,
	  VLARB_HIGH_LIMIT, 0, 255, NULL),
	P("ipd", ANY, NUMBER, ipd, ipd, IPD, 0, 1023, NULL),
	P("sl2vl", ANY, LEVELS, sl2vl, vl, VL, 0, WEFT_CLASSES_MAX - 1, NULL),
	S("hoq-life", ANY, TIME, hoq_life, age, hoq, AGE_HOQ, 0, 0, NULL),
	S("switch-life", ANY, TIME, switch_life, age, life, AGE_LIFE, 0, 0,
	  NULL),
	S("stall-count", ANY, NUMBER, stall_count, age, stall_count,
	  AGE_STALL_COUNT, 0, 255, NULL),
	E("ecn.classes", BITS, ecn.classes, cls, CLASS, 0,
	  WEFT_CLASSES_MAX - 1, NULL),
	E("ecn.kmin", SIZE, ecn.kmin, kmin, KMIN, 0, UINT32_MAX, NULL),
	E("ecn.kmax", SIZE, ecn.kmax, kmax, KMAX, 0, UINT32_MAX, NULL),
	E("ecn.pmax", FRACTION, ecn.pmax, pmax, PMAX, 0, 0, NULL),
	P("ecn.at", ANY, CHOICE, ecn.at, mark_at, MARK_AT, 0, 0, marks),
	S("fecn.threshold", ANY, SIZE, fecn.threshold, fecn, threshold,
	  FECN_THRESHOLD, 0, UINT32_MAX, NULL),
	S("fecn.packet-size", ANY, NUMBER, fecn.packet_size, fecn, packet_size,
	  FECN_PACKET_SIZE, 0, 65535, NULL),
	S("fecn.marking-rate", ANY, NUMBER, fecn.marking_rate, fecn,
	  marking_rate, FECN_MARKING_RATE, 0, 65535, NULL),
	S("fecn.victim", ANY, CHOICE, fecn.victim, fecn, victim, FECN_VICTIM,
	  0, 0, onoff),
	S("trim.classes", TRIMS, BITS, trim.classes, trim,
	  classes, TRIM_CLASSES, 0, WEFT_CLASSES_MAX - 1, NULL),
	S("trim.to-class", TRIMS, NUMBER, trim.to_class,
	  trim, cls, TRIM_CLASS, 0, WEFT_CLASSES_MAX - 1, NULL),
	S("trim.length", TRIMS, SIZE, trim.length, trim, len,
	  TRIM_LEN, 14, 4096, NULL),
	S("pfc", PFC, BITS, pfc, pfc, enable, PFC_ENABLE, 0, 7, NULL),
	S("pause-quanta", PAUSES, NUMBER, pause_quanta, pfc, quanta,
	  PFC_QUANTA, 4, 65535, NULL),
	S("watchdog", PAUSES, CHOICE, watchdog, pfc, watchdog, PFC_WATCHDOG, 0,
	  0, actions),
	S("watchdog-poll", PAUSES, TIME, watchdog_poll, pfc, poll, PFC_POLL, 1,
	  0, NULL),
	S("watchdog-detect", PAUSES, TIME, watchdog_detect, pfc, detect,
	  PFC_DETECT, 1, 0, NULL),
	S("watchdog-restore", PAUSES, TIME, watchdog_restore, pfc, restore,
	  PFC_RESTORE, 1, 0, NULL),
	S("credit-buffer", CREDIT, SIZES, credit_buffer, credit, blocks,
	  CREDIT_BLOCKS, 64, UINT32_MAX, NULL),
	S("credit-block", CREDIT, SIZE, credit_block, credit, block,
	  CREDIT_BLOCK, 64, 4096, NULL),
	S("credit-header", CREDIT, NUMBER, credit_header, credit, header,
	  CREDIT_HEADER, 0, 256, NULL),
	S("credit-period", CREDIT, TIME, credit_period, credit, period,
	  CREDIT_PERIOD, 1, 0, NULL),
	S("credit-eager", CREDIT, CHOICE, credit_eager, credit, eager,
	  CREDIT_EAGER, 0, 0, onoff),
	S("credit-refresh", CREDIT, TIME, credit_refresh, credit, refresh,
	  CREDIT_REFRESH, 0, 0, NULL),
	S("header-credits", FLITS, NUMBERS, header_credits, flit, hdr,
	  FLIT_HDR, 1, 1048576, NULL),
	S("data-credits", FLITS, NUMBERS, data_credits, flit, data, FLIT_DATA,
	  1, 16777216, NULL),
	S("data-unit", FLITS, SIZE, data_unit, flit, unit, FLIT_UNIT, 1, 256,
	  NULL),
	S("replay-buffer", FLITS, SIZE, replay_buffer, flit, replay,
	  FLIT_REPLAY, 0, 1 << 30, NULL),
	S("flit-control", FLITS, SIZE, flit_control, flit, control,
	  FLIT_CONTROL, 1, 256, NULL),
	S("flit-carry", FLITS, CHOICE, flit_carry, flit, carry, FLIT_CARRY, 0,
	  0, onoff),
	S("flit-repeat", FLITS, TIME, flit_repeat, flit, repeat, FLIT_REPEAT,
	  1, 0, NULL),
	S("vc-buffer", CBFC, SIZES, vc_buffer, cbfc, limit, CBFC_LIMIT, 0,
	  UINT32_MAX, NULL),
	S("credit-size", CBFC, SIZE, credit_size, cbfc, size, CBFC_SIZE, 1,
	  4096, NULL),
	S("credit-overhead", CBFC, NUMBER, credit_overhead, cbfc, overhead,
	  CBFC_OVERHEAD, 0, 127, NULL),
	S("credit-spacing", CBFC, SIZE, credit_spacing, cbfc, spacing,
	  CBFC_SPACING, 0, 1 << 30, NULL),
	S("credit-repeat", CBFC, SIZE, credit_repeat, cbfc, repeat, CBFC_REPEAT,
	  0, 1 << 30, NULL),
	S("credit-sync", CBFC, TIME, credit_sync, cbfc, sync, CBFC_SYNC, 1, 0,
	  NULL),
	S("llr-buffer", CBFC, SIZE, llr_buffer, llr, replay, LLR_REPLAY, 0,
	  1 << 30, NULL),
	S("llr-spacing", CBFC, SIZE, llr_spacing, llr, spacing, LLR_SPACING, 1,
	  1 << 30, NULL),
	S("llr-repeat", CBFC, TIME, llr_repeat, llr, repeat, LLR_REPEAT, 1, 0,
	  NULL),
};

static bool is_list(const struct key *k)
{
	return k->kind >= NUMBERS;
}

/* A list may be given and empty, so look for its key. */
static bool is_there(const struct weft_place *at, const struct key *k,
		     const struct weft_raw_port *raw)
{
	char path[WEFT_PATH_MAX + 32];

	if (!is_list(k))
		return *(char *const *)((const char *)raw + k->raw);
	snprintf(path, sizeof(path), "%s%s%s", at->path, *at->path ? "." : "",
		 k->name);
	return weft_yaml_has(at->yaml, path);
}

static int take_fraction(const struct weft_place *at, const struct key *k,
			 const char *text, uint32_t *ppm, struct weft_err *err)
{
	if (!weft_parse_fraction(text, ppm, err))
		return 0;
	return weft_place_fail(at, k->name, err, "%s: %s", k->name, err->msg);
}

static int take_u32(const struct weft_place *at, const struct key *k,
		    const char *name, const char *text, uint32_t *v,
		    struct weft_err *err)
{
	uint64_t n = 0;
	int ret;

	if (k->kind == SIZE || k->kind == SIZES)
		ret = weft_take_size(at, name, text, k->lo, k->hi, &n, err);
	else
		ret = weft_take_number(at, name, text, k->lo, k->hi, &n, err);
	*v = (uint32_t)n;
	return ret;
}

static int take_time(const struct weft_place *at, const struct key *k,
		     const char *text, uint64_t *ps, struct weft_err *err)
{
	if (weft_take_time(at, k->name, text, ps, err))
		return err->code;
	if (*ps >= k->lo)
		return 0;
	return weft_place_fail(at, k->name, err,
			       "%s: \"%s\": expected 1ps at least", k->name,
			       text);
}

/* "VL:weight", in the notation of OpenSM. */
static int take_entry(const struct weft_place *at, const char *name,
		      const char *text, uint8_t *to, struct weft_err *err)
{
	unsigned int vl, weight;
	int n = 0;

	if (sscanf(text, "%2u:%3u%n", &vl, &weight, &n) == 2 && !text[n] &&
	    vl < WEFT_CLASSES_MAX - 1 && weight <= 255) {
		to[0] = (uint8_t)vl;
		to[1] = (uint8_t)weight;
		return 0;
	}
	return weft_place_fail(at, name, err,
			       "\"%.40s\": expected VL:weight, 0 to 14 and 0 to 255, such as 0:64",
			       text);
}

static int take_item(const struct weft_place *at, const struct key *k,
		     unsigned int i, const char *text, void *to,
		     struct weft_err *err)
{
	struct weft_bytes *bytes = to;
	struct weft_list *list = to;
	char name[48];
	uint32_t v = 0;

	snprintf(name, sizeof(name), "%s[%u]", k->name, i);
	if (k->kind == ENTRIES) {
		bytes->n = VLARB_ENTRY * (i + 1);
		return take_entry(at, name, text,
				  bytes->v + (size_t)VLARB_ENTRY * i, err);
	}
	if (take_u32(at, k, name, text, &v, err))
		return err->code;
	if (k->kind == BITS) {
		*(uint32_t *)to |= 1U << v;
	} else if (k->kind == LEVELS) {
		bytes->n = i + 1;
		bytes->v[i] = (uint8_t)v;
	} else {
		list->n = i + 1;
		list->v[i] = v;
	}
	return 0;
}

static int take_list(const struct weft_place *at, const struct key *k,
		     const struct weft_raw_list *raw, void *to,
		     struct weft_err *err)
{
	/* Clear the bits, or the number of entries, which is the first member of a list. */
	*(uint32_t *)to = 0;
	if (k->kind == LEVELS && raw->n != WEFT_CLASSES_MAX)
		return weft_place_fail(at, k->name, err,
				       "%s: expected %d entries, found %u",
				       k->name, WEFT_CLASSES_MAX, raw->n);
	for (unsigned int i = 0; i < raw->n; i++)
		if (take_item(at, k, i, raw->v[i], to, err))
			return err->code;
	return 0;
}

static int take_value(const struct weft_place *at, const struct key *k,
		      const struct weft_raw_port *raw,
		      struct weft_topo_port *port, struct weft_err *err)
{
	const void *from = (const char *)raw + k->raw;
	void *to = (char *)port + k->to;
	const char *text;

	*(uint32_t *)((char *)port + k->has) |= k->bit;
	if (is_list(k))
		return take_list(at, k, from, to, err);
	text = *(char *const *)from;
	switch (k->kind) {
	case TIME:
		return take_time(at, k, text, to, err);
	case CHOICE:
		return weft_take_choice(at, k->name, text, k->words, to, err);
	case FRACTION:
		return take_fraction(at, k, text, to, err);
	default:
		return take_u32(at, k, k->name, text, to, err);
	}
}

static bool knows(const struct weft_topo_port *port, const struct key *k)
{
	const struct weft_discipline *d = weft_port_discipline(&port->p);

	if (k->has == TO(p.llr.has) && !d->llr)
		return false;
	return k->flows & 1U << d->flow;
}

/* Clear the parameters that the new discipline does not have. */
static void forget(struct weft_topo_port *port)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!knows(port, &keys[i]))
			*(uint32_t *)((char *)port + keys[i].has) &=
				~keys[i].bit;
}

static int take_discipline(const struct weft_place *at, const char *text,
			   struct weft_topo_port *port, struct weft_err *err)
{
	const char *names[WEFT_DISCIPLINES_MAX + 1];
	uint32_t d = 0;

	if (!text)
		return 0;
	weft_discipline_names(names);
	if (weft_take_choice(at, "discipline", text, names, &d, err))
		return err->code;
	snprintf(port->p.discipline, sizeof(port->p.discipline), "%s",
		 names[d]);
	port->p.has |= WEFT_HAS(WEFT_A_PORT_PARAMS_DISCIPLINE);
	forget(port);
	return 0;
}

static int check_together(const struct weft_place *at,
			  const struct weft_topo_port *port,
			  struct weft_err *err)
{
	const struct weft_red *ecn = &port->ecn;
	uint32_t block = port->p.credit.block;

	if (ecn->kmax && ecn->kmin > ecn->kmax)
		return weft_place_fail(at, "ecn.kmin", err,
				       "ecn.kmin: %u is above kmax %u",
				       ecn->kmin, ecn->kmax);
	if (block & (block - 1))
		return weft_place_fail(at, "credit-block", err,
				       "credit-block: %u: expected a power of two",
				       block);
	return 0;
}

/**
 * weft_port_group() - parse a group "port"
 * @at: place of the group
 * @raw: its text
 * @port: result; a parameter that is absent is not changed
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_port_group(const struct weft_place *at,
		    const struct weft_raw_port *raw,
		    struct weft_topo_port *port, struct weft_err *err)
{
	if (take_discipline(at, raw->discipline, port, err))
		return err->code;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const struct key *k = &keys[i];

		if (!is_there(at, k, raw))
			continue;
		if (!knows(port, k))
			return weft_place_fail(at, k->name, err,
					       "%s: the discipline is %s",
					       k->name,
					       weft_port_discipline(&port->p)->name);
		if (take_value(at, k, raw, port, err))
			return err->code;
	}
	return check_together(at, port, err);
}

static void finish_ecn(const struct weft_topo_port *port,
		       struct weft_port_params *p)
{
	uint32_t class_bit = WEFT_HAS(WEFT_A_RED_CLASS), classes = ~0U;

	if (!(port->ecn.has & WEFT_HAS(WEFT_A_RED_KMAX)) || !port->ecn.kmax)
		return;
	if (port->ecn.has & class_bit)
		classes = port->ecn.cls;
	for (uint32_t i = 0; i < weft_port_classes(p); i++) {
		if (!(classes & 1U << i))
			continue;
		p->red[i] = port->ecn;
		p->red[i].has |= class_bit;
		p->red[i].cls = i;
	}
}

/* The file has bytes, the kernel needs blocks. */
static void finish_credit(struct weft_credit_params *c)
{
	uint32_t block = c->has & WEFT_HAS(WEFT_A_CREDIT_BLOCK) ?
			 c->block : BLOCK_DEFAULT;

	for (uint32_t i = 0; i < c->blocks.n; i++)
		c->blocks.v[i] /= block;
}

/* Bytes of credits, rounded down; a buffer smaller than one is a mistake. */
static void finish_cbfc(struct weft_cbfc_params *c)
{
	uint32_t size = c->has & WEFT_HAS(WEFT_A_CBFC_SIZE) ? c->size : CREDIT_DEFAULT;

	for (uint32_t i = 0; i < c->limit.n; i++)
		if (c->limit.v[i])
			c->limit.v[i] = c->limit.v[i] / size ? c->limit.v[i] / size : 1;
}

static void finish_flit(struct weft_flit_params *f, const struct weft_wire *w)
{
	if (!w->payload)
		return;
	f->payload = w->payload;
	if (!(f->has & WEFT_HAS(WEFT_A_FLIT_UNIT)))
		f->unit = w->unit;
	f->header = w->overhead;
	f->has |= WEFT_HAS(WEFT_A_FLIT_PAYLOAD) | WEFT_HAS(WEFT_A_FLIT_UNIT) |
		  WEFT_HAS(WEFT_A_FLIT_HEADER);
}

/**
 * weft_port_finish() - make the parameters of a port for the kernel
 * @port: parameters of the group "port"
 * @own: queue limit and classes of the switch or NIC
 * @w: a link of the port
 * @p: result
 */
void weft_port_finish(const struct weft_topo_port *port,
		      const struct weft_port_params *own,
		      const struct weft_wire *w, struct weft_port_params *p)
{
	uint32_t classes = WEFT_HAS(WEFT_A_PORT_PARAMS_CLASSES);
	uint32_t limit = WEFT_HAS(WEFT_A_PORT_PARAMS_QUEUE_LIMIT);
	struct weft_port_params mine = *own;

	*p = port->p;
	p->has |= mine.has & (classes | limit);
	if (mine.has & classes)
		p->classes = mine.classes;
	p->queue_limit = mine.queue_limit;
	finish_ecn(port, p);
	finish_credit(&p->credit);
	finish_cbfc(&p->cbfc);
	if (weft_port_discipline(&port->p)->flow == WEFT_FLOW_FLIT)
		finish_flit(&p->flit, w);
}

/**
 * weft_port_classes() - number of classes of a port
 * @p: its parameters
 *
 * Return: the number, 8 by default.
 */
uint32_t weft_port_classes(const struct weft_port_params *p)
{
	return p->has & WEFT_HAS(WEFT_A_PORT_PARAMS_CLASSES) ? p->classes :
							       8;
}

static uint32_t cbfc_lossless(const struct weft_cbfc_params *c, uint32_t all)
{
	uint32_t lossless = 0;

	if (!(c->has & WEFT_HAS(WEFT_A_CBFC_LIMIT)) || !c->limit.n)
		return all;
	for (uint32_t i = 0; i < WEFT_CLASSES_MAX; i++)
		if (c->limit.v[i < c->limit.n ? i : c->limit.n - 1])
			lossless |= 1U << i;
	return lossless & all;
}

/**
 * weft_port_lossless() - lossless classes of a port
 * @p: parameters of the port
 *
 * Return: bit per class whose packets flow control keeps from being dropped.
 */
uint32_t weft_port_lossless(const struct weft_port_params *p)
{
	uint32_t all = (1U << weft_port_classes(p)) - 1;

	enum weft_flow_control flow = weft_port_discipline(p)->flow;

	if (flow == WEFT_FLOW_NONE)
		return 0;
	if (flow == WEFT_FLOW_CBFC)
		return cbfc_lossless(&p->cbfc, all);
	if (flow != WEFT_FLOW_PFC)
		return all;
	return p->pfc.has & WEFT_HAS(WEFT_A_PFC_ENABLE) ? p->pfc.enable & all :
							  0;
}
