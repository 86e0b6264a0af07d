// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trails: the steps of packets through a fabric, as the kernel reports them.
 *
 * As with captures, steps have a socket of their own with a large buffer, so
 * that they cannot crowd out the event that reports the removal of the fabric.
 */
#include "packet/trail.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

#define TRAIL_BUFFER	(32 << 20)	/* receive buffer of the socket, bytes */
#define MESSAGE_MAX	4096		/* bytes; much longer than a step */
#define SNAPLEN		128		/* bytes: the headers */

/* An attribute that is missing or too short is 0. */
static uint32_t get_u32(struct nlattr *nla)
{
	return nla && nla_len(nla) >= 4 ? nla_get_u32(nla) : 0;
}

static uint64_t get_u64(struct nlattr *nla)
{
	return nla && nla_len(nla) >= 8 ? nla_get_u64(nla) : 0;
}

static void parse_place(struct weft_place *p, struct nlattr **tb)
{
	p->known = tb[WEFT_A_TRAIL_PORT];
	p->is_nic = !tb[WEFT_A_TRAIL_SWITCH];
	p->sw = get_u32(tb[WEFT_A_TRAIL_SWITCH]);
	p->port = get_u32(tb[WEFT_A_TRAIL_PORT]);
}

static const char *get_reason(struct nlattr *nla)
{
	const char *s = nla ? nla_data(nla) : "";

	return nla && nla_len(nla) && !s[nla_len(nla) - 1] ? s : "";
}

static void parse_step(struct weft_step *s, struct nlattr **tb)
{
	struct nlattr *data = tb[WEFT_A_TRAIL_DATA];

	s->what = get_u32(tb[WEFT_A_TRAIL_WHAT]);
	s->time = get_u64(tb[WEFT_A_TRAIL_TIME]);
	s->id = get_u64(tb[WEFT_A_TRAIL_ID]);
	s->parent = get_u64(tb[WEFT_A_TRAIL_PARENT]);
	parse_place(&s->place, tb);
	s->ready = get_u64(tb[WEFT_A_TRAIL_READY]);
	s->until = get_u64(tb[WEFT_A_TRAIL_UNTIL]);
	s->queued = get_u64(tb[WEFT_A_TRAIL_QUEUED]);
	s->length = get_u32(tb[WEFT_A_TRAIL_LENGTH]);
	s->segments = get_u32(tb[WEFT_A_TRAIL_SEGMENTS]);
	s->cls = get_u32(tb[WEFT_A_TRAIL_CLASS]);
	s->sl = get_u32(tb[WEFT_A_TRAIL_SL]);
	s->dst = get_u32(tb[WEFT_A_TRAIL_DST]);
	s->flags = get_u32(tb[WEFT_A_TRAIL_FLAGS]);
	s->reason = get_reason(tb[WEFT_A_TRAIL_REASON]);
	s->data = data ? nla_data(data) : NULL;
	s->len = data ? (size_t)nla_len(data) : 0;
}

static int on_step(struct nlmsghdr *hdr, void *ctx, struct weft_err *err)
{
	const struct genlmsghdr *genl = nlmsg_data(hdr);
	struct nlattr *tb[WEFT_A_TRAIL_MAX + 1];
	struct weft_trail *t = ctx;
	struct weft_step s;

	if (hdr->nlmsg_type != t->nl.family ||
	    genl->cmd != WEFT_CMD_TRAIL_STEP)
		return 0;
	if (weft_nl_attrs(hdr, tb, WEFT_A_TRAIL_MAX, err))
		return err->code;
	if (tb[WEFT_A_TRAIL_LOST])
		t->lost = get_u64(tb[WEFT_A_TRAIL_LOST]);
	parse_step(&s, tb);
	return t->fn(&s, t->ctx, err);
}

static int on_event(void *ctx, const struct weft_event *ev)
{
	struct weft_trail *t = ctx;

	t->gone |= ev->kind == WEFT_EVENT_FABRIC && ev->gone;
	return 0;
}

static int set_options(const struct weft_trail *t, struct weft_err *err)
{
	int fd = nl_socket_get_fd(t->nl.sk), one = 1, size = TRAIL_BUFFER;

	if (setsockopt(fd, SOL_NETLINK, NETLINK_NO_ENOBUFS, &one, sizeof(one)))
		return weft_err_sys(err, errno, "netlink socket options");
	/*
	 * SO_RCVBUFFORCE needs CAP_NET_ADMIN; SO_RCVBUF is limited by rmem_max.
	 */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) &&
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)))
		return weft_err_sys(err, errno, "netlink socket buffer");
	return 0;
}

