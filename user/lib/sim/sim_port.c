// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parameters of ports, buffers and wires: from a plan's to the model's.
 *
 * A plan has what a topology sets. What it leaves open has the default that
 * kernel/netlink gives it, so that a lab and a simulation have the same fabric.
 */
#include "sim/sim_port.h"

#include <linux/weft.h>

#define PORT_QUANTUM	1024
#define FLOW_QUANTA	U16_MAX
#define FLOW_WATCHDOG	(200000000ULL * FAB_PS_PER_NS)
#define FLOW_BLOCKS	2048
#define FLOW_BLOCK	64
#define FLOW_HEADER	24
#define FLOW_MGMT_MADS	16
#define FLOW_MAD	290
#define FLOW_PERIOD	(4096ULL * FAB_PS_PER_NS)
#define FLOW_REFRESH	(65536 * 4ULL * FAB_PS_PER_NS)
#define FLOW_HDR	1024
#define FLOW_DATA	16384
#define FLOW_PAYLOAD	256
#define FLOW_UNIT	16
#define FLOW_REPEAT	(10000ULL * FAB_PS_PER_NS)
#define FLOW_LIMIT	4096
#define FLOW_CREDIT	128
#define FLOW_CF_MIN	6400
#define FLOW_CF_MAX	262144
#define FLOW_CC		256000000ULL
#define FLOW_LLR_REPLAY	262144
#define FLOW_LLR_ACK	2048
#define FLOW_LLR_REPEAT	(5000ULL * FAB_PS_PER_NS)
#define LINK_OVERHEAD	24
#define LINK_MIN_FRAME	60
#define LINK_UNIT	16
#define VLARB_ENTRY	((size_t)2)

static_assert((int)FAB_WATCHDOG_FORWARD == WEFT_WATCHDOG_ACTION_FORWARD, "same words");
static_assert((int)FAB_SCHED_VLARB == WEFT_SCHEDULER_VLARB, "same words");

/* The last number of a list is also that of the classes after it. */
static void take_list(uint32_t has, uint32_t bit, const struct weft_list *from,
		      u32 other, u32 to[FAB_CLASSES_MAX])
{
	bool set = has & bit && from->n;

	for (u32 cls = 0; cls < FAB_CLASSES_MAX; cls++)
		to[cls] = set ? from->v[cls < from->n ? cls : from->n - 1] : other;
}

static void take_pfc(const struct weft_pfc_params *from, struct fab_pfc_params *to)
{
	to->enable = (u16)OR(from->has, PFC_ENABLE, from->enable, 0);
	to->quanta = (u16)OR(from->has, PFC_QUANTA, from->quanta, FLOW_QUANTA);
	to->action = OR(from->has, PFC_WATCHDOG, from->watchdog, 0);
	to->poll = OR(from->has, PFC_POLL, from->poll, FLOW_WATCHDOG);
	to->detect = OR(from->has, PFC_DETECT, from->detect, FLOW_WATCHDOG);
	to->restore = OR(from->has, PFC_RESTORE, from->restore, FLOW_WATCHDOG);
}

static void take_credit(const struct weft_credit_params *from, u32 classes,
			struct fab_credit_params *to)
{
	take_list(from->has, WEFT_HAS(WEFT_A_CREDIT_BLOCKS), &from->blocks,
		  FLOW_BLOCKS, to->blocks);
	to->block = OR(from->has, CREDIT_BLOCK, from->block, FLOW_BLOCK);
	to->header = OR(from->has, CREDIT_HEADER, from->header, FLOW_HEADER);
	to->period = OR(from->has, CREDIT_PERIOD, from->period, FLOW_PERIOD);
	to->refresh = OR(from->has, CREDIT_REFRESH, from->refresh, FLOW_REFRESH);
	to->eager = OR(from->has, CREDIT_EAGER, from->eager, 1);
	if (classes <= FAB_VL_MGMT)
		to->blocks[FAB_VL_MGMT] =
			FLOW_MGMT_MADS * DIV_ROUND_UP(FLOW_MAD, to->block);
}

static void take_flit(const struct weft_flit_params *from,
		      struct fab_flit_params *to, struct fab_retry_params *retry)
{
	take_list(from->has, WEFT_HAS(WEFT_A_FLIT_HDR), &from->hdr, FLOW_HDR,
		  to->hdr);
	take_list(from->has, WEFT_HAS(WEFT_A_FLIT_DATA), &from->data, FLOW_DATA,
		  to->data);
	to->payload = OR(from->has, FLIT_PAYLOAD, from->payload, FLOW_PAYLOAD);
	to->unit = OR(from->has, FLIT_UNIT, from->unit, FLOW_UNIT);
	to->header = OR(from->has, FLIT_HEADER, from->header, FLOW_UNIT);
	retry->control = OR(from->has, FLIT_CONTROL, from->control, FLOW_UNIT);
	retry->carry = OR(from->has, FLIT_CARRY, from->carry, 1);
	retry->replay = OR(from->has, FLIT_REPLAY, from->replay, 0);
	retry->repeat = OR(from->has, FLIT_REPEAT, from->repeat, FLOW_REPEAT);
}

