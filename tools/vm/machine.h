/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WEFT_VM_MACHINE_H
#define WEFT_VM_MACHINE_H

#include <sys/types.h>

struct options;

/**
 * struct machine - a running guest
 * @pid:	its kernel
 * @control:	where events for init go (struct vm_event)
 * @status:	where init says how the command ended (struct vm_status)
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
