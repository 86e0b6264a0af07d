// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A scenario beside a program: play it, judge it, print the results.
 */
#include "run/play.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "cli.h"
#include "lab/lab_signal.h"
#include "topology/share.h"

#define NS_PER_S	1000000000ULL
#define KILL_AGAIN	1000000000ULL	/* ps, from one try to the next */
/* Look at the clock at least this often. */
#define SLEEP_MAX_S	3600

/**
 * play_file() - find the file of a scenario
 * @name: a path, or the name of one that comes with Weft
 * @path: result, PATH_MAX bytes
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int play_file(const char *name, char *path, struct weft_err *err)
{
	if (!access(name, F_OK)) {
		snprintf(path, PATH_MAX, "%s", name);
		return 0;
	}
	if (!strchr(name, '/') &&
	    !weft_share_find("scenarios", name, path, err))
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
			    "%.200s: no such file, and no such scenario comes with Weft (`weft scenario list` lists them)",
			    name);
}

/**
 * play_read() - read a scenario, and check it against the topology
 * @p: result, to be freed by play_free() even after an error
 * @name: its file, or the name of one that comes with Weft
 * @topology: the topology, NULL if it is not known
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int play_read(struct play *p, const char *name,
	      const struct weft_share_choice *topology, struct weft_err *err)
{
	struct weft_share_design design;
	struct weft_plan plan;
	char file[PATH_MAX];
	int ret;

	*p = (struct play) { 0 };
	ret = play_file(name, file, err);
	if (!ret)
		ret = weft_scenario_read(&p->scenario, file, err);
	if (ret || !topology)
		return ret;
	ret = cli_plan(topology, &design, &plan, err);
	if (!ret)
		ret = weft_scenario_check(&p->scenario, &plan, err);
	weft_plan_free(&plan);
	weft_share_design_free(&design);
	return ret;
}

/**
 * play_start() - start a scenario
 * @p: the scenario, read
 * @lab: the lab, up; must outlive @p
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int play_start(struct play *p, const struct weft_lab *lab,
	       struct weft_err *err)
{
	if (weft_player_start(&p->player, lab, &p->scenario, err))
		return err->code;
	p->on = true;
	return 0;
}

static void failed(struct play *p, const struct weft_err *err)
{
	p->failed = true;
	cli_fail(err);
}

/* Wall time until the fabric's clock shows @at. With dilation it is longer. */
static struct timespec wall_time(const struct play *p, uint64_t now,
				 uint64_t at)
{
	uint64_t ns = at > now ? (at - now + 999) / 1000 : 0;

	ns = ns < SLEEP_MAX_S * NS_PER_S ? ns * p->player.facts.fabric.dilation :
					   SLEEP_MAX_S * NS_PER_S;
	return (struct timespec) {
		.tv_sec = (time_t)(ns / NS_PER_S),
		.tv_nsec = (long)(ns % NS_PER_S),
	};
}

/* Like sleep_for(), but also return when the descriptor of the player is readable. */
static int wait_or_hear(struct play *p, const sigset_t *set,
			const struct timespec *wall)
{
	static const struct timespec none;
	struct pollfd fd[2] = {
		{ .fd = signalfd(-1, set, SFD_CLOEXEC), .events = POLLIN },
		{ .fd = weft_player_fd(&p->player), .events = POLLIN },
	};

	if (fd[0].fd < 0)
		return sigtimedwait(set, NULL, wall);
	ppoll(fd, 2, wall, NULL);
	close(fd[0].fd);
	return fd[0].revents ? sigtimedwait(set, NULL, &none) : 0;
}

/* Sleep until a signal comes, at most for @wall. Return: the signal, or 0. */
static int sleep_for(struct play *p, const sigset_t *set,
		     const struct timespec *wall)
{
	int sig;

	if (weft_player_fd(&p->player) >= 0)
		sig = wait_or_hear(p, set, wall);
	else if (wall)
		sig = sigtimedwait(set, NULL, wall);
	else
		sig = sigwaitinfo(set, NULL);
	return sig > 0 ? sig : 0;
}

/* Play until a signal comes or until fabric time @wanted; NULL: until the end. */
static int play_until(struct play *p, const sigset_t *set,
		      const uint64_t *wanted)
{
	struct timespec wall;
	struct weft_err err;
	uint64_t now, at, until;
	int sig, ret;

	prctl(PR_SET_TIMERSLACK, 1);
	for (;;) {
		ret = weft_player_step(&p->player, &err);
		if (ret)
			failed(p, &err);
		if (weft_player_now(&p->player, &now, &err)) {
			if (!ret)
				failed(p, &err);
			p->gone = true;
			return wanted ? sigwaitinfo(set, NULL) : 0;
		}
		until = wanted ? *wanted : weft_player_end(&p->player);
		if (now >= until)
			return 0;
		at = weft_player_next(&p->player);
		if (at > until)
			at = until;
		wall = wall_time(p, now, at);
		sig = sleep_for(p, set, at == WEFT_NEVER ? NULL : &wall);
		if (sig)
			return sig;
	}
}

/**
 * play_wait() - play until a signal comes or the clock shows a time
 * @p: the scenario, being played
 * @set: the signals, blocked
 * @until: fabric time; WEFT_NEVER waits for a signal
 *
 * Return: the signal, 0 for none.
 */
