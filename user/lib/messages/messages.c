// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The messages of a workload in a lab, sent by verbs or TCP.
 *
 * A message ends when its receiver has all of it. Then those that waited for it start, as
 * in a simulation (sim.c), and what a node computes is a time that passes. Times are those
 * of the monotonic clock, less that of the beginning, in fabric time. On the virtual clock
 * they are exact but for the readings of the clock, of which each takes 1 ns.
 */
#include "messages/messages.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "messages/lanes.h"

#define QUIET_PS	1000000000ULL	/* from the last preparation to time 0: 1 ms */
#define BATCH		64
#define NS_PER_S	1000000000ULL

/**
 * struct due - a message that starts at some time
 * @at: the time, ps of the fabric
 * @message: its number
 */
struct due {
	uint64_t at;
	uint32_t message;
};

/**
 * struct news - where messages come to
 * @by: by which carrier
 * @nic: to which NIC of the plan
 */
struct news {
	enum messages_by by;
	uint32_t nic;
};

/**
 * struct run - a workload on its way
 * @lanes: the connections
 * @o: how messages are sent
 * @work: the workload
 * @err: error
 * @begun: the clock at time 0, ns
 * @now: the time that was last read, ps of the fabric
 * @begins: that was not before time 0
 * @left: messages that have not ended
 * @stuck: some message has found no room in its connection
 * @waits: of each message, how many of those that it waits for have not ended
 * @followers: of each message, where those who wait for it begin in @follower
 * @follower: numbers of messages
 * @dues: entries of @due
 * @due: a heap, the next one at the top
 * @mask: signals while it waits, with o->hold
 * @timer: expires at the clock of the next thing to do
 * @fds: entries of @fd
 * @fd: of @timer, and of the NICs that are used
 * @news: whose each of @fd is
 */
struct run {
	struct messages_lanes lanes;
	const struct weft_messages_options *o;
	struct weft_work *work;
	struct weft_err *err;
	uint64_t begun;
	uint64_t now;
	bool begins;
	uint32_t left;
	bool stuck;
	uint32_t *waits;
	uint32_t *followers;
	uint32_t *follower;
	uint32_t dues;
	struct due *due;
	sigset_t mask;
	int timer;
	uint32_t fds;
	struct pollfd *fd;
	struct news *news;
};

static uint64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static void read_clock(struct run *r)
{
	uint64_t ns = clock_ns();

	r->begins = ns >= r->begun;
	if (r->begins)
		r->now = (ns - r->begun) * WEFT_PS_PER_NS / r->o->dilation;
}

/* --- messages that start later ------------------------------------------------------ */

static bool is_before(const struct due *a, const struct due *b)
{
	return a->at != b->at ? a->at < b->at : a->message < b->message;
}

static void swap(struct due *a, struct due *b)
{
	struct due t = *a;

	*a = *b;
	*b = t;
}

