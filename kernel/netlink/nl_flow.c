// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: parameters of flow control and of retry.
 *
 * Each kind of flow control has one nest in the parameters of a port. A nest of
 * another kind than the port's is refused, as it would have no effect.
 */
#include <linux/string.h>

#include "fabric/fabric.h"
#include "netlink/nl_priv.h"

#define FLOW_QUANTA	U16_MAX			/* the longest pause */
#define FLOW_WATCHDOG	(200 * 1000 * 1000 * FAB_PS_PER_NS)
#define FLOW_BLOCKS	2048			/* the most that can be granted */
#define FLOW_BLOCK	64
#define FLOW_HEADER	24			/* LRH to VCRC, without the frame */
#define FLOW_MGMT_MADS	16			/* an assumption */
#define FLOW_MAD	290			/* bytes of a MAD, LRH to VCRC */
#define FLOW_PERIOD	(4096 * FAB_PS_PER_NS)
#define FLOW_REFRESH	(65536 * 4 * FAB_PS_PER_NS)
#define FLOW_HDR	1024
#define FLOW_DATA	16384
#define FLOW_PAYLOAD	256
#define FLOW_UNIT	16
#define FLOW_REPEAT	(10 * 1000 * FAB_PS_PER_NS)
#define FLOW_LIMIT	4096			/* 512 KiB */
#define FLOW_CREDIT	128			/* SAI's CBFC_SENDER_CREDIT_SIZE */
#define FLOW_CF_MIN	6400			/* SAI's CBFC_CF_MIN_SPACING */
#define FLOW_CF_MAX	262144			/* SAI's CBFC_CF_MAX_SPACING */
#define FLOW_CC		(256ULL * 1000 * 1000)	/* SAI's CBFC_CC_MESSAGE_TIMER */
#define FLOW_LLR_REPLAY	262144			/* SONiC's example for 400 Gb/s */
#define FLOW_LLR_ACK	2048			/* SAI's CTLOS_TARGET_SPACING */
#define FLOW_LLR_REPEAT	(5 * 1000 * FAB_PS_PER_NS)

/**
 * struct flow_nest - parameters of one kind
 */
struct flow_nest {
	/** @name: name of the parameters in messages */
	const char *name;
	/** @attr: attribute of the nest */
	int attr;
	/** @init: set the defaults */
	void (*init)(struct fab_port_params *p);
	/** @get: read the nest */
	int (*get)(const struct nlattr *nest, struct fab_port_params *p,
		   struct netlink_ext_ack *extack);
	/**
	 * @check: check that values fit together; errors refer to @nest, which may be NULL.
	 * NULL: they always do
	 */
	int (*check)(const struct nlattr *nest, const struct fab_port_params *p,
		     struct netlink_ext_ack *extack);
	/** @put: put the contents of the nest */
	int (*put)(struct sk_buff *skb, const struct fab_port_params *p);
};

/* Read a number for each class; the last one also applies to the classes after it. */
static int flow_get_list(const struct nlattr *nest, int type,
			 const struct fab_port_params *p,
			 u32 list[FAB_CLASSES_MAX],
			 struct netlink_ext_ack *extack)
{
	const struct nlattr *nla;
	u32 n = 0;
	int rem;

	nla_for_each_nested(nla, nest, rem) {
		if (nla_type(nla) != type)
			continue;
		if (n >= p->classes) {
			NL_SET_ERR_MSG_ATTR_FMT(extack, nla,
						"more values than classes (%u)",
						p->classes);
			return -EINVAL;
		}
		list[n++] = nla_get_u32(nla);
	}
	if (n)
		memset32(&list[n], list[n - 1], FAB_CLASSES_MAX - n);
	return 0;
}

static int flow_put_list(struct sk_buff *skb, int type,
			 const struct fab_port_params *p,
			 const u32 list[FAB_CLASSES_MAX])
{
	u32 cls;

	for (cls = 0; cls < p->classes; cls++)
		if (nla_put_u32(skb, type, list[cls]))
			return -EMSGSIZE;
	return 0;
}

