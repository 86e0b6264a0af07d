// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The request: what the guest's init is to run, and where.
 */
#define _GNU_SOURCE
#include "request.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fail.h"
#include "options.h"
#include "proto.h"
#include "terminal.h"

/* The command starts when the guest's clock shows this many seconds. */
#define START_SECOND "2"

extern char **environ;

static void record(FILE *f, enum vm_record type, const char *value)
{
	fputc(type, f);
	fputs(value, f);
	fputc('\0', f);
}

static void record_dir(FILE *f, enum vm_record type, const char *dir)
{
	char path[PATH_MAX];

	if (!realpath(dir, path))
		fail("%s: %s", dir, strerror(errno));
	record(f, type, path);
}

static void record_cwd(FILE *f, const struct options *opt)
{
	char path[PATH_MAX];

	if (opt->dir) {
		record_dir(f, VM_REC_CWD, opt->dir);
	} else {
		if (!getcwd(path, sizeof(path)))
			fail("present working directory: %s", strerror(errno));
		record(f, VM_REC_CWD, path);
	}
}

static void record_tty(FILE *f)
{
	uint16_t rows, cols;
	char text[32];

	terminal_size(&rows, &cols);
	snprintf(text, sizeof(text), "%u %u %u", rows, cols, terminal_mask());
	record(f, VM_REC_TTY, text);
}

static void write_all(FILE *f, const struct options *opt)
{
	char **p;
	int i;

	record_cwd(f, opt);
	record_tty(f);
	record(f, VM_REC_START, START_SECOND);
	for (i = 0; i < opt->rw_count; i++)
		record_dir(f, VM_REC_RW, opt->rw[i]);
	for (p = environ; *p; p++)
		record(f, VM_REC_ENV, *p);
	record(f, VM_REC_ENV, opt->real_clock ? "WEFT_VM=real" : "WEFT_VM=virtual");
	for (i = 0; i < opt->env_count; i++)
		record(f, VM_REC_ENV, opt->env[i]);
	for (p = opt->command; *p; p++)
		record(f, VM_REC_ARG, *p);
}

/**
 * request_make() - write the request
 * @opt:	the command line
 *
 * Return: a descriptor from which it can be read.
 */
int request_make(const struct options *opt)
{
	int fd = memfd_create("weft-vm-request", MFD_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(dup(fd), "w");

	if (!f)
		fail("request: %s", strerror(errno));
	write_all(f, opt);
	if (fclose(f) || lseek(fd, 0, SEEK_SET))
		fail("request: %s", strerror(errno));
	return fd;
}