int play_wait(struct play *p, const sigset_t *set, uint64_t until)
{
	return play_until(p, set, &until);
}

/**
 * play_wait_end() - play until a signal comes or the scenario has ended
 * @p: the scenario, being played
 * @set: the signals, blocked
 *
 * Return: the signal, 0 for none; @p tells whether the lab is gone.
 */
int play_wait_end(struct play *p, const sigset_t *set)
{
	return play_until(p, set, NULL);
}

/* The first instant at which the program is late, or still there after it was killed. */
static uint64_t deadline(const struct play *p)
{
	const struct weft_expect *e = &p->scenario.expect;

	if (p->killed)
		return p->again;
	if (!e->has[WEFT_EXPECT_FINISHED_WITHIN])
		return WEFT_NEVER;
	return p->player.start + e->value[WEFT_EXPECT_FINISHED_WITHIN] + 1;
}

static uint64_t next_try(struct play *p)
{
	uint64_t at = deadline(p), now;
	struct weft_err err;

	if (!weft_player_now(&p->player, &now, &err) && now > at)
		at = now;
	return at + KILL_AGAIN;
}

/* Called before the program is killed: what waits in the fabric is lost with it. */
static void find_suspect(struct play *p)
{
	struct weft_facts facts;
	struct weft_err err;

	if (weft_facts_read(&facts, p->player.lab, &err))
		failed(p, &err);
	else
		weft_suspect_find(&p->suspect, &facts, p->player.start);
	weft_facts_free(&facts);
}

/**
 * play_wait_job() - play until a signal comes; kill the program if it is late
 * @p: the scenario, being played
 * @set: the signals, blocked
 *
 * A process that is about to enter a node is not there yet. So it is killed until it ends.
 *
 * Return: the signal.
 */
int play_wait_job(struct play *p, const sigset_t *set)
{
	int sig;

	while (!(sig = play_wait(p, set, deadline(p)))) {
		if (!p->killed)
			find_suspect(p);
		weft_lab_signal(p->player.lab, NULL, SIGKILL);
		p->again = next_try(p);
		p->killed = true;
	}
	return sig;
}

/**
 * play_ended() - note the end of the program
 * @p: the scenario, being played
 */
void play_ended(struct play *p)
{
	struct weft_err err;

	if (weft_player_now(&p->player, &p->ended, &err))
		failed(p, &err);
}

/**
 * play_judge() - check the expectations of a scenario
 * @p: the scenario, played
 * @code: exit code of the program, NULL if there was none
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int play_judge(struct play *p, const int *code, struct weft_err *err)
{
	const struct weft_player *player = &p->player;
	struct weft_facts facts;
	struct weft_run run = {
		.facts = &facts, .has_job = code, .killed = p->killed,
		.suspect = p->suspect,
		.begun = player->start, .ended = p->ended,
		.recoveries = player->recoveries, .recovery = player->recovery,
	};
	int ret;

	ret = weft_facts_read_whole(&facts, player->lab, err);
	if (!ret) {
		weft_expect_judge(&p->scenario.expect, &run, &p->results);
		weft_scenario_triggers(player->scenario, &facts, &p->results);
		weft_results_phases(&p->results, &facts);
		if (code)
			weft_expect_command(&p->results, *code);
	}
	weft_facts_free(&facts);
	return ret;
}

/**
 * play_free() - stop and free a scenario
 * @p: the scenario
 */
void play_free(struct play *p)
{
	if (p->on)
		weft_player_stop(&p->player);
	weft_scenario_free(&p->scenario);
	p->on = false;
}

/**
 * print_results() - print the results of expectations
 * @f: stream to print to
 * @results: the results
 * @begun: start of the run, fabric time
 */
void print_results(FILE *f, const struct weft_results *results, uint64_t begun)
{
	static const char *const words[] = {
		[WEFT_PASSED] = "ok", [WEFT_FAILED] = "FAILED",
		[WEFT_SKIPPED] = "skipped",
	};
	char text[600];

	for (unsigned int i = 0; i < results->n; i++) {
		const struct weft_result *r = &results->result[i];

		weft_result_text(r, begun, text, sizeof(text));
		fprintf(f, "%-7s %s: %s\n", words[r->outcome], r->name, text);
	}
	fflush(f);
}

/**
 * save_junit() - write results to a file as JUnit XML
 * @path: the file
 * @j: description of the run
 * @results: the results
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int save_junit(const char *path, const struct weft_junit *j,
	       const struct weft_results *results, struct weft_err *err)
{
	char *text;
	FILE *f;
	int ret;

	if (weft_junit_text(j, results, &text, err))
		return err->code;
	f = fopen(path, "we");
	ret = !f || fputs(text, f) < 0;
	free(text);
	if (f)
		ret |= fclose(f);
	return ret ? weft_err_sys(err, errno, "write %s", path) : 0;
}

/**
 * play_save() - write the results of a scenario to a file as JUnit XML
 * @p: the scenario, judged
 * @path: the file
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int play_save(const struct play *p, const char *path, struct weft_err *err)
{
	const struct weft_facts *f = &p->player.facts;
	const struct weft_junit j = {
		.scenario = p->scenario.name, .topology = f->topology,
		.clock = f->clock, .seed = f->fabric.seed,
		.begun = p->player.start, .ended = p->ended,
	};

	return save_junit(path, &j, &p->results, err);
}
