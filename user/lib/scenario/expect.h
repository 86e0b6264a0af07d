/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The expectations of a run, and their results.
 *
 * Documentation/assert.rst has the law of each expectation.
 */
#ifndef WEFT_EXPECT_H
#define WEFT_EXPECT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "facts/facts.h"
#include "facts/port_view.h"
#include "scenario/expect_suspect.h"

/**
 * enum weft_expect_kind - kinds of expectations, in the order of the results
 * @WEFT_EXPECT_LOSSLESS: lossless classes lost nothing
 * @WEFT_EXPECT_NO_DROPS: no class lost anything
 * @WEFT_EXPECT_NO_DEADLOCK: no wires wait for each other, and no watchdog had to act
 * @WEFT_EXPECT_FINISHED_WITHIN: the program took at most this time
 * @WEFT_EXPECT_BUSBW: the node that sent most reached at least this rate
 * @WEFT_EXPECT_RECOVERY_WITHIN: goodput recovered within this time after each fault
 * @WEFT_EXPECT_RECOVERY_SHARE: share of the goodput before that counts as recovered
 * @WEFT_EXPECT_UTILISATION_BELOW: each wire was busy for less than this share
 * @WEFT_EXPECT_IN_SWITCHES: at least this share of collectives was reduced in switches
 * @WEFT_EXPECT_PHASE_WITHIN: the phase took at most this time
 */
enum weft_expect_kind {
	WEFT_EXPECT_LOSSLESS,
	WEFT_EXPECT_NO_DROPS,
	WEFT_EXPECT_NO_DEADLOCK,
	WEFT_EXPECT_FINISHED_WITHIN,
	WEFT_EXPECT_BUSBW,
	WEFT_EXPECT_RECOVERY_WITHIN,
	WEFT_EXPECT_RECOVERY_SHARE,
	WEFT_EXPECT_UTILISATION_BELOW,
	WEFT_EXPECT_IN_SWITCHES,
	WEFT_EXPECT_PHASE_WITHIN,
	/* private: */
	WEFT_EXPECT_KINDS,
};

/**
 * struct weft_expect - the expectations of a run
 */
struct weft_expect {
	/** @has: by enum weft_expect_kind: there is such an expectation */
	bool has[WEFT_EXPECT_KINDS];
	/** @value: the bound: ps, bit/s, or a share in 1e-6 */
	uint64_t value[WEFT_EXPECT_KINDS];
	/** @phase: phase to which expectations apply if they can; empty: the whole run */
	char phase[WEFT_NAME_SIZE];
};

/**
 * struct weft_recovery - measurements of the recovery from a fault
 */
struct weft_recovery {
	/** @what: the fault, for messages */
	char what[96];
	/** @begins: start of the fault, fabric time */
	uint64_t begins;
	/** @ends: end of the fault, fabric time; @begins if it has no end */
	uint64_t ends;
	/** @window: time measured before the fault, ps */
	uint64_t window;
	/** @before: bytes that NICs received in the window */
	uint64_t before;
	/** @received: bytes received by the NICs up to the last measurement */
	uint64_t received;
	/** @looked: time of the last measurement, fabric time */
	uint64_t looked;
	/** @best: best goodput of a slice, relative to that before, in 1e-6 */
	uint64_t best;
	/** @recovered: a slice reached the expected share, at @at */
	bool recovered;
	/** @at: end of that slice, fabric time */
	uint64_t at;
	/** @slices: number of slices measured after the fault */
	unsigned int slices;
	/** @suspect: port to look at after the last slice, if goodput did not recover */
	struct weft_suspect suspect;
};

/* Number of slices in the window before a fault, and in the time after it. */
#define WEFT_RECOVERY_SLICES	16
/* Default share of the goodput before, in 1e-6. */
#define WEFT_RECOVERY_SHARE	900000

/**
 * struct weft_run - the run to judge
 */
struct weft_run {
	/** @facts: the lab at the end */
	const struct weft_facts *facts;
	/** @has_job: there was a program */
	bool has_job;
	/** @begun: start of the program, or of the scenario, fabric time */
	uint64_t begun;
	/** @ended: end of it, fabric time */
	uint64_t ended;
	/** @killed: the program was late and was killed */
	bool killed;
	/** @unfinished: messages of a simulation that had not ended */
	unsigned int unfinished;
	/** @suspect: port to look at, found before that */
	struct weft_suspect suspect;
	/** @recoveries: entries of @recovery */
	unsigned int recoveries;
	/** @recovery: one per fault, in order of time */
	const struct weft_recovery *recovery;
};

/** enum weft_outcome - outcome of an expectation */
enum weft_outcome { WEFT_PASSED, WEFT_FAILED, WEFT_SKIPPED };

/**
 * struct weft_result - result of one expectation
 */
struct weft_result {
	/** @name: the expectation, as people write it */
	char name[64];
	/** @outcome: its outcome */
	enum weft_outcome outcome;
	/** @text: the observation, one line */
	char text[400];
	/** @port: the port where the problem began, or to look at; or empty */
	char port[WEFT_PORT_NAME];
	/** @has_at: @at is known */
	bool has_at;
	/** @at: start of the problem, or of the measurement, fabric time */
	uint64_t at;
	/** @phase: name of the phase at this time, empty for none */
	char phase[WEFT_NAME_SIZE];
};

/**
 * struct weft_results - results of all expectations
 */
struct weft_results {
	/** @n: entries of @result */
	unsigned int n;
	/** @result: by enum weft_expect_kind; then one for triggers, one for the program */
	struct weft_result result[WEFT_EXPECT_KINDS + 2];
};

/* expect_parse.c */
int weft_expect_put(struct weft_expect *e, const char *key, const char *value,
		    struct weft_err *err);
int weft_expect_word(struct weft_expect *e, const char *word,
		     struct weft_err *err);
int weft_expect_check(const struct weft_expect *e, struct weft_err *err);
bool weft_expect_needs_job(const struct weft_expect *e,
			   enum weft_expect_kind kind);
const char *weft_expect_name(enum weft_expect_kind kind);
void weft_expect_text(const struct weft_expect *e, enum weft_expect_kind kind,
		      char *buf, size_t len);

/* expect.c */
void weft_expect_judge(const struct weft_expect *e, const struct weft_run *run,
		       struct weft_results *results);
void weft_expect_command(struct weft_results *results, int code);
unsigned int weft_results_failed(const struct weft_results *results);
void weft_result_text(const struct weft_result *r, uint64_t begun, char *buf,
		      size_t len);
void weft_results_phases(struct weft_results *results,
			 const struct weft_facts *facts);
json_t *weft_results_json(const struct weft_results *results);

#endif
