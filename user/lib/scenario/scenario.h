/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scenarios: a time line of faults, traffic and what befalls nodes, and what is
 * expected of the run.
 *
 * Faults and traffic are handed to the kernel at the start, with their times or
 * triggers; it keeps them exactly. The rest is done by who plays the scenario: it
 * sleeps until the fabric's clock shows weft_player_next(), or there is something to
 * read at weft_player_fd(), and then calls weft_player_step().
 * Documentation/scenario.rst describes the file.
 */
#ifndef WEFT_SCENARIO_H
#define WEFT_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "facts/facts.h"
#include "lab/events.h"
#include "lab/lab.h"
#include "netlink/fault.h"
#include "netlink/traffic.h"
#include "netlink/trigger.h"
#include "plan/plan.h"
#include "scenario/expect.h"

#define WEFT_NEVER		UINT64_MAX
#define WEFT_ENTRIES_MAX	1024
#define WEFT_TIMES_MAX		10000

/** enum weft_entry_kind - what an entry of the time line is */
enum weft_entry_kind {
	WEFT_ENTRY_FAULT,
	WEFT_ENTRY_TRAFFIC,
	WEFT_ENTRY_NODE,
	WEFT_ENTRY_SET,
};

/** enum weft_node_act - what befalls a node */
enum weft_node_act {
	WEFT_NODE_FREEZE,
	WEFT_NODE_THAW,
	WEFT_NODE_KILL,
	WEFT_NODE_RETURN,
};

/**
 * struct weft_entry_word - a key of an entry that is not the scenario's own
 */
struct weft_entry_word {
	/** @text: "KEY=VALUE" */
	char *text;
	/** @line: where it stands, from 1 */
	size_t line;
	/** @column: the same */
	size_t column;
};

/**
 * struct weft_entry - an entry of the time line
 */
struct weft_entry {
	/** @kind: what it is */
	enum weft_entry_kind kind;
	/** @line: where it stands, from 1 */
	size_t line;
	/** @column: the same */
	size_t column;
	/** @at: its beginning, ps from the start of the scenario; known with @begun only */
	uint64_t at;
	/** @by: the trigger that it begins by, if it does */
	struct weft_at by;
	/** @armed: that trigger is with the kernel */
	bool armed;
	/** @begun: the moment of that trigger came */
	bool begun;
	/** @duration: ps, 0 if it does not end by itself */
	uint64_t duration;
	/** @period: ps from one beginning to the next, 0 if there is one */
	uint64_t period;
	/** @count: how many beginnings; 0 with @period: without end */
	uint32_t count;
	/** @what: kind of the fault, pattern of the traffic, or "nic" or "link" to be set */
	char *what;
	/** @on: place of the fault, name of the node, or what is to be set */
	char *on;
	/** @act: what befalls the node */
	enum weft_node_act act;
	/** @words: entries of @word */
	unsigned int words;
	/** @word: the other keys of the fault or the traffic, or what is set */
	struct weft_entry_word *word;
	/** @fault: the fault, from weft_scenario_bind() on */
	struct weft_fault fault;
	/** @traffic: the traffic, from weft_scenario_bind() on; borrows @word */
	struct weft_traffic_plan traffic;
	/** @running: the traffic is with the kernel, as @group; or the setting is made */
	bool running;
	/** @group: its number there */
	uint32_t group;
};

/**
 * struct weft_scenario - a scenario
 */
struct weft_scenario {
	/** @file: its file, for messages */
	char *file;
	/** @name: its name */
	char *name;
	/** @has_seed: it has one */
	bool has_seed;
	/** @seed: of its faults, but for those that have their own */
	uint64_t seed;
	/** @entries: entries of @entry */
	unsigned int entries;
	/** @entry: the time line, as written */
	struct weft_entry *entry;
	/** @expect: what is expected */
	struct weft_expect expect;
};

/* scenario_read.c, scenario_bind.c */
int weft_scenario_read(struct weft_scenario *s, const char *path,
		       struct weft_err *err);
