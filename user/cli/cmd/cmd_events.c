// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft events: changes of a fabric, as they happen.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>

#include "base/units.h"
#include "cli.h"
#include "lab/events.h"

/**
 * struct listener - a printer of events
 * @lab: the lab
 * @nl: socket to read the fabric time
 * @json: print JSON
 * @gone: the fabric was removed
 */
struct listener {
	const struct weft_lab *lab;
	struct weft_nl nl;
	bool json;
	bool gone;
};

/* The fabric time; 0 if the fabric is gone. */
static uint64_t time_of(struct listener *l)
{
	struct weft_fabric f;
	struct weft_err err;
	uint64_t now = 0;

	if (!weft_fabric_find(&l->nl, l->lab->name, &f, &err))
		now = f.now;
	weft_fabric_free(&f);
	return now;
}

static const char *word_of(const struct weft_event *ev)
{
	if (ev->gone)
		return "removed";
	if (ev->kind != WEFT_EVENT_LINK)
		return "changed";
	if (weft_link_is_up(&ev->link))
		return "up";
	return ev->link.wire[0].up || ev->link.wire[1].up ?
	       "down in one direction" : "down";
}

/* Start and end of a phase are detected later than they happen. */
static void print_phase(const struct weft_phase *ph)
{
	char begin[32], lasted[32];

	weft_format_time(begin, sizeof(begin), ph->begin);
	if (ph->open)
		printf("began at %s\n", begin);
	else
		printf("is over: %s from %s on\n",
		       weft_format_time(lasted, sizeof(lasted),
					ph->end - ph->begin), begin);
}

static void print_text(const struct weft_event *ev, uint64_t now)
{
	static const char *const kinds[] = {
		"fabric", "switch", "link", "nic", "fault", "traffic",
		"phase", "trigger",
	};
	char time[32];

	if (ev->kind == WEFT_EVENT_LOST) {
		puts("events were lost");
		return;
	}
	printf("%-12s %-7s ", weft_format_time(time, sizeof(time), now),
	       kinds[ev->kind]);
	if (*ev->name)
		printf("%s ", ev->name);
	else
		printf("%" PRIu32 " ", ev->id);
	if (ev->kind == WEFT_EVENT_PHASE)
		print_phase(&ev->phase);
	else
		puts(word_of(ev));
}

static int print_event(void *ctx, const struct weft_event *ev)
{
	struct listener *l = ctx;
	uint64_t now = time_of(l);
	struct weft_err err;
	json_t *o;
	int ret;

	l->gone = ev->kind == WEFT_EVENT_FABRIC && ev->gone;
	if (!l->json) {
		print_text(ev, now);
		return 0;
	}
	o = weft_event_json(ev, now);
	ret = cli_put_json(o, JSON_COMPACT | cli_json_flags(), &err);
	json_decref(o);
	if (ret)
		cli_fail(&err);
	return ret;
}

/* Print events until the fabric is gone, or the output has no reader. */
static int listen_to(struct weft_events *e, struct listener *l,
		     struct weft_err *err)
{
	struct pollfd fd = { .fd = weft_events_fd(e), .events = POLLIN };

	while (!l->gone) {
		if (weft_events_read(e, print_event, l, err))
			return err->code;
		if (fflush(stdout))
			return weft_err_sys(err, errno, "output");
		if (!l->gone && poll(&fd, 1, -1) < 0 && errno != EINTR)
			return weft_err_sys(err, errno, "poll");
	}
	return 0;
}

static int listen_in(const char *lab_name, bool json)
{
	struct listener l = { .json = json };
	struct weft_events e;
	struct weft_lab lab;
	struct weft_err err;
	int ret;

	if (cli_lab(&lab, lab_name, &err))
		return cli_fail(&err);
	l.lab = &lab;
	ret = weft_lab_nl(&lab, &l.nl, &err);
	if (!ret)
		ret = weft_events_open(&e, &lab, &err);
	if (!ret) {
		ret = listen_to(&e, &l, &err);
		weft_events_close(&e);
	}
	weft_nl_close(&l.nl);
	weft_lab_close(&lab);
	return ret ? cli_fail(&err) : cli_done();
}

static int run(const struct command *cmd, int argc, char **argv)
{
	const char *lab = NULL;
	bool json = false;
	const struct cli_option opt[] = {
		CLI_FLAG("json", &json), CLI_TEXT("lab", &lab),
		CLI_END,
	};
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	ret = cli_no_words(cmd, argc, argv);
	return ret ? ret : listen_in(lab, json);
}

const struct command cmd_events = {
	.name = "events",
	.run = run,
	.summary = "changes of a fabric, as they happen",
	.usage =
"usage: weft events [OPTION]...\n"
"\n"
"Print each change of a lab's fabric with its fabric time: links that go down or\n"
"come up, faults that come and go, phases and triggers, objects that are added,\n"
"changed or removed. A phase is told when it is found, with the time it began at.\n"
"Ends when the fabric is removed.\n"
"\n"
"  -j, --json     as JSON, an object a line; keys never change\n"
"  -p, --pretty   JSON with indents\n"
"  -l, --lab LAB  the lab (default: $WEFT_LAB, or the only one)\n",
};
