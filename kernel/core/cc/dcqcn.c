// SPDX-License-Identifier: GPL-2.0
/*
 * DCQCN: the rate of a flow that gets congestion notifications.
 *
 * DOC: theory of operation
 *
 * A receiver that gets a marked packet sends a congestion notification (CNP) to
 * its sender, at most one per flow and cnp_interval: the notification point. The
 * sender, the reaction point, has a current rate Rc, a target rate Rt and an
 * estimate alpha of how congested the path is (Zhu et al., SIGCOMM 2015). The
 * rules are the paper's, in the order and with the parameters that NVIDIA's NICs
 * and the ns-3 model of HPCC give them:
 *
 * - At the first CNP, Rc = Rt = line rate and alpha = initial_alpha.
 * - Every alpha_timer: alpha becomes (1 - g) alpha, plus g if a CNP came in that
 *   period. The first CNP starts the timer and does not count in it.
 * - A CNP cuts: Rt = Rc, Rc = (1 - alpha/2) Rc, not below min_bps. Rt stays if
 *   there was no increase since the last cut, unless clamp_target is set. Cuts
 *   are at least reduce_period apart: a CNP that comes earlier makes a cut later.
 * - After a cut, increases by the timer (each increase_timer) and by the byte counter
 *   (each byte_reset bytes) are counted separately: T and B are their numbers before
 *   an increase. With max(T, B) < F it is fast recovery: Rc goes half of the way to
 *   Rt. Otherwise Rt grows first, by hai_bps if min(T, B) > F, else by ai_bps.
 *   Without byte_reset only T counts. Rt is at most the line rate.
 * - When Rc is the line rate again the flow is reset, as a NIC frees its rate
 *   limiter; the next CNP is a first one.
 *
 * Rates are whole bits per second. Half of the way is rounded up, so after n fast
 * recoveries Rt - Rc is floor((Rt - Rc0) / 2^n), and the line rate is reached.
 *
 * There are no events: a call first executes what was due since the last call, each
 * at its own time. At the same time alpha is before a cut, and a cut is before an
 * increase. A pause of any length costs a bounded number of steps: increases by the
 * same amount reach a difference of Rc and Rt that they do not change any more, and
 * are then done at once; alpha has decayed to 0 after about 23/g periods.
 *
 * Not modelled: rate_to_set_on_first_cnp, rpg_max_rate, gd and min_dec_fac other
 * than the paper's half.
 */
#include "core/cc/dcqcn.h"
#include "core/wire/wire.h"

#define ALPHA_BITS	10		/* of parameters */
#define ALPHA_ONE	BIT(ALPHA_BITS)
#define ALPHA_SHIFT	(32 - ALPHA_BITS)
#define THRESHOLD_MAX	31U
#define PASS_CHANGES	64

static bool timer_good(fab_time t)
{
	return t >= FAB_PS_PER_NS && t <= FAB_DELAY_MAX;
}

static bool rate_good(u64 bps, u64 least)
{
	return bps >= least && bps <= FAB_RATE_MAX;
}

/**
 * fab_dcqcn_params_check() - can the model carry these parameters?
 * @p: the parameters
 *
 * Return: 0; -EINVAL for a g that is 0 or not below 1, or an initial alpha that is
 * not below 1; -ERANGE for times under a nanosecond or over FAB_DELAY_MAX, rates
 * over FAB_RATE_MAX, a least rate under FAB_RATE_MIN, a threshold over 31.
 */
int fab_dcqcn_params_check(const struct fab_dcqcn_params *p)
{
	if (!p->g || p->g >= ALPHA_ONE || p->initial_alpha >= ALPHA_ONE)
		return -EINVAL;
	if (!timer_good(p->alpha_timer) || !timer_good(p->increase_timer))
		return -ERANGE;
	if (p->reduce_period > FAB_DELAY_MAX || p->cnp_interval > FAB_DELAY_MAX)
		return -ERANGE;
	if (!rate_good(p->ai_bps, 0) || !rate_good(p->hai_bps, 0) ||
	    !rate_good(p->min_bps, FAB_RATE_MIN))
		return -ERANGE;
	return p->threshold > THRESHOLD_MAX ? -ERANGE : 0;
}

/**
 * fab_dcqcn_defaults() - the default parameters of NVIDIA's NICs
 * @p: set to them
 */
