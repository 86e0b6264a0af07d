// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of the kernel about changes of a fabric.
 *
 * All fabrics of a network namespace share a multicast group, so events of
 * other fabrics are filtered out here. A socket with a full buffer loses events
 * and reports that once. The listener must then read the objects again.
 */
#include "lab/events.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <stdio.h>
#include <sys/socket.h>

#include <linux/weft.h>

#include "netlink/json.h"

#define MESSAGE_MAX	32768	/* bytes; longest message */
#define SOCKET_BUFFER	(1 << 20)

/**
 * struct source - a command of the netlink family that is an event
 * @kind: kind of object
 * @fabric: attribute with the fabric's number
 * @id: attribute with the object's number
 * @name: attribute with the object's name, 0 for none
 * @cmd: the command
 * @gone: the event is a removal
 */
struct source {
	enum weft_event_kind kind;
	int fabric;
	int id;
	int name;
	uint8_t cmd;
	bool gone;
};

static const struct source sources[] = {
#define OBJECT(type, fabric, name)					\
	{ WEFT_EVENT_##type, fabric, WEFT_A_##type##_ID, name,		\
	  WEFT_CMD_##type##_NTF, false },				\
	{ WEFT_EVENT_##type, fabric, WEFT_A_##type##_ID, name,		\
	  WEFT_CMD_##type##_DEL_NTF, true }
	OBJECT(FABRIC, WEFT_A_FABRIC_ID, WEFT_A_FABRIC_NAME),
	OBJECT(SWITCH, WEFT_A_SWITCH_FABRIC, WEFT_A_SWITCH_NAME),
	OBJECT(LINK, WEFT_A_LINK_FABRIC, WEFT_A_LINK_NAME),
	OBJECT(NIC, WEFT_A_NIC_FABRIC, WEFT_A_NIC_NAME),
	OBJECT(FAULT, WEFT_A_FAULT_FABRIC, 0),
	OBJECT(TRAFFIC, WEFT_A_TRAFFIC_FABRIC, 0),
	OBJECT(TRIGGER, WEFT_A_TRIGGER_FABRIC, 0),
	OBJECT(AGGREGATOR, WEFT_A_AGGREGATOR_FABRIC, 0),
#undef OBJECT
	{ WEFT_EVENT_PHASE, WEFT_A_PHASE_FABRIC, WEFT_A_PHASE_ID, 0,
	  WEFT_CMD_PHASE_NTF, false },
};

static const struct source *find_source(uint8_t cmd)
{
	for (unsigned int i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		if (sources[i].cmd == cmd)
			return &sources[i];
	return NULL;
}

static int parse_phase(struct nlmsghdr *hdr, struct weft_event *ev,
		       struct weft_err *err)
{
	int ret = weft_phase_parse(hdr, &ev->phase, err);

	weft_phase_name(&ev->phase, ev->name, sizeof(ev->name));
	return ret;
}

/* WEFT_A_LINK_MAX covers the numbers and names of all kinds of objects. */
static int parse(struct nlmsghdr *hdr, const struct source *s,
		 struct weft_event *ev, struct weft_err *err)
{
	struct nlattr *tb[WEFT_A_LINK_MAX + 1];

	*ev = (struct weft_event) { .kind = s->kind, .gone = s->gone };
	if (weft_nl_attrs(hdr, tb, WEFT_A_LINK_MAX, err))
		return err->code;
	if (tb[s->fabric])
		ev->fabric = nla_get_u32(tb[s->fabric]);
	if (tb[s->id])
		ev->id = nla_get_u32(tb[s->id]);
	if (s->name && tb[s->name])
		snprintf(ev->name, sizeof(ev->name), "%s",
			 nla_get_string(tb[s->name]));
	if (s->kind == WEFT_EVENT_LINK)
		return weft_link_parse(hdr, &ev->link, err);
	return s->kind == WEFT_EVENT_PHASE ? parse_phase(hdr, ev, err) : 0;
}

static int take(struct weft_events *e, struct nlmsghdr *hdr, weft_event_fn fn,
		void *ctx, struct weft_err *err)
{
	const struct genlmsghdr *genl = nlmsg_data(hdr);
	const struct source *s;
	struct weft_event ev;
	int ret;

	if (hdr->nlmsg_type != e->nl.family ||
	    hdr->nlmsg_len < NLMSG_LENGTH(GENL_HDRLEN))
		return 0;
	s = find_source(genl->cmd);
	if (!s)
		return 0;
	ret = parse(hdr, s, &ev, err);
	if (!ret && ev.fabric == e->fabric)
		ret = fn(ctx, &ev);
	weft_class_states_free(&ev.link.wire[0].cls);
	weft_class_states_free(&ev.link.wire[1].cls);
	weft_hist_free(&ev.phase.latency);
	return ret;
}

static int take_all(struct weft_events *e, void *buf, ssize_t len,
		    weft_event_fn fn, void *ctx, struct weft_err *err)
{
	struct nlmsghdr *hdr = buf;
	int left = (int)len, ret = 0;

	for (; !ret && nlmsg_ok(hdr, left); hdr = nlmsg_next(hdr, &left))
		ret = take(e, hdr, fn, ctx, err);
	return ret;
}

/**
 * weft_events_read() - read all events that have arrived
 * @e: the subscription
 * @fn: called for each event
 * @ctx: context of @fn
 * @err: error
 *
 * Lost events are reported by an event WEFT_EVENT_LOST. An error of @fn is
 * returned without a text in @err.
 *
 * Return: 0 if there are no more events, or negative errno.
 */
int weft_events_read(struct weft_events *e, weft_event_fn fn, void *ctx,
		     struct weft_err *err)
{
	char buf[MESSAGE_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
	const struct weft_event lost = { .kind = WEFT_EVENT_LOST };
	int fd = weft_events_fd(e), ret = 0;
	ssize_t n;

	while (!ret) {
		n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
		if (n >= 0)
			ret = take_all(e, buf, n, fn, ctx, err);
		else if (errno == ENOBUFS)
			ret = fn(ctx, &lost);
		else if (errno == EAGAIN)
			break;
		else if (errno != EINTR)
			ret = weft_err_sys(err, errno, "events of the fabric");
	}
	return ret;
}

/**
 * weft_events_fd() - descriptor of a subscription
 * @e: the subscription
 *
 * Return: a descriptor that is readable when there are events.
 */
int weft_events_fd(const struct weft_events *e)
{
	return nl_socket_get_fd(e->nl.sk);
}

static int subscribe(struct weft_events *e, const char *name,
		     struct weft_err *err)
{
	struct weft_fabric f;
	int ret = weft_fabric_find(&e->nl, name, &f, err);

	e->fabric = f.id;
	weft_fabric_free(&f);
	if (ret)
		return ret;
	nl_socket_set_buffer_size(e->nl.sk, SOCKET_BUFFER, 0);
	ret = nl_socket_add_membership(e->nl.sk, (int)e->nl.group);
	if (ret)
		return weft_err_set(err, WEFT_ERR_OTHER, -EIO,
				    "events of the fabric: %s",
				    nl_geterror(ret));
	return 0;
}

/**
 * weft_events_open() - subscribe to the events of a lab's fabric
 * @e: result, to be closed by weft_events_close()
 * @lab: the lab, up
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_events_open(struct weft_events *e, const struct weft_lab *lab,
		     struct weft_err *err)
{
	int ret;

	*e = (struct weft_events) { 0 };
	ret = weft_lab_nl(lab, &e->nl, err);
	if (!ret)
		ret = subscribe(e, lab->name, err);
	if (ret)
		weft_events_close(e);
	return ret;
}

/**
 * weft_events_close() - end a subscription
 * @e: the subscription, which may be closed already
 */
void weft_events_close(struct weft_events *e)
{
	weft_nl_close(&e->nl);
}

/**
 * weft_link_is_up() - are both directions of a link up?
 * @link: the link
 *
 * Return: whether both are up.
 */
bool weft_link_is_up(const struct weft_link *link)
{
	return link->wire[0].up && link->wire[1].up;
}

/**
 * weft_event_json() - represent an event as JSON
 * @ev: the event
 * @now: fabric time when the event was read, ps
 *
 * Return: a new reference, NULL if there is no memory.
 */
json_t *weft_event_json(const struct weft_event *ev, uint64_t now)
{
	static const char *const kinds[] = {
		"fabric", "switch", "link", "nic", "fault", "traffic",
		"phase", "trigger", "aggregator", "lost",
	};
	json_t *o = json_object();

	json_object_set_new(o, "time_ps", weft_json_u64(now));
	json_object_set_new(o, "event", json_string(kinds[ev->kind]));
	if (ev->kind == WEFT_EVENT_LOST)
		return o;
	json_object_set_new(o, "removed", json_boolean(ev->gone));
	json_object_set_new(o, "id", json_integer(ev->id));
	if (*ev->name)
		json_object_set_new(o, "name", json_string(ev->name));
	if (ev->kind == WEFT_EVENT_LINK && !ev->gone) {
		json_object_set_new(o, "up",
				    json_boolean(weft_link_is_up(&ev->link)));
		json_object_set_new(o, "up_a_to_b",
				    json_boolean(ev->link.wire[0].up));
		json_object_set_new(o, "up_b_to_a",
				    json_boolean(ev->link.wire[1].up));
	}
	if (ev->kind == WEFT_EVENT_PHASE) {
		json_object_set_new(o, "open", json_boolean(ev->phase.open));
		json_object_set_new(o, "begin_ps",
				    weft_json_u64(ev->phase.begin));
		json_object_set_new(o, "lasted_ps",
				    weft_json_u64(ev->phase.end -
						  ev->phase.begin));
	}
	return o;
}
