/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends of reliable connections: what the library beside weft does.
 *
 * weft is not linked with libibverbs, which only this needs: user/verbs/verbs.c is, and
 * is loaded when somebody asks for it.
 */
#ifndef WEFT_MESSAGES_VERBS_H
#define WEFT_MESSAGES_VERBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_VERBS_VERSION	1
#define WEFT_VERBS_SYMBOL	"weft_verbs_ops"
#define WEFT_VERBS_WHY		160	/* bytes of a reason */

struct weft_verbs_device;
struct weft_verbs_lane;

/**
 * struct weft_verbs_room - what a device needs room for
 */
struct weft_verbs_room {
	/** @memory: where all messages come from, and go to */
	void *memory;
	/** @bytes: its size, that of the longest message */
	size_t bytes;
	/** @sends: most messages that are posted and not complete, of all its lanes */
	uint32_t sends;
	/** @receives: most messages that have come and are not taken, of all lanes to it */
	uint32_t receives;
};

/**
 * struct weft_verbs_wants - properties of a connection
 */
struct weft_verbs_wants {
	/** @sends: most messages that are posted and not complete; 1 or more */
	uint32_t sends;
	/** @receives: most messages that are posted and have not come; 1 or more */
	uint32_t receives;
	/** @sl: service level */
	uint32_t sl;
	/** @ack_timeout: an acknowledgement is awaited for 4096 ns * 2^this; 0: for ever */
	uint32_t ack_timeout;
	/** @retries: how often a packet is sent again, 7 at most */
	uint32_t retries;
};

/**
 * struct weft_verbs_ops - what the library does
 *
 * Functions that return an int return 0, or -1 and write the reason to @why.
 */
struct weft_verbs_ops {
	/** @version: WEFT_VERBS_VERSION */
	uint32_t version;
	/**
	 * @open: open a device of the network namespace and the /sys that the caller is in.
	 * Return: to be freed by @close; NULL with a reason
	 */
	struct weft_verbs_device *(*open)(const char *name, const struct weft_verbs_room *room,
					  char why[WEFT_VERBS_WHY]);
	/** @fd: readable when @take has something to tell */
	int (*fd)(const struct weft_verbs_device *dev);
	/** @most: the longest message of a device, bytes */
	uint64_t (*most)(const struct weft_verbs_device *dev);
	/** @lane: a connection for messages one way, freed by @close; NULL with a reason */
	struct weft_verbs_lane *(*lane)(struct weft_verbs_device *from,
					struct weft_verbs_device *to, uint32_t number,
					const struct weft_verbs_wants *w,
					char why[WEFT_VERBS_WHY]);
	/** @connect: one end of a lane; the caller is in its network namespace */
	int (*connect)(struct weft_verbs_lane *l, bool receives, char why[WEFT_VERBS_WHY]);
	/** @post: send a message; 1: not now, as too many are on their way */
	int (*post)(struct weft_verbs_lane *l, uint64_t bytes, char why[WEFT_VERBS_WHY]);
	/**
	 * @take: the numbers of the lanes by which messages have come to a device, in
	 * order, a message each; called again until it returns 0. Return: how many, or -1,
	 * with the number of the lane that failed in lane[0], if it is one
	 */
	int (*take)(struct weft_verbs_device *dev, uint32_t *lane, uint32_t room,
		    char why[WEFT_VERBS_WHY]);
	/** @close: free devices, all at once, and their lanes; NULL among them is none */
	void (*close)(struct weft_verbs_device **dev, uint32_t n);
};

#endif
