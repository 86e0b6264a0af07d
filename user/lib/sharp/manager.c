// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The aggregation manager of a lab: groups of processes whose switches reduce.
 *
 * Processes reach it by a socket in the lab's directory. A process is in the node whose
 * network namespace it is in: so nobody can bring another node's NIC into a group. A group
 * gets a tree when all its members have asked for it, and all of them learn the same: that it
 * works, or why not. It fails when a link of its tree goes down, or a member dies. It goes
 * when all its members have left.
 *
 * The Q_Key of a group is told to its members alone, and others are refused by the switches.
 */
#include "sharp/manager.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "netlink/json.h"
#include "netlink/nic.h"
#include "sharp/messages.h"

#define EACH_MAX	128U		/* connections of a user in a node: twice the groups */
#define NONE		UINT32_MAX

static int note_nodes(struct weft_sharp *s, const struct weft_lab *lab, struct weft_err *err)
{
	const struct weft_plan *p = &s->routes.plan;
	char path[WEFT_LAB_PATH];
	struct stat st;

	s->node = calloc(p->nodes + 1, sizeof(*s->node));
	if (!s->node)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i < p->nodes; i++) {
		weft_lab_path(lab, path, "nodes/%s/net", p->node[i].name);
		if (stat(path, &st))
			return weft_err_sys(err, errno, "%s", path);
		s->node[i] = st.st_ino;
	}
	return 0;
}

/* Whoever is in a node may connect: its namespace says who it is. */
static int listen_at(struct weft_sharp *s, const struct weft_lab *lab, struct weft_err *err)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	weft_lab_path(lab, s->path, "%s", WEFT_SHARP_SOCKET);
	if (strlen(s->path) >= sizeof(addr.sun_path))
		return weft_err_set(err, WEFT_ERR_USAGE, -ENAMETOOLONG, "%s: too long",
				    s->path);
	memcpy(addr.sun_path, s->path, strlen(s->path));
	s->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->listener < 0)
		return weft_err_sys(err, errno, "socket");
	unlink(s->path);
	if (bind(s->listener, (struct sockaddr *)&addr, sizeof(addr)) ||
	    chmod(s->path, 0666) || listen(s->listener, SOMAXCONN))
		return weft_err_sys(err, errno, "%s", s->path);
	return 0;
}

/**
 * weft_sharp_open() - start an aggregation manager
 * @s: result, to be closed by weft_sharp_close() even after an error
 * @lab: the lab, up; must outlive @s
 * @store: switches of NVLink reduce, else those of InfiniBand
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_sharp_open(struct weft_sharp *s, const struct weft_lab *lab, bool store,
		    struct weft_err *err)
{
	bool news;
	int ret;

	*s = (struct weft_sharp) { .listener = -1, .store = store };
	ret = weft_lab_routes_match(&s->routes, lab, err);
	if (!ret)
		ret = note_nodes(s, lab, err);
	if (!ret)
		ret = weft_events_open(&s->events, lab, err);
	if (!ret)
		ret = weft_lab_routes_look(&s->routes, &news, err);
	if (!ret && store)
		ret = weft_sharp_devices_make(s, err);
	return ret ? ret : listen_at(s, lab, err);
}

static void send_to(const struct weft_sharp_member *m, struct weft_sharp_message *msg)
{
	msg->version = WEFT_SHARP_VERSION;
	/* Who does not read, or is gone, is noticed by its end of the socket. */
	send(m->fd, msg, sizeof(*msg), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void send_to_all(const struct weft_sharp_group *g, struct weft_sharp_message *msg)
{
	for (uint32_t i = 0; i < g->members; i++)
		if (g->member[i])
			send_to(g->member[i], msg);
}

static void set_text(struct weft_sharp_message *msg, const char *text)
{
	snprintf(msg->text, sizeof(msg->text), "%.*s", WEFT_SHARP_TEXT - 1, text);
}

static void fail_group(struct weft_sharp *s, struct weft_sharp_group *g, const char *why,
		       bool refused)
{
	struct weft_sharp_message msg = { .kind = WEFT_SHARP_FAILED, .refused = refused };

	set_text(&msg, why);
	send_to_all(g, &msg);
	s->refused += refused;
	weft_sharp_group_destroy(s, g);
}

/* A group that had a tree, and works no more. */
static void break_group(struct weft_sharp *s, struct weft_sharp_group *g, const char *why)
{
	if (g->nodes)
		s->failed++;
	fail_group(s, g, why, false);
}

static const char *device_of(const struct weft_nic *list, unsigned int n, uint32_t id)
{
	const struct weft_nic *nic = weft_nic_find(list, n, id);

	return nic ? nic->device : "";
}

/* Each member learns by which device it is in the group. */
static int tell_tree(struct weft_sharp *s, struct weft_sharp_group *g, struct weft_err *err)
{
	struct weft_sharp_message msg = {
		.kind = WEFT_SHARP_TREE, .group = g->number, .qkey = g->qkey,
		.slots = g->slots, .owners = s->store ? g->size : 1,
	};
	struct weft_nic *list = NULL;
	unsigned int n = 0;
	int ret = weft_nic_list(&s->routes.nl, s->routes.fabric, &list, &n, err);

	for (uint32_t i = 0; !ret && i < g->members; i++) {
		set_text(&msg, device_of(list, n, g->member[i]->nic));
		if (!*msg.text)
			ret = weft_err_set(err, WEFT_ERR_OTHER, -ENODEV,
					   "%s has no RDMA device",
					   s->routes.plan.nic[g->member[i]->nic].nic.name);
	}
	for (uint32_t i = 0; !ret && i < g->members; i++) {
		set_text(&msg, device_of(list, n, g->member[i]->nic));
		send_to(g->member[i], &msg);
	}
	weft_nic_list_free(list, n);
	return ret;
}

static void build_group(struct weft_sharp *s, struct weft_sharp_group *g)
{
	struct weft_err err;
	int ret = weft_sharp_group_build(s, g, &err);

	if (ret) {
		fail_group(s, g, err.msg,
			   ret == -EBUSY || ret == -EDQUOT || ret == -E2BIG);
		return;
	}
	s->made++;
	s->small += !!g->small;
	if (tell_tree(s, g, &err))
		break_group(s, g, err.msg);
}

/* The node of a process: by its network namespace. And its user. */
static unsigned int node_of(const struct weft_sharp *s, int fd, uid_t *uid)
{
	socklen_t len = sizeof(struct ucred);
	char path[64];
	struct ucred who;
	struct stat st;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len))
		return NONE;
	*uid = who.uid;
	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)who.pid);
	if (stat(path, &st))
		return NONE;
	for (unsigned int i = 0; i < s->routes.plan.nodes; i++)
		if (s->node[i] == st.st_ino)
			return i;
	return NONE;
}

