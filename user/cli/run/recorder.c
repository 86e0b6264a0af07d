// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recording a lab by the fabric's clock.
 *
 * The kernel's clock and a fabric's clock differ by the dilation only. In the virtual
 * machine a sleeping process wakes up exactly on time.
 */
#include "run/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "report/record.h"
#include "run/companion.h"

#define PS_PER_NS	1000
#define NS_PER_S	1000000000ULL
#define INTERVAL_MIN	1000000ULL	/* 1 us */

/**
 * recorder_interval() - parse the interval between samples
 * @cmd: the command
 * @text: as the user wrote it
 * @interval: result, ps
 *
 * Return: 0 or exit code.
 */
int recorder_interval(const struct command *cmd, const char *text,
		      uint64_t *interval)
{
	struct weft_err err;

	if (weft_parse_time(text, interval, &err))
		return cli_usage(cmd, "--interval: %s", err.msg);
	if (*interval < INTERVAL_MIN)
		return cli_usage(cmd, "--interval %s: expected at least 1us",
				 text);
	return 0;
}

/* Block the signals that end a recorder. For `weft run`, only its parent ends it. */
static void block_signals(sigset_t *set)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };

	sigemptyset(set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaddset(set, signals[i]);
	sigprocmask(SIG_BLOCK, set, NULL);
}

/* Sleep until @time on the fabric's clock. Return: true if a signal came. */
static bool sleep_until(const struct weft_record *rec, uint64_t time,
			const sigset_t *wake)
{
	const struct weft_fabric *f = &rec->facts.fabric;
	uint64_t ps = time > f->now ? time - f->now : 0;
	uint64_t ns = (ps * f->dilation + PS_PER_NS - 1) / PS_PER_NS;
	const struct timespec t = {
		.tv_sec = (time_t)(ns / NS_PER_S),
		.tv_nsec = (long)(ns % NS_PER_S),
	};

	return sigtimedwait(wake, NULL, &t) > 0;
}

/* Take samples, the last one at the end. */
static int follow(struct weft_record *rec, const struct recorder_options *o,
		  const sigset_t *wake, struct weft_err *err)
{
	uint64_t end = o->duration ? rec->facts.fabric.now + o->duration :
				     UINT64_MAX;
	bool ends = false;
	int ret = 0;

	while (!ret && !ends && rec->facts.fabric.now < end) {
		uint64_t next = weft_record_next(rec);

		ends = sleep_until(rec, next < end ? next : end, wake);
		ret = weft_record_sample(rec, err);
	}
	return ret == -ENOENT ? 0 : ret;
}

/**
 * recorder_try() - find early that a file cannot be written
 * @file: the file
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int recorder_try(const char *file, struct weft_err *err)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0) {
		weft_err_sys(err, errno, "%s", file);
		err->kind = WEFT_ERR_USAGE;
		return err->code;
	}
	close(fd);
	return 0;
}

/* Tell the parent on @ready after the first sample; -1 if no parent waits. */
static int record(const struct recorder_options *o, const struct weft_lab *lab,
		  const sigset_t *wake, int ready, struct weft_err *err)
{
	struct weft_record rec;
	int ret;

	prctl(PR_SET_TIMERSLACK, 1);
	ret = weft_record_open(&rec, lab, o->interval ? o->interval :
			       WEFT_RECORD_INTERVAL, err);
	if (!ret)
		ret = companion_ready(ready, err);
	if (!ret)
		ret = follow(&rec, o, wake, err);
	if (!ret)
		ret = weft_record_save(&rec, o->file, err);
	weft_record_close(&rec);
	return ret;
}

/**
 * recorder_run() - record for a time, or until a signal comes or the lab is removed
 * @o: options of the user
 * @lab: the lab, up
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int recorder_run(const struct recorder_options *o, const struct weft_lab *lab,
		 struct weft_err *err)
{
	sigset_t wake;

	block_signals(&wake);
	if (recorder_try(o->file, err))
		return err->code;
	return record(o, lab, &wake, -1, err);
}

/**
 * struct task - the work of the child of recorder_start()
 * @o: options of the user
 * @lab: the lab, up
 */
struct task {
	const struct recorder_options *o;
	const struct weft_lab *lab;
};

/* Only the parent ends it; signals of the terminal are for the program. */
static int record_beside(const void *ctx, int ready, struct weft_err *err)
{
	const struct task *t = ctx;
	sigset_t all, wake;

	block_signals(&all);
	sigemptyset(&wake);
	sigaddset(&wake, SIGTERM);
	return record(t->o, t->lab, &wake, ready, err);
}

/**
 * recorder_start() - start a child that records a lab
 * @o: options of the user
 * @lab: the lab, up
 * @pid: result, for recorder_stop()
 * @err: error
 *
 * Return: 0 once the first sample is taken, or negative errno.
 */
int recorder_start(const struct recorder_options *o,
		   const struct weft_lab *lab, pid_t *pid,
		   struct weft_err *err)
{
	const struct task task = { .o = o, .lab = lab };

	if (recorder_try(o->file, err))
		return err->code;
	return companion_start(record_beside, &task,
			       "the recording could not begin", pid, err);
}

/**
 * recorder_stop() - let the child take a last sample, write the file and end
 * @pid: of recorder_start(); 0 for none
 *
 * Return: 0, or -1 if it failed; it has printed its error.
 */
int recorder_stop(pid_t pid)
{
	return companion_stop(pid);
}
