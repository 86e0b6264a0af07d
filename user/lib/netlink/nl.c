// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A netlink socket that keeps the kernel's error text.
 *
 * libnl neither requests nor parses extended acknowledgements, and it maps errnos to
 * numbers of its own. So the code here sets the socket options. Its callback for errors
 * keeps the kernel's errno, its text and the attribute that was refused.
 */
#include "netlink/nl.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/weft.h>

#include "base/array.h"

/* The kernel sizes dump messages by the reader's buffer, up to 32 KiB. */
#define RECEIVE_BUFFER	65536

#define QUEUE_BYTES	16384

/**
 * struct exchange - one request and its replies, or a queue of them
 * @req: the request; the last one of a queue
 * @set: attribute set of the request
 * @fn: is called for each reply, may be NULL
 * @ctx: for @fn
 * @err: error
 * @replies: number of replies so far
 * @again: objects changed during the dump (NLM_F_DUMP_INTR)
 * @done: the last message was received
 * @ret: 0 or negative errno
 */
struct exchange {
	struct nlmsghdr *req;
	enum weft_nl_set set;
	weft_nl_fn fn;
	void *ctx;
	struct weft_err *err;
	unsigned int replies;
	bool again;
	bool done;
	int ret;
};

static int open_socket(struct weft_nl *nl, int protocol, struct weft_err *err)
{
	int one = 1, fd, ret;

	*nl = (struct weft_nl) { .sk = nl_socket_alloc() };
	if (!nl->sk)
		return weft_err_nomem(err);
	ret = nl_connect(nl->sk, protocol);
	if (ret) {
		weft_nl_close(nl);
		return weft_err_set(err, WEFT_ERR_OTHER, -EIO,
				    "netlink socket: %s", nl_geterror(ret));
	}
	fd = nl_socket_get_fd(nl->sk);
	if (setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one)) ||
	    setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one))) {
		ret = weft_err_sys(err, errno, "netlink socket options");
		weft_nl_close(nl);
		return ret;
	}
	nl_socket_set_msg_buf_size(nl->sk, RECEIVE_BUFFER);
	nl_socket_disable_auto_ack(nl->sk);
	return 0;
}

/**
 * weft_nl_close() - close a socket
 * @nl: the socket; may be closed already
 */
void weft_nl_close(struct weft_nl *nl)
{
	if (nl->sk)
		nl_socket_free(nl->sk);
	nl->sk = NULL;
	free(nl->queue);
	nl->queue = NULL;
	nl->queued = 0;
}

/**
 * weft_nl_drops() - count messages that a full receive buffer dropped
 * @nl: the socket, open
 *
 * Return: their number since the socket was opened; 0 if the kernel does not say.
 */