int weft_scenario_parse(struct weft_scenario *s, const char *file,
			const char *text, size_t len, struct weft_err *err);
void weft_scenario_free(struct weft_scenario *s);
int weft_scenario_bind(struct weft_scenario *s, const struct weft_facts *facts,
		       struct weft_err *err);
int weft_scenario_check(struct weft_scenario *s, const struct weft_plan *plan,
			struct weft_err *err);

/**
 * struct weft_action - something that the player does
 */
struct weft_action {
	/** @at: when, fabric time */
	uint64_t at;
	/** @order: of those of the same time */
	unsigned int order;
	/** @sample: measure recovery @index; else @act on the node of an entry */
	bool sample;
	/** @index: which recovery, or which entry */
	unsigned int index;
	/** @step: which of its measurements */
	unsigned int step;
	/** @act: what befalls the node */
	enum weft_node_act act;
};

/**
 * struct weft_cut - a link that is down because its node was killed
 */
struct weft_cut {
	/** @link: its number */
	uint32_t link;
	/** @node: entry with the name of the node */
	const char *node;
};

/**
 * struct weft_player - a scenario that is being played
 */
struct weft_player {
	/** @lab: the lab */
	const struct weft_lab *lab;
	/** @scenario: the scenario */
	struct weft_scenario *scenario;
	/** @nl: socket to its fabric */
	struct weft_nl nl;
	/** @facts: the lab at the start */
	struct weft_facts facts;
	/** @start: when it began, fabric time */
	uint64_t start;
	/** @actions: entries of @action */
	unsigned int actions;
	/** @action: what is to be done, in order */
	struct weft_action *action;
	/** @done: how many of it are done */
	unsigned int done;
	/** @recoveries: entries of @recovery */
	unsigned int recoveries;
	/** @recovery: one for each fault, in order of time */
	struct weft_recovery *recovery;
	/** @cuts: entries of @cut */
	unsigned int cuts;
	/** @cut: links that are down */
	struct weft_cut *cut;
	/** @awaited: entries whose trigger was not met */
	unsigned int awaited;
	/** @events: tell of triggers, while some are awaited */
	struct weft_events events;
};

/* scenario_play.c */
int weft_player_start(struct weft_player *p, const struct weft_lab *lab,
		      struct weft_scenario *s, struct weft_err *err);
int weft_player_fd(const struct weft_player *p);
uint64_t weft_player_next(const struct weft_player *p);
uint64_t weft_player_end(const struct weft_player *p);
int weft_player_now(struct weft_player *p, uint64_t *now,
		    struct weft_err *err);
int weft_player_step(struct weft_player *p, struct weft_err *err);
int weft_player_take_back(struct weft_player *p, struct weft_err *err);
void weft_player_stop(struct weft_player *p);

/* scenario_trigger.c */
int weft_player_arm(struct weft_player *p, struct weft_err *err);
int weft_player_hear(struct weft_player *p, uint64_t now, struct weft_err *err);
int weft_player_disarm(struct weft_player *p, struct weft_entry *e,
		       struct weft_err *err);
void weft_player_triggers(const struct weft_player *p,
			  const struct weft_facts *facts,
			  struct weft_results *results);

/* scenario_play.c, for scenario_trigger.c */
int weft_player_begun(struct weft_player *p, unsigned int index, uint64_t now,
		      struct weft_err *err);
const char *weft_entry_text(const struct weft_entry *e, char *buf, size_t len);

/* scenario_set.c */
int weft_entry_set_check(const struct weft_entry *e,
			 const struct weft_facts *facts,
			 const struct weft_entry_word **at, struct weft_err *err);
int weft_player_set(struct weft_player *p, struct weft_entry *e,
		    struct weft_err *err);
int weft_player_unset(struct weft_player *p, struct weft_entry *e,
		      struct weft_err *err);

/* scenario_node.c */
int weft_player_act(struct weft_player *p, const char *node,
		    enum weft_node_act act, struct weft_err *err);

#endif
