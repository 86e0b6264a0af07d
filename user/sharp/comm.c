// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A group, and the collectives that are under way in it.
 *
 * Chunks are sent in order, as many ahead of the results as the switches have slots.
 * Collectives follow one another without a gap. Nothing is lost in a lossless network, and
 * results come in order; if one does not, the group fails, as it does when the aggregation
 * manager says so.
 *
 * With NVLS the members' NICs store the results, each those that it owns. Then those of one owner
 * come in order. A chunk that is reduced leaves its slot in the switch, and so have all before
 * it. So as many chunks may be under way as there are slots, whatever results are missing.
 */
#include "comm.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <linux/weft.h>

#include "link.h"

#define CHUNKS		(1U << WEFT_REDUCE_TYPE_SHIFT)
#define ROUNDS		64	/* tests without a result until the manager is asked */
#define RESULTS		64
#define NAP_LEAST	20000	/* ns */
#define NAP_MOST	1000000

/* Each process says why its group does not work any more; one, why it never did. */
static void complain(const struct sharp_coll_comm *c, const char *why)
{
	if (c->context->spec.config.flags & SHARP_COLL_HIDE_ERRORS)
		return;
	if (c->works)
		fprintf(stderr, "sharp: process %d of %d of group %u: %s\n", c->rank, c->size,
			c->group, why);
	else if (!c->rank)
		fprintf(stderr, "sharp: no group for %d processes: %s\n", c->size, why);
}

/* All collectives of a group that does not work end. */
static void fail(struct sharp_coll_comm *c, int status, const char *why)
{
	if (c->status)
		return;
	c->status = status;
	complain(c, why);
	for (; c->oldest; c->oldest = c->oldest->next) {
		c->oldest->ended = 1;
		c->oldest->status = status;
	}
	c->newest = NULL;
	c->sending = NULL;
	if (c->wake >= 0 && write(c->wake, &(uint64_t) { 1 }, sizeof(uint64_t)) < 0)
		complain(c, strerror(errno));
	pthread_cond_broadcast(&c->context->woken);
}

static void fail_by(struct sharp_coll_comm *c, const struct weft_sharp_message *msg)
{
	fail(c, msg->refused ? SHARP_COLL_ENO_RESOURCE : SHARP_COLL_ERROR, msg->text);
}

/* Do all processes have a connection to the manager? All learn the same. */
static int all_connected(struct sharp_coll_comm *c, void *oob)
{
	const struct sharp_coll_out_of_band_colls *o = &c->context->spec.oob_colls;
	int mine = c->fd >= 0, all = 1, failed;
	int *each = calloc((size_t)c->size, sizeof(*each));

	if (!each)
		return SHARP_COLL_ENOMEM;
	failed = o->gather(oob, 0, &mine, each, sizeof(mine));
	for (int i = 0; i < c->size && !c->rank; i++)
		all &= each[i];
	free(each);
	failed |= o->bcast(oob, &all, sizeof(all), 0);
	if (failed)
		return SHARP_COLL_EOOB;
	return all ? SHARP_COLL_SUCCESS : SHARP_COLL_ESESS_INIT;
}

/* What the group is called until it has a number. */
static int make_key(struct sharp_coll_comm *c, void *oob, uint64_t *key)
{
	*key = 0;
	if (!c->rank && getrandom(key, sizeof(*key), 0) != sizeof(*key))
		return SHARP_COLL_ERROR;
	return c->context->spec.oob_colls.bcast(oob, key, sizeof(*key), 0) ?
	       SHARP_COLL_EOOB : SHARP_COLL_SUCCESS;
}

/* Ask for the tree, and wait until all have. */
static int get_tree(struct sharp_coll_comm *c, uint64_t key, struct weft_sharp_message *msg)
{
	*msg = (struct weft_sharp_message) {
		.kind = WEFT_SHARP_JOIN, .key = key, .size = (uint32_t)c->size,
	};
	if (link_send(c->fd, msg))
		return SHARP_COLL_ESESS_INIT;
	if (link_receive(c->fd, msg) == WEFT_SHARP_TREE) {
		c->group = msg->group;
		return SHARP_COLL_SUCCESS;
	}
	fail_by(c, msg);
	return c->status;
}

