// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DCQCN (E13): cuts, recovery and increases by their laws, and late updates.
 */
#include <math.h>

#include "core/cc/dcqcn.h"
#include "core/sim/rng.h"
#include "ktap.h"
#include "net.h"

#define MBPS	1000000ULL
#define ONE	4294967296.0	/* alpha of 1 */

static const struct fab_dcqcn_params paper = {
	.g = 4,
	.initial_alpha = 1023,
	.alpha_timer = 55 * US,
	.reduce_period = 50 * US,
	.increase_timer = 55 * US,
	.byte_reset = 10000000,
	.threshold = 5,
	.ai_bps = 40 * MBPS,
	.hai_bps = 400 * MBPS,
	.min_bps = 10 * MBPS,
	.cnp_interval = 50 * US,
};

static const struct fab_dcqcn_params hpcc = {
	.g = 4,
	.initial_alpha = 1023,
	.alpha_timer = 1 * US,
	.reduce_period = 4 * US,
	.increase_timer = 900 * US,
	.threshold = 1,
	.ai_bps = 50 * MBPS,
	.hai_bps = 100 * MBPS,
	.min_bps = 100 * MBPS,
	.clamp_target = true,
	.cnp_interval = 4 * US,
};

static struct fab_dcqcn_params defaults(void)
{
	struct fab_dcqcn_params p;

	fab_dcqcn_defaults(&p);
	return p;
}

/* A flow at @line that gets its first CNP at @at. */
static struct fab_dcqcn cut_once(const struct fab_dcqcn_params *p, u64 line,
				 fab_time at)
{
	struct fab_dcqcn d;

	fab_dcqcn_init(&d, line);
	EXPECT_EQ(fab_dcqcn_rate(&d, p, at), line);
	fab_dcqcn_on_cnp(&d, p, at);
	return d;
}

/*
 * E13: Rc = (1 - alpha/2) R with alpha = 1023/1024, rounded up: half of R to
 * 0.1 %. The target is the line's rate.
 */
static void first_cut(const struct fab_dcqcn_params *p, u64 line)
{
	struct fab_dcqcn d = cut_once(p, line, 7 * US);
	u64 rate = fab_dcqcn_rate(&d, p, 7 * US);

	EXPECT_EQ(rate, line - line * 1023 / 2048);
	EXPECT_NEAR(rate, line / 2, line / 2000);
	EXPECT_EQ(d.rt, line);
	EXPECT_EQ(d.cuts, 1);
}

TEST(first_cnp_halves)
{
	struct fab_dcqcn_params nvidia = defaults();

	first_cut(&nvidia, 100 * GBPS);
	first_cut(&paper, 40 * GBPS);
	first_cut(&hpcc, 54545454545ULL);
	first_cut(&nvidia, 800 * GBPS + 1);
}

/*
 * E13: after n fast recoveries Rt - Rc is (Rt - Rc0) / 2^n, rounded down, and one
 * picosecond before the n-th it is the value after n - 1.
 */
static void recovers(struct fab_dcqcn_params p, u64 line, u32 f)
{
	struct fab_dcqcn d;
	u64 gap;
	u32 n;

	p.threshold = f;
	d = cut_once(&p, line, 3 * US);
	gap = d.rt - d.rc;
	for (n = 1; n <= f; n++) {
		fab_time at = 3 * US + n * p.increase_timer;

		EXPECT_EQ(fab_dcqcn_rate(&d, &p, at - 1), line - (gap >> (n - 1)));
		EXPECT_EQ(fab_dcqcn_rate(&d, &p, at), line - (gap >> n));
	}
}

TEST(fast_recovery_halves_the_gap)
{
	recovers(defaults(), 100 * GBPS, 1);
	recovers(defaults(), 400 * GBPS, 31);
	recovers(paper, 40 * GBPS, 5);
	recovers(hpcc, 25 * GBPS, 10);
}

/*
 * E13: alpha is a0 (1 - g)^m after m periods without a CNP, and
 * 1 - (1 - a0) (1 - g)^m with one in each period. Each step rounds down by less than
 * 2^-32, and the errors decay with (1 - g), so their sum is less than 2^-32 / g.
 */
