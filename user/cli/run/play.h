/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scenario beside a program: play it, judge it, print the results.
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
 * struct play - a scenario played by a command
 */
struct play {
	/** @on: a scenario is being played */
	bool on;
	/** @failed: a part of it failed */
	bool failed;
	/** @gone: its lab is gone, and cannot be judged */
	bool gone;
	/** @scenario: the scenario */
	struct weft_scenario scenario;
	/** @player: plays it */
	struct weft_player player;
	/** @ended: end of the program, fabric time */
	uint64_t ended;
	/** @killed: the program was late and was killed */
	bool killed;
	/** @again: with @killed: if it has not ended by then, it is killed again, fabric time */
	uint64_t again;
	/** @suspect: port to look at, found before that */
	struct weft_suspect suspect;
	/** @results: results of the expectations */
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