static bool pfc_is_link(const struct fab_port_params *p)
{
	return p->disc->flow->pauses == FAB_PAUSES_LINK;
}

static void pfc_init(struct fab_port_params *p)
{
	p->flow.pfc.quanta = FLOW_QUANTA;
	p->flow.pfc.poll = FLOW_WATCHDOG;
	p->flow.pfc.detect = FLOW_WATCHDOG;
	p->flow.pfc.restore = FLOW_WATCHDOG;
}

static int pfc_get(const struct nlattr *nest, struct fab_port_params *p,
		   struct netlink_ext_ack *extack)
{
	struct fab_pfc_params *pfc = &p->flow.pfc;
	struct nlattr *tb[WEFT_A_PFC_MAX + 1];
	int err;

	err = nla_parse_nested(tb, WEFT_A_PFC_MAX, nest, weft_pfc_nl_policy,
			       extack);
	if (err)
		return err;
	if (tb[WEFT_A_PFC_ENABLE] && pfc_is_link(p)) {
		NL_SET_ERR_MSG_ATTR_FMT(extack, tb[WEFT_A_PFC_ENABLE],
					"discipline %s stops all classes, enable is for pfc",
					p->disc->name);
		return -EINVAL;
	}
	pfc->enable = weft_nl_u32_or(tb[WEFT_A_PFC_ENABLE], pfc->enable);
	pfc->quanta = weft_nl_u32_or(tb[WEFT_A_PFC_QUANTA], pfc->quanta);
	pfc->action = weft_nl_u32_or(tb[WEFT_A_PFC_WATCHDOG], pfc->action);
	pfc->poll = weft_nl_u64_or(tb[WEFT_A_PFC_POLL], pfc->poll);
	pfc->detect = weft_nl_u64_or(tb[WEFT_A_PFC_DETECT], pfc->detect);
	pfc->restore = weft_nl_u64_or(tb[WEFT_A_PFC_RESTORE], pfc->restore);
	return 0;
}

static int pfc_check(const struct nlattr *nest, const struct fab_port_params *p,
		     struct netlink_ext_ack *extack)
{
	BUILD_BUG_ON((int)FAB_WATCHDOG_FORWARD != WEFT_WATCHDOG_ACTION_FORWARD);
	if (pfc_is_link(p))
		return 0;
	if (p->classes > FAB_CONTROL_QUANTA) {
		NL_SET_ERR_MSG_ATTR_FMT(extack, nest,
					"discipline %s has at most %u classes, not %u",
					p->disc->name, FAB_CONTROL_QUANTA,
					p->classes);
		return -EINVAL;
	}
	if (p->flow.pfc.enable >> p->classes) {
		NL_SET_ERR_MSG_ATTR_FMT(extack, nest,
					"enable 0x%x has classes beyond the last one, %u",
					p->flow.pfc.enable, p->classes - 1);
		return -EINVAL;
	}
	return 0;
}

static int pfc_put(struct sk_buff *skb, const struct fab_port_params *p)
{
	const struct fab_pfc_params *pfc = &p->flow.pfc;

	if (!pfc_is_link(p) &&
	    nla_put_u32(skb, WEFT_A_PFC_ENABLE, pfc->enable))
		return -EMSGSIZE;
	return nla_put_u32(skb, WEFT_A_PFC_QUANTA, pfc->quanta) ?:
	       nla_put_u32(skb, WEFT_A_PFC_WATCHDOG, pfc->action) ?:
	       weft_nl_put_u64(skb, WEFT_A_PFC_POLL, pfc->poll) ?:
	       weft_nl_put_u64(skb, WEFT_A_PFC_DETECT, pfc->detect) ?:
	       weft_nl_put_u64(skb, WEFT_A_PFC_RESTORE, pfc->restore);
}

/*
 * Blocks of VL 15 where no class stands for it. IBTA asks for room for one packet; how
 * many hardware takes is not published.
 */
static u32 credit_mgmt_blocks(const struct fab_credit_params *c)
{
	return FLOW_MGMT_MADS * DIV_ROUND_UP(FLOW_MAD, c->block);
}

