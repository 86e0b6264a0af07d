/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters of a port of a switch or a NIC.
 */
#ifndef WEFT_PORT_PARAMS_H
#define WEFT_PORT_PARAMS_H

#include <stdint.h>

#include "err.h"

#define WEFT_PORT_WEIGHTS_MAX	16

struct nl_msg;
struct nlattr;

/** enum weft_port_has - fields of struct weft_port_params that count */
enum weft_port_has {
	WEFT_PORT_HAS_CLASSES = 1,
	WEFT_PORT_HAS_QUEUE_LIMIT = 2,
	WEFT_PORT_HAS_QUANTUM = 4,
	WEFT_PORT_HAS_DISCIPLINE = 8,
};

/**
 * struct weft_port_params - parameters of a port
 */
struct weft_port_params {
	/** @has: enum weft_port_has */
	uint32_t has;
	/** @classes: classes in use */
	uint32_t classes;
	/** @queue_limit: bytes that each class queue holds */
	uint32_t queue_limit;
	/** @quantum: bytes per unit of weight */
	uint32_t quantum;
	/** @weights: entries of @weight */
	uint32_t weights;
	/** @weight: DRR weight of each class, 0 is strict */
	uint32_t weight[WEFT_PORT_WEIGHTS_MAX];
	/** @discipline: such as "drop-tail" */
	char discipline[32];
};

void weft_port_params_put(struct nl_msg *msg, int type,
			  const struct weft_port_params *p);
int weft_port_params_parse(struct weft_port_params *p, struct nlattr *nest,
			   struct weft_err *err);

#endif