static void refuse(const struct weft_sharp_member *m, const char *why)
{
	struct weft_sharp_message msg = { .kind = WEFT_SHARP_FAILED };

	set_text(&msg, why);
	send_to(m, &msg);
}

static void join(struct weft_sharp *s, struct weft_sharp_member *m,
		 const struct weft_sharp_message *msg)
{
	struct weft_sharp_group *g;
	struct weft_err err;

	if (m->group || m->has_left || !msg->size) {
		refuse(m, "expected one request for a group, of one process and more");
		return;
	}
	if (msg->size > s->routes.plan.nodes) {
		refuse(m, "a group has one process of each node, and the lab has not so many");
		return;
	}
	g = weft_sharp_group_find(s, msg->key, msg->size, &err);
	if (!g) {
		refuse(m, err.msg);
		return;
	}
	m->group = g;
	g->member[g->members++] = m;
	if (g->members == g->size)
		build_group(s, g);
}

/* The shortest chunk of all members is that of the group. */
static void ready(struct weft_sharp_member *m, const struct weft_sharp_message *msg)
{
	struct weft_sharp_group *g = m->group;
	struct weft_sharp_message all = { .kind = WEFT_SHARP_PAYLOAD };

	if (!g || !g->nodes)
		return;
	if (!g->payload)
		g->payload = g->small;
	if (!g->payload || msg->payload < g->payload)
		g->payload = msg->payload;
	all.payload = g->payload;
	if (++g->ready == g->size)
		send_to_all(g, &all);
}

static void started(const struct weft_sharp_member *m)
{
	struct weft_sharp_group *g = m->group;
	struct weft_sharp_message go = { .kind = WEFT_SHARP_GO };

	if (g && ++g->started == g->size)
		send_to_all(g, &go);
}

static void leave(struct weft_sharp *s, struct weft_sharp_member *m)
{
	struct weft_sharp_group *g = m->group;

	if (!g || m->has_left)
		return;
	m->has_left = true;
	if (g->started < g->size) {
		break_group(s, g, "a process has left before the group was ready");
		return;
	}
	if (++g->left == g->size)
		weft_sharp_group_destroy(s, g);
}

static void count_calls(struct weft_sharp *s, const struct weft_sharp_message *msg)
{
	s->in_switches += msg->in_switches;
	s->by_hosts += msg->by_hosts;
	s->bytes += msg->bytes;
}