static void credit_init(struct fab_port_params *p)
{
	struct fab_credit_params *c = &p->flow.credit;

	memset32(c->blocks, FLOW_BLOCKS, FAB_CLASSES_MAX);
	c->block = FLOW_BLOCK;
	c->header = FLOW_HEADER;
	c->period = FLOW_PERIOD;
	c->refresh = FLOW_REFRESH;
	c->eager = true;
	if (p->classes <= FAB_VL_MGMT)
		c->blocks[FAB_VL_MGMT] = credit_mgmt_blocks(c);
}

static int credit_get(const struct nlattr *nest, struct fab_port_params *p,
		      struct netlink_ext_ack *extack)
{
	struct fab_credit_params *c = &p->flow.credit;
	struct nlattr *tb[WEFT_A_CREDIT_MAX + 1];
	int err;

	err = nla_parse_nested(tb, WEFT_A_CREDIT_MAX, nest,
			       weft_credit_nl_policy, extack);
	if (err)
		return err;
	c->block = weft_nl_u32_or(tb[WEFT_A_CREDIT_BLOCK], c->block);
	c->header = weft_nl_u32_or(tb[WEFT_A_CREDIT_HEADER], c->header);
	c->period = weft_nl_u64_or(tb[WEFT_A_CREDIT_PERIOD], c->period);
	c->refresh = weft_nl_u64_or(tb[WEFT_A_CREDIT_REFRESH], c->refresh);
	c->eager = weft_nl_u32_or(tb[WEFT_A_CREDIT_EAGER], c->eager);
	err = flow_get_list(nest, WEFT_A_CREDIT_BLOCKS, p, c->blocks, extack);
	if (p->classes <= FAB_VL_MGMT)
		c->blocks[FAB_VL_MGMT] = credit_mgmt_blocks(c);
	return err;
}

static int credit_check(const struct nlattr *nest,
			const struct fab_port_params *p,
			struct netlink_ext_ack *extack)
{
	if (is_power_of_2(p->flow.credit.block))
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(extack, nest,
				"block must be a power of two, not %u",
				p->flow.credit.block);
	return -EINVAL;
}

static int credit_put(struct sk_buff *skb, const struct fab_port_params *p)
{
	const struct fab_credit_params *c = &p->flow.credit;

	return flow_put_list(skb, WEFT_A_CREDIT_BLOCKS, p, c->blocks) ?:
	       nla_put_u32(skb, WEFT_A_CREDIT_BLOCK, c->block) ?:
	       nla_put_u32(skb, WEFT_A_CREDIT_HEADER, c->header) ?:
	       weft_nl_put_u64(skb, WEFT_A_CREDIT_PERIOD, c->period) ?:
	       weft_nl_put_u64(skb, WEFT_A_CREDIT_REFRESH, c->refresh) ?:
	       nla_put_u32(skb, WEFT_A_CREDIT_EAGER, c->eager);
}

static void flit_init(struct fab_port_params *p)
{
	struct fab_flit_params *f = &p->flow.flit;

	memset32(f->hdr, FLOW_HDR, FAB_CLASSES_MAX);
	memset32(f->data, FLOW_DATA, FAB_CLASSES_MAX);
	f->payload = FLOW_PAYLOAD;
	f->unit = FLOW_UNIT;
	f->header = FLOW_UNIT;
	p->retry.control = FLOW_UNIT;
	p->retry.carry = true;
	p->retry.repeat = FLOW_REPEAT;
}

static int flit_get(const struct nlattr *nest, struct fab_port_params *p,
		    struct netlink_ext_ack *extack)
{
	struct fab_flit_params *f = &p->flow.flit;
	struct fab_retry_params *r = &p->retry;
	struct nlattr *tb[WEFT_A_FLIT_MAX + 1];
	int err;

