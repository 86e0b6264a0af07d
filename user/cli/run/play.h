/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scenario and a program: played, judged, printed.
 */
#ifndef WEFT_PLAY_H
#define WEFT_PLAY_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "scenario/junit.h"
#include "scenario/scenario.h"
#include "topology/share.h"

/**
 * struct play - a scenario that is played for a command
 */
struct play {
	/** @on: there is one */
	bool on;
	/** @failed: something of it could not be done */
	bool failed;
	/** @scenario: the scenario */
	struct weft_scenario scenario;
	/** @player: plays it */
	struct weft_player player;
	/** @ended: when the program ended, fabric time */
	uint64_t ended;
	/** @killed: it was ended because it took too long */
	bool killed;
	/** @suspect: where most waited before that */
	struct weft_suspect suspect;
	/** @results: what came of the expectations */
	struct weft_results results;
};

int play_file(const char *name, char *path, struct weft_err *err);
int play_read(struct play *p, const char *name,
	      const struct weft_share_choice *topology, struct weft_err *err);
int play_start(struct play *p, const struct weft_lab *lab,
	       struct weft_err *err);
int play_wait(struct play *p, const sigset_t *set, uint64_t until);
int play_wait_end(struct play *p, const sigset_t *set);
int play_wait_job(struct play *p, const sigset_t *set);
void play_ended(struct play *p);
int play_judge(struct play *p, const int *code, struct weft_err *err);
void play_free(struct play *p);

void print_results(FILE *f, const struct weft_results *results,
		   uint64_t begun);
int save_junit(const char *path, const struct weft_junit *j,
	       const struct weft_results *results, struct weft_err *err);
int play_save(const struct play *p, const char *path, struct weft_err *err);

#endif
