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
 * Not modelled: Trigger_Threshold (a log entry), control by service level, the
 * congestion log, and setting all this by management packets.
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
	if (p->limit >= FAB_CCT_MAX || p->min > p->limit)
		return -EINVAL;
	return !p->timer || p->timer > FAB_DELAY_MAX ? -ERANGE : 0;
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
	u32 i, eighths;

	p->increase = 1;
	p->limit = LIMIT_DEFAULT;
	p->min = 0;
	p->timer = 150 * CCTI_UNIT;
	for (i = 0; i < FAB_CCT_MAX; i++) {
		eighths = (8 * i * i + LIMIT_DEFAULT / 2) / LIMIT_DEFAULT;
		p->cct[i] = 3U << CCT_SHIFT | eighths;
	}
}

/**
 * fab_ibcc_init() - initialise a flow without congestion
 * @cc: the flow
 * @p: parameters
 */
void fab_ibcc_init(struct fab_ibcc *cc, const struct fab_ibcc_params *p)
{
	cc->index = p->min;
	cc->fall_at = FAB_NEVER;
}

/* Above the minimum the timer runs. */
static void start(struct fab_ibcc *cc, const struct fab_ibcc_params *p,
		  fab_time now)
{
	if (cc->index > p->min && cc->fall_at == FAB_NEVER)
		cc->fall_at = now + p->timer;
}

/* Execute the expiries of the timer up to @now, and apply changed parameters. */
static void catch_up(struct fab_ibcc *cc, const struct fab_ibcc_params *p,
		     fab_time now)
{
	u32 above;
	u64 n = 0;

	cc->index = min(cc->index, p->limit);
	above = cc->index > p->min ? cc->index - p->min : 0;
	if (cc->fall_at <= now)
		n = div64_u64(now - cc->fall_at, p->timer) + 1;
	if (n >= above) {
		fab_ibcc_init(cc, p);
		return;
	}
	cc->index -= n;
	cc->fall_at += n * p->timer;
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

	catch_up(cc, p, now);
	before = cc->index;
	cc->index = min((u32)before + p->increase, (u32)p->limit);
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

	catch_up(cc, p, now);
	entry = p->cct[cc->index];
	packet_time = min(packet_time, FAB_DELAY_MAX);
	return packet_time * (entry & CCT_MULTIPLIER) >> (entry >> CCT_SHIFT);
}
