/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WEFT_VM_INIT_H
#define WEFT_VM_INIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "message.h"
#include "proto.h"
#include "tunnel.h"

/**
 * struct request - request of the launcher, see enum vm_record
 * @cwd:	working directory
 * @rw:		writable directories
 * @rw_count:	entries of @rw
 * @env:	environment, NULL-terminated
 * @argv:	command, NULL-terminated
 * @modules:	directory of the kernel's modules, NULL: it has none
 * @rows:	lines of the terminal
 * @cols:	columns of the terminal
 * @tty_mask:	bit n: descriptor n is a terminal
 * @port:	port of forwarded connections, 0: none
 * @start:	second on the monotonic clock at which to start
 */
struct request {
	char *cwd;
	char **rw;
	int rw_count;
	char **env;
	char **argv;
	char *modules;
	uint16_t rows;
	uint16_t cols;
	unsigned int tty_mask;
	uint16_t port;
	int start;
};

/**
 * struct command - the running command
 * @pid:	its process, and its process group
 * @master:	init's end of its terminal, -1: it has none
 * @keys:	true if the caller's input goes to that terminal
 * @host:	descriptors of /dev/host0, ...
 * @inbox:	messages of the launcher
 * @tunnel:	forwarded connections
 * @port:	their port
 */
struct command {
	pid_t pid;
	int master;
	bool keys;
	int host[VM_FD_MAX];
	struct inbox inbox;
	struct tunnel tunnel;
	uint16_t port;
};

void die(const char *what, const char *which) __attribute__((noreturn));
void write_text(const char *path, const char *text);
void mount_basics(void);
void mount_files(const struct request *rq);
void command_start(struct command *c, const struct request *rq);
int command_wait(struct command *c);
void forward_take(struct command *c, const struct vm_message *m);
int terminal_open(const struct request *rq, char *name, size_t size);
bool terminal_pump(struct command *c);

#endif
