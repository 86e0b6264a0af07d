// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The one way out of the launcher when it cannot do its work.
 */
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "progress.h"
#include "proto.h"
#include "terminal.h"

/**
 * fail() - say why on standard error and exit with VM_EXIT_FAILED
 * @format:	as for printf, without newline
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
