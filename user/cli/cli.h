/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by all commands: output, errors, choice of the lab.
 */
#ifndef WEFT_CLI_H
#define WEFT_CLI_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "lab/lab.h"
#include "plan/plan.h"
#include "topology/share.h"

/*
 * Exit codes. weft run and weft exec return a program's exit code; they use the codes
 * from 123 on for their own errors. 124 is the launcher's, for --timeout.
 */
#define EXIT_USAGE	1
#define EXIT_KERNEL	2
#define EXIT_OTHER	4
#define EXIT_UNMET	123	/* an expectation was not met */
#define EXIT_RUN_FAILED	125
#define EXIT_CANNOT_RUN	126
#define EXIT_NOT_FOUND	127

/**
 * struct command - a command of weft
 * @name: its name
 * @run: runs it; argv[0] is the name
 * @summary: one line for the list of commands
 * @usage: text for --help
 * @options_first: options after the first word are not this command's
 */
struct command {
	const char *name;
	int (*run)(const struct command *cmd, int argc, char **argv);
	const char *summary;
	const char *usage;
	bool options_first;
};

/**
 * struct cli_option - an option of a command
 * @name: its long name, without the hyphens
 * @flag: set to true by an option without an argument; NULL if it takes one
 * @text: set to the last argument of an option that takes one
 * @add: if set, called for each argument in place of @text; returns 0 or an exit code,
 *	and prints its error
 * @ctx: for @add
 * @internal: not for users; the help does not list it
 */
struct cli_option {
	const char *name;
	bool *flag;
	const char **text;
	int (*add)(const struct command *cmd, void *ctx, const char *name,
		   const char *text);
	void *ctx;
	bool internal;
};

#define CLI_FLAG(name, flag)	{ name, flag, NULL, NULL, NULL, false }
#define CLI_TEXT(name, text)	{ name, NULL, text, NULL, NULL, false }
#define CLI_EACH(name, add, ctx) { name, NULL, NULL, add, ctx, false }
#define CLI_INTERNAL(name, flag) { name, flag, NULL, NULL, NULL, true }
#define CLI_END			{ NULL, NULL, NULL, NULL, NULL, false }

extern const struct command cmd_scenario, cmd_assert;
extern const struct command cmd_plan, cmd_up, cmd_down;
extern const struct command cmd_run, cmd_exec, cmd_rsh;
extern const struct command cmd_show, cmd_report, cmd_bound, cmd_doctor;
extern const struct command cmd_simulate, cmd_send;
extern const struct command cmd_profiles, cmd_topologies, cmd_headroom;
extern const struct command cmd_topology;
extern const struct command cmd_fault, cmd_events, cmd_reroute;
extern const struct command cmd_daemon, cmd_web;
extern const struct command cmd_record;
extern const struct command cmd_mark;
extern const struct command cmd_top, cmd_trace;
extern const struct command cmd_traffic;
extern const struct command cmd_capture, cmd_set, cmd_draw;

bool cli_options(const struct command *cmd, int argc, char **argv,
		 const struct cli_option *opt, int *code);
char cli_letter(const char *name);
void cli_topology(struct weft_share_choice *topology, int argc, char **argv);
int cli_no_words(const struct command *cmd, int argc, char **argv);
void cli_command(const struct command *cmd);
void cli_as_json(bool indent);
int cli_help(const struct command *cmd);
int cli_usage(const struct command *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int cli_fail(const struct weft_err *err);
int cli_json(json_t *value);
size_t cli_json_flags(void);
int cli_put_json(const json_t *value, size_t flags, struct weft_err *err);
int cli_done(void);
int cli_lab(struct weft_lab *lab, const char *name, struct weft_err *err);
int cli_plan(const struct weft_share_choice *topology,
	     struct weft_share_design *design, struct weft_plan *plan,
	     struct weft_err *err);
bool cli_on_virtual_clock(void);
int cli_number(const struct command *cmd, const char *option, const char *text,
	       unsigned long long lo, unsigned long long hi,
	       unsigned long long *value);
int cli_duration(const struct command *cmd, const char *option,
		 const char *text, uint64_t *duration);
uint64_t cli_clock_ms(void);

#endif