static void say(const struct weft_sharp_member *m, uint32_t kind)
{
	struct weft_sharp_message msg = { .kind = kind };

	send_to(m, &msg);
}

static void handle(struct weft_sharp *s, struct weft_sharp_member *m,
		   const struct weft_sharp_message *msg)
{
	switch (msg->version == WEFT_SHARP_VERSION ? msg->kind : 0) {
	case WEFT_SHARP_JOIN:
		join(s, m, msg);
		break;
	case WEFT_SHARP_READY:
		ready(m, msg);
		break;
	case WEFT_SHARP_STARTED:
		started(m);
		break;
	case WEFT_SHARP_LEAVE:
		leave(s, m);
		break;
	case WEFT_SHARP_CALLS:
		count_calls(s, msg);
		say(m, WEFT_SHARP_NOTED);
		break;
	default:
		refuse(m, "the manager does not know this message");
	}
}

/* The process ended, or closed. */
static void gone(struct weft_sharp *s, unsigned int i)
{
	struct weft_sharp_member *m = s->member[i];
	struct weft_sharp_group *g = m->group;
	char why[WEFT_SHARP_TEXT];

	for (uint32_t k = 0; g && k < g->members; k++)
		if (g->member[k] == m)
			g->member[k] = NULL;
	if (g && !m->has_left) {
		snprintf(why, sizeof(why), "the process of %s has ended",
			 s->routes.plan.node[m->node].name);
		break_group(s, g, why);
	}
	close(m->fd);
	free(m);
	s->member[i] = s->member[--s->members];
	s->full = false;
}

/* Returns false if the process is gone. */
static bool read_member(struct weft_sharp *s, struct weft_sharp_member *m)
{
	struct weft_sharp_message msg;
	ssize_t n = recv(m->fd, &msg, sizeof(msg), MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n != sizeof(msg))
		return false;
	handle(s, m, &msg);
	return true;
}

static unsigned int connections_of(const struct weft_sharp *s, unsigned int node, uid_t uid)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < s->members; i++)
		n += s->member[i]->node == node && s->member[i]->uid == uid;
	return n;
}

/* Who is in no node, or has too many connections, is told nothing: it just gets none. */
static int accept_one(struct weft_sharp *s, struct weft_err *err)
{
	int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
	struct weft_sharp_member *m;
	unsigned int node;
	uid_t uid = 0;
	void *more;

	/* Without this it would be asked at once again. */
	if (fd < 0 && (errno == EMFILE || errno == ENFILE))
		s->full = true;
	if (fd < 0)
		return 0;
	node = node_of(s, fd, &uid);
	if (node == NONE || connections_of(s, node, uid) >= EACH_MAX) {
		close(fd);
		return 0;
	}
	more = weft_array_grow(s->member, s->members, sizeof(*s->member));
	if (more)
		s->member = more;
	m = more ? calloc(1, sizeof(*m)) : NULL;
	if (!m) {
		close(fd);
		return weft_err_nomem(err);
	}
	m->fd = fd;
	m->node = node;
	m->uid = uid;
	s->member[s->members++] = m;
	say(m, WEFT_SHARP_HELLO);
	return 0;
}

/* Groups whose tree has lost a link. */
static void check_groups(struct weft_sharp *s)
{
	struct weft_sharp_group *g, *next;
	char why[WEFT_SHARP_TEXT];

	for (g = s->group; g; g = next) {
		next = g->next;
		if (weft_sharp_group_cut(s, g, why, sizeof(why)))
			break_group(s, g, why);
	}
}

/* Groups whose tree has lost an aggregation node. */
static void check_nodes(struct weft_sharp *s)
{
	struct weft_sharp_group *g, *next;
	struct weft_aggregator *list = NULL;
	char why[WEFT_SHARP_TEXT];
	unsigned int n = 0;
	struct weft_err err;

	if (weft_sharp_nodes(s, &list, &n, &err))
		snprintf(why, sizeof(why), "%.*s", WEFT_SHARP_TEXT - 1, err.msg);
	for (g = s->group; g; g = next) {
		next = g->next;
		if (!g->nodes)
			continue;
		if (!list || weft_sharp_group_down(s, g, list, n, why, sizeof(why)))
			break_group(s, g, why);
	}
	free(list);
}

/* Somebody else has removed an aggregation node. */
static void check_gone(struct weft_sharp *s, uint32_t id)
{
	struct weft_sharp_group *g, *next;

	for (g = s->group; g; g = next) {
		next = g->next;
		if (weft_sharp_group_has(g, id))
			break_group(s, g, "an aggregation node was removed");
	}
}

