// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Service that plays scenarios.
 *
 * The kernel gets all faults at the start of a scenario, so they continue if
 * the daemon is killed. The daemon executes the faults of nodes itself. A
 * daemon that ends regularly undoes its scenarios.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alarm.h"
#include "netlink/json.h"
#include "requests.h"
#include "scenario/scenario.h"
#include "services.h"

/** enum play_state - state of a scenario */
enum play_state { PLAY_ON, PLAY_OVER, PLAY_FAILED };

/**
 * struct play - a scenario that was started and not stopped
 */
struct play {
	/** @lab: the lab */
	struct daemon_lab *lab;
	/** @scenario: the scenario */
	struct weft_scenario scenario;
	/** @player: its player */
	struct weft_player player;
	/** @alarm: goes off when the next entry is due */
	struct alarm alarm;
	/** @news: event of the kernel about a trigger; NULL: none is awaited */
	struct event *news;
	/** @state: its state */
	enum play_state state;
	/** @results: results of its expectations, NULL until it is over */
	json_t *results;
	/** @err: error of a scenario that failed */
	struct weft_err err;
};

static void fail(struct play *p)
{
	p->state = PLAY_FAILED;
	log_line("lab %s: scenario %s: %s", p->lab->lab.name, p->scenario.name,
		 p->err.msg);
}

static int judge(struct play *p)
{
	struct weft_results results = { 0 };
	struct weft_facts facts;
	struct weft_run run = {
		.facts = &facts, .begun = p->player.start,
		.recoveries = p->player.recoveries,
		.recovery = p->player.recovery,
	};
	int ret = weft_facts_read_whole(&facts, &p->lab->lab, &p->err);

	if (!ret) {
		run.ended = facts.fabric.now;
		weft_expect_judge(&p->scenario.expect, &run, &results);
		weft_scenario_triggers(p->player.scenario, &facts, &results);
		weft_results_phases(&results, &facts);
		p->results = weft_results_json(&results);
	}
	weft_facts_free(&facts);
	return ret;
}

/* Play what is due. Return: 1: the scenario continues; 0: it is over; -errno. */
static int go_on(struct play *p)
{
	uint64_t next, end;
	struct weft_fabric now = { 0 };
	int ret;

	ret = weft_player_step(&p->player, &p->err);
	end = weft_player_end(&p->player);
	if (!ret)
		ret = weft_fabric_find(&p->player.nl, p->lab->lab.name, &now,
				       &p->err);
	if (!ret && now.now >= end) {
		ret = judge(p);
	} else if (!ret) {
		next = weft_player_next(&p->player);
		alarm_set(&p->alarm, &now, next < end ? next : end);
		ret = 1;
	}
	weft_fabric_free(&now);
	return ret;
}

static void hear_no_more(struct play *p)
{
	if (p->news)
		event_free(p->news);
	p->news = NULL;
}

static void play_on(struct play *p)
{
	int ret = go_on(p);

	if (ret <= 0 || weft_player_fd(&p->player) < 0)
		hear_no_more(p);
	if (ret <= 0)
		alarm_close(&p->alarm);
	if (!ret) {
		p->state = PLAY_OVER;
		log_line("lab %s: scenario %s is over", p->lab->lab.name,
			 p->scenario.name);
	} else if (ret < 0) {
		fail(p);
	}
}

static void on_alarm(evutil_socket_t fd, short what, void *ctx)
{
	uint64_t times;

	(void)what;
	if (read(fd, &times, sizeof(times)) == sizeof(times))
		play_on(ctx);
}

static void on_news(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	play_on(ctx);
}

static int hear(struct play *p, struct weft_err *err)
{
	int fd = weft_player_fd(&p->player);

	if (fd < 0)
		return 0;
	p->news = event_new(p->lab->daemon->base, fd, EV_READ | EV_PERSIST,
			    on_news, p);
	if (p->news && !event_add(p->news, NULL))
		return 0;
	return weft_err_nomem(err);
}

static void forget(struct play *p)
{
	alarm_close(&p->alarm);
	weft_scenario_free(&p->scenario);
	json_decref(p->results);
	p->lab->service[SERVICE_SCENARIO] = NULL;
	free(p);
}

static int take_back(struct play *p, struct weft_err *err)
{
	int ret = weft_player_take_back(&p->player, err);

	hear_no_more(p);
	weft_player_stop(&p->player);
	forget(p);
	return ret;
}

/* Returns NULL after an error. */
static struct play *begin(struct daemon_lab *l, const char *file,
			  struct weft_err *err)
{
	struct play *p = calloc(1, sizeof(*p));
	int ret;

