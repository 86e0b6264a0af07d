/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Triggers: conditions on what programs do, by which faults, traffic and events of nodes
 * begin.
 */
#ifndef WEFT_TRIGGER_H
#define WEFT_TRIGGER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "netlink/fabric.h"
#include "netlink/nl.h"
#include "netlink/nl_fields.h"

struct weft_facts;

/**
 * struct weft_trigger - a trigger; Documentation/scenario.rst defines each kind
 */
struct weft_trigger {
	/** @has: bit per attribute that is set, WEFT_HAS(WEFT_A_TRIGGER_...) */
	uint32_t has;
	/** @fabric: its fabric */
	uint32_t fabric;
	/** @id: number in the fabric, given by the kernel */
	uint32_t id;
	/** @kind: enum weft_trigger_kind */
	uint32_t kind;
	/** @name: name of the mark */
	char name[WEFT_NAME_SIZE];
	/** @number: number of the phase by traffic, from 1 */
	uint32_t number;
	/** @nic: endpoint id of the NIC */
	uint32_t nic;
	/** @rate: only bytes above this rate count, bit/s */
	uint64_t rate;
	/** @size: number of bytes that the host of the NIC has to hand in */
	uint64_t size;
	/** @sent: number of these bytes so far */
	uint64_t sent;
	/** @at: fabric time when the condition was met, ps; not set before */
	uint64_t at;
	/** @found: fabric time when that was found, ps */
	uint64_t found;
};

/**
 * struct weft_at - begin of something, as users write it
 */
struct weft_at {
	/** @given: it begins by a trigger */
	bool given;
	/** @trigger: the trigger */
	struct weft_trigger trigger;
	/** @nic: name of the trigger's NIC or node, empty for none */
	char nic[2 * WEFT_NAME_SIZE];
	/** @after: time from the moment of the trigger to the begin, ps */
	uint64_t after;
};

/* trigger.c */
int weft_trigger_new(struct weft_nl *nl, struct weft_trigger *t,
		     struct weft_err *err);
int weft_trigger_del(struct weft_nl *nl, const struct weft_trigger *t,
		     struct weft_err *err);
int weft_trigger_list(struct weft_nl *nl, uint32_t fabric,
		      struct weft_trigger **list, unsigned int *n,
		      struct weft_err *err);
const struct weft_trigger *weft_trigger_find(const struct weft_trigger *list,
					     unsigned int n, uint32_t id);
bool weft_trigger_met(const struct weft_trigger *t);
uint64_t weft_trigger_late(const struct weft_trigger *t, uint64_t after);

/* trigger_parse.c: from text that users write */
int weft_at_parse(struct weft_at *at, const char *text, struct weft_err *err);
int weft_at_bind(struct weft_at *at, const struct weft_facts *facts,
		 struct weft_err *err);

/* trigger_text.c: to text and JSON */
const char *weft_trigger_when(const struct weft_trigger *t, uint64_t after,
			      const struct weft_facts *facts, char *buf,
			      size_t len);
const char *weft_trigger_from(const struct weft_facts *facts, uint32_t id,
			      uint64_t after, uint64_t start, char *buf,
			      size_t len);
void weft_trigger_json(json_t *o, const struct weft_facts *facts, uint32_t id,
		       uint64_t after);
const char *weft_trigger_why_not(const struct weft_trigger *t,
				 const struct weft_facts *facts, char *buf,
				 size_t len);

#endif
