// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What went wrong, as a plain struct.
 */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/**
 * weft_err_set() - fill an error
 * @err: the error, replaced
 * @kind: whose fault it is
 * @code: negative errno
 * @fmt: text
 *
 * Return: @code.
 */
int weft_err_set(struct weft_err *err, enum weft_err_kind kind, int code,
		 const char *fmt, ...)
{
	va_list ap;

	err->kind = kind;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	return code;
}

/**
 * weft_err_sys() - fill an error from a failed system call
 * @err: the error, replaced
 * @errnum: positive errno
 * @fmt: what failed
 *
 * Return: the negative errno.
 */
int weft_err_sys(struct weft_err *err, int errnum, const char *fmt, ...)
{
	char what[384];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return weft_err_set(err, WEFT_ERR_OTHER, -errnum, "%s: %s", what,
			    strerror(errnum));
}

/**
 * weft_err_nomem() - fill an error: no memory
 * @err: the error, replaced
 *
 * Return: -ENOMEM.
 */
int weft_err_nomem(struct weft_err *err)
{
	return weft_err_set(err, WEFT_ERR_OTHER, -ENOMEM, "out of memory");
}

/**
 * weft_err_prefix() - say in front of the text what was being done
 * @err: the error
 * @fmt: what goes in front, a colon follows
 */
void weft_err_prefix(struct weft_err *err, const char *fmt, ...)
{
	char old[sizeof(err->msg)], what[128];
	va_list ap;
	int n;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	memcpy(old, err->msg, sizeof(old));
	n = snprintf(err->msg, sizeof(err->msg), "%s: ", what);
	snprintf(err->msg + n, sizeof(err->msg) - (size_t)n, "%s", old);
}