	err = nla_parse_nested(tb, WEFT_A_FLIT_MAX, nest, weft_flit_nl_policy,
			       extack);
	if (err)
		return err;
	f->payload = weft_nl_u32_or(tb[WEFT_A_FLIT_PAYLOAD], f->payload);
	f->unit = weft_nl_u32_or(tb[WEFT_A_FLIT_UNIT], f->unit);
	r->replay = weft_nl_u32_or(tb[WEFT_A_FLIT_REPLAY], r->replay);
	f->header = weft_nl_u32_or(tb[WEFT_A_FLIT_HEADER], f->header);
	r->control = weft_nl_u32_or(tb[WEFT_A_FLIT_CONTROL], r->control);
	r->carry = weft_nl_u32_or(tb[WEFT_A_FLIT_CARRY], r->carry);
	r->repeat = weft_nl_u64_or(tb[WEFT_A_FLIT_REPEAT], r->repeat);
	return flow_get_list(nest, WEFT_A_FLIT_HDR, p, f->hdr, extack) ?:
	       flow_get_list(nest, WEFT_A_FLIT_DATA, p, f->data, extack);
}

static int flit_check(const struct nlattr *nest, const struct fab_port_params *p,
		      struct netlink_ext_ack *extack)
{
	const struct fab_flit_params *f = &p->flow.flit;
	u32 need = DIV_ROUND_UP(f->payload, f->unit), cls;

	if (f->payload < f->unit) {
		NL_SET_ERR_MSG_ATTR_FMT(extack, nest,
					"payload %u is below unit %u",
					f->payload, f->unit);
		return -EINVAL;
	}
	for (cls = 0; cls < p->classes; cls++)
		if (f->data[cls] < need)
			break;
	if (cls == p->classes)
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(extack, nest,
				"VC %u has %u data credits, a packet of %u bytes needs %u",
				cls, f->data[cls], f->payload, need);
	return -EINVAL;
}

static int flit_put(struct sk_buff *skb, const struct fab_port_params *p)
{
	const struct fab_flit_params *f = &p->flow.flit;
	const struct fab_retry_params *r = &p->retry;

	return flow_put_list(skb, WEFT_A_FLIT_HDR, p, f->hdr) ?:
	       flow_put_list(skb, WEFT_A_FLIT_DATA, p, f->data) ?:
	       nla_put_u32(skb, WEFT_A_FLIT_PAYLOAD, f->payload) ?:
	       nla_put_u32(skb, WEFT_A_FLIT_UNIT, f->unit) ?:
	       nla_put_u32(skb, WEFT_A_FLIT_REPLAY, r->replay) ?:
	       nla_put_u32(skb, WEFT_A_FLIT_HEADER, f->header) ?:
	       nla_put_u32(skb, WEFT_A_FLIT_CONTROL, r->control) ?:
	       nla_put_u32(skb, WEFT_A_FLIT_CARRY, r->carry) ?:
	       weft_nl_put_u64(skb, WEFT_A_FLIT_REPEAT, r->repeat);
}

static void cbfc_init(struct fab_port_params *p)
{
	struct fab_cbfc_params *c = &p->flow.cbfc;

	memset32(c->limit, FLOW_LIMIT, FAB_CLASSES_MAX);
	c->size = FLOW_CREDIT;
	c->spacing = FLOW_CF_MIN;
	c->repeat = FLOW_CF_MAX;
	c->sync = FLOW_CC;
}

static int cbfc_get(const struct nlattr *nest, struct fab_port_params *p,
		    struct netlink_ext_ack *extack)
{
	struct fab_cbfc_params *c = &p->flow.cbfc;
	struct nlattr *tb[WEFT_A_CBFC_MAX + 1];
	int err;

	err = nla_parse_nested(tb, WEFT_A_CBFC_MAX, nest, weft_cbfc_nl_policy,
			       extack);
	if (err)
		return err;
	c->size = weft_nl_u32_or(tb[WEFT_A_CBFC_SIZE], c->size);
	c->overhead = weft_nl_u32_or(tb[WEFT_A_CBFC_OVERHEAD], c->overhead);
	c->spacing = weft_nl_u32_or(tb[WEFT_A_CBFC_SPACING], c->spacing);
	c->repeat = weft_nl_u32_or(tb[WEFT_A_CBFC_REPEAT], c->repeat);
	c->sync = weft_nl_u64_or(tb[WEFT_A_CBFC_SYNC], c->sync);
	return flow_get_list(nest, WEFT_A_CBFC_LIMIT, p, c->limit, extack);
}

