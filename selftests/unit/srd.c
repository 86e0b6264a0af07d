// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * SRD: senders, paths and receivers by their rules, and both ends over paths that delay,
 * reorder, lose and fail.
 */
#include <stdlib.h>

#include "core/srd/srd.h"
#include "ktap.h"
#include "net.h"

#define PACKET	(720 * NS)	/* 9000 bytes at 100 Gb/s */
#define TARGET	(25 * US)
#define REORDER	(10 * US)
#define TIMEOUT	(1000 * US)

static struct fab_srd_params params(u32 paths)
{
	return (struct fab_srd_params) {
		.paths = paths, .target = TARGET, .reorder = REORDER, .timeout = TIMEOUT,
	};
}

static struct fab_srd_tx *sender(u32 paths)
{
	struct fab_srd_params p = params(paths);
	struct fab_srd_tx *tx = malloc(sizeof(*tx));

	fab_srd_tx_init(tx, &p, PACKET);
	return tx;
}

/* A new packet on a path, on the wire at @at. */
static u32 send_on(struct fab_srd_tx *tx, u32 path, fab_time at)
{
	u32 psn = fab_srd_add(tx, tx, 0, 1000);

	fab_srd_start(tx, psn, path, at);
	fab_srd_sent(tx, psn, at);
	return psn;
}

/* Each window begins with what the wire sends in the target, and a packet more. */
TEST(srd_begin)
{
	const u64 all = TARGET * FAB_SWIFT_PACKET / PACKET + FAB_SWIFT_PACKET;
	u32 paths;

	for (paths = 1; paths <= FAB_SRD_PATHS; paths *= 2) {
		struct fab_srd_tx *tx = sender(paths);

		EXPECT_EQ(tx->path[0].cc.cwnd, all);
		EXPECT_EQ(tx->path[paths - 1].cc.cwnd, all);
		EXPECT_EQ(tx->window, all * paths);
		EXPECT_EQ(fab_srd_due(tx), FAB_NEVER);
		EXPECT(fab_srd_has_room(tx));
		free(tx);
	}
}

/* Paths take turns; one whose window is full is left out; none is left in the end. */
TEST(srd_turns)
{
	struct fab_srd_tx *tx = sender(4);
	fab_time when;
	u32 i;

	for (i = 0; i < 4; i++) {
		EXPECT_EQ(fab_srd_pick(tx, 0, &when), (i + 1) % 4);
		send_on(tx, (i + 1) % 4, 0);
	}
	tx->path[2].cc.cwnd = FAB_SWIFT_PACKET;
	tx->path[1].failed = 1;
	EXPECT_EQ(fab_srd_pick(tx, 0, &when), 3);
	send_on(tx, 3, 0);
	EXPECT_EQ(fab_srd_pick(tx, 0, &when), 0);
	tx->path[0].cc.cwnd = FAB_SWIFT_PACKET;
	tx->path[3].cc.cwnd = 2 * FAB_SWIFT_PACKET;
	EXPECT_EQ(fab_srd_pick(tx, 0, &when), -1);
	EXPECT_EQ(when, FAB_NEVER);
	free(tx);
}

/* A window below a packet: the next one is paced, and the sender says when. */
TEST(srd_pace)
{
	struct fab_srd_tx *tx = sender(1);
	fab_time when;
	u32 psn;

	tx->path[0].cc.cwnd = FAB_SWIFT_PACKET / 4;
	tx->path[0].cc.rtt = 10 * US;
	psn = send_on(tx, 0, 0);
	EXPECT_EQ(fab_srd_pick(tx, US, &when), -1);
	EXPECT_EQ(when, FAB_NEVER);
	EXPECT(fab_srd_done(tx, psn));
	EXPECT_EQ(fab_srd_pick(tx, US, &when), -1);
	EXPECT_EQ(when, 40 * US);
	EXPECT_EQ(fab_srd_pick(tx, 40 * US, &when), 0);
	free(tx);
}