static int fail_device(struct sharp_coll_comm *c, const char *device, int ret)
{
	char why[128];

	snprintf(why, sizeof(why), "device %.60s: %s", device, strerror(-ret));
	fail(c, SHARP_COLL_EDEV, why);
	return c->status;
}

static int get_ready(struct sharp_coll_comm *c, const struct weft_sharp_message *tree)
{
	struct weft_sharp_message msg = { .kind = WEFT_SHARP_READY };
	int ret;

	ret = station_open(&c->station, tree->text, &msg.payload);
	if (!ret)
		ret = station_join(&c->station, tree->group, tree->qkey, tree->slots);
	if (ret)
		return fail_device(c, tree->text, ret);
	/* Nobody sends before all are ready, so the receives need the payload of all first. */
	if (link_send(c->fd, &msg) || link_receive(c->fd, &msg) != WEFT_SHARP_PAYLOAD) {
		fail_by(c, &msg);
		return c->status;
	}
	ret = station_start(&c->station, msg.payload);
	if (ret)
		return fail_device(c, tree->text, ret);
	msg.kind = WEFT_SHARP_STARTED;
	if (link_send(c->fd, &msg) || link_receive(c->fd, &msg) != WEFT_SHARP_GO) {
		fail_by(c, &msg);
		return c->status;
	}
	c->works = 1;
	return SHARP_COLL_SUCCESS;
}

/* Each number is of one slot, also where they begin again. */
static int set_numbers(struct sharp_coll_comm *c, const struct weft_sharp_message *tree)
{
	c->numbers = CHUNKS - CHUNKS % tree->slots;
	c->owners = tree->owners;
	c->next_by = calloc(c->owners, sizeof(*c->next_by));
	for (uint32_t i = 0; c->next_by && i < c->owners; i++)
		c->next_by[i] = i;
	return c->next_by ? SHARP_COLL_SUCCESS : SHARP_COLL_ENOMEM;
}

/**
 * comm_join() - become a member of a group
 * @c: the group, zeroed but for its context, rank and size; in any case to be left
 * @spec: what the caller said of it
 *
 * All members call it, and all of them get the same result, but for out-of-memory.
 *
 * Return: enum sharp_error_no.
 */
int comm_join(struct sharp_coll_comm *c, const struct sharp_coll_comm_init_spec *spec)
{
	struct weft_sharp_message msg;
	uint64_t key;
	int ret;

	c->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	c->fd = c->wake < 0 ? -1 : link_open();
	ret = all_connected(c, spec->oob_ctx);
	if (!ret)
		ret = make_key(c, spec->oob_ctx, &key);
	if (!ret)
		ret = get_tree(c, key, &msg);
	if (!ret)
		ret = set_numbers(c, &msg);
	return ret ? ret : get_ready(c, &msg);
}

/**
 * comm_leave() - leave a group
 * @c: the group
 */