uint64_t weft_nl_drops(const struct weft_nl *nl)
{
	uint32_t mem[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(mem);

	if (getsockopt(nl_socket_get_fd(nl->sk), SOL_SOCKET, SO_MEMINFO, mem,
		       &len))
		return 0;
	return mem[SK_MEMINFO_DROPS];
}

/**
 * weft_nl_msg() - begin a request to the family weft
 * @nl: the socket
 * @cmd: WEFT_CMD_*
 * @flags: NLM_F_DUMP or 0
 *
 * Return: the message, NULL without memory.
 */
struct nl_msg *weft_nl_msg(struct weft_nl *nl, uint8_t cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc_size(RECEIVE_BUFFER);

	if (!msg)
		return NULL;
	if (!genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, nl->family, 0,
			 NLM_F_REQUEST | flags, cmd, WEFT_FAMILY_VERSION)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

/* The attributes of an error message follow the request that it echoes. */
static void ack_attrs(struct nlmsgerr *nlerr, struct nlattr **tb)
{
	struct nlmsghdr *hdr = (void *)((char *)nlerr - NLMSG_HDRLEN);
	size_t skip = sizeof(*nlerr);

	memset(tb, 0, sizeof(*tb) * (NLMSGERR_ATTR_MAX + 1));
	if (!(hdr->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(hdr->nlmsg_flags & NLM_F_CAPPED))
		skip += nlerr->msg.nlmsg_len - NLMSG_HDRLEN;
	if (hdr->nlmsg_len < NLMSG_HDRLEN + NLMSG_ALIGN(skip))
		return;
	nla_parse(tb, NLMSGERR_ATTR_MAX,
		  (void *)((char *)nlerr + NLMSG_ALIGN(skip)),
		  (int)(hdr->nlmsg_len - NLMSG_HDRLEN - NLMSG_ALIGN(skip)),
		  NULL);
}

static void fill_error(struct exchange *x, struct nlmsgerr *nlerr)
{
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1];
	const char *text = strerror(-nlerr->error);
	char path[96] = "";

	ack_attrs(nlerr, tb);
	if (tb[NLMSGERR_ATTR_MSG] && nla_len(tb[NLMSGERR_ATTR_MSG]) > 0)
		text = nla_get_string(tb[NLMSGERR_ATTR_MSG]);
	if (tb[NLMSGERR_ATTR_OFFS] && nla_len(tb[NLMSGERR_ATTR_OFFS]) >= 4)
		weft_nl_attr_path(x->req, nla_get_u32(tb[NLMSGERR_ATTR_OFFS]),
				  x->set, path, sizeof(path));
	weft_err_set(x->err, WEFT_ERR_KERNEL, nlerr->error, "%s%s%s%s", text,
		     *path ? " (attribute " : "", path, *path ? ")" : "");
}

static int on_error(struct sockaddr_nl *peer, struct nlmsgerr *nlerr, void *arg)
{
	struct exchange *x = arg;

	(void)peer;
	/* Requests before the last one of a queue are answered only on error. */
	x->done = nlerr->msg.nlmsg_seq == x->req->nlmsg_seq;
	if (nlerr->error && !x->ret) {
		x->ret = nlerr->error;
		fill_error(x, nlerr);
	}
	return x->done ? NL_STOP : NL_SKIP;
}

static int on_done(struct nl_msg *msg, void *arg)
{
	struct exchange *x = arg;

	(void)msg;
	x->done = true;
	return NL_STOP;
}

/* The last message of a dump has its error code. */
static int on_finish(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	struct exchange *x = arg;
	int code = 0;

	if (nlmsg_datalen(hdr) >= (int)sizeof(code))
		memcpy(&code, nlmsg_data(hdr), sizeof(code));
	if (code < 0 && !x->ret)
		x->ret = weft_err_set(x->err, WEFT_ERR_KERNEL, code, "%s",
				      strerror(-code));
	return on_done(msg, arg);
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct exchange *x = arg;

	if (nlmsg_hdr(msg)->nlmsg_flags & NLM_F_DUMP_INTR)
		x->again = true;
	if (!x->fn || x->ret)
		return NL_OK;
	if (++x->replies > WEFT_NL_DUMP_MAX)
		x->ret = weft_err_set(x->err, WEFT_ERR_OTHER, -E2BIG,
				      "more than %d replies to one request",
				      WEFT_NL_DUMP_MAX);
	else
		x->ret = x->fn(nlmsg_hdr(msg), x->ctx, x->err);
	return NL_OK;
}

static int receive_all(struct weft_nl *nl, struct exchange *x)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int ret = 0;

	if (!cb)
		return weft_err_nomem(x->err);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, x);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, x);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_done, x);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, x);
	while (!x->done && ret >= 0)
		ret = nl_recvmsgs(nl->sk, cb);
	nl_cb_put(cb);
	if (ret < 0 && !x->done)
		return weft_err_set(x->err, WEFT_ERR_OTHER, -EIO,
				    "netlink: %s", nl_geterror(ret));
	return x->ret;
}

/**
 * weft_nl_send() - send a request and receive its replies
 * @nl: the socket
 * @msg: the request, freed here; NULL counts as "no memory"
 * @set: attribute set of the request, for the name of a refused attribute
 * @fn: is called for each reply, may be NULL
 * @ctx: for @fn
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno. -EAGAIN: objects changed during a dump, and the caller
 * has to repeat it.
 */
