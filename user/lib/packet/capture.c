// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Captures: the frames on a link, as the kernel reports them.
 *
 * Frames have a socket of their own with a large buffer, so that they cannot
 * crowd out the event that reports the removal of the link. The kernel counts
 * the frames that do not fit into the buffer.
 */
#include "packet/capture.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define CAPTURE_BUFFER	(32 << 20)	/* receive buffer of the socket, bytes */
#define CAPTURE_MESSAGE	131072		/* bytes; more than the longest message */

/* An attribute that is missing or too short is 0. */
static uint32_t get_u32(struct nlattr *nla)
{
	return nla && nla_len(nla) >= 4 ? nla_get_u32(nla) : 0;
}

static uint64_t get_u64(struct nlattr *nla)
{
	return nla && nla_len(nla) >= 8 ? nla_get_u64(nla) : 0;
}

static void parse_quanta(struct weft_capture_control *c, struct nlattr *nest)
{
	struct nlattr *nla;
	unsigned int n = 0;
	int rem;

	nla_for_each_nested(nla, nest, rem)
		if (nla_type(nla) == WEFT_A_CONTROL_QUANTA &&
		    n < WEFT_PFC_CLASSES)
			c->quanta[n++] = (uint16_t)get_u32(nla);
}

static int parse_control(struct weft_capture_control *c, struct nlattr *nest,
			 struct weft_err *err)
{
	struct nlattr *tb[WEFT_A_CONTROL_MAX + 1];

	if (weft_nl_nested(nest, tb, WEFT_A_CONTROL_MAX, err))
		return err->code;
	c->type = get_u32(tb[WEFT_A_CONTROL_TYPE]);
	c->enable = get_u32(tb[WEFT_A_CONTROL_ENABLE]);
	c->op = get_u32(tb[WEFT_A_CONTROL_OP]);
	c->vl = get_u32(tb[WEFT_A_CONTROL_VL]);
	c->fctbs = get_u32(tb[WEFT_A_CONTROL_FCTBS]);
	c->fccl = get_u32(tb[WEFT_A_CONTROL_FCCL]);
	c->flags = get_u32(tb[WEFT_A_CONTROL_FLAGS]);
	c->seq = get_u32(tb[WEFT_A_CONTROL_SEQ]);
	c->hdr = get_u32(tb[WEFT_A_CONTROL_HDR]);
	c->data = get_u32(tb[WEFT_A_CONTROL_DATA]);
	c->is_consumed = tb[WEFT_A_CONTROL_CONSUMED];
	c->credits = get_u32(tb[c->is_consumed ? WEFT_A_CONTROL_CONSUMED :
						 WEFT_A_CONTROL_FREED]);
	parse_quanta(c, nest);
	return 0;
}

static void parse_data(struct weft_capture_frame *f, struct nlattr **tb)
{
	struct nlattr *data = tb[WEFT_A_CAPTURE_DATA];

	f->length = get_u32(tb[WEFT_A_CAPTURE_LENGTH]);
	f->cls = get_u32(tb[WEFT_A_CAPTURE_CLASS]);
	f->sl = get_u32(tb[WEFT_A_CAPTURE_SL]);
	f->dst = get_u32(tb[WEFT_A_CAPTURE_DST]);
	f->flags = get_u32(tb[WEFT_A_CAPTURE_FLAGS]);
	f->data = data ? nla_data(data) : NULL;
	f->len = data ? (size_t)nla_len(data) : 0;
}

static int on_frame(struct nlmsghdr *hdr, void *ctx, struct weft_err *err)
{
	struct nlattr *tb[WEFT_A_CAPTURE_MAX + 1];
	struct weft_capture_frame f = { 0 };
	struct weft_capture *c = ctx;

	if (weft_nl_attrs(hdr, tb, WEFT_A_CAPTURE_MAX, err))
		return err->code;
	if (tb[WEFT_A_CAPTURE_LOST])
		c->lost = get_u64(tb[WEFT_A_CAPTURE_LOST]);
	f.direction = get_u32(tb[WEFT_A_CAPTURE_DIRECTION]) & 1;
	f.time = get_u64(tb[WEFT_A_CAPTURE_TIME]);
	f.is_control = tb[WEFT_A_CAPTURE_CONTROL];
	if (!f.is_control)
		parse_data(&f, tb);
	else if (parse_control(&f.control, tb[WEFT_A_CAPTURE_CONTROL], err))
		return err->code;
	return c->fn(&f, c->ctx, err);
}

static int on_event(struct nlmsghdr *hdr, void *ctx, struct weft_err *err)
{
	const struct genlmsghdr *genl = nlmsg_data(hdr);
	struct nlattr *tb[WEFT_A_LINK_MAX + 1];
	struct weft_capture *c = ctx;

	(void)err;
	if (genl->cmd != WEFT_CMD_FABRIC_DEL_NTF &&
	    genl->cmd != WEFT_CMD_LINK_DEL_NTF)
		return 0;
	if (weft_nl_attrs(hdr, tb, WEFT_A_LINK_MAX, err))
		return err->code;
	if (genl->cmd == WEFT_CMD_FABRIC_DEL_NTF)
		c->gone |= get_u32(tb[WEFT_A_FABRIC_ID]) == c->fabric;
	else
		c->gone |= get_u32(tb[WEFT_A_LINK_FABRIC]) == c->fabric &&
			   get_u32(tb[WEFT_A_LINK_ID]) == c->link;
	return 0;
}

