// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the daemon tells: to standard error, which the journal or a file keeps.
 */
#include <stdarg.h>
#include <stdio.h>

#include "daemon.h"

/**
 * log_line() - tell something
 * @fmt: one line, without its end
 */
void log_line(const char *fmt, ...)
{
	char line[1200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	fprintf(stderr, "weftd: %s\n", line);
}
