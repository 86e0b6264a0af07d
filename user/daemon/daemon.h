/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * weftd: one process, one thread, one loop.
 *
 * Labs live in the kernel and in /run/weft, without the daemon. The daemon
 * adopts labs that are up or come up, and forgets them when they go down. If it
 * is killed, only its recordings are lost.
 */
#ifndef WEFT_DAEMON_H
#define WEFT_DAEMON_H

#include <event2/event.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "lab/lab.h"
#include "service/web_access.h"

struct control;
struct daemon_lab;
struct http;

/** enum lab_service_id - services of the daemon for each lab */
enum lab_service_id {
	SERVICE_RECORD,
	SERVICE_SCENARIO,
	SERVICE_CONVERGE,
	LAB_SERVICES
};

/**
 * struct lab_service - a service of the daemon for each lab
 */
struct lab_service {
	/** @name: its name in messages */
	const char *name;
	/**
	 * @begin: called when a lab is adopted, may be NULL; an error is logged,
	 * and the lab remains adopted
	 */
	int (*begin)(struct daemon_lab *lab, struct weft_err *err);
	/**
	 * @end: called when the lab is forgotten, only if @begin succeeded or
	 * is NULL
	 */
	void (*end)(struct daemon_lab *lab);
	/** @status: adds to the status of the lab, may be NULL */
	void (*status)(struct daemon_lab *lab, json_t *o);
};

/**
 * struct daemon_lab - an adopted lab
 */
struct daemon_lab {
	/** @daemon: the daemon */
	struct daemon *daemon;
	/** @next: the next lab */
	struct daemon_lab *next;
	/** @lab: the lab */
	struct weft_lab lab;
	/** @begun: bit mask of services that have begun */
	unsigned int begun;
	/** @service: state of each service for the lab */
	void *service[LAB_SERVICES + 1];
};

/**
 * struct daemon_options - the command line
 */
struct daemon_options {
	/** @http: serve HTTP */
	bool http;
	/** @port: TCP port, 0: any free one */
	uint16_t port;
	/** @sample: fabric time between samples, ps */
	uint64_t sample;
};

/**
 * struct daemon - the daemon
 */
struct daemon {
	/** @base: the loop */
	struct event_base *base;
	/** @options: the command line */
	struct daemon_options options;
	/** @ending: it ends once the client that requested it has its reply */
	bool ending;
	/** @lock: descriptor of the lock file, which has the pid */
	int lock;
	/** @started: wall-clock time of its start, s */
	time_t started;
	/** @inotify: events of /run/weft */
	int inotify;
	/** @watch: event of @inotify */
	struct event *watch;
	/** @labs: the labs */
	struct daemon_lab *labs;
	/** @control: the control socket */
	struct control *control;
	/** @http: the web server, NULL for none */
	struct http *http;
};

/* log.c */
void log_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* lock.c */
int lock_take(int *fd, struct weft_err *err);
void lock_give(int fd);

/* labs.c */
int labs_open(struct daemon *d, struct weft_err *err);
int labs_look(struct daemon *d, struct weft_err *err);
void labs_close(struct daemon *d);
struct daemon_lab *labs_find(const struct daemon *d, const char *name);
void labs_status(struct daemon_lab *l, json_t *o);

/* http.c */
int http_open(struct daemon *d, struct weft_err *err);
void http_close(struct daemon *d);
uint16_t http_port(const struct daemon *d);

/* token.c */
int token_read(char token[WEFT_TOKEN_LEN + 1], struct weft_err *err);

/* control.c */
int control_open(struct daemon *d, struct weft_err *err);
void control_close(struct daemon *d);

#endif