static int set_options(struct weft_capture *c, struct weft_err *err)
{
	int fd = nl_socket_get_fd(c->nl.sk), one = 1, size = CAPTURE_BUFFER;

	if (setsockopt(fd, SOL_NETLINK, NETLINK_NO_ENOBUFS, &one, sizeof(one)))
		return weft_err_sys(err, errno, "netlink socket options");
	/*
	 * SO_RCVBUFFORCE needs CAP_NET_ADMIN; SO_RCVBUF is limited by rmem_max.
	 */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) &&
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)))
		return weft_err_sys(err, errno, "netlink socket buffer");
	if (nl_socket_set_msg_buf_size(c->nl.sk, CAPTURE_MESSAGE) ||
	    nl_socket_add_membership(c->events.sk, (int)c->events.group) ||
	    nl_socket_set_nonblocking(c->events.sk))
		return weft_err_set(err, WEFT_ERR_OTHER, -EIO,
				    "netlink: events cannot be received");
	return 0;
}

static int start(struct weft_capture *c, uint32_t snaplen, struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(&c->nl, WEFT_CMD_CAPTURE_START, 0);
	int ret;

	if (msg) {
		nla_put_u32(msg, WEFT_A_CAPTURE_FABRIC, c->fabric);
		nla_put_u32(msg, WEFT_A_CAPTURE_LINK, c->link);
		nla_put_u32(msg, WEFT_A_CAPTURE_SNAPLEN, snaplen);
	}
	ret = weft_nl_send(&c->nl, msg, WEFT_NL_SET_NONE, on_frame, c, err);
	if (!ret && nl_socket_set_nonblocking(c->nl.sk))
		ret = weft_err_set(err, WEFT_ERR_OTHER, -EIO,
				   "netlink socket cannot be polled");
	return ret;
}

/**
 * weft_capture_open() - start to capture a link
 * @c: the capture; fabric, link, fn and ctx are set; to be closed by
 * weft_capture_close()
 * @lab: the lab of the fabric
 * @snaplen: most bytes of a frame to capture
 * @err: error
 *
 * @c->fn may be called before this function returns.
 *
 * Return: 0 or negative errno.
 */
int weft_capture_open(struct weft_capture *c, const struct weft_lab *lab,
		      uint32_t snaplen, struct weft_err *err)
{
	int ret;

	c->nl.sk = NULL;
	c->events.sk = NULL;
	c->lost = 0;
	c->gone = false;
	ret = weft_lab_nl(lab, &c->events, err);
	if (!ret)
		ret = weft_lab_nl(lab, &c->nl, err);
	if (!ret)
		ret = set_options(c, err);
	if (!ret)
		ret = start(c, snaplen, err);
	if (ret)
		weft_capture_close(c);
	return ret;
}

/**
 * struct reader - a read of messages from a socket
 * @fn: called for each message
 * @c: argument of @fn
 * @err: error
 * @ret: 0, or the first negative errno of @fn
 */
struct reader {
	weft_nl_fn fn;
	struct weft_capture *c;
	struct weft_err *err;
	int ret;
};

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct reader *r = arg;

	if (!r->ret)
		r->ret = r->fn(nlmsg_hdr(msg), r->c, r->err);
	return r->ret ? NL_STOP : NL_OK;
}

/* Handle all messages that have arrived. */
static int drain(struct weft_capture *c, struct weft_nl *nl, weft_nl_fn fn,
		 struct weft_err *err)
{
	struct reader r = { .fn = fn, .c = c, .err = err };
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int ret = 0;

	if (!cb)
		return weft_err_nomem(err);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, &r);
	while (!r.ret && ret >= 0)
		ret = nl_recvmsgs(nl->sk, cb);
	nl_cb_put(cb);
	if (r.ret || ret == -NLE_AGAIN || ret == -NLE_INTR)
		return r.ret;
	return weft_err_set(err, WEFT_ERR_OTHER, -EIO, "netlink: %s",
			    nl_geterror(ret));
}

/**
 * weft_capture_wait() - wait for frames, and pass them to the callback
 * @c: the capture
 * @timeout_ms: longest time to wait, -1: no limit
 * @mask: signals that are blocked while it waits
 * @err: error
 *
 * After the link is removed and its last frame is passed on, @c->gone is set.
 *
 * Return: 0; -EINTR after a signal, without a text in @err; another negative
 * errno, or that of @c->fn.
 */
int weft_capture_wait(struct weft_capture *c, int timeout_ms,
		      const sigset_t *mask, struct weft_err *err)
{
	const struct timespec t = {
		.tv_sec = timeout_ms / 1000,
		.tv_nsec = timeout_ms % 1000 * 1000000L,
	};
	struct pollfd fds[] = {
		{ .fd = nl_socket_get_fd(c->nl.sk), .events = POLLIN },
		{ .fd = nl_socket_get_fd(c->events.sk), .events = POLLIN },
	};

	if (ppoll(fds, 2, timeout_ms < 0 ? NULL : &t, mask) < 0)
		return errno == EINTR ? -EINTR :
		       weft_err_sys(err, errno, "capture");
	/*
	 * Events first: all frames of a removed link were sent before its event.
	 */
	if (fds[1].revents && drain(c, &c->events, on_event, err))
		return err->code;
	return drain(c, &c->nl, on_frame, err);
}

/**
 * weft_capture_lost() - number of frames lost because the buffer was full
 * @c: the capture, open
 *
 * Return: the number of frames.
 */
uint64_t weft_capture_lost(const struct weft_capture *c)
{
	uint64_t drops = weft_nl_drops(&c->nl);

	/* Only the socket knows of losses after the last message. */
	return drops > c->lost ? drops : c->lost;
}

/**
 * weft_capture_close() - end a capture
 * @c: the capture, which may be closed already
 */
void weft_capture_close(struct weft_capture *c)
{
	weft_nl_close(&c->nl);
	weft_nl_close(&c->events);
}
