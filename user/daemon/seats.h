/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connections to the web server: how long each may take, and how many there may be.
 */
#ifndef WEFT_DAEMON_SEATS_H
#define WEFT_DAEMON_SEATS_H

#include <event2/event.h>
#include <stdint.h>

#include "base/err.h"

/* Descriptors that are looked at; the usual limit of a process. */
#define SEATS_FDS	1024

/** enum seat_kind - what a connection does */
enum seat_kind {
	/** @SEAT_ASKS: no request has come, or not all of it */
	SEAT_ASKS,
	/** @SEAT_HEARS: its answer is on the way */
	SEAT_HEARS,
	SEAT_KINDS
};

/**
 * struct seats - all connections
 */
struct seats {
	/** @look: finds those that came, and ends those that must go */
	struct event *look;
	/** @seat: by descriptor */
	struct seat {
		/** @cookie: the kernel's name of the connection, 0: none */
		uint64_t cookie;
		/** @since: it is of that kind, ms */
		int64_t since;
		/** @kind: what it does */
		enum seat_kind kind;
	} seat[SEATS_FDS];
};

int seats_open(struct seats *all, struct event_base *base,
	       struct weft_err *err);
void seats_come(struct seats *all);
void seats_set(struct seats *all, int fd, enum seat_kind kind);
void seats_close(struct seats *all);

#endif
