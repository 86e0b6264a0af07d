/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WEFT_VM_MACHINE_H
#define WEFT_VM_MACHINE_H

#include <sys/types.h>

struct options;

/**
 * struct machine - a running guest
 * @pid:	its kernel
 * @control:	where messages to init go
 * @status:	where messages of init come from, not to be waited for
 * @input:	where standard input goes, -1: the guest has it directly
 * @log:	the kernel's messages
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
