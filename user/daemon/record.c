// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Service that records labs for the web page: on demand, in memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "alarm.h"
#include "base/units.h"
#include "report/record.h"
#include "requests.h"
#include "services.h"

/* Least interval on a real clock: a sample takes CPU time from programs. */
#define WALL_MIN_PS	10000000000ULL	/* 10 ms */

/**
 * struct tape - a recording, running or ended
 */
struct tape {
	/** @lab: the lab */
	struct daemon_lab *lab;
	/** @rec: the recording */
	struct weft_record rec;
	/** @id: random number: unique, also among recordings of other daemons */
	uint64_t id;
	/**
	 * @alarm: goes off when a sample is due; closed when the recording has
	 * ended
	 */
	struct alarm alarm;
};

static void wait_for_next(struct tape *t)
{
	alarm_set(&t->alarm, &t->rec.facts.fabric, weft_record_next(&t->rec));
}

static void on_alarm(evutil_socket_t fd, short what, void *ctx)
{
	struct tape *t = ctx;
	struct weft_err err;
	uint64_t times;

	(void)what;
	if (read(fd, &times, sizeof(times)) != sizeof(times))
		return;
	if (!weft_record_sample(&t->rec, &err)) {
		wait_for_next(t);
		return;
	}
	log_line("lab %s: recording: %s", t->lab->lab.name, err.msg);
	alarm_close(&t->alarm);
}

static uint64_t interval_of(const struct daemon_lab *l)
{
	json_t *clock = json_object_get(l->lab.state, "clock");
	uint32_t dilation = 0;
	struct weft_err err;
	uint64_t least = 0;

	if (!weft_parse_clock(json_string_value(clock), &dilation, &err) &&
	    dilation)
		least = WALL_MIN_PS / dilation;
	return l->daemon->options.sample > least ? l->daemon->options.sample :
						   least;
}

static void forget(struct tape *t)
{
	t->lab->service[SERVICE_RECORD] = NULL;
	alarm_close(&t->alarm);
	weft_record_close(&t->rec);
	free(t);
}

static int start(struct daemon_lab *l, struct weft_err *err)
{
	struct tape *t = calloc(1, sizeof(*t));
	int ret;

	if (!t)
		return weft_err_nomem(err);
	t->lab = l;
	t->alarm.fd = -1;
	l->service[SERVICE_RECORD] = t;
	ret = weft_record_open(&t->rec, &l->lab, interval_of(l), err);
	if (!ret && getrandom(&t->id, sizeof(t->id), 0) != sizeof(t->id))
		ret = weft_err_sys(err, errno, "getrandom");
	if (!ret)
		ret = alarm_open(&t->alarm, l->daemon->base, on_alarm, t, err);
	if (ret) {
		forget(t);
		return ret;
	}
	wait_for_next(t);
	log_line("lab %s: recording", l->lab.name);
	return 0;
}

/**
 * record_begin() - start to record a lab, unless it is being recorded
 * @l: the lab
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int record_begin(struct daemon_lab *l, struct weft_err *err)
{
	return l->service[SERVICE_RECORD] ? 0 : start(l, err);
}

/**
 * record_start() - request: start to record a lab
 * @d: the daemon
 * @request: has "lab"
 * @reply: gets "recording"
 * @err: error
 *
 * A recording that is running continues.
 *
 * Return: 0 or negative errno.
 */
int record_start(struct daemon *d, json_t *request, json_t *reply,
		 struct weft_err *err)
{
	struct daemon_lab *l;

	if (request_lab(d, request, &l, err) || record_begin(l, err))
		return err->code;
	json_object_set_new(reply, "recording", json_true());
	return 0;
}

/**
 * record_stop() - request: stop to record a lab, and discard the recording
 * @d: the daemon
 * @request: has "lab"
 * @reply: gets "recording"
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int record_stop(struct daemon *d, json_t *request, json_t *reply,
		struct weft_err *err)
{
	struct daemon_lab *l;

	if (request_lab(d, request, &l, err))
		return err->code;
	if (l->service[SERVICE_RECORD])
		forget(l->service[SERVICE_RECORD]);
	json_object_set_new(reply, "recording", json_false());
	return 0;
}

/**
 * record_read() - start to read a recording
 * @l: the lab
 * @after: position from the previous reply, NULL for the start
 * @reader: result, to be closed by weft_record_reader_close() even after an error
 * @err: error
 *
 * Return: 0 or negative errno; -ENODATA if the lab is not being recorded.
 */
int record_read(struct daemon_lab *l, const char *after,
		struct weft_record_reader *reader, struct weft_err *err)
{
	struct tape *t = l->service[SERVICE_RECORD];

	if (t) {
		/* If the fabric is gone, keep the phases that were read last. */
		if (weft_facts_phases(&t->rec.facts, &t->rec.nl, err) &&
		    err->code != -ENOENT)
			return err->code;
		return weft_record_reader_open(reader, &t->rec, t->id, after,
					       err);
	}
	return weft_err_set(err, WEFT_ERR_USAGE, -ENODATA,
			    "lab \"%s\" is not being recorded: POST to /api/labs/%s/record begins it",
			    l->lab.name, l->lab.name);
}

static void recording_end(struct daemon_lab *l)
{
	if (l->service[SERVICE_RECORD])
		forget(l->service[SERVICE_RECORD]);
}

static void recording_status(struct daemon_lab *l, json_t *o)
{
	json_object_set_new(o, "recording",
			    json_boolean(l->service[SERVICE_RECORD]));
}

const struct lab_service service_record = {
	.name = "recording", .end = recording_end, .status = recording_status,
};
