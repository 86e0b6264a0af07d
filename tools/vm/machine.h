/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WEFT_VM_MACHINE_H
#define WEFT_VM_MACHINE_H

#include <sys/types.h>

struct options;

/**
 * struct machine - a running guest
 * @pid:	process of its kernel
 * @control:	pipe for messages to init
 * @status:	pipe for messages from init, non-blocking
 * @input:	pipe for standard input, -1: the guest reads it directly
 * @log:	file with the kernel's messages
 */
struct machine {
	pid_t pid;
	int control;
	int status;
	int input;
	int log;
};

void machine_start(struct machine *m, const struct options *opt);
void machine_show_log(const struct machine *m);

#endif
