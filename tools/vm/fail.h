/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WEFT_VM_FAIL_H
#define WEFT_VM_FAIL_H

void fail(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));

#endif