static int cbfc_put(struct sk_buff *skb, const struct fab_port_params *p)
{
	const struct fab_cbfc_params *c = &p->flow.cbfc;

	return flow_put_list(skb, WEFT_A_CBFC_LIMIT, p, c->limit) ?:
	       nla_put_u32(skb, WEFT_A_CBFC_SIZE, c->size) ?:
	       nla_put_u32(skb, WEFT_A_CBFC_OVERHEAD, c->overhead) ?:
	       nla_put_u32(skb, WEFT_A_CBFC_SPACING, c->spacing) ?:
	       nla_put_u32(skb, WEFT_A_CBFC_REPEAT, c->repeat) ?:
	       weft_nl_put_u64(skb, WEFT_A_CBFC_SYNC, c->sync);
}

/* Has the port frames with retry? Flits have its parameters in a nest of their own. */
static bool llr_used(const struct fab_port_params *p)
{
	return p->disc->framing->size && !p->disc->framing->shares;
}

static int llr_get(const struct nlattr *nest, struct fab_port_params *p,
		   struct netlink_ext_ack *extack)
{
	struct fab_retry_params *r = &p->retry;
	struct nlattr *tb[WEFT_A_LLR_MAX + 1];
	int err;

	if (!llr_used(p)) {
		if (!nest)
			return 0;
		NL_SET_ERR_MSG_ATTR_FMT(extack, nest,
					"llr parameters, but the discipline is %s",
					p->disc->name);
		return -EINVAL;
	}
	r->control = FAB_CTLOS;
	r->replay = FLOW_LLR_REPLAY;
	r->spacing = FLOW_LLR_ACK;
	r->repeat = FLOW_LLR_REPEAT;
	if (!nest)
		return 0;
	err = nla_parse_nested(tb, WEFT_A_LLR_MAX, nest, weft_llr_nl_policy,
			       extack);
	if (err)
		return err;
	r->replay = weft_nl_u32_or(tb[WEFT_A_LLR_REPLAY], r->replay);
	r->spacing = weft_nl_u32_or(tb[WEFT_A_LLR_SPACING], r->spacing);
	r->repeat = weft_nl_u64_or(tb[WEFT_A_LLR_REPEAT], r->repeat);
	return 0;
}

