/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of the kernel about changes of a fabric.
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
 * enum weft_event_kind - object of an event
 * @WEFT_EVENT_FABRIC: the fabric
 * @WEFT_EVENT_SWITCH: a switch
 * @WEFT_EVENT_LINK: a link; @link of struct weft_event has its state
 * @WEFT_EVENT_NIC: a NIC
 * @WEFT_EVENT_FAULT: a fault
 * @WEFT_EVENT_TRAFFIC: a generator of background traffic
 * @WEFT_EVENT_PHASE: a phase; @phase of struct weft_event has its times
 * @WEFT_EVENT_TRIGGER: a trigger
 * @WEFT_EVENT_AGGREGATOR: an aggregation node
 * @WEFT_EVENT_LOST: events were lost: all objects must be read again
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
	WEFT_EVENT_AGGREGATOR,
	WEFT_EVENT_LOST,
};

/**
 * struct weft_event - an event of a fabric
 */
struct weft_event {
	/**
	 * @kind: object of the event; with WEFT_EVENT_LOST, other members are
	 * not valid
	 */
	enum weft_event_kind kind;
	/** @gone: the object was removed; otherwise it was created or changed */
	bool gone;
	/** @fabric: the fabric */
	uint32_t fabric;
	/** @id: number of the object; for a fabric the same as @fabric */
	uint32_t id;
	/** @name: name of the object, empty if it has none */
	char name[WEFT_NAME_SIZE];
	/** @phase: with WEFT_EVENT_PHASE: the phase */
	struct weft_phase phase;
	/** @link: with WEFT_EVENT_LINK: ends and wires, without counters */
	struct weft_link link;
};

/**
 * struct weft_events - a subscription to the events of one fabric
 */
struct weft_events {
	/** @nl: its socket, which is read without blocking */
	struct weft_nl nl;
	/** @fabric: the fabric */
	uint32_t fabric;
};

/**
 * typedef weft_event_fn - handles an event
 * @ctx: context of the caller
 * @ev: the event, valid until the function returns
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