static void alphas(const struct fab_dcqcn_params *p, u32 m)
{
	struct fab_dcqcn d = cut_once(p, 100 * GBPS, 0);
	double g = p->g / 1024.0, a0 = p->initial_alpha / 1024.0;
	u32 i;

	fab_dcqcn_rate(&d, p, m * p->alpha_timer);
	EXPECT_NEAR(d.alpha / ONE, a0 * pow(1 - g, m), 1 / g / ONE);
	d = cut_once(p, 100 * GBPS, 0);
	for (i = 0; i < m; i++)
		fab_dcqcn_on_cnp(&d, p, i * p->alpha_timer + 1);
	fab_dcqcn_rate(&d, p, m * p->alpha_timer);
	EXPECT_NEAR(d.alpha / ONE, 1 - (1 - a0) * pow(1 - g, m), 1 / g / ONE);
}

TEST(alpha_falls_and_rises)
{
	struct fab_dcqcn_params nvidia = defaults();
	u32 m;

	for (m = 1; m <= 250; m += 83) {
		alphas(&nvidia, m);
		alphas(&paper, m);
		alphas(&hpcc, m);
	}
}

/* A CNP counts once, in the period in which it arrived. */
TEST(alpha_counts_a_period_once)
{
	struct fab_dcqcn_params p = defaults();
	struct fab_dcqcn d = cut_once(&p, 100 * GBPS, 0);
	u64 a0 = d.alpha, a1 = a0 * 1019 / 1024, a2;

	fab_dcqcn_on_cnp(&d, &p, p.alpha_timer);
	fab_dcqcn_on_cnp(&d, &p, 2 * p.alpha_timer - 1);
	EXPECT_EQ(d.alpha, a1);
	fab_dcqcn_rate(&d, &p, 2 * p.alpha_timer);
	a2 = a1 * 1019 / 1024 + (5ULL << 22);
	EXPECT_EQ(d.alpha, a2);
	fab_dcqcn_rate(&d, &p, 3 * p.alpha_timer);
	EXPECT_EQ(d.alpha, a2 * 1019 / 1024);
}

/*
 * By the timer alone, from a target T0 that is far from the line: F recoveries
 * leave it, the next adds ai, each after that hai. The gap of Rc tends to hai: at
 * steady state the rate grows by exactly hai per timer.
 */
static void climbs(struct fab_dcqcn_params p, u32 f)
{
	struct fab_dcqcn d;
	u64 t0, rate = 0;
	u32 n;

	p.threshold = f;
	p.byte_reset = 0;
	d = cut_once(&p, 400 * GBPS, 0);
	d.rt = d.rc + GBPS;
	t0 = d.rt;
	for (n = 1; n <= f + 60; n++) {
		fab_time at = n * p.increase_timer;

		rate = d.rc;
		fab_dcqcn_rate(&d, &p, at);
		EXPECT_EQ(d.rt, t0 + (n > f ? p.ai_bps : 0) +
			  (n > f + 1 ? (n - f - 1) * p.hai_bps : 0));
		EXPECT_EQ(d.rt - d.rc, (d.rt - rate) / 2);
	}
	EXPECT_EQ(d.rc - rate, p.hai_bps);
	EXPECT_EQ(d.timer_stage, f + 60);
}

TEST(additive_then_hyper)
{
	climbs(defaults(), 1);
	climbs(paper, 5);
	climbs(hpcc, 0);
	climbs(paper, 31);
}

/*
 * T and B increases counted before: fast recovery for max(T, B) < F, hyper for
 * min(T, B) > F, else additive. So with F = 3 the target grows, at the increase
 * that finds T and B, by
 */
static u64 grows(u32 t, u32 b)
{
	if (t < 3 && b < 3)
		return 0;
	return t > 3 && b > 3 ? paper.hai_bps : paper.ai_bps;
}

TEST(timer_and_bytes_together)
{
	struct fab_dcqcn_params p = paper;
	struct fab_dcqcn d;
	fab_time at = 0;
	u64 rt;
	u32 i;

	p.threshold = 3;
	d = cut_once(&p, 400 * GBPS, 0);
	d.rt = d.rc + GBPS;
	for (i = 0; i < 40; i++) {
		u32 t = d.timer_stage, b = d.byte_stage;

		rt = d.rt;
		if (i % 3 == 1) {
			at += p.increase_timer;
			fab_dcqcn_rate(&d, &p, at);
			EXPECT_EQ(d.timer_stage, t + 1);
		} else {
			fab_dcqcn_on_sent(&d, &p, at, 4000000);
			EXPECT_EQ(d.byte_stage, b);
			fab_dcqcn_on_sent(&d, &p, at, 6000000);
			EXPECT_EQ(d.byte_stage, b + 1);
		}
		EXPECT_EQ(d.rt - rt, grows(t, b));
	}
}