static void take_cbfc(const struct weft_cbfc_params *from, struct fab_cbfc_params *to)
{
	take_list(from->has, WEFT_HAS(WEFT_A_CBFC_LIMIT), &from->limit, FLOW_LIMIT,
		  to->limit);
	to->size = OR(from->has, CBFC_SIZE, from->size, FLOW_CREDIT);
	to->overhead = OR(from->has, CBFC_OVERHEAD, from->overhead, 0);
	to->spacing = OR(from->has, CBFC_SPACING, from->spacing, FLOW_CF_MIN);
	to->repeat = OR(from->has, CBFC_REPEAT, from->repeat, FLOW_CF_MAX);
	to->sync = OR(from->has, CBFC_SYNC, from->sync, FLOW_CC);
}

static void take_llr(const struct weft_llr_params *from, struct fab_retry_params *to)
{
	to->control = FAB_CTLOS;
	to->replay = OR(from->has, LLR_REPLAY, from->replay, FLOW_LLR_REPLAY);
	to->spacing = OR(from->has, LLR_SPACING, from->spacing, FLOW_LLR_ACK);
	to->repeat = OR(from->has, LLR_REPEAT, from->repeat, FLOW_LLR_REPEAT);
}

static void take_flow(const struct weft_port_params *from,
		      struct fab_port_params *to)
{
	switch (to->disc->flow->kind) {
	case FAB_FLOW_NONE:
		break;
	case FAB_FLOW_PFC:
		take_pfc(&from->pfc, &to->flow.pfc);
		break;
	case FAB_FLOW_CREDIT:
		take_credit(&from->credit, to->classes, &to->flow.credit);
		break;
	case FAB_FLOW_FLIT:
		take_flit(&from->flit, &to->flow.flit, &to->retry);
		break;
	case FAB_FLOW_CBFC:
		take_cbfc(&from->cbfc, &to->flow.cbfc);
		break;
	}
	if (to->disc->framing->size && !to->disc->framing->shares)
		take_llr(&from->llr, &to->retry);
}

static u8 take_table(const struct weft_bytes *from, struct fab_vlarb_entry *to)
{
	u32 n = min(from->n / VLARB_ENTRY, (u32)FAB_VLARB_ENTRIES);

	for (u32 i = 0; i < n; i++) {
		to[i].vl = from->v[VLARB_ENTRY * i];
		to[i].weight = from->v[VLARB_ENTRY * i + 1];
	}
	return (u8)n;
}

static void take_sched(const struct weft_port_params *from,
		       struct fab_sched_params *to)
{
	const struct weft_vlarb *v = &from->vlarb;

	to->quantum = OR(from->has, PORT_PARAMS_QUANTUM, from->quantum, PORT_QUANTUM);
	to->kind = OR(from->has, PORT_PARAMS_SCHEDULER, from->scheduler, FAB_SCHED_DRR);
	if (from->has & WEFT_HAS(WEFT_A_PORT_PARAMS_WEIGHT))
		for (u32 cls = 0; cls < from->weight.n; cls++)
			to->weight[cls] = (u16)from->weight.v[cls];
	to->vlarb.high_limit = (u8)OR(v->has, VLARB_HIGH_LIMIT, v->high_limit, 0);
	if (v->has & WEFT_HAS(WEFT_A_VLARB_HIGH))
		to->vlarb.high_entries = take_table(&v->high, to->vlarb.high);
	if (v->has & WEFT_HAS(WEFT_A_VLARB_LOW))
		to->vlarb.low_entries = take_table(&v->low, to->vlarb.low);
}

static void take_mark(const struct weft_port_params *from,
		      struct fab_mark_params *to)
{
	const struct weft_fecn *f = &from->fecn;

	to->dequeue = OR(from->has, PORT_PARAMS_MARK_AT, from->mark_at, 0) ==
		      WEFT_MARK_AT_DEQUEUE;
	for (u32 i = 0; i < WEFT_CLASSES_MAX; i++) {
		const struct weft_red *r = &from->red[i];

		if (!r->has)
			continue;
		to->red[r->cls].kmin = OR(r->has, RED_KMIN, r->kmin, 0);
		to->red[r->cls].kmax = OR(r->has, RED_KMAX, r->kmax, 0);
		to->red[r->cls].pmax = OR(r->has, RED_PMAX, r->pmax, FAB_MARK_ONE);
	}
	to->fecn.threshold = OR(f->has, FECN_THRESHOLD, f->threshold, 0);
	to->fecn.packet_size = (u16)OR(f->has, FECN_PACKET_SIZE, f->packet_size, 0);
	to->fecn.marking_rate = (u16)OR(f->has, FECN_MARKING_RATE, f->marking_rate, 0);
	to->fecn.victim = OR(f->has, FECN_VICTIM, f->victim, 0);
}