void fab_dcqcn_defaults(struct fab_dcqcn_params *p)
{
	*p = (struct fab_dcqcn_params){
		.g = 5,
		.initial_alpha = 1023,
		.alpha_timer = 1000 * FAB_PS_PER_NS,
		.reduce_period = 4000 * FAB_PS_PER_NS,
		.increase_timer = 300000 * FAB_PS_PER_NS,
		.byte_reset = 32767,
		.threshold = 1,
		.ai_bps = 5000000,
		.hai_bps = 50000000,
		.min_bps = 1000000,
		.cnp_interval = 4000 * FAB_PS_PER_NS,
	};
}

/**
 * fab_dcqcn_init() - initialise a flow without congestion
 * @d: the flow
 * @line_bps: rate of its port, at most FAB_RATE_MAX
 */
void fab_dcqcn_init(struct fab_dcqcn *d, u64 line_bps)
{
	*d = (struct fab_dcqcn){
		.line_bps = line_bps,
		.rc = line_bps,
		.rt = line_bps,
	};
}

/* @n increases, each with the target higher by @step. */
static void raise(struct fab_dcqcn *d, u64 step, u64 n)
{
	u64 gap, k;

	while (n) {
		gap = d->rt - d->rc;
		step = min(step, d->line_bps - d->rt);
		if ((gap + step) / 2 != gap) {
			d->rt += step;
			d->rc += (gap + step + 1) / 2;
			n--;
			continue;
		}
		/* From now on both rates grow by the same step, up to the line rate. */
		if (!step)
			return;
		k = min(n, div64_u64(d->line_bps - d->rt, step));
		d->rt += k * step;
		d->rc += k * step;
		n -= k;
	}
}

static u64 step_of(const struct fab_dcqcn *d, const struct fab_dcqcn_params *p)
{
	u32 high = max(d->timer_stage, d->byte_stage);
	u32 low = min(d->timer_stage, d->byte_stage);

	if (!p->byte_reset)
		low = d->timer_stage;
	if (high < p->threshold)
		return 0;
	return low > p->threshold ? p->hai_bps : p->ai_bps;
}

/* @n increases of a counter, which is the flow's timer_stage or byte_stage. */
static void increase(struct fab_dcqcn *d, const struct fab_dcqcn_params *p,
		     u32 *stage, u64 n)
{
	u64 k;

	while (n) {
		k = n;
		if (*stage < p->threshold)
			k = min(n, (u64)p->threshold - *stage);
		else if (*stage == p->threshold)
			k = 1;
		raise(d, step_of(d, p), k);
		*stage = min(*stage + k, (u64)U32_MAX);
		d->raised = true;
		n -= k;
	}
}

static void cut(struct fab_dcqcn *d, const struct fab_dcqcn_params *p,
		fab_time at)
{
	u64 least = min(p->min_bps, d->line_bps);

	if (p->clamp_target || d->raised)
		d->rt = d->rc;
	d->rc -= mul_u64_u32_shr(d->rc, d->alpha, 32) / 2;
	d->rc = max(d->rc, least);
	d->rt = max(d->rt, d->rc);
	d->reduce_at = at + p->reduce_period;
	d->increase_at = at + p->increase_timer;
	d->bytes = 0;
	d->timer_stage = 0;
	d->byte_stage = 0;
	d->again = false;
	d->raised = false;
	d->cuts++;
}

/* Updates of alpha up to @until. */
static void estimate(struct fab_dcqcn *d, const struct fab_dcqcn_params *p,
		     fab_time until)
{
	u64 n;

	while (d->alpha_at <= until && (d->alpha || d->cnp)) {
		d->alpha = d->alpha * (ALPHA_ONE - p->g) >> ALPHA_BITS;
		if (d->cnp)
			d->alpha += (u64)p->g << ALPHA_SHIFT;
		d->cnp = false;
		d->alpha_at += p->alpha_timer;
	}
	if (d->alpha_at > until)
		return;
	n = div64_u64(until - d->alpha_at, p->alpha_timer) + 1;
	d->alpha_at += n * p->alpha_timer;
}

/* Increases by the timer up to @until. */
static void tick(struct fab_dcqcn *d, const struct fab_dcqcn_params *p,
		 fab_time until)
{
	u64 n;

	if (d->increase_at > until)
		return;
	n = div64_u64(until - d->increase_at, p->increase_timer) + 1;
	d->increase_at += n * p->increase_timer;
	increase(d, p, &d->timer_stage, n);
}

static void release(struct fab_dcqcn *d)
{
	if (d->rc == d->line_bps && !d->again)
		d->active = false;
}

