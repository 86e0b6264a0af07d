// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The request for the guest's init: the command and its environment.
 */
#define _GNU_SOURCE
#include "request.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "fail.h"
#include "options.h"
#include "proto.h"
#include "terminal.h"

#define VM_SECRET_BYTES 32

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

/*
 * Random numbers in the guest follow from its seed and can be guessed. So the secret that
 * protects a forwarded port comes from the host.
 */
static void record_secret(FILE *f)
{
	unsigned char random[VM_SECRET_BYTES];
	char text[16 + 2 * sizeof(random)];
	size_t i, n;

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		fail("getrandom: %s", strerror(errno));
	n = sprintf(text, "WEFT_VM_SECRET=");
	for (i = 0; i < sizeof(random); i++)
		n += sprintf(text + n, "%02x", random[i]);
	record(f, VM_REC_ENV, text);
}

static void record_start(FILE *f)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", VM_START_SECOND);
	record(f, VM_REC_START, text);
}

static void record_port(FILE *f, unsigned int port)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", port);
	record(f, VM_REC_PORT, text);
	record_secret(f);
}

/* A kernel without modules has no such directory. */
static void record_modules(FILE *f, const char *kernel_dir)
{
	char dir[PATH_MAX];

	snprintf(dir, sizeof(dir), "%s/lib/modules", kernel_dir);
	if (!access(dir, F_OK))
		record_dir(f, VM_REC_MODULES, dir);
}

static void write_all(FILE *f, const struct options *opt, const char *kernel_dir)
{
	char **p;
	int i;

	record_cwd(f, opt);
	record_tty(f);
	record_start(f);
	record_modules(f, kernel_dir);
	if (opt->port)
		record_port(f, opt->port);
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
 * @kernel_dir:	directory of the kernel
 *
 * Return: a descriptor from which it can be read.
 */
int request_make(const struct options *opt, const char *kernel_dir)
{
	int fd = memfd_create("weft-vm-request", MFD_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(dup(fd), "w");

	if (!f)
		fail("request: %s", strerror(errno));
	write_all(f, opt, kernel_dir);
	if (fclose(f) || lseek(fd, 0, SEEK_SET))
		fail("request: %s", strerror(errno));
	return fd;
}
