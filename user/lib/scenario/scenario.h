/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scenarios: a time line of faults, traffic and node events, and the expectations of the
 * run.
 *
 * Faults and traffic are given to the kernel at the start, with their times or triggers;
 * the kernel executes them exactly. The caller of the player does the rest. It sleeps
 * until weft_player_next() on the fabric's clock, or until weft_player_fd() is readable,
 * and then calls weft_player_step(). Documentation/scenario.rst describes the file.
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

/** enum weft_entry_kind - kinds of entries of the time line */
enum weft_entry_kind {
	WEFT_ENTRY_FAULT,
	WEFT_ENTRY_TRAFFIC,
	WEFT_ENTRY_NODE,
	WEFT_ENTRY_SET,
};

/** enum weft_node_act - what a node event does to a node */
enum weft_node_act {
	WEFT_NODE_FREEZE,
	WEFT_NODE_THAW,
	WEFT_NODE_KILL,
	WEFT_NODE_RETURN,
	WEFT_NODE_ACTS,
};

/* What the acts are called in scenario files; scenario_node.c. */
extern const char *const weft_node_act_name[WEFT_NODE_ACTS];

/**
 * struct weft_entry_word - a parameter of the fault or the traffic of an entry
 */
struct weft_entry_word {
	/** @text: "KEY=VALUE" */
	char *text;
	/** @line: its line in the file, from 1 */
	size_t line;
	/** @column: its column, from 1 */
	size_t column;
};

/**
 * struct weft_entry - an entry of the time line
 */
struct weft_entry {
	/** @kind: its kind */
	enum weft_entry_kind kind;
	/** @line: its line in the file, from 1 */
	size_t line;
	/** @column: its column, from 1 */
	size_t column;
	/** @at: its start, ps since that of the scenario; with a trigger: once @begun */
	uint64_t at;
	/** @by: the trigger that starts it, if it has one */
	struct weft_at by;
	/** @armed: the kernel, or a simulation, has the trigger */
	bool armed;
	/** @begun: the moment of the trigger has come */
	bool begun;
	/** @gone: that trigger was removed by others before its moment came */
	bool gone;
	/** @duration: ps, 0 if it does not end by itself */
	uint64_t duration;
	/** @period: ps from start to start, 0 if it does not repeat */
	uint64_t period;
	/** @count: number of starts; 0 with @period: no limit */
	uint32_t count;
	/** @what: kind of the fault, pattern of the traffic, or "nic" or "link" to be set */
	char *what;
	/** @on: place of the fault, name of the node, or what is to be set */
	char *on;
	/** @act: what is done to the node */
	enum weft_node_act act;
	/** @words: entries of @word */
	unsigned int words;
	/** @word: other parameters of the fault or the traffic, or what is set */
	struct weft_entry_word *word;
	/** @fault: the fault, set by weft_scenario_bind() */
	struct weft_fault fault;
	/** @traffic: the traffic, set by weft_scenario_bind(); refers to @word */
	struct weft_traffic_plan traffic;
	/** @running: the kernel has the traffic, as @group; or the setting is made */
	bool running;
	/** @group: number of the traffic in the kernel */
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
	/** @has_seed: there is a seed */
	bool has_seed;
	/** @seed: seed of faults and traffic that have no seed of their own */
	uint64_t seed;
	/** @entries: entries of @entry */
	unsigned int entries;
	/** @entry: the time line, as written */
	struct weft_entry *entry;
	/** @expect: the expectations */
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
int weft_scenario_names(struct weft_facts *f, const struct weft_plan *plan,
			struct weft_err *err);
void weft_scenario_names_free(struct weft_facts *f);
int weft_scenario_check(struct weft_scenario *s, const struct weft_plan *plan,
			struct weft_err *err);

/**
 * struct weft_action - an action of the player
 */
struct weft_action {
	/** @at: its time, fabric time */
	uint64_t at;
	/** @order: order of actions of the same time */
	unsigned int order;
	/** @sample: measure recovery @index; else do @act to the node of entry @index */
	bool sample;
	/** @index: index of the recovery or of the entry */
	unsigned int index;
	/** @step: with @sample: the measurement of this recovery */
	unsigned int step;
	/** @act: what is done to the node */
	enum weft_node_act act;
};

/**
 * struct weft_cut - a link that is down because its node was killed
 */
struct weft_cut {
	/** @link: id of the link */
	uint32_t link;
	/** @node: name of the node, borrowed from its entry */
	const char *node;
};

/**
 * struct weft_player - state of playing a scenario
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
	/** @start: start of the scenario, fabric time */
	uint64_t start;
	/** @actions: entries of @action */
	unsigned int actions;
	/** @action: the actions, in order of time */
	struct weft_action *action;
	/** @done: number of actions done */
	unsigned int done;
	/** @recoveries: entries of @recovery */
	unsigned int recoveries;
	/** @recovery: one per fault, in order of time */
	struct weft_recovery *recovery;
	/** @cuts: entries of @cut */
	unsigned int cuts;
	/** @cut: links that are down because of killed nodes */
	struct weft_cut *cut;
	/** @awaited: number of entries whose trigger was not met, and is not gone */
	unsigned int awaited;
	/** @events: report triggers, while some are awaited */
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
void weft_scenario_triggers(const struct weft_scenario *s, const struct weft_facts *facts,
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

/* scenario_play.c, for scenario_read.c */
bool weft_entry_harms(const struct weft_entry *e);

/* scenario_node.c */
bool weft_entry_act(const struct weft_entry *e, uint32_t i, uint64_t *at,
		    enum weft_node_act *act);
int weft_player_act(struct weft_player *p, const char *node,
		    enum weft_node_act act, struct weft_err *err);

#endif
