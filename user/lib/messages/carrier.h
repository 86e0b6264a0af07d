/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Carriers: what brings messages from one node to another.
 *
 * TCP is here (tcp.c). weft is not linked with libibverbs, which nothing else needs:
 * user/verbs/verbs.c is, and is loaded when somebody asks for it.
 */
#ifndef WEFT_MESSAGES_CARRIER_H
#define WEFT_MESSAGES_CARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_CARRIER_VERSION	1
#define WEFT_CARRIER_VERBS	"weft_carrier_verbs"	/* symbol of the library */
#define WEFT_CARRIER_WHY	160	/* bytes of a reason */

struct weft_carrier_device;
struct weft_carrier_lane;

/**
 * struct weft_carrier_room - a NIC, and what it needs room for
 */
struct weft_carrier_room {
	/** @device: name of its RDMA device; NULL: it has none */
	const char *device;
	/** @ip: its IPv4 address, in the host's byte order */
	uint32_t ip;
	/** @memory: where all messages come from, and go to, again and again for long ones */
	void *memory;
	/** @bytes: its size, not 0 */
	size_t bytes;
	/** @longest: bytes of the longest message by verbs */
	uint64_t longest;
	/** @sends: most messages that are posted and not complete, of all its lanes */
	uint32_t sends;
	/** @receives: most messages that have come and are not taken, of all lanes to it */
	uint32_t receives;
};

/**
 * struct weft_carrier_wants - properties of a connection
 */
struct weft_carrier_wants {
	/** @sends: most messages that are posted and not complete; 1 or more */
	uint32_t sends;
	/** @receives: most messages that are posted and have not come; 1 or more */
	uint32_t receives;
	/** @sl: service level, the priority on Ethernet */
	uint32_t sl;
	/** @ack_timeout: verbs: an acknowledgement is awaited for 4096 ns * 2^this; 0: for ever */
	uint32_t ack_timeout;
	/** @retries: verbs: how often a packet is sent again, 7 at most */
	uint32_t retries;
};

/**
 * struct weft_carrier - what it does
 *
 * Functions that return an int return 0, or -1 and write the reason to @why.
 */
struct weft_carrier {
	/** @version: WEFT_CARRIER_VERSION */
	uint32_t version;
	/**
	 * @open: begin to use a NIC. The caller is in its network namespace, with a /sys of
	 * that. Return: to be freed by @close; NULL with a reason
	 */
	struct weft_carrier_device *(*open)(const struct weft_carrier_room *room,
					    char why[WEFT_CARRIER_WHY]);
	/** @fd: readable when @take has something to tell or to do */
	int (*fd)(const struct weft_carrier_device *dev);
	/** @most: the longest message of a NIC, bytes */
	uint64_t (*most)(const struct weft_carrier_device *dev);
	/** @lane: a connection for messages one way, freed by @disconnect; NULL with a reason */
	struct weft_carrier_lane *(*lane)(struct weft_carrier_device *from,
					  struct weft_carrier_device *to, uint32_t number,
					  const struct weft_carrier_wants *w,
					  char why[WEFT_CARRIER_WHY]);
	/**
	 * @connect: one end of a lane, first those that receive; the caller is in its
	 * network namespace
	 */
	int (*connect)(struct weft_carrier_lane *l, bool receives, char why[WEFT_CARRIER_WHY]);
	/** @post: send a message; 1: not now, as too many are on their way */
	int (*post)(struct weft_carrier_lane *l, uint64_t bytes, char why[WEFT_CARRIER_WHY]);
	/**
	 * @take: the numbers of the lanes by which messages have come to a NIC, in order, a
	 * message each; called again if there are @room of them. Return: how many, or -1,
	 * with the number of the lane that failed in lane[0], if it is one
	 */
	int (*take)(struct weft_carrier_device *dev, uint32_t *lane, uint32_t room,
		    char why[WEFT_CARRIER_WHY]);
	/** @disconnect: free a lane */
	void (*disconnect)(struct weft_carrier_lane *l);
	/** @close: free a NIC, behind all its lanes */
	void (*close)(struct weft_carrier_device *dev);
};

extern const struct weft_carrier weft_carrier_tcp;

#endif
