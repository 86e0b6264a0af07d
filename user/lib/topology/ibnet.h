/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An InfiniBand network from the output of ibnetdiscover.
 */
#ifndef WEFT_IBNET_H
#define WEFT_IBNET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/names.h"

#define WEFT_IB_DESC		80	/* most bytes of a description */
#define WEFT_IB_DEVICES_MAX	8192
#define WEFT_IB_PORTS_MAX	65536
#define WEFT_IB_SPEEDS		9
#define WEFT_IB_UNKNOWN		UINT32_MAX

/**
 * struct weft_ib_port - a port with a link
 */
struct weft_ib_port {
	/** @device: index of its device */
	unsigned int device;
	/** @number: port number on the device, from 1 */
	uint32_t number;
	/** @line: its line in the dump, from 1 */
	unsigned int line;
	/** @kind: kind of the device at the other end: S, H or R */
	char kind;
	/** @guid: GUID of the device at the other end */
	uint64_t guid;
	/** @peer_number: port number at the other end */
	uint32_t peer_number;
	/** @peer: index of the port at the other end, by weft_ibnet_join() */
	unsigned int peer;
	/** @width: number of lanes, 0 if unknown */
	uint32_t width;
	/** @speed: index for weft_ib_speed(), or WEFT_IB_UNKNOWN */
	uint32_t speed;
	/** @lmc: of a port of a channel adapter: it has 2^lmc LIDs */
	uint32_t lmc;
};

/**
 * struct weft_ib_device - a switch (S), channel adapter (H) or router (R)
 */
struct weft_ib_device {
	/** @kind: S, H or R */
	char kind;
	/** @guid: its GUID */
	uint64_t guid;
	/** @ports: number of its ports, with and without a link */
	uint32_t ports;
	/** @line: its line in the dump, from 1 */
	unsigned int line;
	/** @first: index of its first port with a link, by weft_ibnet_join() */
	unsigned int first;
	/** @n: number of its ports with a link */
	unsigned int n;
	/** @desc: its description */
	char desc[WEFT_IB_DESC];
	/** @word: of a channel adapter: its name in the host, inside @desc; or "" */
	const char *word;
	/** @out: it is left out of the topology */
	bool out;
	/** @first_of_host: first device of its host, which has the name of the node */
	unsigned int first_of_host;
	/** @name: name of the switch or node */
	char name[WEFT_OBJECT_NAME_MAX + 1];
};

/**
 * struct weft_ibnet - a network
 */
struct weft_ibnet {
	/** @devices: entries of @device */
	unsigned int devices;
	/** @device: the devices, sorted by GUID by weft_ibnet_join() */
	struct weft_ib_device *device;
	/** @ports: entries of @port */
	unsigned int ports;
	/** @port: the ports, sorted by device and number by weft_ibnet_join() */
	struct weft_ib_port *port;
};

/**
 * struct weft_ib_speed - a speed of lanes
 */
struct weft_ib_speed {
	/** @name: its name in the output of ibnetdiscover */
	const char *name;
	/** @profile: profile of a link with four lanes */
	const char *profile;
	/** @rate: rate of four lanes without coding, bits per second */
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
