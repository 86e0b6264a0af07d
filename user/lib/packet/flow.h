/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters of packets: SRC>DST[:PROTOCOL[/PORT]].
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
 * struct weft_flow - filter of packets between two nodes or NICs
 */
struct weft_flow {
	/** @facts: the lab; it must outlive the flow */
	const struct weft_facts *facts;
	/** @src: source NIC or node; empty for any */
	char src[WEFT_NAME_SIZE];
	/** @dst: destination NIC or node; empty for any */
	char dst[WEFT_NAME_SIZE];
	/** @has_kind: only packets of @kind match */
	bool has_kind;
	/** @kind: kind of the packets */
	enum weft_headers_kind kind;
	/** @has_port: only packets with @port match */
	bool has_port;
	/**
	 * @port: TCP, UDP: source or destination port; verbs: destination queue
	 * pair
	 */
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