static int start(struct weft_trail *t, struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(&t->nl, WEFT_CMD_TRAIL_START, 0);

	if (msg) {
		nla_put_u32(msg, WEFT_A_TRAIL_FABRIC, t->events.fabric);
		nla_put_u32(msg, WEFT_A_TRAIL_SNAPLEN, SNAPLEN);
	}
	return weft_nl_send(&t->nl, msg, WEFT_NL_SET_NONE, on_step, t, err);
}

/**
 * weft_trail_open() - start to follow the packets of a lab
 * @t: the trail; fn and ctx are set; to be closed by weft_trail_close()
 * @lab: the lab, up
 * @err: error
 *
 * @t->fn may be called before this function returns.
 *
 * Return: 0 or negative errno.
 */
int weft_trail_open(struct weft_trail *t, const struct weft_lab *lab,
		    struct weft_err *err)
{
	int ret;

	t->nl.sk = NULL;
	t->lost = 0;
	t->gone = false;
	ret = weft_events_open(&t->events, lab, err);
	if (!ret)
		ret = weft_lab_nl(lab, &t->nl, err);
	if (!ret)
		ret = set_options(t, err);
	if (!ret)
		ret = start(t, err);
	if (ret)
		weft_trail_close(t);
	return ret;
}

static int take_all(struct weft_trail *t, void *buf, ssize_t len,
		    struct weft_err *err)
{
	struct nlmsghdr *hdr = buf;
	int left = (int)len, ret = 0;

	for (; !ret && nlmsg_ok(hdr, left); hdr = nlmsg_next(hdr, &left))
		ret = on_step(hdr, t, err);
	return ret;
}

/* Handle all steps that have arrived. */
static int drain(struct weft_trail *t, struct weft_err *err)
{
	char buf[MESSAGE_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
	int fd = nl_socket_get_fd(t->nl.sk), ret = 0;
	ssize_t n;

	while (!ret) {
		n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
		if (n >= 0)
			ret = take_all(t, buf, n, err);
		else if (errno == EAGAIN)
			break;
		else if (errno != EINTR)
			ret = weft_err_sys(err, errno, "steps of packets");
	}
	return ret;
}

/**
 * weft_trail_wait() - wait for steps, and pass them to the callback
 * @t: the trail
 * @timeout_ms: longest time to wait, -1: no limit
 * @mask: signals that are blocked while it waits
 * @err: error
 *
 * After the fabric is removed and its last step is passed on, @t->gone is set.
 *
 * Return: 0; -EINTR after a signal, without a text in @err; another negative
 * errno, or that of @t->fn.
 */
int weft_trail_wait(struct weft_trail *t, int timeout_ms, const sigset_t *mask,
		    struct weft_err *err)
{
	const struct timespec time = {
		.tv_sec = timeout_ms / 1000,
		.tv_nsec = timeout_ms % 1000 * 1000000L,
	};
	struct pollfd fds[] = {
		{ .fd = nl_socket_get_fd(t->nl.sk), .events = POLLIN },
		{ .fd = weft_events_fd(&t->events), .events = POLLIN },
	};

	if (ppoll(fds, 2, timeout_ms < 0 ? NULL : &time, mask) < 0)
		return errno == EINTR ? -EINTR :
		       weft_err_sys(err, errno, "steps of packets");
	/*
	 * Events first: all steps of a removed fabric were sent before its event.
	 */
	if (fds[1].revents && weft_events_read(&t->events, on_event, t, err))
		return err->code;
	return drain(t, err);
}

/**
 * weft_trail_lost() - number of steps lost because the buffer was full
 * @t: the trail, open
 *
 * Return: the number of steps.
 */
uint64_t weft_trail_lost(const struct weft_trail *t)
{
	uint64_t drops = weft_nl_drops(&t->nl);

	return drops > t->lost ? drops : t->lost;
}

/**
 * weft_trail_close() - stop to follow the packets
 * @t: the trail, which may be closed already
 */
void weft_trail_close(struct weft_trail *t)
{
	weft_nl_close(&t->nl);
	weft_events_close(&t->events);
}