int weft_nl_send(struct weft_nl *nl, struct nl_msg *msg, enum weft_nl_set set,
		 weft_nl_fn fn, void *ctx, struct weft_err *err)
{
	struct exchange x = { .set = set, .fn = fn, .ctx = ctx, .err = err };
	int ret;

	if (!msg)
		return weft_err_nomem(err);
	if (weft_nl_flush(nl, err)) {
		nlmsg_free(msg);
		return err->code;
	}
	x.req = nlmsg_hdr(msg);
	/* NLM_F_DUMP has two bits, one of which is also NLM_F_EXCL: compare both. */
	if ((x.req->nlmsg_flags & NLM_F_DUMP) != NLM_F_DUMP)
		x.req->nlmsg_flags |= NLM_F_ACK;
	ret = nl_send_auto(nl->sk, msg);
	if (ret < 0)
		ret = weft_err_set(err, WEFT_ERR_OTHER, -EIO, "netlink: %s",
				   nl_geterror(ret));
	else
		ret = receive_all(nl, &x);
	nlmsg_free(msg);
	if (!ret && x.again)
		return weft_err_set(err, WEFT_ERR_KERNEL, -EAGAIN,
				    "the fabric changed while it was read");
	return ret;
}

/**
 * weft_nl_array_add() - add an element to an array (weft_nl_fn)
 * @hdr: a reply
 * @ctx: the array, struct weft_nl_array
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_nl_array_add(struct nlmsghdr *hdr, void *ctx, struct weft_err *err)
{
	struct weft_nl_array *a = ctx;
	void *more = weft_array_grow(a->v, a->n, a->size);

	if (!more)
		return weft_err_nomem(err);
	a->v = more;
	return a->parse(hdr, (char *)a->v + a->size * a->n++, err);
}

/**
 * weft_nl_flush() - send the queued requests and wait until they are done
 * @nl: the socket
 * @err: error of the first one that failed, with the kernel's text
 *
 * Return: 0 or negative errno. The others were done nevertheless.
 */
int weft_nl_flush(struct weft_nl *nl, struct weft_err *err)
{
	struct exchange x = { .err = err, .req = nl->last };
	int ret;

	if (!nl->queued)
		return 0;
	nl->last->nlmsg_flags |= NLM_F_ACK;
	ret = nl_sendto(nl->sk, nl->queue, nl->queued);
	nl->queued = 0;
	if (ret < 0)
		return weft_err_set(err, WEFT_ERR_OTHER, -EIO, "netlink: %s",
				    nl_geterror(ret));
	return receive_all(nl, &x);
}

/**
 * weft_nl_queue() - queue a request that has no reply
 * @nl: the socket
 * @msg: the request, freed here; NULL counts as "no memory"
 * @err: error, maybe of a request before, with the kernel's text
 *
 * It is sent with others, by weft_nl_flush() or before the next weft_nl_send(). This
 * saves most system calls where there are many requests.
 *
 * Return: 0 or negative errno.
 */
int weft_nl_queue(struct weft_nl *nl, struct nl_msg *msg, struct weft_err *err)
{
	struct nlmsghdr *hdr;
	int ret = 0;

	if (!nl->queue)
		nl->queue = malloc(QUEUE_BYTES);
	if (!msg || !nl->queue) {
		nlmsg_free(msg);
		return weft_err_nomem(err);
	}
	nl_complete_msg(nl->sk, msg);
	hdr = nlmsg_hdr(msg);
	if (nl->queued + NLMSG_ALIGN(hdr->nlmsg_len) > QUEUE_BYTES)
		ret = weft_nl_flush(nl, err);
	if (!ret) {
		nl->last = memcpy(nl->queue + nl->queued, hdr, hdr->nlmsg_len);
		nl->queued += NLMSG_ALIGN(hdr->nlmsg_len);
	}
	nlmsg_free(msg);
	return ret;
}

static int parse_error(struct weft_err *err)
{
	return weft_err_set(err, WEFT_ERR_OTHER, -EBADMSG,
			    "malformed reply from the kernel");
}