static int take_event(void *ctx, const struct weft_event *ev)
{
	struct weft_sharp *s = ctx;
	struct weft_err err;
	bool news = false;

	if (ev->kind == WEFT_EVENT_LOST)
		weft_lab_routes_look(&s->routes, &news, &err);
	else if (ev->kind == WEFT_EVENT_LINK)
		news = weft_lab_routes_see(&s->routes, &ev->link, ev->gone);
	else if (ev->kind == WEFT_EVENT_FABRIC)
		s->gone |= ev->gone;
	if (news)
		check_groups(s);
	if (ev->kind == WEFT_EVENT_AGGREGATOR && ev->gone)
		check_gone(s, ev->id);
	else if (ev->kind == WEFT_EVENT_LOST || ev->kind == WEFT_EVENT_AGGREGATOR)
		check_nodes(s);
	return 0;
}

/* Descending, as who is gone is replaced by the last one. */
static void read_members(struct weft_sharp *s, const struct pollfd *fd)
{
	for (unsigned int i = s->members; i--; )
		if (fd[i].revents && !read_member(s, s->member[i]))
			gone(s, i);
}

/**
 * weft_sharp_step() - wait for something, and handle it
 * @s: the manager
 * @stop: a file that is readable when it is time to stop
 * @stopped: set to whether it is, or the fabric is gone
 * @err: error
 *
 * Return: 0 or negative errno; after an error the manager goes on.
 */
int weft_sharp_step(struct weft_sharp *s, int stop, bool *stopped, struct weft_err *err)
{
	const unsigned int n = s->members;
	struct pollfd *fd = calloc(n + 3, sizeof(*fd));
	int ret = 0;

	*stopped = false;
	if (!fd)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i < n; i++)
		fd[i] = (struct pollfd) { .fd = s->member[i]->fd, .events = POLLIN };
	fd[n] = (struct pollfd) { .fd = s->full ? -1 : s->listener, .events = POLLIN };
	fd[n + 1] = (struct pollfd) { .fd = weft_events_fd(&s->events), .events = POLLIN };
	fd[n + 2] = (struct pollfd) { .fd = stop, .events = POLLIN };
	if (poll(fd, n + 3, -1) > 0) {
		if (fd[n + 1].revents)
			ret = weft_events_read(&s->events, take_event, s, err);
		read_members(s, fd);
		if (!ret && fd[n].revents)
			ret = accept_one(s, err);
		*stopped = fd[n + 2].revents || s->gone;
	}
	free(fd);
	return ret;
}

/**
 * weft_sharp_save() - write down what there was, for the report
 * @s: the manager
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_sharp_save(const struct weft_sharp *s, struct weft_err *err)
{
	char path[WEFT_LAB_PATH];
	json_t *o = json_object();
	int ret;

	json_object_set_new(o, "groups", json_integer(s->made));
	json_object_set_new(o, "small", json_integer(s->small));
	json_object_set_new(o, "refused", json_integer(s->refused));
	json_object_set_new(o, "failed", json_integer(s->failed));
	json_object_set_new(o, "in_switches", weft_json_u64(s->in_switches));
	json_object_set_new(o, "by_hosts", weft_json_u64(s->by_hosts));
	json_object_set_new(o, "bytes", weft_json_u64(s->bytes));
	weft_lab_path(s->routes.lab, path, "reductions.json");
	ret = weft_file_write_json(path, 0644, o, JSON_COMPACT, err);
	json_decref(o);
	return ret;
}

/**
 * weft_sharp_load() - read what weft_sharp_save() wrote
 * @lab: the lab
 *
 * Return: a new reference; NULL if there was no manager.
 */
json_t *weft_sharp_load(const struct weft_lab *lab)
{
	char path[WEFT_LAB_PATH];

	weft_lab_path(lab, path, "reductions.json");
	return json_load_file(path, 0, NULL);
}

/**
 * weft_sharp_close() - end an aggregation manager, and remove its groups
 * @s: the manager
 */
void weft_sharp_close(struct weft_sharp *s)
{
	while (s->group)
		break_group(s, s->group, "the aggregation manager ends");
	for (unsigned int i = 0; i < s->members; i++) {
		close(s->member[i]->fd);
		free(s->member[i]);
	}
	weft_sharp_devices_remove(s);
	free(s->member);
	free(s->node);
	if (s->listener >= 0) {
		close(s->listener);
		unlink(s->path);
	}
	weft_events_close(&s->events);
	weft_lab_routes_close(&s->routes);
}