/* Bytes beyond an increase count for the next; a cut resets them. */
TEST(byte_counter)
{
	struct fab_dcqcn_params p = defaults();
	struct fab_dcqcn d;
	u32 i;

	for (p.byte_reset = 1000; p.byte_reset < 70000; p.byte_reset *= 7) {
		d = cut_once(&p, 100 * GBPS, 0);
		d.rt = d.rc + GBPS;
		for (i = 1; i <= 300; i++)
			fab_dcqcn_on_sent(&d, &p, 0, 4158);
		EXPECT_EQ(d.byte_stage, 300 * 4158 / p.byte_reset);
		EXPECT_EQ(d.bytes, 300 * 4158 % p.byte_reset);
		fab_dcqcn_on_cnp(&d, &p, p.reduce_period);
		EXPECT_EQ(d.byte_stage + d.bytes, 0);
	}
}

/*
 * A second cut: Rt is lowered too if it is clamped or if there was an increase.
 * Otherwise it keeps the value of the first cut.
 */
TEST(target_of_the_second_cut)
{
	struct fab_dcqcn_params p = defaults();
	struct fab_dcqcn d = cut_once(&p, 100 * GBPS, 0);
	u64 rc = d.rc;

	fab_dcqcn_on_cnp(&d, &p, p.reduce_period);
	EXPECT_EQ(d.rt, 100 * GBPS);
	EXPECT(d.rc < rc);

	d = cut_once(&p, 100 * GBPS, 0);
	rc = fab_dcqcn_rate(&d, &p, p.increase_timer);
	fab_dcqcn_on_cnp(&d, &p, p.increase_timer);
	EXPECT_EQ(d.rt, rc);

	p.clamp_target = true;
	d = cut_once(&p, 100 * GBPS, 0);
	rc = d.rc;
	fab_dcqcn_on_cnp(&d, &p, p.reduce_period);
	EXPECT_EQ(d.rt, rc);
}

/*
 * CNPs every c for a time of n reduce periods P: the first cuts, then those that
 * come within a period cut at its end, so there are n + 1 cuts for c <= P.
 */
static void cuts(const struct fab_dcqcn_params *p, fab_time c)
{
	struct fab_dcqcn d;
	const u32 n = 10;
	fab_time at;

	fab_dcqcn_init(&d, 100 * GBPS);
	for (at = 0; at < n * p->reduce_period; at += c)
		fab_dcqcn_on_cnp(&d, p, at);
	fab_dcqcn_rate(&d, p, n * p->reduce_period - 1);
	EXPECT_EQ(d.cuts, n);
	fab_dcqcn_rate(&d, p, n * p->reduce_period);
	EXPECT_EQ(d.cuts, n + 1);
}

TEST(one_cut_per_period)
{
	struct fab_dcqcn_params nvidia = defaults();

	cuts(&nvidia, 700 * NS);
	cuts(&nvidia, 3999 * NS);
	cuts(&paper, 11 * US);
	cuts(&hpcc, 1 * US);
}

/*
 * With alpha kept near 1 each cut takes nearly half, until the least rate: it is
 * met exactly, and never missed.
 */
TEST(least_rate)
{
	struct fab_dcqcn_params sets[] = { defaults(), paper, hpcc };
	struct fab_dcqcn d;
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(sets); i++) {
		fab_dcqcn_init(&d, 100 * GBPS);
		sets[i].byte_reset = 0;
		sets[i].increase_timer = 1000 * MS;
		for (n = 0; n < 40; n++)
			fab_dcqcn_on_cnp(&d, &sets[i], n * sets[i].reduce_period);
		EXPECT_EQ(fab_dcqcn_rate(&d, &sets[i],
					 40 * sets[i].reduce_period),
			  sets[i].min_bps);
	}
}

/*
 * A flow that has the line's rate again is like a new one. The gap after the first cut
 * of R is floor(R 1023/2048) < 2^k: k recoveries close it, not fewer.
 */
