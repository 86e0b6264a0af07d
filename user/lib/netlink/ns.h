/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Namespaces of the calling process.
 */
#ifndef WEFT_NS_H
#define WEFT_NS_H

#include "base/err.h"

/**
 * struct weft_ns - saved namespaces, as file descriptors
 */
struct weft_ns {
	/** @net: network namespace, -1 if not saved */
	int net;
	/** @uts: UTS namespace */
	int uts;
	/** @ipc: IPC namespace */
	int ipc;
};

int weft_ns_save(struct weft_ns *ns, struct weft_err *err);
int weft_ns_back(struct weft_ns *ns, int ret, struct weft_err *err);
int weft_ns_enter(const char *path, int type, struct weft_err *err);
int weft_ns_pin(const char *kind, const char *path, struct weft_err *err);

#endif
