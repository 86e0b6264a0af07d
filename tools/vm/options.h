/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WEFT_VM_OPTIONS_H
#define WEFT_VM_OPTIONS_H

#include <stdbool.h>

#define VM_LIST_MAX 64

/**
 * struct options - the command line
 * @flavor:	flavor of the kernel, a name of build.sh
 * @vm_dir:	directory with the kernel, NULL: from build.sh
 * @real_clock:	boot without the virtual clock
 * @seed:	seed of all random numbers in the guest
 * @userspace:	how the guest runs processes: value of the kernel's userspace=
 * @mem:	memory of the guest: value of the kernel's mem=
 * @rw:		further writable directories
 * @rw_count:	entries of @rw
 * @env:	NAME=VALUE, in addition to the caller's environment
 * @env_count:	entries of @env
 * @kernel:	further words for the kernel's command line
 * @kernel_count: entries of @kernel
 * @port:	port of the loopback that is forwarded to the guest, 0: none
 * @timeout:	real seconds until the machine is killed, 0: never
 * @progress:	show the guest's progress on the terminal
 * @progress_line: real seconds until the first line of progress without a terminal
 * @progress_file: file for the progress, NULL: none
 * @log:	file for the kernel's messages, NULL: shown after a crash only
 * @dir:	working directory of the command
 * @command:	the command, NULL-terminated
 */
struct options {
	const char *flavor;
	const char *vm_dir;
	bool real_clock;
	unsigned long long seed;
	const char *userspace;
	const char *mem;
	const char *rw[VM_LIST_MAX];
	int rw_count;
	const char *env[VM_LIST_MAX];
	int env_count;
	const char *kernel[VM_LIST_MAX];
	int kernel_count;
	unsigned int port;
	double timeout;
	bool progress;
	double progress_line;
	const char *progress_file;
	const char *log;
	const char *dir;
	char **command;
};

void options_parse(struct options *opt, int argc, char **argv);

#endif