static void forgets(struct fab_dcqcn_params p, u64 line)
{
	struct fab_dcqcn d;
	fab_time at;

	p.threshold = 31;
	p.byte_reset = 0;
	d = cut_once(&p, line, 0);
	at = fls64(d.rt - d.rc) * p.increase_timer;
	EXPECT(fab_dcqcn_rate(&d, &p, at - 1) < line);
	EXPECT(d.active);
	EXPECT_EQ(fab_dcqcn_rate(&d, &p, at), line);
	EXPECT(!d.active);
	fab_dcqcn_on_cnp(&d, &p, at);
	EXPECT_EQ(fab_dcqcn_rate(&d, &p, at), line - line * 1023 / 2048);
}

TEST(forgotten_at_the_line)
{
	forgets(defaults(), 100 * GBPS);
	forgets(paper, 40 * GBPS);
	forgets(hpcc, 800 * GBPS);
}

/**
 * struct ref - the same flow, step by step
 * @p: parameters
 * @line: rate of the line
 * @rc: current rate
 * @rt: target
 * @alpha: estimate
 * @t: increases by the timer
 * @b: increases by bytes
 * @bytes: towards the next
 * @alpha_due: next update
 * @cut_due: end of the reduce period
 * @timer_due: next increase
 * @on: congested
 * @cnp: in this period of alpha
 * @again: in this reduce period
 * @raised: since the last cut
 */
struct ref {
	const struct fab_dcqcn_params *p;
	u64 line, rc, rt, alpha;
	u32 t, b;
	u64 bytes;
	fab_time alpha_due, cut_due, timer_due;
	bool on, cnp, again, raised;
};

static void ref_increase(struct ref *r, u32 *stage)
{
	u32 high = max(r->t, r->b), f = r->p->threshold;
	u32 low = r->p->byte_reset ? min(r->t, r->b) : r->t;

	if (high >= f)
		r->rt += low > f ? r->p->hai_bps : r->p->ai_bps;
	if (r->rt > r->line)
		r->rt = r->line;
	r->rc = r->rt - (r->rt - r->rc) / 2;
	(*stage)++;
	r->raised = true;
	if (r->rc == r->line && !r->again)
		r->on = false;
}

static void ref_cut(struct ref *r, fab_time now)
{
	if (r->p->clamp_target || r->raised)
		r->rt = r->rc;
	r->rc -= mul_u64_u32_shr(r->rc, r->alpha, 33);
	r->rc = max(r->rc, r->p->min_bps);
	r->rt = max(r->rt, r->rc);
	r->t = 0;
	r->b = 0;
	r->bytes = 0;
	r->raised = false;
	r->again = false;
	r->cut_due = now + r->p->reduce_period;
	r->timer_due = now + r->p->increase_timer;
}

/* Execute the first event that is due up to @now. Returns false if there is none. */
static bool ref_step(struct ref *r, fab_time now)
{
	fab_time cut = r->again ? r->cut_due : FAB_NEVER;
	fab_time at = min(r->alpha_due, min(cut, r->timer_due));

	if (!r->on || at > now)
		return false;
	if (at == r->alpha_due) {
		r->alpha = r->alpha * (1024 - r->p->g) / 1024;
		r->alpha += r->cnp ? (u64)r->p->g << 22 : 0;
		r->cnp = false;
		r->alpha_due += r->p->alpha_timer;
	} else if (at == cut) {
		ref_cut(r, at);
	} else {
		r->timer_due += r->p->increase_timer;
		ref_increase(r, &r->t);
	}
	return true;
}

static void ref_cnp(struct ref *r, fab_time now)
{
	if (r->on) {
		r->cnp = true;
		r->again = now < r->cut_due;
		if (!r->again)
			ref_cut(r, now);
		return;
	}
	r->on = true;
	r->cnp = false;
	r->rc = r->line;
	r->rt = r->line;
	r->alpha = (u64)r->p->initial_alpha << 22;
	r->alpha_due = now + r->p->alpha_timer;
	ref_cut(r, now);
}

static void ref_sent(struct ref *r, u32 bytes)
{
	if (!r->on || !r->p->byte_reset)
		return;
	for (r->bytes += bytes; r->on && r->bytes >= r->p->byte_reset;) {
		r->bytes -= r->p->byte_reset;
		ref_increase(r, &r->b);
	}
}

