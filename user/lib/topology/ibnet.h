/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An InfiniBand network as ibnetdiscover prints it.
 */
#ifndef WEFT_IBNET_H
#define WEFT_IBNET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/names.h"

#define WEFT_IB_DESC		80	/* bytes of a description, at most */
#define WEFT_IB_DEVICES_MAX	8192
#define WEFT_IB_PORTS_MAX	65536
#define WEFT_IB_SPEEDS		9
#define WEFT_IB_UNKNOWN		UINT32_MAX

/**
 * struct weft_ib_port - a port that is linked
 */
struct weft_ib_port {
	/** @device: whose */
	unsigned int device;
	/** @number: on it, from 1 */
	uint32_t number;
	/** @line: of the dump */
	unsigned int line;
	/** @kind: of the device at the other end: S, H or R */
	char kind;
	/** @guid: of that device */
	uint64_t guid;
	/** @peer_number: of the port there */
	uint32_t peer_number;
	/** @peer: that port, once all are known */
	unsigned int peer;
	/** @width: lanes, 0 if unknown */
	uint32_t width;
	/** @speed: index for weft_ib_speed(), or WEFT_IB_UNKNOWN */
	uint32_t speed;
	/** @lmc: of a channel adapter's port: it has 2^lmc LIDs */
	uint32_t lmc;
};

/**
 * struct weft_ib_device - a switch (S), channel adapter (H) or router (R)
 */
struct weft_ib_device {
	/** @kind: S, H or R */
	char kind;
	/** @guid: of the device */
	uint64_t guid;
	/** @ports: how many it has, linked or not */
	uint32_t ports;
	/** @line: of the dump */
	unsigned int line;
	/** @first: its first linked port, once all are known */
	unsigned int first;
	/** @n: how many of them */
	unsigned int n;
	/** @desc: its description */
	char desc[WEFT_IB_DESC];
	/** @word: of a channel adapter, its name in the host; in @desc, or "" */
	const char *word;
	/** @out: does not become part of the topology */
	bool out;
	/** @first_of_host: the device that the node is called after */
	unsigned int first_of_host;
	/** @name: of the switch, or of the node */
	char name[WEFT_OBJECT_NAME_MAX + 1];
};

/**
 * struct weft_ibnet - a network
 */
struct weft_ibnet {
	/** @devices: entries of @device */
	unsigned int devices;
	/** @device: the devices, sorted by GUID once all are known */
	struct weft_ib_device *device;
	/** @ports: entries of @port */
	unsigned int ports;
	/** @port: the ports, then sorted by device and number */
	struct weft_ib_port *port;
};

/**
 * struct weft_ib_speed - a speed of lanes
 */
struct weft_ib_speed {
	/** @name: as ibnetdiscover calls it */
	const char *name;
	/** @profile: of a link of four lanes */
	const char *profile;
	/** @rate: of four lanes, bits per second, coding taken off */
	uint64_t rate;
};

const struct weft_ib_speed *weft_ib_speed(uint32_t speed);
int weft_ibnet_parse(struct weft_ibnet *net, const char *file, const char *text,
		     size_t len, struct weft_err *err);
int weft_ibnet_join(struct weft_ibnet *net, const char *file,
		    struct weft_err *err);
int weft_ibnet_names(struct weft_ibnet *net, struct weft_err *err);
void weft_ibnet_free(struct weft_ibnet *net);

#endif
