// SPDX-License-Identifier: GPL-2.0
/*
 * InfiniBand congestion control: the delay of a flow that gets BECNs.
 *
 * DOC: theory of operation
 *
 * A switch sets FECN in a packet (mark.c), its receiver sends BECN back, and the
 * channel adapter that sent it waits longer after each packet of that flow
 * (InfiniBand Architecture Specification, Annex A10). A table has the delays: an
 * entry is a multiplier m in 14 bits and a shift s in the two above. After a packet
 * that takes t on the wire the flow waits t m / 2^s, so its rate is 1 / (1 + m / 2^s)
 * of the port's rate.
 *
 * A flow's index into the table, CCTI, rises by CCTI_Increase at each BECN, up to
 * CCTI_Limit, and falls by one per CCTI_Timer, down to CCTI_Min. The timer starts at
 * the BECN that raises the index from the minimum, runs until it is at the minimum
 * again, and is not restarted by other BECNs. So b BECNs within a period give b times
 * the increase, and with 1 / (increase timer) BECNs per second the index is stable.
 * Names and widths are those of OpenSM's ib_types.h; a flow is a queue pair
 * (port_control 0).
 *
 * There are no events: each call first executes the expiries of the timer.
 *
 * Each service level has its own increase, minimum and timer, and Control_Map names
 * those that are controlled. CongestionControl MADs set them (rdma/agent/cc_agent.c);
 * a profile sets those of all service levels alike.
 *
 * Not modelled: an index common to all flows of a service level (port_control 1).
 */
#include "core/cc/ibcc.h"

#define CCT_SHIFT	14
#define CCT_MULTIPLIER	(BIT(CCT_SHIFT) - 1)
#define CCTI_UNIT	1024000ULL		/* ps of CCTI_Timer */
#define LIMIT_DEFAULT	127U

/**
 * fab_ibcc_params_check() - can the model carry these parameters?
 * @p: the parameters
 *
 * Return: 0; -EINVAL if an index is beyond the table or the least one beyond the
 * highest; -ERANGE for a timer of 0, or over FAB_DELAY_MAX.
 */
int fab_ibcc_params_check(const struct fab_ibcc_params *p)
{
	const struct fab_ibcc_sl *s;
	u32 sl;

	if (p->limit >= FAB_CCT_MAX)
		return -EINVAL;
	for (sl = 0; sl < FAB_IBCC_SLS; sl++) {
		if (!(p->map & BIT(sl)))
			continue;
		s = &p->sl[sl];
		if (s->min > p->limit)
			return -EINVAL;
		if (!s->timer || s->timer > FAB_DELAY_MAX)
			return -ERANGE;
	}
	return 0;
}

/**
 * fab_ibcc_set_all() - set the parameters of all service levels, and control all
 * @p: the parameters
 * @all: those of each service level
 */
void fab_ibcc_set_all(struct fab_ibcc_params *p, const struct fab_ibcc_sl *all)
{
	u32 sl;

	for (sl = 0; sl < FAB_IBCC_SLS; sl++)
		p->sl[sl] = *all;
	p->map = U16_MAX;
}

/**
 * fab_ibcc_defaults() - default parameters
 * @p: set to them
 *
 * The table is quadratic: entry i delays by i^2 / 127 packets, in eighths and
 * rounded, so that entry 127 leaves 1/129 of the rate.
 */
void fab_ibcc_defaults(struct fab_ibcc_params *p)
{
	static const struct fab_ibcc_sl all = {
		.increase = 1, .timer = 150 * CCTI_UNIT,
	};
	u32 i, eighths;

	fab_ibcc_set_all(p, &all);
	p->limit = LIMIT_DEFAULT;
	for (i = 0; i < FAB_CCT_MAX; i++) {
		eighths = (8 * i * i + LIMIT_DEFAULT / 2) / LIMIT_DEFAULT;
		p->cct[i] = 3U << CCT_SHIFT | eighths;
	}
}

/**
 * fab_ibcc_init() - initialise a flow without congestion
 * @cc: the flow, with its service level
 * @p: parameters
 */
void fab_ibcc_init(struct fab_ibcc *cc, const struct fab_ibcc_params *p)
{
	cc->index = p->sl[cc->sl].min;
	cc->fall_at = FAB_NEVER;
}

/* Above the minimum the timer runs. */
static void start(struct fab_ibcc *cc, const struct fab_ibcc_params *p,
		  fab_time now)
{
	const struct fab_ibcc_sl *s = &p->sl[cc->sl];

	if (cc->index > s->min && cc->fall_at == FAB_NEVER)
		cc->fall_at = now + s->timer;
}

/* Execute the expiries of the timer up to @now, and apply changed parameters. */
static void catch_up(struct fab_ibcc *cc, const struct fab_ibcc_params *p,
		     fab_time now)
{
	const struct fab_ibcc_sl *s = &p->sl[cc->sl];
	u32 above;
	u64 n = 0;

	cc->index = min(cc->index, p->limit);
	above = cc->index > s->min ? cc->index - s->min : 0;
	if (cc->fall_at <= now)
		n = div64_u64(now - cc->fall_at, s->timer) + 1;
	if (n >= above) {
		fab_ibcc_init(cc, p);
		return;
	}
	cc->index -= n;
	cc->fall_at += n * s->timer;
	start(cc, p, now);
}

/**
 * fab_ibcc_on_becn() - handle a BECN
 * @cc: the flow
 * @p: parameters, good ones
 * @now: the present
 *
 * Return: true if the index rose.
 */
bool fab_ibcc_on_becn(struct fab_ibcc *cc, const struct fab_ibcc_params *p,
		      fab_time now)
{
	u16 before;

	if (!(p->map & BIT(cc->sl)))
		return false;
	catch_up(cc, p, now);
	before = cc->index;
	cc->index = min((u32)before + p->sl[cc->sl].increase, (u32)p->limit);
	start(cc, p, now);
	return cc->index > before;
}

/**
 * fab_ibcc_delay() - how long does the flow wait after a packet?
 * @cc: the flow
 * @p: parameters, good ones
 * @now: the present
 * @packet_time: time of the packet on the wire, ps
 *
 * Rounded down. Packet times over FAB_DELAY_MAX count as that.
 *
 * Return: picoseconds from its last bit to the first of the next.
 */
fab_time fab_ibcc_delay(struct fab_ibcc *cc, const struct fab_ibcc_params *p,
			fab_time now, fab_time packet_time)
{
	u16 entry;

	if (!(p->map & BIT(cc->sl)))
		return 0;
	catch_up(cc, p, now);
	entry = p->cct[cc->index];
	packet_time = min(packet_time, FAB_DELAY_MAX);
	return packet_time * (entry & CCT_MULTIPLIER) >> (entry >> CCT_SHIFT);
}
