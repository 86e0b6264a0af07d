/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel tells of changes of a fabric, as it happens.
 */
#ifndef WEFT_EVENTS_H
#define WEFT_EVENTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "lab/lab.h"
#include "netlink/link.h"
#include "netlink/nl.h"
#include "netlink/phase.h"

/**
 * enum weft_event_kind - what an event is about
 * @WEFT_EVENT_FABRIC: the fabric
 * @WEFT_EVENT_SWITCH: a switch
 * @WEFT_EVENT_LINK: a link; struct weft_event has all of it
 * @WEFT_EVENT_NIC: a NIC
 * @WEFT_EVENT_FAULT: a fault
 * @WEFT_EVENT_TRAFFIC: a generator of background traffic
 * @WEFT_EVENT_PHASE: a phase; struct weft_event has its times
 * @WEFT_EVENT_TRIGGER: a trigger
 * @WEFT_EVENT_LOST: events were lost: read all again
 */
enum weft_event_kind {
	WEFT_EVENT_FABRIC,
	WEFT_EVENT_SWITCH,
	WEFT_EVENT_LINK,
	WEFT_EVENT_NIC,
	WEFT_EVENT_FAULT,
	WEFT_EVENT_TRAFFIC,
	WEFT_EVENT_PHASE,
	WEFT_EVENT_TRIGGER,
	WEFT_EVENT_LOST,
};

/**
 * struct weft_event - something happened
 */
struct weft_event {
	/** @kind: what to; the rest says nothing with WEFT_EVENT_LOST */
	enum weft_event_kind kind;
	/** @gone: it was removed; otherwise it was made, or changed */
	bool gone;
	/** @fabric: the fabric */
	uint32_t fabric;
	/** @id: number of the object; of a fabric the same as @fabric */
	uint32_t id;
	/** @name: its name, empty without one */
	char name[WEFT_NAME_SIZE];
	/** @phase: with WEFT_EVENT_PHASE */
	struct weft_phase phase;
	/** @link: with WEFT_EVENT_LINK: ends and wires, without counters */
	struct weft_link link;
};

/**
 * struct weft_events - a subscription to the events of one fabric
 */
struct weft_events {
	/** @nl: the socket, which does not block */
	struct weft_nl nl;
	/** @fabric: the fabric */
	uint32_t fabric;
};

/**
 * typedef weft_event_fn - takes an event
 * @ctx: as given
 * @ev: the event, good until the function returns
 *
 * Return: 0 to go on, or negative errno.
 */
typedef int (*weft_event_fn)(void *ctx, const struct weft_event *ev);

int weft_events_open(struct weft_events *e, const struct weft_lab *lab,
		     struct weft_err *err);
int weft_events_fd(const struct weft_events *e);
int weft_events_read(struct weft_events *e, weft_event_fn fn, void *ctx,
		     struct weft_err *err);
void weft_events_close(struct weft_events *e);

bool weft_link_is_up(const struct weft_link *link);
json_t *weft_event_json(const struct weft_event *ev, uint64_t now);

#endif