/**
 * weft_nl_attrs() - parse the attributes of a reply of a generic family
 * @hdr: the reply
 * @tb: result, indexed by attribute, 0 to @max
 * @max: highest attribute to take
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_nl_attrs(struct nlmsghdr *hdr, struct nlattr **tb, int max,
		  struct weft_err *err)
{
	if (!genlmsg_valid_hdr(hdr, 0) || genlmsg_parse(hdr, 0, tb, max, NULL))
		return parse_error(err);
	return 0;
}

/**
 * weft_nl_nested() - parse the attributes in a nest
 * @nest: the nest
 * @tb: result, indexed by attribute, 0 to @max
 * @max: highest attribute to take
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_nl_nested(struct nlattr *nest, struct nlattr **tb, int max,
		   struct weft_err *err)
{
	return nla_parse_nested(tb, max, nest, NULL) ? parse_error(err) : 0;
}

/* Find a multicast group of a family by name; 0 if there is none. */
static uint32_t group_id(struct nlattr *groups, const char *name)
{
	struct nlattr *tb[CTRL_ATTR_MCAST_GRP_MAX + 1], *group;
	int left;

	nla_for_each_nested(group, groups, left) {
		if (nla_parse_nested(tb, CTRL_ATTR_MCAST_GRP_MAX, group, NULL) ||
		    !tb[CTRL_ATTR_MCAST_GRP_NAME] || !tb[CTRL_ATTR_MCAST_GRP_ID])
			continue;
		if (!nla_strcmp(tb[CTRL_ATTR_MCAST_GRP_NAME], name))
			return nla_get_u32(tb[CTRL_ATTR_MCAST_GRP_ID]);
	}
	return 0;
}

static int take_family(struct nlmsghdr *hdr, void *ctx, struct weft_err *err)
{
	struct nlattr *tb[CTRL_ATTR_MAX + 1] = { 0 };
	struct weft_nl *nl = ctx;
	int ret = weft_nl_attrs(hdr, tb, CTRL_ATTR_MAX, err);

	if (ret)
		return ret;
	if (!tb[CTRL_ATTR_FAMILY_ID])
		return parse_error(err);
	nl->family = nla_get_u16(tb[CTRL_ATTR_FAMILY_ID]);
	if (tb[CTRL_ATTR_MCAST_GROUPS])
		nl->group = group_id(tb[CTRL_ATTR_MCAST_GROUPS],
				     WEFT_MCGRP_EVENTS);
	return 0;
}

/*
 * Look up the family. genl_ctrl_resolve() of libnl returns "not found" for any error, so
 * a kernel without memory would look like one without the module.
 */
static int resolve(struct weft_nl *nl, struct weft_err *err)
{
	struct nl_msg *msg;

	nl->family = GENL_ID_CTRL;
	nl->group = 0;
	msg = weft_nl_msg(nl, CTRL_CMD_GETFAMILY, 0);
	if (msg && nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, WEFT_FAMILY_NAME)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return weft_nl_send(nl, msg, WEFT_NL_SET_NONE, take_family, nl, err);
}

/**
 * weft_nl_open() - open a socket to the family weft
 * @nl: the socket
 * @err: error
 *
 * The socket belongs to the network namespace of the caller.
 *
 * Return: 0 or negative errno; -ENOENT if the module is not loaded.
 */
int weft_nl_open(struct weft_nl *nl, struct weft_err *err)
{
	int ret;

	if (open_socket(nl, NETLINK_GENERIC, err))
		return err->code;
	ret = resolve(nl, err);
	if (!ret)
		return 0;
	weft_nl_close(nl);
	if (ret != -ENOENT)
		return ret;
	return weft_err_set(err, WEFT_ERR_KERNEL, -ENOENT,
			    "the kernel module weft is not loaded: insmod weft.ko, or use `weft run` with the virtual clock");
}

/**
 * weft_nl_open_route() - open an rtnetlink socket
 * @nl: the socket
 * @err: error
 *
 * The socket belongs to the network namespace of the caller.
 *
 * Return: 0 or negative errno.
 */
int weft_nl_open_route(struct weft_nl *nl, struct weft_err *err)
{
	return open_socket(nl, NETLINK_ROUTE, err);
}

/**
 * weft_nl_open_rdma() - open a socket to the RDMA core
 * @nl: the socket
 * @err: error
 *
 * The socket belongs to the network namespace of the caller.
 *
 * Return: 0 or negative errno, such as if the kernel has no RDMA core.
 */
int weft_nl_open_rdma(struct weft_nl *nl, struct weft_err *err)
{
	return open_socket(nl, NETLINK_RDMA, err);
}
