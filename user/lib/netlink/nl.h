/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A netlink socket that keeps the kernel's error text.
 */
#ifndef WEFT_NL_H
#define WEFT_NL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define WEFT_NL_DUMP_MAX	1048576

struct nl_msg;
struct nl_sock;
struct nlattr;
struct nlmsghdr;

/* The attribute sets of the family, for the names of refused attributes. */
enum weft_nl_set {
	WEFT_NL_SET_NONE,
	WEFT_NL_SET_FABRIC,
	WEFT_NL_SET_SWITCH,
	WEFT_NL_SET_LINK,
	WEFT_NL_SET_NIC,
	WEFT_NL_SET_ROUTE,
	WEFT_NL_SET_WIRE,
	WEFT_NL_SET_END,
	WEFT_NL_SET_PORT_PARAMS,
	WEFT_NL_SET_PFC,
	WEFT_NL_SET_CREDIT,
	WEFT_NL_SET_FLIT,
	WEFT_NL_SET_CBFC,
	WEFT_NL_SET_LLR,
	WEFT_NL_SET_VLARB,
	WEFT_NL_SET_AGE,
	WEFT_NL_SET_RED,
	WEFT_NL_SET_FECN,
	WEFT_NL_SET_TRIM,
	WEFT_NL_SET_BUFFER_CLASS,
	WEFT_NL_SET_MODERATION,
	WEFT_NL_SET_VERBS,
	WEFT_NL_SET_DCQCN,
	WEFT_NL_SET_IBCC,
	WEFT_NL_SET_FAULT,
	WEFT_NL_SET_TRAFFIC,
	WEFT_NL_SET_PHASE,
	WEFT_NL_SET_TRIGGER,
	WEFT_NL_SET_AGGREGATOR,
	__WEFT_NL_SET_MAX
};

/**
 * struct weft_nl - a socket
 */
struct weft_nl {
	/** @sk: libnl's socket */
	struct nl_sock *sk;
	/** @family: number of the generic family; 0: not a generic socket */
	int family;
	/** @group: number of the multicast group of events, 0 if unknown */
	uint32_t group;
	/** @queue: requests that weft_nl_queue() keeps back */
	char *queue;
	/** @queued: bytes in @queue */
	size_t queued;
	/** @last: the last request in @queue */
	struct nlmsghdr *last;
};

/**
 * typedef weft_nl_fn - handles one reply
 * @hdr: its header; in a generic family, the attributes follow the generic header
 * @ctx: as given to weft_nl_send()
 * @err: to be set on error
 *
 * Return: 0 to continue, or negative errno; then it is not called again.
 */
typedef int (*weft_nl_fn)(struct nlmsghdr *hdr, void *ctx,
			  struct weft_err *err);

/**
 * struct weft_nl_array - an array of what a dump replies
 */
struct weft_nl_array {
	/** @size: bytes of an element, which is zeroed at first */
	size_t size;
	/** @parse: sets one, its context, to a reply */
	weft_nl_fn parse;
	/** @v: the elements, to be freed even after an error */
	void *v;
	/** @n: how many */
	unsigned int n;
};

int weft_nl_open(struct weft_nl *nl, struct weft_err *err);
int weft_nl_open_route(struct weft_nl *nl, struct weft_err *err);
int weft_nl_open_rdma(struct weft_nl *nl, struct weft_err *err);
void weft_nl_close(struct weft_nl *nl);
uint64_t weft_nl_drops(const struct weft_nl *nl);

struct nl_msg *weft_nl_msg(struct weft_nl *nl, uint8_t cmd, int flags);
int weft_nl_send(struct weft_nl *nl, struct nl_msg *msg, enum weft_nl_set set,
		 weft_nl_fn fn, void *ctx, struct weft_err *err);
int weft_nl_array_add(struct nlmsghdr *hdr, void *ctx, struct weft_err *err);
int weft_nl_queue(struct weft_nl *nl, struct nl_msg *msg, struct weft_err *err);
int weft_nl_flush(struct weft_nl *nl, struct weft_err *err);
int weft_nl_attrs(struct nlmsghdr *hdr, struct nlattr **tb, int max,
		  struct weft_err *err);
int weft_nl_nested(struct nlattr *nest, struct nlattr **tb, int max,
		   struct weft_err *err);
void weft_nl_attr_path(struct nlmsghdr *req, uint32_t offset,
		       enum weft_nl_set set, char *buf, size_t len);

#endif