static int llr_put(struct sk_buff *skb, const struct fab_port_params *p)
{
	const struct fab_retry_params *r = &p->retry;
	struct nlattr *nest;

	if (!llr_used(p))
		return 0;
	nest = nla_nest_start(skb, WEFT_A_PORT_PARAMS_LLR);
	if (!nest || nla_put_u32(skb, WEFT_A_LLR_REPLAY, r->replay) ||
	    nla_put_u32(skb, WEFT_A_LLR_SPACING, r->spacing) ||
	    weft_nl_put_u64(skb, WEFT_A_LLR_REPEAT, r->repeat))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static const struct flow_nest flow_nests[] = {
	[FAB_FLOW_PFC] = {
		"pfc", WEFT_A_PORT_PARAMS_PFC,
		pfc_init, pfc_get, pfc_check, pfc_put,
	},
	[FAB_FLOW_CREDIT] = {
		"credit", WEFT_A_PORT_PARAMS_CREDIT,
		credit_init, credit_get, credit_check, credit_put,
	},
	[FAB_FLOW_FLIT] = {
		"flit", WEFT_A_PORT_PARAMS_FLIT,
		flit_init, flit_get, flit_check, flit_put,
	},
	[FAB_FLOW_CBFC] = {
		"cbfc", WEFT_A_PORT_PARAMS_CBFC,
		cbfc_init, cbfc_get, NULL, cbfc_put,
	},
};

/* Refuse a nest of a kind that is not the port's. */
static int flow_refuse(const struct flow_nest *flow, const struct nlattr *nest,
		       const struct fab_port_params *p,
		       struct netlink_ext_ack *extack)
{
	if (!nest)
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(extack, nest,
				"%s parameters, but the discipline is %s",
				flow->name, p->disc->name);
	return -EINVAL;
}

static int flow_get(const struct flow_nest *flow, const struct nlattr *nest,
		    struct fab_port_params *p, struct netlink_ext_ack *extack)
{
	int err = 0;

	flow->init(p);
	if (nest)
		err = flow->get(nest, p, extack);
	if (!err && flow->check)
		err = flow->check(nest, p, extack);
	return err;
}

/**
 * weft_nl_get_flow() - read the parameters of a port's flow control and retry
 * @tb: attributes of the port's parameters
 * @p: the parameters, with discipline and classes
 * @extack: for the reason of a refusal
 *
 * Context: process.
 * Return: 0 or a negative error.
 */
int weft_nl_get_flow(struct nlattr **tb, struct fab_port_params *p,
		     struct netlink_ext_ack *extack)
{
	const struct flow_nest *flow;
	int err, kind;

	memset(&p->flow, 0, sizeof(p->flow));
	memset(&p->retry, 0, sizeof(p->retry));
	for (kind = FAB_FLOW_NONE + 1; kind < ARRAY_SIZE(flow_nests); kind++) {
		flow = &flow_nests[kind];
		if (p->disc->flow->kind == kind)
			err = flow_get(flow, tb[flow->attr], p, extack);
		else
			err = flow_refuse(flow, tb[flow->attr], p, extack);
		if (err)
			return err;
	}
	return llr_get(tb[WEFT_A_PORT_PARAMS_LLR], p, extack);
}

static int cbfc_check_frame(const struct nlattr *attr,
			    const struct fab_port_params *p, u32 len,
			    struct netlink_ext_ack *extack)
{
	const struct fab_cbfc_params *c = &p->flow.cbfc;
	u32 need = DIV_ROUND_UP(len + c->overhead, c->size), vc;

	for (vc = 0; vc < p->classes; vc++) {
		if (!c->limit[vc] || c->limit[vc] >= need)
			continue;
		NL_SET_ERR_MSG_ATTR_FMT(extack, attr,
					"VC %u has %u credits of %u bytes, a frame of %u needs %u",
					vc, c->limit[vc], c->size, len, need);
		return -EINVAL;
	}
	return 0;
}

/**
 * weft_nl_check_frame() - check that a port can receive frames of a length
 * @attr: attribute to which an error refers
 * @p: parameters of the port
 * @len: length of the frame, bytes, FCS excluded
 * @extack: for the reason of a refusal
 *
 * A frame that takes more credits than a VL or VC has would never be sent, and would block
 * the frames behind it. Other flow control forwards or drops it.
 *
 * Context: process.
 * Return: 0 or -EINVAL.
 */
int weft_nl_check_frame(const struct nlattr *attr,
			const struct fab_port_params *p, u32 len,
			struct netlink_ext_ack *extack)
{
	const struct fab_credit_params *c = &p->flow.credit;
	u32 need, vl;

	if (p->disc->flow->kind == FAB_FLOW_CBFC)
		return cbfc_check_frame(attr, p, len, extack);
	if (p->disc->flow->kind != FAB_FLOW_CREDIT)
		return 0;
	need = DIV_ROUND_UP(len + c->header, c->block);
	for (vl = 0; vl < p->classes && vl < FAB_VL_MGMT; vl++) {
		if (c->blocks[vl] >= need)
			continue;
		NL_SET_ERR_MSG_ATTR_FMT(extack, attr,
					"VL %u has %u blocks of %u bytes, a frame of %u needs %u",
					vl, c->blocks[vl], c->block, len, need);
		return -EINVAL;
	}
	return 0;
}

/**
 * weft_nl_put_flow() - put the parameters of a port's flow control and retry
 * @skb: the message
 * @p: the parameters of the port
 *
 * Context: any.
 * Return: 0 or -EMSGSIZE.
 */
int weft_nl_put_flow(struct sk_buff *skb, const struct fab_port_params *p)
{
	const struct flow_nest *flow = &flow_nests[p->disc->flow->kind];
	struct nlattr *nest;

	if (!flow->put)
		return 0;
	nest = nla_nest_start(skb, flow->attr);
	if (!nest || flow->put(skb, p))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return llr_put(skb, p);
}
