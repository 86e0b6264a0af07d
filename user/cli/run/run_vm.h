/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * weft run, in the virtual machine.
 */
#ifndef WEFT_RUN_VM_H
#define WEFT_RUN_VM_H

#include <limits.h>

#include "cli.h"
#include "run/run_here.h"

int run_vm_add(const struct command *cmd, void *options, const char *name,
	       const char *value);
int run_vm_find(char path[PATH_MAX], struct weft_err *err);
int run_vm(const struct run_options *o);

#endif
