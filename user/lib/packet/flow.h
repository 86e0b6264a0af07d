/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which packets are meant: SRC>DST[:PROTOCOL[/PORT]].
 */
#ifndef WEFT_FLOW_H
#define WEFT_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "facts/facts.h"
#include "packet/headers.h"
#include "packet/journey.h"

/**
 * struct weft_flow - packets between two nodes or NICs
 */
struct weft_flow {
	/** @facts: the lab; it must outlive the flow */
	const struct weft_facts *facts;
	/** @src: NIC, or node, that they come from; empty for any */
	char src[WEFT_NAME_SIZE];
	/** @dst: NIC, or node, that they go to; empty for any */
	char dst[WEFT_NAME_SIZE];
	/** @has_kind: only of @kind */
	bool has_kind;
	/** @kind: what they are */
	enum weft_headers_kind kind;
	/** @has_port: only with @port */
	bool has_port;
	/** @port: either port of TCP or UDP; queue pair that verbs go to */
	uint32_t port;
};

int weft_flow_parse(struct weft_flow *f, const char *text,
		    const struct weft_facts *facts, struct weft_err *err);
bool weft_flow_sets_out(const struct weft_flow *f,
			const struct weft_journey *j);
bool weft_flow_ends(const struct weft_flow *f, const struct weft_journey *j);
void weft_flow_headers(const struct weft_facts *facts,
		       const struct weft_journey *j, struct weft_headers *h);

#endif
