/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * weft run, in the running kernel.
 */
#ifndef WEFT_RUN_HERE_H
#define WEFT_RUN_HERE_H

#include <stdbool.h>
#include <stdint.h>

#include "bring_up.h"
#include "facts/phase_rule.h"

#define RUN_VM_OPTIONS_MAX	64

/**
 * struct run_options - the command line of weft run
 * @up: the topology and how to bring it up
 * @seed: the seed in use
 * @report: file for the report, or NULL
 * @scenario: file of the scenario played beside the program, or NULL
 * @junit: file for the results of the scenario, or NULL
 * @record: file for the recording, or NULL
 * @interval: first interval between its samples, ps of fabric time
 * @web: port of the web page, 0: none
 * @phases: the rule for phases by traffic, as the user wrote it, or NULL
 * @phase_words: @phases, parsed
 * @quiet: do not print the report
 * @mpi: run COMMAND under mpirun
 * @np: ranks, 0 for all slots
 * @ppn: ranks on each node
 * @net: "tcp", "verbs", "efa", "sharp" or "nvls", or NULL
 * @flavor: kernel of the virtual machine, NULL: the fast one
 * @inside: this is the second start of weft, inside the virtual machine
 * @vm_options: entries of @vm_option
 * @vm_option: arguments of weft-vm
 * @command: the program
 */
struct run_options {
	struct bring_up up;
	uint64_t seed;
	const char *report;
	const char *scenario;
	const char *junit;
	const char *record;
	uint64_t interval;
	unsigned int web;
	const char *phases;
	struct weft_phase_words phase_words;
	bool quiet;
	bool mpi;
	unsigned int np;
	unsigned int ppn;
	const char *net;
	const char *flavor;
	bool inside;
	unsigned int vm_options;
	const char *vm_option[RUN_VM_OPTIONS_MAX];
	char **command;
};

int run_here(const struct run_options *o);

#endif