	if (!p) {
		weft_err_nomem(err);
		return NULL;
	}
	p->lab = l;
	p->alarm.fd = -1;
	l->service[SERVICE_SCENARIO] = p;
	ret = weft_scenario_read(&p->scenario, file, err);
	if (!ret)
		ret = alarm_open(&p->alarm, l->daemon->base, on_alarm, p, err);
	if (!ret)
		ret = weft_player_start(&p->player, &l->lab, &p->scenario,
					err);
	if (ret) {
		forget(p);
		return NULL;
	}
	if (hear(p, err)) {
		struct weft_err ignored;

		take_back(p, &ignored);
		return NULL;
	}
	log_line("lab %s: scenario %s begins", l->lab.name, p->scenario.name);
	play_on(p);
	return p;
}

/* Returns NULL after an error. */
static struct play *find(struct daemon *d, const json_t *request,
			 struct weft_err *err)
{
	struct daemon_lab *l;
	struct play *p;

	if (request_lab(d, request, &l, err))
		return NULL;
	p = l->service[SERVICE_SCENARIO];
	if (!p)
		weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
			     "lab \"%s\" has no scenario: `weft scenario start` plays one",
			     l->lab.name);
	return p;
}

static void fill(const struct play *p, json_t *o)
{
	static const char *const states[] = {
		[PLAY_ON] = "playing", [PLAY_OVER] = "over",
		[PLAY_FAILED] = "failed",
	};
	uint64_t since = weft_lab_since(&p->lab->lab);
	uint64_t end = weft_player_end(&p->player);

	json_object_set_new(o, "scenario", json_string(p->scenario.name));
	json_object_set_new(o, "file", json_string(p->scenario.file));
	json_object_set_new(o, "state", json_string(states[p->state]));
	json_object_set_new(o, "begin_ps",
			    weft_json_u64(p->player.start - since));
	json_object_set_new(o, "end_ps", end == WEFT_NEVER ? json_null() :
			    weft_json_u64(end - since));
	json_object_set(o, "results", p->results ? p->results : json_null());
	if (p->state == PLAY_FAILED)
		json_object_set_new(o, "failure", json_string(p->err.msg));
}

/**
 * scenario_start() - request: start a scenario
 * @d: the daemon
 * @request: has "lab", and "file" with an absolute path
 * @reply: as of scenario_status()
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int scenario_start(struct daemon *d, json_t *request, json_t *reply,
		   struct weft_err *err)
{
	const char *file = json_string_value(json_object_get(request, "file"));
	struct daemon_lab *l;
	struct play *p;

	if (request_lab(d, request, &l, err))
		return err->code;
	if (!file || *file != '/')
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "expected \"file\" with an absolute path");
	if (l->service[SERVICE_SCENARIO])
		return weft_err_set(err, WEFT_ERR_USAGE, -EBUSY,
				    "lab \"%s\" has a scenario already: `weft scenario stop --lab %s` undoes it",
				    l->lab.name, l->lab.name);
	p = begin(l, file, err);
	if (!p)
		return err->code;
	fill(p, reply);
	return 0;
}

/**
 * scenario_stop() - request: stop a scenario and undo it
 * @d: the daemon
 * @request: has "lab"
 * @reply: as of scenario_status(), before the end
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int scenario_stop(struct daemon *d, json_t *request, json_t *reply,
		  struct weft_err *err)
{
	struct play *p = find(d, request, err);

	if (!p)
		return err->code;
	fill(p, reply);
	log_line("lab %s: scenario %s is undone", p->lab->lab.name,
		 p->scenario.name);
	return take_back(p, err);
}

/**
 * scenario_status() - request: get the state of a scenario
 * @d: the daemon
 * @request: has "lab"
 * @reply: gets "scenario", "file", "state", "begin_ps", "end_ps", "results", and
 * "failure" if the scenario failed
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int scenario_status(struct daemon *d, json_t *request, json_t *reply,
		    struct weft_err *err)
{
	struct play *p = find(d, request, err);

	if (!p)
		return err->code;
	fill(p, reply);
	return 0;
}

/* Undo the scenario if the daemon ends; if the lab is gone, there is no need. */
static void play_end(struct daemon_lab *l)
{
	struct play *p = l->service[SERVICE_SCENARIO];
	struct weft_err err;

	if (!p)
		return;
	if (l->daemon->ending) {
		if (take_back(p, &err))
			log_line("lab %s: %s", l->lab.name, err.msg);
		return;
	}
	hear_no_more(p);
	weft_player_stop(&p->player);
	forget(p);
}

static void play_status(struct daemon_lab *l, json_t *o)
{
	const struct play *p = l->service[SERVICE_SCENARIO];

	json_object_set_new(o, "scenario", p ? json_string(p->scenario.name) :
					       json_null());
}

const struct lab_service service_scenario = {
	.name = "scenario", .end = play_end, .status = play_status,
};