/* Room for 512 PSNs from the oldest that is not done. */
TEST(srd_window)
{
	struct fab_srd_tx *tx = sender(1);
	u32 i;

	for (i = 0; i < FAB_SRD_WINDOW; i++) {
		EXPECT(fab_srd_has_room(tx));
		send_on(tx, 0, i);
	}
	EXPECT(!fab_srd_has_room(tx));
	EXPECT(fab_srd_done(tx, 1));
	EXPECT(!fab_srd_has_room(tx));
	EXPECT(fab_srd_done(tx, 0));
	EXPECT(!fab_srd_done(tx, 0));
	EXPECT_EQ(tx->una, 2);
	send_on(tx, 0, i);
	send_on(tx, 0, i);
	EXPECT(!fab_srd_has_room(tx));
	EXPECT(!fab_srd_done(tx, tx->next));
	free(tx);
}

/*
 * Rule 1: lost when the delay of what was sent behind it on its path and has arrived, and the
 * reorder time, have passed since its own start. Another path says nothing.
 */
TEST(srd_passed)
{
	struct fab_srd_tx *tx = sender(2);
	u32 lost, behind, other, psn;

	lost = send_on(tx, 0, 100 * NS);
	other = send_on(tx, 1, 200 * NS);
	behind = send_on(tx, 0, 300 * NS);
	EXPECT_EQ(fab_srd_due(tx), 100 * NS + TIMEOUT);
	EXPECT(fab_srd_acked(tx, other, 1, 200 * NS, 5 * US));
	EXPECT_EQ(fab_srd_due(tx), 100 * NS + TIMEOUT);
	EXPECT(fab_srd_acked(tx, behind, 0, 300 * NS, 5300 * NS));
	EXPECT_EQ(fab_srd_due(tx), 5300 * NS);
	EXPECT_EQ(fab_srd_check(tx, 5300 * NS), 0);
	EXPECT_EQ(fab_srd_due(tx), 100 * NS + 5 * US + REORDER);
	EXPECT_EQ(fab_srd_check(tx, 100 * NS + 5 * US + REORDER - 1), 0);
	EXPECT(!fab_srd_lost_psn(tx, &psn));
	EXPECT_EQ(fab_srd_check(tx, fab_srd_due(tx)), 0);
	EXPECT(fab_srd_lost_psn(tx, &psn));
	EXPECT_EQ(psn, lost);
	EXPECT_EQ(tx->path[0].flight, 0);
	EXPECT(!tx->path[0].failed);
	free(tx);
}

/*
 * Rule 2: overtaken by what was sent later on another path: lost after twice the delay of the
 * slowest path and the reorder time. Nothing else has come from its path, which has failed.
 */
TEST(srd_overtaken)
{
	struct fab_srd_tx *tx = sender(2);
	u32 lost, other, psn;

	other = send_on(tx, 1, 0);
	EXPECT(fab_srd_acked(tx, other, 1, 0, 8 * US));
	lost = send_on(tx, 0, 10 * US);
	other = send_on(tx, 1, 11 * US);
	EXPECT_EQ(fab_srd_due(tx), 10 * US + 2 * 8 * US + REORDER);
	EXPECT(fab_srd_acked(tx, other, 1, 11 * US, 19 * US));
	EXPECT_EQ(fab_srd_check(tx, fab_srd_due(tx) - 1), 0);
	EXPECT_EQ(fab_srd_check(tx, fab_srd_due(tx)), 1);
	EXPECT(fab_srd_lost_psn(tx, &psn));
	EXPECT_EQ(psn, lost);
	EXPECT(tx->path[0].failed);
	EXPECT(!tx->path[1].failed);
	free(tx);
}

/* The mean of all windows limits what is on its way, though each admits a packet. */
TEST(srd_together)
{
	struct fab_srd_tx *tx = sender(64);
	fab_time when;
	u32 i;

	for (i = 0; i < 35; i++)
		send_on(tx, fab_srd_pick(tx, 0, &when), 0);
	EXPECT_EQ(tx->flight, 35);
	EXPECT_EQ(fab_srd_pick(tx, 0, &when), -1);
	EXPECT_EQ(when, FAB_NEVER);
	EXPECT(fab_srd_done(tx, 0));
	EXPECT(fab_srd_pick(tx, 0, &when) >= 0);
	free(tx);
}

/* If it was only late nothing is lost. */
TEST(srd_late)
{
	struct fab_srd_tx *tx = sender(1);
	u32 first = send_on(tx, 0, 0), second = send_on(tx, 0, US), psn;

	EXPECT(fab_srd_acked(tx, second, 0, US, 6 * US));
	EXPECT(fab_srd_acked(tx, first, 0, 0, 8 * US));
	EXPECT_EQ(fab_srd_check(tx, fab_srd_due(tx)), 0);
	EXPECT(!fab_srd_lost_psn(tx, &psn));
	EXPECT_EQ(fab_srd_due(tx), FAB_NEVER);
	EXPECT_EQ(tx->path[0].loss, 0);
	free(tx);
}

