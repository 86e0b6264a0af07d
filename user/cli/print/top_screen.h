/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * weft top on a terminal.
 */
#ifndef WEFT_TOP_SCREEN_H
#define WEFT_TOP_SCREEN_H

#include "base/err.h"
#include "facts/facts.h"
#include "netlink/nl.h"
#include "view/top.h"

/**
 * struct top - readings, and how they are shown
 */
struct top {
	/** @nl: socket to the fabric */
	struct weft_nl nl;
	/** @facts: the lab as of the last reading */
	struct weft_facts facts;
	/** @before: the reading before */
	struct weft_top_reading before;
	/** @now: the last reading */
	struct weft_top_reading now;
	/** @rows: the changes between them */
	struct weft_top_rows rows;
	/** @view: choice and order of the rows */
	struct weft_top_view view;
	/** @interval: time between readings, ms of this machine's time */
	int interval;
};

int top_next(struct top *t, struct weft_err *err);
int top_make(struct top *t, struct weft_err *err);
int top_screen(struct top *t, struct weft_err *err);

#endif