static void due_add(struct run *r, uint32_t message, uint64_t at)
{
	uint32_t i = r->dues++;

	r->due[i] = (struct due) { at, message };
	for (; i && is_before(&r->due[i], &r->due[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&r->due[i], &r->due[(i - 1) / 2]);
}

static struct due due_take(struct run *r)
{
	struct due first = *r->due;
	uint32_t i = 0, k;

	*r->due = r->due[--r->dues];
	while ((k = 2 * i + 1) < r->dues) {
		if (k + 1 < r->dues && is_before(&r->due[k + 1], &r->due[k]))
			k++;
		if (!is_before(&r->due[k], &r->due[i]))
			break;
		swap(&r->due[i], &r->due[k]);
		i = k;
	}
	return first;
}

/* --- messages of a connection ------------------------------------------------------- */

static void row_add(struct run *r, struct messages_row *row, uint32_t message)
{
	r->lanes.next[message] = NO_MESSAGE;
	if (row->first == NO_MESSAGE)
		row->first = message;
	else
		r->lanes.next[row->last] = message;
	row->last = message;
}

static uint32_t row_take(struct run *r, struct messages_row *row)
{
	uint32_t message = row->first;

	row->first = r->lanes.next[message];
	return message;
}

static int lane_fails(struct run *r, const struct messages_lane *l, const char *why)
{
	const struct weft_plan *p = r->lanes.plan;
	char at[32], message[32] = "";

	if (l->sent.first != NO_MESSAGE)
		snprintf(message, sizeof(message), "message %" PRIu32 ": ",
			 r->work->message[l->sent.first].line);
	return weft_err_set(r->err, WEFT_ERR_OTHER, -EIO, "at %s: %s to %s: %s%s",
			    weft_format_time(at, sizeof(at), r->now), p->nic[l->nic].nic.name,
			    p->nic[l->peer].nic.name, message, why);
}

/* Post what waits for room, as far as there is some. */
static int lane_post(struct run *r, struct messages_lane *l)
{
	char why[WEFT_CARRIER_WHY] = "";

	while (l->waiting.first != NO_MESSAGE && l->flying < l->depth) {
		uint64_t bytes = r->work->message[l->waiting.first].bytes;
		int ret = r->lanes.carrier[l->by]->post(l->connection, bytes, why);

		if (ret < 0)
			return lane_fails(r, l, why);
		r->stuck |= ret > 0;
		if (ret)
			return 0;
		row_add(r, &l->sent, row_take(r, &l->waiting));
		l->flying++;
	}
	return 0;
}

/* --- what starts and ends ----------------------------------------------------------- */

static void release(struct run *r, uint32_t message, uint64_t now)
{
	const struct weft_message *m = &r->work->message[message];

	due_add(r, message, (now > m->at ? now : m->at) + m->delay);
}

static void ended(struct run *r, uint32_t message, uint64_t now)
{
	r->work->message[message].end = now;
	r->left--;
	for (uint32_t k = r->followers[message]; k < r->followers[message + 1]; k++)
		if (!--r->waits[r->follower[k]])
			release(r, r->follower[k], now);
}

/* Work of a node ends when it starts, and takes no time of the program. */
static int start(struct run *r, const struct due *d)
{
	uint32_t lane = r->lanes.of[d->message];
	struct weft_message *m = &r->work->message[d->message];

	if (lane == UINT32_MAX) {
		m->start = d->at;
		ended(r, d->message, d->at);
		return 0;
	}
	m->start = r->now;
	row_add(r, &r->lanes.lane[lane].waiting, d->message);
	return lane_post(r, &r->lanes.lane[lane]);
}

static int start_due(struct run *r)
{
	while (r->dues && r->due->at <= r->now) {
		struct due d = due_take(r);

		if (start(r, &d))
			return r->err->code;
	}
	return 0;
}

static int arrived(struct run *r, uint32_t lane)
{
	struct messages_lane *l = &r->lanes.lane[lane];

	l->flying--;
	ended(r, row_take(r, &l->sent), r->now);
	return lane_post(r, l);
}

/* Some connection found no room, and now a device has told something. */
static int post_again(struct run *r)
{
	r->stuck = false;
	for (uint32_t i = 0; i < r->lanes.n; i++)
		if (lane_post(r, &r->lanes.lane[i]))
			return r->err->code;
	return 0;
}

static int take(struct run *r, const struct news *from)
{
	const struct weft_carrier *c = r->lanes.carrier[from->by];
	struct weft_carrier_device *dev = r->lanes.device[from->by][from->nic];
	uint32_t lane[BATCH] = { UINT32_MAX };
	char why[WEFT_CARRIER_WHY] = "";
	int n = BATCH;

	while (n == BATCH) {
		n = c->take(dev, lane, BATCH, why);
		for (int i = 0; i < n; i++)
			if (arrived(r, lane[i]))
				return r->err->code;
	}
	if (n < 0 && lane[0] < r->lanes.n)
		return lane_fails(r, &r->lanes.lane[lane[0]], why);
	if (n < 0)
		return weft_err_set(r->err, WEFT_ERR_OTHER, -EIO, "%s: %s",
				    r->lanes.plan->nic[from->nic].nic.name, why);
	return r->stuck ? post_again(r) : 0;
}

/* --- the loop ----------------------------------------------------------------------- */

/* When the next message is due, or the end. */
static uint64_t next_due(const struct run *r)
{
	uint64_t ps = r->o->until ?: WEFT_NOT_YET;

	return r->dues && r->due->at < ps ? r->due->at : ps;
}

static int set_timer(struct run *r)
{
	struct itimerspec at = { .it_value = { 0 } };
	uint64_t ps = next_due(r), ns;

	if (ps != WEFT_NOT_YET) {
		ns = r->begun + (ps + WEFT_PS_PER_NS - 1) / WEFT_PS_PER_NS * r->o->dilation;
		at.it_value.tv_sec = (time_t)(ns / NS_PER_S);
		at.it_value.tv_nsec = (long)(ns % NS_PER_S);
	}
	return timerfd_settime(r->timer, TFD_TIMER_ABSTIME, &at, NULL);
}

static int wait_for_news(struct run *r)
{
	if (set_timer(r))
		return weft_err_sys(r->err, errno, "timer");
	if (ppoll(r->fd, r->fds, NULL, r->o->hold ? &r->mask : NULL) < 0 && errno != EINTR)
		return weft_err_sys(r->err, errno, "wait");
	read_clock(r);
	return 0;
}

static int take_news(struct run *r)
{
	for (uint32_t i = 1; i < r->fds; i++)
		if (r->fd[i].revents && take(r, &r->news[i]))
			return r->err->code;
	return 0;
}

static bool is_over(const struct run *r)
{
	return !r->left || (r->o->until && r->now >= r->o->until) ||
	       (r->o->stop && r->o->stop());
}

static int loop(struct run *r)
{
	if (r->o->hold)
		r->o->hold(&r->mask);
	r->begun = clock_ns() + QUIET_PS / WEFT_PS_PER_NS * r->o->dilation;
	for (uint32_t i = 0; i < r->work->messages; i++)
		if (!r->waits[i])
			release(r, i, 0);
	while (!is_over(r))
		if (wait_for_news(r) || take_news(r) ||
		    (r->begins && start_due(r)))
			return r->err->code;
	return 0;
}

static void add_fd(struct run *r, int fd, struct news from)
{
	r->fd[r->fds] = (struct pollfd) { fd, POLLIN, 0 };
	r->news[r->fds++] = from;
}

static int prepare_fds(struct run *r)
{
	const struct messages_lanes *l = &r->lanes;
	uint32_t nics = l->plan->nics;
	size_t most = CARRIERS * (size_t)nics + 1;

	r->fd = calloc(most, sizeof(*r->fd));
	r->news = calloc(most, sizeof(*r->news));
	if (!r->fd || !r->news)
		return weft_err_nomem(r->err);
	r->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (r->timer < 0)
		return weft_err_sys(r->err, errno, "timer");
	add_fd(r, r->timer, (struct news) { 0 });
	for (int by = 0; by < CARRIERS; by++)
		for (uint32_t i = 0; i < nics; i++)
			if (l->device[by][i])
				add_fd(r, l->carrier[by]->fd(l->device[by][i]),
				       (struct news) { by, i });
	return 0;
}

static int prepare(struct run *r)
{
	struct weft_work *w = r->work;

	r->waits = calloc(w->messages + 1, sizeof(*r->waits));
	r->followers = calloc(w->messages + (size_t)2, sizeof(*r->followers));
	r->follower = calloc(w->afters + (size_t)1, sizeof(*r->follower));
	r->due = calloc(w->messages + 1, sizeof(*r->due));
	if (!r->waits || !r->followers || !r->follower || !r->due)
		return weft_err_nomem(r->err);
	weft_work_followers(w, r->followers, r->follower);
	for (uint32_t i = 0; i < w->messages; i++) {
		r->waits[i] = w->message[i].afters;
		w->message[i].start = WEFT_NOT_YET;
		w->message[i].end = WEFT_NOT_YET;
	}
	r->left = w->messages;
	return prepare_fds(r);
}

static void run_free(struct run *r)
{
	messages_lanes_close(&r->lanes);
	if (r->timer >= 0)
		close(r->timer);
	free(r->waits);
	free(r->followers);
	free(r->follower);
	free(r->due);
	free(r->fd);
	free(r->news);
}

static const char *transport_name(const struct messages_lanes *l)
{
	if (!l->carrier[BY_TCP])
		return "rc";
	return l->carrier[BY_VERBS] ? "rc and tcp" : "tcp";
}

/**
 * weft_messages_run() - send the messages of a workload in a lab
 * @lab: the lab, which is up
 * @plan: its plan
 * @work: the workload; gets the times at which messages started and ended, and would alone
 * @o: how
 * @transport: result: its name, "rc", "tcp" or "rc and tcp"
 * @err: error
 *
 * One process sends for all nodes. It has mounts of its own afterwards.
 *
 * Return: 0, also if it ended before all messages; or negative errno: the times are those
 * up to the error.
 */
int weft_messages_run(const struct weft_lab *lab, const struct weft_plan *plan,
		      struct weft_work *work, const struct weft_messages_options *o,
		      const char **transport, struct weft_err *err)
{
	struct run r = { .o = o, .work = work, .err = err, .timer = -1 };
	int ret;

	ret = messages_lanes_open(&r.lanes, lab, plan, work, o, err);
	if (!ret)
		*transport = transport_name(&r.lanes);
	if (!ret)
		ret = prepare(&r);
	if (!ret)
		ret = loop(&r);
	run_free(&r);
	return ret;
}