/* A random time to the next step: mostly short, sometimes very long. */
static fab_time pause(u64 *rng, const struct fab_dcqcn_params *p)
{
	u64 x = fab_rng_next(rng);

	switch (x % 8) {
	case 0:
		return x / 8 % (40 * p->increase_timer);
	case 1:
		return p->increase_timer;
	case 2:
		return p->reduce_period;
	case 3:
		return p->alpha_timer;
	default:
		return x / 8 % (2 * p->reduce_period);
	}
}

static void same(const struct fab_dcqcn *d, const struct ref *r, u64 rate)
{
	EXPECT_EQ(rate, r->on ? r->rc : r->line);
	EXPECT_EQ(d->active, r->on);
	if (!r->on)
		return;
	EXPECT_EQ(d->rt, r->rt);
	EXPECT_EQ(d->alpha, r->alpha);
	EXPECT_EQ(d->timer_stage, r->t);
	EXPECT_EQ(d->byte_stage, r->b);
}

/* The model, updated only when it is used, equals the reference step by step. */
static void late(const struct fab_dcqcn_params *p, u64 line, u64 seed)
{
	struct ref r = { .p = p, .line = line };
	fab_time now = 0;
	struct fab_dcqcn d;
	u32 i;

	fab_dcqcn_init(&d, line);
	for (i = 0; i < 3000; i++) {
		u32 bytes = fab_rng_next(&seed) % 9000;

		now += pause(&seed, p);
		while (ref_step(&r, now))
			;
		if (bytes % 3) {
			ref_cnp(&r, now);
			fab_dcqcn_on_cnp(&d, p, now);
		} else if (bytes % 2) {
			ref_sent(&r, bytes);
			fab_dcqcn_on_sent(&d, p, now, bytes);
		}
		same(&d, &r, fab_dcqcn_rate(&d, p, now));
	}
}

TEST(late_looks_change_nothing)
{
	struct fab_dcqcn_params p = defaults();
	u64 seed;

	for (seed = 1; seed <= 3; seed++) {
		late(&p, 100 * GBPS, seed);
		late(&paper, 40 * GBPS, seed);
		late(&hpcc, 54545454545ULL, seed);
	}
	p.increase_timer = 3 * US;	/* shorter than the reduce period */
	p.byte_reset = 700;
	p.ai_bps = 777777777;
	p.hai_bps = 12345678901ULL;
	late(&p, 400 * GBPS, 9);
	p.increase_timer = 2 * US;	/* meets the end of the period */
	late(&p, 400 * GBPS, 10);
	p.increase_timer = 40 * NS;	/* at the line within the period */
	p.threshold = 31;
	late(&p, 400 * GBPS, 11);
	p.ai_bps = 0;
	p.hai_bps = 1;
	late(&p, 400 * GBPS, 12);
}

/*
 * 10^12 periods of a nanosecond in one update. The target starts at Rt = L/4 and grows
 * by 1 kb/s in each after the first two; the rate is 1 kb/s below it.
 */
TEST(long_silence)
{
	struct fab_dcqcn_params p = defaults();
	const u64 line = 1000000 * GBPS;
	struct fab_dcqcn d;
	u64 rate;

	p.increase_timer = NS;
	p.byte_reset = 0;
	p.ai_bps = 1000;
	p.hai_bps = 1000;
	d = cut_once(&p, line, 0);
	d.rt = line / 4;
	d.rc = line / 4 - 1000;
	rate = fab_dcqcn_rate(&d, &p, 400000000000ULL * NS + NS);
	EXPECT_EQ(d.rt, line / 4 + 400000000000ULL * 1000);
	EXPECT_NEAR(d.rt - rate, 1000, 1);
	EXPECT_EQ(d.alpha, 0);
	EXPECT_EQ(fab_dcqcn_rate(&d, &p, 1000000000000ULL * NS), line);
}

/*
 * At a rate r0 before the next increase, which is at t1, and r1 after it, n bits
 * have passed at t1 + (n - r0 t1) / r1 if that is after t1, else at n / r0; and a
 * rate that does not change for long is a plain division.
 */
