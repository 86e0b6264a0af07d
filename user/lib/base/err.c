// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Errors as a plain struct: kind, errno and text.
 */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/**
 * weft_err_set() - set an error
 * @err: the error, replaced
 * @kind: where the error is from
 * @code: negative errno
 * @fmt: printf() format of the text
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
 * weft_err_sys() - set an error from a failed system call
 * @err: the error, replaced
 * @errnum: positive errno
 * @fmt: printf() format of what failed; a colon and strerror() follow
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
 * weft_err_nomem() - set an error: no memory
 * @err: the error, replaced
 *
 * Return: -ENOMEM.
 */
int weft_err_nomem(struct weft_err *err)
{
	return weft_err_set(err, WEFT_ERR_OTHER, -ENOMEM, "out of memory");
}

/**
 * weft_err_prefix() - put text in front of the text of an error
 * @err: the error
 * @fmt: printf() format of that text, such as what was being done; a colon follows
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
