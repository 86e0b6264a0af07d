/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is expected of a run, and whether it came so.
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
 * enum weft_expect_kind - what can be expected, in the order of the results
 * @WEFT_EXPECT_LOSSLESS: lossless classes lost nothing
 * @WEFT_EXPECT_NO_DROPS: no class did
 * @WEFT_EXPECT_NO_DEADLOCK: no wires wait for each other, and no watchdog had to act
 * @WEFT_EXPECT_FINISHED_WITHIN: the program took at most that
 * @WEFT_EXPECT_BUSBW: the node that sent most did so at that rate, at least
 * @WEFT_EXPECT_RECOVERY_WITHIN: goodput was back so soon after a fault
 * @WEFT_EXPECT_RECOVERY_SHARE: what counts as back, of the goodput before
 * @WEFT_EXPECT_UTILISATION_BELOW: no wire was busier
 * @WEFT_EXPECT_PHASE_WITHIN: the phase took at most that
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
	WEFT_EXPECT_PHASE_WITHIN,
	/* private: */
	WEFT_EXPECT_KINDS,
};

/**
 * struct weft_expect - what is expected
 */
struct weft_expect {
	/** @has: is it expected? By enum weft_expect_kind */
	bool has[WEFT_EXPECT_KINDS];
	/** @value: the bound: ps, bit/s, or a share in 1e-6 */
	uint64_t value[WEFT_EXPECT_KINDS];
	/** @phase: name of the phase that it is of, where it can be; empty: the whole run */
	char phase[WEFT_NAME_SIZE];
};

/**
 * struct weft_recovery - what was measured of the way back after a fault
 */
struct weft_recovery {
	/** @what: the fault, for messages */
	char what[96];
	/** @begins: its beginning, fabric time */
	uint64_t begins;
	/** @ends: its end; the same if it has none */
	uint64_t ends;
	/** @window: how long was measured before it, ps */
	uint64_t window;
	/** @before: bytes that NICs received in that time */
	uint64_t before;
	/** @received: bytes that they had received at the last look */
	uint64_t received;
	/** @looked: when that was */
	uint64_t looked;
	/** @best: best goodput of a slice after it, of that before, in 1e-6 */
	uint64_t best;
	/** @recovered: a slice had enough; with @at its end */
	bool recovered;
	/** @at: when, fabric time */
	uint64_t at;
	/** @slices: slices that were measured after it */
	unsigned int slices;
	/** @suspect: where most waited after the last of them, if none had enough */
	struct weft_suspect suspect;
};

/* The window before a fault has so many slices, and so has that after it. */
#define WEFT_RECOVERY_SLICES	16
/* Of the goodput before, in 1e-6, if the scenario does not say. */
#define WEFT_RECOVERY_SHARE	900000

/**
 * struct weft_run - what is judged
 */
struct weft_run {
	/** @facts: the lab at the end */
	const struct weft_facts *facts;
	/** @has_job: there was a program */
	bool has_job;
	/** @begun: when it, or the scenario, began; fabric time */
	uint64_t begun;
	/** @ended: when it ended */
	uint64_t ended;
	/** @killed: it was ended because it took too long */
	bool killed;
	/** @suspect: where most waited before that */
	struct weft_suspect suspect;
	/** @recoveries: entries of @recovery */
	unsigned int recoveries;
	/** @recovery: one for each fault, in order of time */
	const struct weft_recovery *recovery;
};

/** enum weft_outcome - what came of an expectation */
enum weft_outcome { WEFT_PASSED, WEFT_FAILED, WEFT_SKIPPED };

/**
 * struct weft_result - what came of one expectation
 */
struct weft_result {
	/** @name: the expectation, as people write it */
	char name[64];
	/** @outcome: what came of it */
	enum weft_outcome outcome;
	/** @text: what was seen, one line */
	char text[400];
	/** @port: the port where it went wrong, or to look at; or empty */
	char port[WEFT_PORT_NAME];
	/** @has_at: it is known when it, or what was measured, began */
	bool has_at;
	/** @at: when, fabric time */
	uint64_t at;
	/** @phase: name of the phase in which that is, empty for none */
	char phase[WEFT_NAME_SIZE];
};

/**
 * struct weft_results - what came of all
 */
struct weft_results {
	/** @n: entries of @result */
	unsigned int n;
	/** @result: in the order of enum weft_expect_kind; then triggers, and the program */
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
