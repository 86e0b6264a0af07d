/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The network that programs in a lab use: sockets or verbs.
 */
#ifndef WEFT_LAB_NET_H
#define WEFT_LAB_NET_H

#include <stdbool.h>

#include "base/err.h"
#include "lab/lab.h"

#define WEFT_LAB_NETS	"tcp, verbs, efa, sharp or nvls"

extern const char *const weft_lab_net_words[];

bool weft_lab_net_is_known(const char *net);
int weft_lab_net(const struct weft_lab *lab, const char *node, const char *net,
		 struct weft_err *err);

#endif
