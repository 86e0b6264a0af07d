/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Netdevs of IP over InfiniBand.
 */
#ifndef WEFT_IPOIB_H
#define WEFT_IPOIB_H

#include <net/if.h>
#include <stdint.h>

#include "base/err.h"
#include "netlink/nl.h"

/** enum weft_ipoib_mode - how packets of IP become messages of verbs */
enum weft_ipoib_mode {
	/** @WEFT_IPOIB_OFF: there is no netdev */
	WEFT_IPOIB_OFF,
	/** @WEFT_IPOIB_DATAGRAM: one datagram for each packet */
	WEFT_IPOIB_DATAGRAM,
	/** @WEFT_IPOIB_CONNECTED: a reliable connection to each peer */
	WEFT_IPOIB_CONNECTED,
};

/**
 * struct weft_ipoib - a netdev
 */
struct weft_ipoib {
	/** @index: its interface index */
	uint32_t index;
	/** @name: its name */
	char name[IF_NAMESIZE];
};

extern const char *const weft_ipoib_words[];

int weft_ipoib_find(struct weft_nl *nl, const uint8_t gid[16],
		    struct weft_ipoib *dev, struct weft_err *err);
int weft_ipoib_move(struct weft_nl *nl, const struct weft_ipoib *dev,
		    int netns, const char *name, struct weft_err *err);

#endif
