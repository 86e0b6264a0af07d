/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recording a lab by the fabric's clock.
 */
#ifndef WEFT_RECORDER_H
#define WEFT_RECORDER_H

#include <stdint.h>
#include <sys/types.h>

#include "cli.h"

/**
 * struct recorder_options - options of the user
 * @file: file for the recording
 * @interval: ps of fabric time between samples, 0 for the default
 * @duration: ps of fabric time; 0: until a signal comes or the lab is removed
 */
struct recorder_options {
	const char *file;
	uint64_t interval;
	uint64_t duration;
};

int recorder_try(const char *file, struct weft_err *err);
int recorder_interval(const struct command *cmd, const char *text,
		      uint64_t *interval);
int recorder_run(const struct recorder_options *o, const struct weft_lab *lab,
		 struct weft_err *err);
int recorder_start(const struct recorder_options *o,
		   const struct weft_lab *lab, pid_t *pid,
		   struct weft_err *err);
int recorder_stop(pid_t pid);

#endif
