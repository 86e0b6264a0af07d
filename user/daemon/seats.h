/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits of connections to the web server: their number, and the time of a request.
 */
#ifndef WEFT_DAEMON_SEATS_H
#define WEFT_DAEMON_SEATS_H

#include <event2/event.h>
#include <stdint.h>

#include "base/err.h"

/* Number of descriptors that are checked; the usual limit of a process. */
#define SEATS_FDS	1024

/** enum seat_kind - state of a connection */
enum seat_kind {
	/** @SEAT_ASKS: its request is not complete */
	SEAT_ASKS,
	/** @SEAT_HEARS: an answer in pieces is being sent */
	SEAT_HEARS,
	SEAT_KINDS
};

/**
 * struct seats - all connections
 */
struct seats {
	/** @look: finds new connections, and closes those beyond the limits */
	struct event *look;
	/** @seat: connections by descriptor */
	struct seat {
		/** @cookie: SO_COOKIE of the connection, 0: none */
		uint64_t cookie;
		/** @since: since when it is of @kind, monotonic clock, ms */
		int64_t since;
		/** @kind: its state */
		enum seat_kind kind;
	} seat[SEATS_FDS];
};

int seats_open(struct seats *all, struct event_base *base,
	       struct weft_err *err);
void seats_come(struct seats *all);
void seats_set(struct seats *all, int fd, enum seat_kind kind);
void seats_close(struct seats *all);

#endif