void comm_leave(struct sharp_coll_comm *c)
{
	struct weft_sharp_message msg = { .kind = WEFT_SHARP_LEAVE };

	station_close(&c->station);
	/* Who failed does not leave in order: the others hear of it by the end of the socket. */
	if (c->fd >= 0 && c->works && !c->status)
		link_send(c->fd, &msg);
	if (c->fd >= 0)
		close(c->fd);
	if (c->wake >= 0)
		close(c->wake);
	free(c->next_by);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The part of a chunk that lies in another range: offset in the chunk, and bytes. */
static size_t overlap(size_t chunk_at, size_t bytes, size_t at, size_t n, size_t *offset)
{
	size_t begin = chunk_at > at ? chunk_at : at;
	size_t end = least(chunk_at + bytes, at + n);

	*offset = begin - chunk_at;
	return end > begin ? end - begin : 0;
}

static size_t chunk_bytes(const struct request *r, size_t at)
{
	return least(r->bytes - at, r->comm->station.payload);
}

static void fill_chunk(const struct request *r, uint8_t *slot, size_t at, size_t bytes)
{
	size_t offset, n = overlap(at, bytes, r->from_at, r->from_bytes, &offset);

	if (n < bytes)
		memset(slot, 0, bytes);
	if (n)
		memcpy(slot + offset, r->from + (at + offset - r->from_at), n);
}

/* The number that a chunk has on the wire. */
static uint32_t number_of(const struct sharp_coll_comm *c, uint64_t chunk)
{
	return (uint32_t)(chunk % c->numbers);
}

static void send_chunk(struct sharp_coll_comm *c, struct request *r)
{
	size_t at = (size_t)r->sent * c->station.payload;
	uint32_t chunk = number_of(c, r->first + r->sent);
	size_t bytes = chunk_bytes(r, at);
	int ret;

	fill_chunk(r, station_slot(&c->station, chunk), at, bytes);
	ret = station_send(&c->station, chunk, r->imm | chunk, (uint32_t)bytes);
	if (ret) {
		fail(c, SHARP_COLL_ERROR, strerror(-ret));
		return;
	}
	c->under_way++;
	if (++r->sent == r->chunks)
		c->sending = r->next;
}

static void send_more(struct sharp_coll_comm *c)
{
	while (c->sending && c->under_way < c->station.slots)
		send_chunk(c, c->sending);
}

/**
 * comm_begin() - begin a collective
 * @c: the group, which works
 * @r: the collective; until it ends it belongs to the group
 *
 * Context: the context's lock is held.
 */
void comm_begin(struct sharp_coll_comm *c, struct request *r)
{
	r->chunks = (uint32_t)((r->bytes + c->station.payload - 1) / c->station.payload);
	/* Without data there is a chunk without data. */
	r->chunks += !r->chunks;
	r->first = c->last;
	c->last += r->chunks;
	if (c->newest)
		c->newest->next = r;
	else
		c->oldest = r;
	c->newest = r;
	if (!c->sending)
		c->sending = r;
	send_more(c);
}

static void end_oldest(struct sharp_coll_comm *c)
{
	struct request *r = c->oldest;

	c->oldest = r->next;
	if (!c->oldest)
		c->newest = NULL;
	r->ended = 1;
	c->context->done++;
	c->context->bytes += r->bytes;
}

/*
 * The chunk that a result is of, by its number and who sends it: the next one of that owner.
 * Numbers begin again at a multiple of nothing, so there owners do not take turns.
 */
static uint64_t next_chunk(struct sharp_coll_comm *c, uint32_t number)
{
	uint32_t owner = number % c->owners;
	uint64_t chunk = c->next_by[owner];

	c->next_by[owner] += number + c->owners < c->numbers ? c->owners :
							       c->numbers - number + owner;
	return chunk;
}

/* The collective of a chunk; NULL: there is none yet. */
static struct request *request_of(const struct sharp_coll_comm *c, uint64_t chunk)
{
	struct request *r = c->oldest;

	while (r && chunk - r->first >= r->chunks)
		r = r->next;
	return r;
}

static void take_result(struct sharp_coll_comm *c, const struct result *res)
{
	uint32_t number = res->imm & (CHUNKS - 1);
	uint64_t chunk = next_chunk(c, number);
	struct request *r = request_of(c, chunk);
	size_t at, bytes, offset, n;

	if (!r || res->imm != (r->imm | number_of(c, chunk))) {
		fail(c, SHARP_COLL_ERROR, "a result is missing: a packet was lost");
		return;
	}
	at = (size_t)(chunk - r->first) * c->station.payload;
	bytes = chunk_bytes(r, at);
	n = overlap(at, bytes, r->to_at, r->to_bytes, &offset);
	if (res->bytes != bytes) {
		fail(c, SHARP_COLL_ERROR, "a result has another length");
		return;
	}
	if (n)
		memcpy(r->to + (at + offset - r->to_at), res->data + offset, n);
	c->under_way--;
	r->got++;
	while (c->oldest && c->oldest->got == c->oldest->chunks)
		end_oldest(c);
}

static int take_results(struct sharp_coll_comm *c)
{
	struct result res[RESULTS];
	int n = station_receive(&c->station, res, RESULTS);

	if (n < 0)
		fail(c, SHARP_COLL_ERROR, "a result came with an error");
	for (int i = 0; i < n && !c->status; i++) {
		take_result(c, &res[i]);
		if (station_release(&c->station, res[i].slot))
			fail(c, SHARP_COLL_ERROR, "the queue pair does not work any more");
	}
	return n;
}

static void ask_manager(struct sharp_coll_comm *c)
{
	struct weft_sharp_message msg;

	c->tests = 0;
	if (link_poll(c->fd, &msg) == WEFT_SHARP_FAILED)
		fail_by(c, &msg);
}

/**
 * comm_progress() - take the results that are there, and send what may be sent
 * @c: the group
 *
 * Context: the context's lock is held.
 */
void comm_progress(struct sharp_coll_comm *c)
{
	int n;

	if (c->status)
		return;
	do {
		n = take_results(c);
		send_more(c);
	} while (n == RESULTS);
	if (n)
		c->tests = 0;
	else if (++c->tests >= ROUNDS && !c->sleeper)
		ask_manager(c);
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/*
 * Wait for results, a word of the manager, or another thread. With a function for progress
 * this is short, at first, as the caller wants to be called. Returns true if the manager has
 * something to say.
 */
static int sleep_for(struct sharp_coll_comm *c, int64_t *nap)
{
	struct pollfd fd[3] = {
		{ .fd = c->station.channel->fd, .events = POLLIN },
		{ .fd = c->fd, .events = POLLIN },
		{ .fd = c->wake, .events = POLLIN },
	};
	const struct timespec t = { .tv_nsec = *nap % 1000000000, .tv_sec = *nap / 1000000000 };

	if (!ppoll(fd, 3, *nap < 0 ? NULL : &t, NULL) && *nap >= 0 && *nap < NAP_MOST)
		*nap *= 2;
	return fd[1].revents;
}

/* One thread sleeps for all of the group; the context's lock is held before and after. */
static void sleep_or_join(struct sharp_coll_comm *c, int64_t *nap, int64_t late)
{
	const struct sharp_coll_init_spec *spec = &c->context->spec;
	int said;

	if (c->sleeper) {
		pthread_cond_wait(&c->context->woken, &c->context->lock);
		return;
	}
	c->sleeper = 1;
	pthread_mutex_unlock(&c->context->lock);
	if (spec->progress_func)
		spec->progress_func();
	said = sleep_for(c, nap);
	pthread_mutex_lock(&c->context->lock);
	station_disarm(&c->station);
	c->sleeper = 0;
	if (said)
		ask_manager(c);
	if (late && now_ns() >= late)
		fail(c, SHARP_COLL_ERROR, "no result came in time");
	pthread_cond_broadcast(&c->context->woken);
}

/**
 * comm_wait() - wait until a collective has ended
 * @c: the group
 * @r: the collective
 *
 * With a function for progress the sleeps are short, as the caller wants to be called.
 *
 * Context: the context's lock is held; it is not while this sleeps.
 * Return: enum sharp_error_no.
 */
int comm_wait(struct sharp_coll_comm *c, const struct request *r)
{
	const struct sharp_coll_init_spec *spec = &c->context->spec;
	int64_t ms = spec->config.coll_timeout, late = 0, nap = ms < 0 ? -1 : ms * 1000000;

	if (ms >= 0)
		late = now_ns() + nap;
	if (spec->progress_func)
		nap = NAP_LEAST;
	while (!r->ended) {
		comm_progress(c);
		if (r->ended)
			break;
		/* What comes before this is not told, so look once more. */
		if (!c->sleeper && station_arm(&c->station))
			fail(c, SHARP_COLL_ERROR, "the completion queue does not work any more");
		comm_progress(c);
		if (!r->ended)
			sleep_or_join(c, &nap, late);
	}
	return r->status;
}
