/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages between processes that reduce in switches and the aggregation manager.
 *
 * Both are on one machine, and a message is one packet of a SOCK_SEQPACKET socket:
 *
 *	process				manager
 *					HELLO, or it closes
 *	JOIN				(waits for all members)
 *					TREE, or FAILED
 *	READY				(waits for all members)
 *					PAYLOAD, or FAILED
 *	STARTED				(waits for all members)
 *					GO, or FAILED
 *	...				FAILED at any time
 *	LEAVE, then it closes
 *
 * A process that closes without LEAVE, or leaves before GO, fails its group. Each connection is
 * for one group, or for CALLS, which gets NOTED.
 */
#ifndef WEFT_SHARP_MESSAGES_H
#define WEFT_SHARP_MESSAGES_H

#include <stdint.h>

#define WEFT_SHARP_VERSION	2
#define WEFT_SHARP_SOCKET	"sharp"		/* in the directory of the lab */
#define WEFT_SHARP_TEXT		200

/**
 * enum weft_sharp_kind - kind of a message
 * @WEFT_SHARP_HELLO: the process may ask
 * @WEFT_SHARP_JOIN: a process wants to be in a group
 * @WEFT_SHARP_TREE: the group has a tree
 * @WEFT_SHARP_READY: the process has a device
 * @WEFT_SHARP_PAYLOAD: so have all, and this is what all of their ports can send
 * @WEFT_SHARP_STARTED: the process can receive
 * @WEFT_SHARP_GO: so can all
 * @WEFT_SHARP_FAILED: the group does not work, or no more
 * @WEFT_SHARP_LEAVE: the process needs the group no more
 * @WEFT_SHARP_CALLS: what a process did; on a connection of its own
 * @WEFT_SHARP_NOTED: that is noted
 */
enum weft_sharp_kind {
	WEFT_SHARP_HELLO = 1,
	WEFT_SHARP_JOIN,
	WEFT_SHARP_TREE,
	WEFT_SHARP_READY,
	WEFT_SHARP_PAYLOAD,
	WEFT_SHARP_STARTED,
	WEFT_SHARP_GO,
	WEFT_SHARP_FAILED,
	WEFT_SHARP_LEAVE,
	WEFT_SHARP_CALLS,
	WEFT_SHARP_NOTED,
};

/**
 * struct weft_sharp_message - a message; members that a kind does not name are 0
 */
struct weft_sharp_message {
	/** @version: WEFT_SHARP_VERSION */
	uint32_t version;
	/** @kind: enum weft_sharp_kind */
	uint32_t kind;
	/** @key: JOIN: the same at all members of a group, and of no other */
	uint64_t key;
	/** @size: JOIN: how many members there are */
	uint32_t size;
	/** @group: TREE: number of the group */
	uint32_t group;
	/** @qkey: TREE: its Q_Key */
	uint32_t qkey;
	/** @slots: TREE: chunks that may be under way */
	uint32_t slots;
	/** @owners: TREE: by how many NICs, in turn, results come (NVLS); 1: by the switch */
	uint32_t owners;
	/** @payload: READY: MTU of its port, bytes; PAYLOAD: bytes of a chunk */
	uint32_t payload;
	/** @refused: FAILED: it is for lack of resources */
	uint32_t refused;
	/** @in_switches: CALLS: collectives that switches reduced */
	uint64_t in_switches;
	/** @by_hosts: CALLS: collectives that were left to the hosts */
	uint64_t by_hosts;
	/** @bytes: CALLS: bytes of the former */
	uint64_t bytes;
	/** @text: TREE: name of the RDMA device; FAILED: the reason */
	char text[WEFT_SHARP_TEXT];
};

#endif