static void passes(const struct fab_dcqcn_params *p, u64 line, u32 bytes)
{
	struct fab_dcqcn d = cut_once(p, line, 0), later = d;
	double t1 = p->increase_timer, bits = bytes * 8.0, r0 = d.rc / 1e12;
	double r1, want = bits / r0;

	r1 = fab_dcqcn_rate(&later, p, p->increase_timer) / 1e12;
	if (want > t1)
		want = t1 + (bits - r0 * t1) / r1;
	EXPECT_NEAR(fab_dcqcn_pass(&d, p, 0, bytes), want, 1 + want / GBPS);
	EXPECT_EQ(d.increase_at, p->increase_timer);
}

TEST(bytes_pass_at_rates_that_change)
{
	struct fab_dcqcn_params p = defaults();

	p.byte_reset = 0;
	passes(&p, 100 * GBPS, 4158);
	passes(&p, 100 * GBPS, 2000000);
	passes(&p, 40 * MBPS, 1000);
	p.threshold = 31;
	passes(&p, 40 * MBPS, 1000);
	passes(&p, 25 * MBPS, 700);
}

/*
 * Cut to 1 Mb/s with the line as target, a packet of 4158 bytes, 33 ms at that
 * rate, has passed right after the first recovery brought half of the line.
 */
TEST(next_to_nothing_is_not_for_long)
{
	struct fab_dcqcn_params p = defaults();
	struct fab_dcqcn d = cut_once(&p, 100 * GBPS, 0);
	fab_time at, bits = 4158 * 8 - 300;	/* 300: in 300 us at 1 Mb/s */

	d.rc = p.min_bps;
	at = fab_dcqcn_pass(&d, &p, 0, 4158);
	EXPECT_NEAR(at, p.increase_timer + bits * 1e12 / (50 * GBPS), 20);
}

/* The computation ends even if the target is not reached and increases are tiny. */
TEST(passing_is_bounded)
{
	struct fab_dcqcn_params p = defaults();
	struct fab_dcqcn d = cut_once(&p, 100 * GBPS, 0);

	p.increase_timer = NS;
	p.ai_bps = 0;
	p.hai_bps = 0;
	d.increase_at = NS;
	d.rc = p.min_bps;
	d.rt = p.min_bps;
	EXPECT_EQ(fab_dcqcn_pass(&d, &p, 0, 4158), 4158ULL * 8 * US);
}

/* CNPs are at least the interval apart, and one is sent as soon as it is over. */
static void notified(fab_time interval, fab_time gap)
{
	struct fab_dcqcn_params p = { .cnp_interval = interval };
	fab_time now, next = 0, last = 0;
	u32 n = 0;

	for (now = gap; now < 1000 * gap; now += gap) {
		if (!fab_dcqcn_notify(&next, &p, now))
			continue;
		EXPECT_EQ(now - last, n++ ? DIV_ROUND_UP(interval, gap) * gap :
			  gap);
		last = now;
	}
	EXPECT(n > 1);
}

TEST(notification_point)
{
	notified(4 * US, 100 * NS);
	notified(50 * US, 333 * NS);
	notified(4 * US, 85 * NS + 7);
}

TEST(refused)
{
	struct fab_dcqcn_params good = defaults(), p;

	EXPECT_EQ(fab_dcqcn_params_check(&good), 0);
	EXPECT_EQ(fab_dcqcn_params_check(&paper), 0);
	EXPECT_EQ(fab_dcqcn_params_check(&hpcc), 0);
#define REFUSED(member, value, code)					\
	do {								\
		p = good;						\
		p.member = value;					\
		EXPECT(fab_dcqcn_params_check(&p) == (code));		\
	} while (0)
	REFUSED(g, 0, -EINVAL);
	REFUSED(g, 1024, -EINVAL);
	REFUSED(initial_alpha, 1024, -EINVAL);
	REFUSED(alpha_timer, NS - 1, -ERANGE);
	REFUSED(increase_timer, 0, -ERANGE);
	REFUSED(increase_timer, FAB_DELAY_MAX + 1, -ERANGE);
	REFUSED(reduce_period, FAB_DELAY_MAX + 1, -ERANGE);
	REFUSED(cnp_interval, FAB_DELAY_MAX + 1, -ERANGE);
	REFUSED(ai_bps, FAB_RATE_MAX + 1, -ERANGE);
	REFUSED(hai_bps, FAB_RATE_MAX + 1, -ERANGE);
	REFUSED(min_bps, FAB_RATE_MIN - 1, -ERANGE);
	REFUSED(threshold, 32, -ERANGE);
#undef REFUSED
}
