// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error exit of the launcher.
 */
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "progress.h"
#include "proto.h"
#include "terminal.h"

/**
 * fail() - print an error to standard error and exit with VM_EXIT_FAILED
 * @format:	printf() format, without newline
 */
void fail(const char *format, ...)
{
	va_list args;

	progress_erase();
	terminal_restore();
	fputs("weft-vm: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(VM_EXIT_FAILED);
}
