// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weftd: the command line, and the loop.
 */
#include <event2/event.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "daemon.h"

#ifndef WEFT_VERSION
#define WEFT_VERSION "unknown"
#endif

#define EXIT_USAGE	1
#define HTTP_PORT	9468
#define SAMPLE_PS	1000000000ULL	/* 1 ms */

static const char usage[] =
"usage: weftd [OPTION]...\n"
"\n"
"Run in the foreground, watch the labs that are up, and answer at\n"
"/run/weft/weftd.sock. `weft daemon start` starts it in the background.\n"
"\n"
"  --http PORT     serve metrics and the web page on 127.0.0.1:PORT; 0: any free\n"
"                  port, off: none (default 9468)\n"
"  --sample TIME   fabric time between samples of a recording (default 1ms)\n"
"  --version       print the version\n";

static int fail(const struct weft_err *err)
{
	fprintf(stderr, "weftd: %s\n", err->msg);
	return err->kind;
}

static int take_port(struct daemon_options *o, const char *text)
{
	struct weft_err err;
	uint64_t port;

	o->http = strcmp(text, "off") != 0;
	if (o->http && (weft_parse_number(text, &port, &err) || port > 65535)) {
		fprintf(stderr, "weftd: --http %s: expected off, or 0 to 65535\n",
			text);
		return EXIT_USAGE;
	}
	o->port = o->http ? (uint16_t)port : 0;
	return -1;
}

static int take_sample(struct daemon_options *o, const char *text)
{
	struct weft_err err;

	if (!weft_parse_time(text, &o->sample, &err) &&
	    o->sample >= WEFT_PS_PER_US)
		return -1;
	fprintf(stderr, "weftd: --sample %s: expected a time such as 1ms, 1us at least\n",
		text);
	return EXIT_USAGE;
}

/* Return the exit code if weftd shall end, otherwise -1. */
static int read_options(int argc, char **argv, struct daemon_options *o)
{
	static const struct option longopts[] = {
		{ "http", required_argument, NULL, 'p' },
		{ "sample", required_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int c, ret = -1;

	while (ret < 0 && (c = getopt_long(argc, argv, "h", longopts,
					   NULL)) != -1) {
		switch (c) {
		case 'p':
			ret = take_port(o, optarg);
			break;
		case 's':
			ret = take_sample(o, optarg);
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		case 'V':
			puts("weftd " WEFT_VERSION);
			return 0;
		default:
			return EXIT_USAGE;
		}
	}
	if (ret >= 0 || optind == argc)
		return ret;
	fputs("weftd: expected no arguments; see weftd --help\n", stderr);
	return EXIT_USAGE;
}

static void on_end(evutil_socket_t sig, short what, void *ctx)
{
	(void)sig;
	(void)what;
	event_base_loopexit(ctx, NULL);
}

static void on_hangup(evutil_socket_t sig, short what, void *ctx)
{
	struct weft_err err;

	(void)sig;
	(void)what;
	if (labs_look(ctx, &err))
		log_line("%s", err.msg);
}

/**
 * struct signals - signals that the loop handles
 * @event: their events
 */
struct signals {
	struct event *event[3];
};

static int signals_open(struct signals *s, struct daemon *d,
			struct weft_err *err)
{
	struct event_base *base = d->base;

	signal(SIGPIPE, SIG_IGN);
	s->event[0] = evsignal_new(base, SIGTERM, on_end, base);
	s->event[1] = evsignal_new(base, SIGINT, on_end, base);
	s->event[2] = evsignal_new(base, SIGHUP, on_hangup, d);
	for (unsigned int i = 0; i < 3; i++)
		if (!s->event[i] || event_add(s->event[i], NULL))
			return weft_err_nomem(err);
	return 0;
}

static void signals_close(struct signals *s)
{
	for (unsigned int i = 0; i < 3; i++)
		if (s->event[i])
			event_free(s->event[i]);
}

static int make_base(struct daemon *d, struct weft_err *err)
{
	struct event_config *config = event_config_new();

	if (config) {
		event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);
		d->base = event_base_new_with_config(config);
		event_config_free(config);
	}
	return d->base ? 0 : weft_err_nomem(err);
}

/* Open the control socket last: all services are ready for its clients. */
static int serve(struct daemon *d, struct weft_err *err)
{
	struct signals signals = { 0 };
	int ret = make_base(d, err);

	if (ret)
		return ret;
	ret = signals_open(&signals, d, err);
	if (!ret)
		ret = labs_open(d, err);
	if (!ret && d->options.http)
		ret = http_open(d, err);
	if (!ret)
		ret = control_open(d, err);
	if (!ret && event_base_dispatch(d->base) < 0)
		ret = weft_err_set(err, WEFT_ERR_OTHER, -1, "the event loop failed");
	d->ending = true;
	control_close(d);
	http_close(d);
	labs_close(d);
	signals_close(&signals);
	event_base_free(d->base);
	return ret;
}

int main(int argc, char **argv)
{
	struct daemon d = {
		.inotify = -1, .started = time(NULL),
		.options = {
			.http = true, .port = HTTP_PORT,
			.sample = SAMPLE_PS,
		},
	};
	struct weft_err err;
	int ret;

	ret = read_options(argc, argv, &d.options);
	if (ret >= 0)
		return ret;
	if (lock_take(&d.lock, &err))
		return fail(&err);
	ret = serve(&d, &err);
	lock_give(d.lock);
	return ret ? fail(&err) : 0;
}