static void take_rest(const struct weft_port_params *from,
		      struct fab_port_params *to)
{
	const struct weft_trim *t = &from->trim;
	const struct weft_age *a = &from->age;

	to->react = OR(from->has, PORT_PARAMS_REACT, from->react, 0);
	to->ipd = OR(from->has, PORT_PARAMS_IPD, from->ipd, 0);
	to->age.hoq = OR(a->has, AGE_HOQ, a->hoq, 0);
	to->age.life = OR(a->has, AGE_LIFE, a->life, 0);
	to->age.stall_count = (u8)OR(a->has, AGE_STALL_COUNT, a->stall_count, 0);
	to->trim.classes = (u16)OR(t->has, TRIM_CLASSES, t->classes, 0);
	to->trim.cls = (u8)OR(t->has, TRIM_CLASS, t->cls, 0);
	to->trim.len = OR(t->has, TRIM_LEN, t->len, 0);
}

/**
 * weft_sim_port() - parameters of a port
 * @from: those of the plan
 * @classes: number of classes, if the plan has none
 * @queue_limit: bytes of a queue, if the plan has none
 * @to: result
 */
void weft_sim_port(const struct weft_port_params *from, uint32_t classes,
		   uint32_t queue_limit, struct fab_port_params *to)
{
	*to = (struct fab_port_params) { .disc = &fab_drop_tail };
	if (from->has & WEFT_HAS(WEFT_A_PORT_PARAMS_DISCIPLINE))
		to->disc = fab_discipline_find(from->discipline);
	to->classes = OR(from->has, PORT_PARAMS_CLASSES, from->classes, classes);
	to->queue_limit = OR(from->has, PORT_PARAMS_QUEUE_LIMIT,
			     from->queue_limit, queue_limit);
	take_flow(from, to);
	take_sched(from, &to->sched);
	take_mark(from, &to->mark);
	take_rest(from, to);
}

/**
 * weft_sim_buffer() - limits of the classes in a buffer
 * @from: those of the plan; without any, there are no accounts
 * @to: result, whose total is set
 */
void weft_sim_buffer(const struct weft_buffer *from, struct fab_buffer_params *to)
{
	if (!from->n)
		return;
	to->accounts = true;
	for (u32 cls = 0; cls < FAB_CLASSES_MAX; cls++)
		to->cls[cls].threshold = to->total;
	for (u32 i = 0; i < from->n; i++) {
		const struct weft_buffer_class *c = &from->cls[i];
		struct fab_account_params *a = &to->cls[c->cls];

		a->reserve = OR(c->has, BUFFER_CLASS_RESERVE, c->reserve, 0);
		a->headroom = OR(c->has, BUFFER_CLASS_HEADROOM, c->headroom, 0);
		a->xon = OR(c->has, BUFFER_CLASS_XON, c->xon, 0);
		a->threshold = OR(c->has, BUFFER_CLASS_THRESHOLD, c->threshold,
				  a->threshold);
		a->dynamic = c->has & WEFT_HAS(WEFT_A_BUFFER_CLASS_ALPHA);
		a->alpha = a->dynamic ? (s8)c->alpha : 0;
	}
}

/**
 * weft_sim_wire() - parameters of a wire
 * @from: those of the plan
 * @to: result
 */
void weft_sim_wire(const struct weft_wire *from, struct fab_wire_params *to)
{
#define WIRE(attr, value, other) (from->has & WEFT_WIRE_HAS_##attr ? (value) : (other))
	*to = (struct fab_wire_params) {
		.rate_bps = from->rate,
		.propagation = WIRE(PROPAGATION, from->propagation, 0),
		.overhead = WIRE(OVERHEAD, from->overhead, LINK_OVERHEAD),
		.min_frame = WIRE(MIN_FRAME, from->min_frame, LINK_MIN_FRAME),
		.bits_per_error = WIRE(BITS_PER_ERROR, from->bits_per_error, 0),
		.payload = WIRE(PAYLOAD, from->payload, 0),
		.unit = WIRE(UNIT, from->unit, LINK_UNIT),
		.lanes = (u16)WIRE(LANES, from->lanes, 1),
	};
	to->lanes_up = (u16)WIRE(LANES_UP, from->lanes_up, to->lanes);
#undef WIRE
}