/*
 * Rule 2: lost after the timeout; the path has failed, is left out and probed after the
 * timeout, then after twice as long each time, to 2^6 times. An answer brings it back.
 */
TEST(srd_path_fails)
{
	struct fab_srd_tx *tx = sender(2);
	fab_time at = TIMEOUT, when;
	u32 lost, psn, i;

	lost = send_on(tx, 0, 0);
	EXPECT_EQ(fab_srd_check(tx, TIMEOUT - 1), 0);
	EXPECT_EQ(fab_srd_check(tx, TIMEOUT), 1);
	EXPECT(fab_srd_lost_psn(tx, &psn));
	EXPECT_EQ(psn, lost);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(fab_srd_pick(tx, at, &when), 1);
	for (i = 0; i < 10; i++) {
		at += TIMEOUT << min(i, 6U);
		EXPECT_EQ(fab_srd_due(tx), at);
		EXPECT_EQ(fab_srd_check(tx, at), 0);
		EXPECT_EQ(fab_srd_probe(tx, at - 1), -1);
		EXPECT_EQ(fab_srd_probe(tx, at), 0);
		EXPECT_EQ(fab_srd_probe(tx, at), -1);
	}
	fab_srd_path_alive(&tx->path[0]);
	fab_srd_start(tx, psn, 1, at);
	EXPECT_EQ(fab_srd_pick(tx, at, &when), 0);
	free(tx);
}

/* If all paths have failed they are used all the same, a packet each. */
TEST(srd_all_fail)
{
	struct fab_srd_tx *tx = sender(2);
	fab_time when;

	tx->path[0].failed = 3;
	tx->path[1].failed = 1;
	EXPECT_EQ(fab_srd_pick(tx, 0, &when), 1);
	send_on(tx, 1, 0);
	EXPECT_EQ(fab_srd_pick(tx, 0, &when), 0);
	send_on(tx, 0, 0);
	EXPECT_EQ(fab_srd_pick(tx, 0, &when), -1);
	free(tx);
}

/* The timeout doubles with each try, and after ten the receiver is gone. */
TEST(srd_gone)
{
	struct fab_srd_tx *tx = sender(1);
	fab_time at = 0;
	u32 psn = send_on(tx, 0, 0), lost, i;

	for (i = 1; i < FAB_SRD_TRIES; i++) {
		at += TIMEOUT << (i - 1);
		EXPECT_EQ(fab_srd_check(tx, at - 1), 0);
		EXPECT_EQ(fab_srd_check(tx, at), 1);
		EXPECT(!fab_srd_gone(tx, &lost));
		fab_srd_start(tx, psn, 0, at);
		fab_srd_sent(tx, psn, at);
	}
	at += TIMEOUT << (i - 1);
	EXPECT_EQ(fab_srd_check(tx, at), 1);
	EXPECT(fab_srd_gone(tx, &lost));
	EXPECT_EQ(lost, psn);
	free(tx);
}

/* The share of packets that are lost is estimated to within a tenth. */
TEST(srd_loss)
{
	struct fab_srd_tx *tx = sender(1);
	struct fab_srd_path *path = tx->path;
	u32 i;

	for (i = 1; i < 100000; i++) {
		if (i % 50)
			fab_srd_path_arrived(tx, path, i * US, i * US + 5 * US);
		else
			fab_srd_path_lost(tx, path, i * US, false);
	}
	EXPECT_NEAR(path->loss / 65536.0, 0.02, 0.002);
	EXPECT_NEAR(path->delay / (double)US, 5, 0.01);
	free(tx);
}

