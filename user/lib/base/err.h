/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors as a plain struct: kind, errno and text.
 */
#ifndef WEFT_ERR_H
#define WEFT_ERR_H

/**
 * enum weft_err_kind - where an error is from; the values are exit codes of weft
 * @WEFT_ERR_NONE: no error
 * @WEFT_ERR_USAGE: the command line, or a file of the user
 * @WEFT_ERR_KERNEL: the kernel refused a request
 * @WEFT_ERR_OTHER: everything else
 */
enum weft_err_kind {
	WEFT_ERR_NONE,
	WEFT_ERR_USAGE,
	WEFT_ERR_KERNEL,
	WEFT_ERR_OTHER = 4,
};

/**
 * struct weft_err - an error with its text
 */
struct weft_err {
	/** @kind: where it is from */
	enum weft_err_kind kind;
	/** @code: negative errno */
	int code;
	/** @msg: one line, no full stop */
	char msg[1024];
};

int weft_err_set(struct weft_err *err, enum weft_err_kind kind, int code,
		 const char *fmt, ...) __attribute__((format(printf, 4, 5)));
int weft_err_sys(struct weft_err *err, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int weft_err_nomem(struct weft_err *err);
void weft_err_prefix(struct weft_err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