static void catch_up(struct fab_dcqcn *d, const struct fab_dcqcn_params *p,
		     fab_time now)
{
	if (!d->active)
		return;
	if (d->again && d->reduce_at <= now) {
		estimate(d, p, d->reduce_at);
		tick(d, p, d->reduce_at - 1);
		cut(d, p, d->reduce_at);
	}
	estimate(d, p, now);
	tick(d, p, now);
	release(d);
}

static void first_cnp(struct fab_dcqcn *d, const struct fab_dcqcn_params *p,
		      fab_time now)
{
	d->active = true;
	d->cnp = false;
	d->rc = d->line_bps;
	d->rt = d->line_bps;
	d->alpha = (u64)p->initial_alpha << ALPHA_SHIFT;
	d->alpha_at = now + p->alpha_timer;
	d->reduce_at = now;
}

/**
 * fab_dcqcn_on_cnp() - handle a CNP
 * @d: the flow
 * @p: parameters, good ones
 * @now: the present
 */
void fab_dcqcn_on_cnp(struct fab_dcqcn *d, const struct fab_dcqcn_params *p,
		      fab_time now)
{
	catch_up(d, p, now);
	if (d->active)
		d->cnp = true;
	else
		first_cnp(d, p, now);
	if (now < d->reduce_at)
		d->again = true;
	else
		cut(d, p, now);
}

/**
 * fab_dcqcn_on_sent() - count bytes towards the next increase
 * @d: the flow
 * @p: parameters, good ones
 * @now: the present
 * @bytes: bytes sent, on the wire
 */
void fab_dcqcn_on_sent(struct fab_dcqcn *d, const struct fab_dcqcn_params *p,
		       fab_time now, u32 bytes)
{
	u64 n;

	catch_up(d, p, now);
	if (!d->active || !p->byte_reset)
		return;
	d->bytes += bytes;
	n = div64_u64_rem(d->bytes, p->byte_reset, &d->bytes);
	increase(d, p, &d->byte_stage, n);
	release(d);
}

/**
 * fab_dcqcn_rate() - current rate of a flow
 * @d: the flow
 * @p: parameters, good ones
 * @now: the present
 *
 * Return: bits per second; the line rate without congestion.
 */
u64 fab_dcqcn_rate(struct fab_dcqcn *d, const struct fab_dcqcn_params *p,
		   fab_time now)
{
	catch_up(d, p, now);
	return d->active ? d->rc : d->line_bps;
}

/* When the rate changes next if no CNP comes. */
static fab_time changes_at(const struct fab_dcqcn *d)
{
	return d->again ? min(d->reduce_at, d->increase_at) : d->increase_at;
}

/**
 * fab_dcqcn_pass() - when will bytes have passed at the flow's rate?
 * @d: the flow
 * @p: parameters, good ones
 * @now: the present, when the first byte starts
 * @bytes: how many, at most FAB_LEN_MAX
 *
 * A rate that grows meanwhile counts from then on, so a flow that was cut to almost
 * nothing does not wait as long as it would at that rate. After PASS_CHANGES changes
 * the rate is taken as constant. CNPs to come are not known.
 *
 * Return: fabric time, rounded up.
 */
fab_time fab_dcqcn_pass(const struct fab_dcqcn *d,
			const struct fab_dcqcn_params *p, fab_time now,
			u32 bytes)
{
	u64 left = (u64)bytes * 8 * FAB_PS_PER_S;
	struct fab_dcqcn ahead = *d;
	fab_time time, span;
	u64 rate;
	u32 i;

	for (i = 0;; i++) {
		rate = fab_dcqcn_rate(&ahead, p, now);
		time = div64_u64(left, rate);
		time += time * rate < left;
		if (!ahead.active || i == PASS_CHANGES)
			return now + time;
		span = changes_at(&ahead) - now;
		if (time <= span)
			return now + time;
		left -= rate * span;
		now += span;
	}
}

/**
 * fab_dcqcn_notify() - is a CNP to be sent for a marked packet?
 * @next: state of the flow: no CNP is sent before; 0 at first
 * @p: parameters
 * @now: the present
 *
 * Return: true if it is; then the interval starts again.
 */
bool fab_dcqcn_notify(fab_time *next, const struct fab_dcqcn_params *p,
		      fab_time now)
{
	if (now < *next)
		return false;
	*next = now + p->cnp_interval;
	return true;
}
