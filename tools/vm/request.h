/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WEFT_VM_REQUEST_H
#define WEFT_VM_REQUEST_H

struct options;

int request_make(const struct options *opt, const char *kernel_dir);

#endif