/* A packet is taken once, whatever is missing before it. */
TEST(srd_takes)
{
	struct fab_srd_rx rx;
	u32 first;
	u8 why;

	fab_srd_rx_init(&rx, 7);
	EXPECT_EQ(fab_srd_rx_look(&rx, 9, 7, &why), FAB_SRD_NEW);
	fab_srd_rx_set(&rx, 9, FAB_SRD_TAKEN);
	EXPECT_EQ(rx.epsn, 7);
	EXPECT_EQ(fab_srd_rx_bits(&rx, 9, &first), 1 << 2);
	EXPECT_EQ(first, 7);
	EXPECT_EQ(fab_srd_rx_look(&rx, 9, 7, &why), FAB_SRD_SEEN);
	EXPECT_EQ(fab_srd_rx_look(&rx, 6, 7, &why), FAB_SRD_SEEN);
	EXPECT_EQ(fab_srd_rx_look(&rx, 7 + FAB_SRD_WINDOW, 7, &why), FAB_SRD_BEYOND);
	EXPECT_EQ(fab_srd_rx_look(&rx, 7, 7, &why), FAB_SRD_NEW);
	fab_srd_rx_set(&rx, 7, FAB_SRD_TAKEN);
	EXPECT_EQ(rx.epsn, 8);
	fab_srd_rx_set(&rx, 8, FAB_SRD_TAKEN);
	EXPECT_EQ(rx.epsn, 10);
}

/* What was refused is refused again, until its sender has given it up. */
TEST(srd_refuses)
{
	struct fab_srd_rx rx;
	u8 why = 0;

	fab_srd_rx_init(&rx, 0);
	EXPECT_EQ(fab_srd_rx_look(&rx, 0, 0, &why), FAB_SRD_NEW);
	fab_srd_rx_set(&rx, 0, 10);
	EXPECT_EQ(fab_srd_rx_look(&rx, 0, 0, &why), FAB_SRD_REFUSED);
	EXPECT_EQ(why, 10);
	fab_srd_rx_set(&rx, 1, FAB_SRD_TAKEN);
	EXPECT_EQ(rx.epsn, 0);
	EXPECT_EQ(fab_srd_rx_look(&rx, 2, 1, &why), FAB_SRD_NEW);
	EXPECT_EQ(rx.epsn, 2);
	EXPECT_EQ(fab_srd_rx_look(&rx, 0, 1, &why), FAB_SRD_SEEN);
	/* far ahead: nothing of what was known is left */
	EXPECT_EQ(fab_srd_rx_look(&rx, 5000, 5000, &why), FAB_SRD_NEW);
	EXPECT_EQ(rx.epsn, 5000);
}

/*
 * Both ends. Path i delays packets by 3 us and i * 500 ns, acknowledgements the same; a packet
 * or an acknowledgement is lost with a probability. Each packet is taken once, all are
 * acknowledged in the end, and nothing is sent again in vain if nothing is lost.
 */
#define SIM_PATHS	8
#define SIM_PACKETS	3000
#define SIM_EVENTS	4096

struct flying {
	fab_time at;
	fab_time sent;
	u32 psn;
	u32 una;
	u32 path;
	u64 bits;
	u32 first;
	u32 epsn;
	bool is_ack;
	bool used;
};

struct sim {
	struct fab_srd_tx *tx;
	struct fab_srd_rx rx;
	struct flying event[SIM_EVENTS];
	u32 taken[SIM_PACKETS];
	u32 made;
	u32 again;
	u32 loss;	/* of 1000 */
	u32 dead;	/* path that loses all; SIM_PATHS: none */
	fab_time now;
	fab_time wire_free;
};

static bool draw(u32 of_1000)
{
	return (u32)(rand() % 1000) < of_1000;
}

static void fly(struct sim *s, struct flying f)
{
	u32 i;

	if (draw(s->loss) || f.path == s->dead)
		return;
	for (i = 0; i < SIM_EVENTS && s->event[i].used; i++)
		;
	EXPECT(i < SIM_EVENTS);
	f.used = true;
	s->event[i] = f;
}

static void sim_send(struct sim *s)
{
	fab_time when;
	u32 psn;
	int path;

	for (;;) {
		bool again = fab_srd_lost_psn(s->tx, &psn);

		if (s->wire_free > s->now ||
		    (!again && (s->made == SIM_PACKETS || !fab_srd_has_room(s->tx))))
			return;
		path = fab_srd_pick(s->tx, s->now, &when);
		if (path < 0)
			return;
		if (!again) {
			psn = fab_srd_add(s->tx, s, 0, 1000);
			EXPECT_EQ(psn, s->made++);
		}
		s->again += again;
		fab_srd_start(s->tx, psn, path, s->now);
		fab_srd_sent(s->tx, psn, s->now);
		s->wire_free = s->now + PACKET;
		fly(s, (struct flying) {
			.at = s->now + 3 * US + path * 500 * NS, .sent = s->now, .psn = psn,
			.una = s->tx->una, .path = path,
		});
	}
}

