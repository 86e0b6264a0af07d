// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Log of the daemon: lines on standard error, for the journal or a file.
 */
#include <stdarg.h>
#include <stdio.h>

#include "daemon.h"

/**
 * log_line() - log a line
 * @fmt: the line, without a newline
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