static void sim_take(struct sim *s, const struct flying *f)
{
	struct flying ack = *f;
	u8 why;

	switch (fab_srd_rx_look(&s->rx, f->psn, f->una, &why)) {
	case FAB_SRD_NEW:
		s->taken[f->psn]++;
		fab_srd_rx_set(&s->rx, f->psn, FAB_SRD_TAKEN);
		break;
	case FAB_SRD_SEEN:
		break;
	default:
		EXPECT(false);
	}
	ack.is_ack = true;
	ack.at = s->now + 3 * US + f->path * 500 * NS;
	ack.epsn = s->rx.epsn;
	ack.bits = fab_srd_rx_bits(&s->rx, f->psn, &ack.first);
	fly(s, ack);
}

static void sim_acked(struct sim *s, const struct flying *f)
{
	u32 i;

	fab_srd_acked(s->tx, f->psn, f->path, f->sent, s->now);
	while (s->tx->una != s->tx->next && (s32)(s->tx->una - f->epsn) < 0)
		fab_srd_done(s->tx, s->tx->una);
	for (i = 0; i < 64; i++)
		if (f->bits >> i & 1)
			fab_srd_done(s->tx, f->first + i);
}

/* The next thing that happens. Return: false if nothing does. */
static bool sim_step(struct sim *s)
{
	fab_time at = fab_srd_due(s->tx);
	struct flying *next = NULL, f;
	u32 i;

	for (i = 0; i < SIM_EVENTS; i++)
		if (s->event[i].used && s->event[i].at < at) {
			next = &s->event[i];
			at = next->at;
		}
	if (s->wire_free > s->now && s->wire_free < at) {
		s->now = s->wire_free;
		return true;
	}
	if (at == FAB_NEVER)
		return false;
	s->now = at;
	if (!next) {
		fab_srd_check(s->tx, at);
		while (fab_srd_probe(s->tx, at) >= 0)
			;
		return true;
	}
	f = *next;
	next->used = false;
	if (f.is_ack)
		sim_acked(s, &f);
	else
		sim_take(s, &f);
	return true;
}

static struct sim *sim_run(u32 loss, u32 dead)
{
	struct sim *s = calloc(1, sizeof(*s));
	u32 i;

	srand(1);
	s->tx = sender(SIM_PATHS);
	s->loss = loss;
	s->dead = dead;
	fab_srd_rx_init(&s->rx, 0);
	for (i = 0; i < 1000000 && (s->made < SIM_PACKETS || s->tx->una != s->tx->next); i++) {
		sim_send(s);
		EXPECT(sim_step(s));
	}
	EXPECT_EQ(s->tx->una, SIM_PACKETS);
	for (i = 0; i < SIM_PACKETS; i++)
		EXPECT_EQ(s->taken[i], 1);
	for (i = 0; i < SIM_PATHS; i++)
		EXPECT_EQ(s->tx->path[i].flight, 0);
	EXPECT_EQ(s->tx->lost, 0);
	return s;
}

static void sim_free(struct sim *s)
{
	free(s->tx);
	free(s);
}

/* No loss: nothing is sent again, and the wire is never idle. */
TEST(srd_both_ends)
{
	struct sim *s = sim_run(0, SIM_PATHS);

	EXPECT_EQ(s->again, 0);
	/* the last packet goes by the slowest path at most */
	EXPECT(s->now <= SIM_PACKETS * PACKET + 13 * US);
	sim_free(s);
}

/* Loss of packets and acknowledgements. */
TEST(srd_both_ends_loss)
{
	u32 loss;

	for (loss = 1; loss <= 200; loss *= 4)
		sim_free(sim_run(loss, SIM_PATHS));
}

/* A path that takes nothing: its packets are sent again once, after the timeout. */
TEST(srd_both_ends_dead)
{
	struct sim *s = sim_run(0, 3);

	/* one each before the first timeout, by its window */
	EXPECT(s->again > 0 && s->again <= 6);
	EXPECT(s->tx->path[3].failed);
	EXPECT(s->now <= SIM_PACKETS * PACKET + TIMEOUT + 13 * US);
	sim_free(s);
}
