// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The devices of a lab and the connections between them that a workload needs.
 *
 * One process has the devices of all nodes: it enters the network namespace of each to
 * open its devices and to connect them. A message has no content. So all come from one
 * piece of memory and go to it, and the long ones see the same pages again and again.
 */
#include "messages/lanes.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bound/bound_path.h"
#include "netlink/ns.h"
#include "topology/share.h"

#define LIBRARY		"weft-verbs.so"
#define DEPTH		256	/* messages of a connection on their way */
#define SENDS		2	/* times that: not acknowledged */
#define PIECE		(2UL << 20)	/* bytes of memory that there really are */
#define NONE		UINT32_MAX

static int load_library(struct messages_lanes *l, struct weft_err *err)
{
	static const char *const places[] = {
		"verbs/" LIBRARY, "../lib/weft/verbs/" LIBRARY, NULL,
	};
	char path[PATH_MAX];
	void *library;

	if (weft_part_find("the library for verbs, which needs libibverbs,",
			   "WEFT_VERBS_LIBRARY", places, path, err))
		return err->code;
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return weft_err_set(err, WEFT_ERR_OTHER, -ENOENT, "%s", dlerror());
	l->verbs = dlsym(library, WEFT_VERBS_SYMBOL);
	if (!l->verbs || l->verbs->version != WEFT_VERBS_VERSION)
		return weft_err_set(err, WEFT_ERR_OTHER, -EPROTO, "%s: it is not of this weft",
				    path);
	return 0;
}

/* --- which message goes by which connection ------------------------------------- */

static int by_lane(const void *a, const void *b, void *ctx)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct weft_message *m = ctx, *p = &m[x], *q = &m[y];

	if (p->from != q->from)
		return p->from < q->from ? -1 : 1;
	if (p->to != q->to)
		return p->to < q->to ? -1 : 1;
	if (p->channel != q->channel)
		return p->channel < q->channel ? -1 : 1;
	return x < y ? -1 : x > y;
}

static bool same_lane(const struct weft_message *a, const struct weft_message *b)
{
	return a->from == b->from && a->to == b->to && a->channel == b->channel;
}

static int refuse(const struct messages_lanes *l, const struct weft_message *m,
		  uint32_t nic, const char *why, struct weft_err *err)
{
	return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
			    "message %" PRIu32 ": %s: %s", m->line, l->plan->nic[nic].nic.name,
			    why);
}

static int check_nic(const struct messages_lanes *l, const struct weft_message *m,
		     uint32_t nic, struct weft_err *err)
{
	const struct weft_plan_nic *p = &l->plan->nic[nic];

	if (!*p->device)
		return refuse(l, m, nic, "it has no RDMA device", err);
	if (p->nic.verbs.kind == WEFT_VERBS_KIND_EFA)
		return refuse(l, m, nic, "it is of the EFA kind, which has no connections", err);
	return 0;
}

static int add_lane(struct messages_lanes *l, struct weft_lanes *paths,
		    const struct weft_message *m, struct weft_err *err)
{
	struct messages_lane *lane = &l->lane[l->n];
	struct weft_lane path;

	if (weft_lanes_find(paths, m->from, m->to, &path, err))
		return err->code;
	*lane = (struct messages_lane) {
		.nic = path.nic, .peer = path.peer,
		.sent = { NO_MESSAGE, NO_MESSAGE }, .waiting = { NO_MESSAGE, NO_MESSAGE },
	};
	l->n++;
	if (check_nic(l, m, lane->nic, err))
		return err->code;
	return check_nic(l, m, lane->peer, err);
}

static int put(struct messages_lanes *l, struct weft_lanes *paths, const struct weft_work *w,
	       const uint32_t *order, uint32_t i, struct weft_err *err)
{
	const struct weft_message *m = &w->message[order[i]];
	bool first = !i || !same_lane(m, &w->message[order[i - 1]]);

	l->of[order[i]] = NONE;
	if (m->group)
		return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
				    "message %" PRIu32 ": expected none that switches reduce: programs have these by weft run --net sharp",
				    m->line);
	if (m->from == m->to)
		return 0;
	if (first && add_lane(l, paths, m, err))
		return err->code;
	l->of[order[i]] = l->n - 1;
	if (l->lane[l->n - 1].depth < DEPTH)
		l->lane[l->n - 1].depth++;
	if (m->bytes > l->bytes)
		l->bytes = m->bytes;
	return 0;
}

static int put_all(struct messages_lanes *l, const struct weft_work *w, uint32_t *order,
		   struct weft_err *err)
{
	struct weft_lanes paths = { 0 };
	int ret;

	for (uint32_t i = 0; i < w->messages; i++)
		order[i] = i;
	qsort_r(order, w->messages, sizeof(*order), by_lane, w->message);
	ret = weft_lanes_make(&paths, l->plan, false, err);
	for (uint32_t i = 0; !ret && i < w->messages; i++)
		ret = put(l, &paths, w, order, i, err);
	weft_lanes_free(&paths);
	return ret;
}

static int sort_messages(struct messages_lanes *l, const struct weft_work *w,
			 struct weft_err *err)
{
	uint32_t *order = calloc(w->messages + 1, sizeof(*order));
	int ret;

	l->lane = calloc(w->messages + 1, sizeof(*l->lane));
	l->of = calloc(w->messages + 1, sizeof(*l->of));
	l->next = calloc(w->messages + 1, sizeof(*l->next));
	l->device = calloc(l->plan->nics + 1, sizeof(*l->device));
	if (!order || !l->lane || !l->of || !l->next || !l->device) {
		free(order);
		return weft_err_nomem(err);
	}
	ret = put_all(l, w, order, err);
	free(order);
	return ret;
}

/* --- memory ------------------------------------------------------------------------ */

static bool map_pieces(char *at, size_t bytes, int fd)
{
	for (size_t i = 0; i < bytes; i += PIECE)
		if (mmap(at + i, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
		    MAP_FAILED)
			return false;
	return true;
}

/* As many bytes as the longest message has, of which each piece is the same memory. */
static int map_memory(struct messages_lanes *l, struct weft_err *err)
{
	size_t bytes = (l->bytes + PIECE) / PIECE * PIECE;
	int fd = memfd_create("weft", MFD_CLOEXEC);
	bool ok;

	l->memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			 0);
	ok = fd >= 0 && l->memory != MAP_FAILED && !ftruncate(fd, PIECE) &&
	     map_pieces(l->memory, bytes, fd);
	if (!ok)
		weft_err_sys(err, errno, "memory for messages of %zu bytes", l->bytes);
	if (l->memory == MAP_FAILED)
		l->memory = NULL;
	l->bytes = bytes;
	close(fd);
	return ok ? 0 : err->code;
}

/* --- devices and connections ------------------------------------------------------- */

/**
 * struct nodes - the nodes, one by one
 * @l: the connections
 * @lab: the lab
 * @o: how messages are sent
 * @room: of each NIC of the plan, what it needs room for
 * @work: the workload
 */
struct nodes {
	struct messages_lanes *l;
	const struct weft_lab *lab;
	const struct weft_messages_options *o;
	struct weft_verbs_room *room;
	const struct weft_work *work;
};

static int enter(const struct nodes *n, uint32_t node, struct weft_err *err)
{
	char path[WEFT_LAB_PATH];

	weft_lab_path(n->lab, path, "nodes/%s/net", n->l->plan->node[node].name);
	return weft_ns_enter(path, CLONE_NEWNET, err);
}

static const char *device_name(const struct nodes *n, uint32_t nic)
{
	const struct weft_plan_nic *p = &n->l->plan->nic[nic];
	const struct weft_plan_node *node = &n->l->plan->node[p->node];
	json_t *nics = json_object_get(weft_lab_node(n->lab, node->name), "nics");

	return json_string_value(json_object_get(json_array_get(nics, nic - node->first),
						 "rdma_device"));
}

static int open_device(struct nodes *n, uint32_t nic, struct weft_err *err)
{
	const char *name = device_name(n, nic);
	char why[WEFT_VERBS_WHY] = "";

	if (!name)
		return weft_err_set(err, WEFT_ERR_KERNEL, -ENODEV,
				    "%s has no RDMA device: was weft_rdma.ko loaded when the lab was created?",
				    n->l->plan->nic[nic].nic.name);
	n->room[nic].memory = n->l->memory;
	n->room[nic].bytes = n->l->bytes;
	n->l->device[nic] = n->l->verbs->open(name, &n->room[nic], why);
	if (!n->l->device[nic])
		return weft_err_set(err, WEFT_ERR_KERNEL, -EIO, "%s: %s: %s",
				    n->l->plan->nic[nic].nic.name, name, why);
	return 0;
}

static bool is_used(const struct nodes *n, uint32_t nic)
{
	return n->room[nic].sends || n->room[nic].receives;
}

static int open_devices(struct nodes *n, struct weft_err *err)
{
	const struct weft_plan *p = n->l->plan;
	uint32_t inside = NONE;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < p->nics; i++) {
		if (!is_used(n, i))
			continue;
		if (p->nic[i].node != inside)
			ret = enter(n, p->nic[i].node, err) ?: weft_lab_mount_sys(err);
		inside = p->nic[i].node;
		if (!ret)
			ret = open_device(n, i, err);
	}
	return ret;
}

static int check_lengths(const struct nodes *n, struct weft_err *err)
{
	const struct weft_work *w = n->work;

	for (uint32_t i = 0; i < w->messages; i++) {
		uint32_t lane = n->l->of[i];
		uint64_t most;

		if (lane == NONE)
			continue;
		most = n->l->verbs->most(n->l->device[n->l->lane[lane].nic]);
		if (w->message[i].bytes > most)
			return weft_err_set(err, WEFT_ERR_USAGE, -EMSGSIZE,
					    "message %" PRIu32 ": %" PRIu64 " bytes: expected at most %" PRIu64 ", which a send can have",
					    w->message[i].line, w->message[i].bytes, most);
	}
	return 0;
}

static int lane_fails(const struct messages_lanes *l, const struct messages_lane *lane,
		      const char *why, struct weft_err *err)
{
	return weft_err_set(err, WEFT_ERR_KERNEL, -EIO, "%s to %s: %s",
			    l->plan->nic[lane->nic].nic.name, l->plan->nic[lane->peer].nic.name,
			    why);
}

static int make_lanes(struct nodes *n, struct weft_err *err)
{
	struct messages_lanes *l = n->l;

	for (uint32_t i = 0; i < l->n; i++) {
		struct messages_lane *lane = &l->lane[i];
		const struct weft_verbs_wants wants = {
			.sends = SENDS * lane->depth, .receives = lane->depth,
			.sl = n->o->sl,
			.ack_timeout = n->o->ack_timeout, .retries = n->o->retries,
		};
		char why[WEFT_VERBS_WHY] = "";

		lane->verbs = l->verbs->lane(l->device[lane->nic], l->device[lane->peer], i,
					     &wants, why);
		if (!lane->verbs)
			return lane_fails(l, lane, why, err);
	}
	return 0;
}

/* All ends of connections in the node in which the caller is. */
static int connect_node(struct nodes *n, uint32_t node, struct weft_err *err)
{
	struct messages_lanes *l = n->l;

	for (uint32_t i = 0; i < l->n; i++) {
		struct messages_lane *lane = &l->lane[i];
		char why[WEFT_VERBS_WHY] = "";
		int ret = 0;

		if (l->plan->nic[lane->nic].node == node)
			ret = l->verbs->connect(lane->verbs, false, why);
		if (!ret && l->plan->nic[lane->peer].node == node)
			ret = l->verbs->connect(lane->verbs, true, why);
		if (ret)
			return lane_fails(l, lane, why, err);
	}
	return 0;
}

static bool node_is_used(const struct nodes *n, uint32_t node)
{
	const struct weft_plan_node *p = &n->l->plan->node[node];

	for (uint32_t i = 0; i < p->nics; i++)
		if (is_used(n, p->first + i))
			return true;
	return false;
}

static int connect_all(struct nodes *n, struct weft_err *err)
{
	for (uint32_t i = 0; i < n->l->plan->nodes; i++)
		if (node_is_used(n, i) && (enter(n, i, err) || connect_node(n, i, err)))
			return err->code;
	return 0;
}

static int make_all(struct nodes *n, struct weft_err *err)
{
	for (uint32_t i = 0; i < n->l->n; i++) {
		n->room[n->l->lane[i].nic].sends += SENDS * n->l->lane[i].depth;
		n->room[n->l->lane[i].peer].receives += n->l->lane[i].depth;
	}
	if (weft_lab_own_mounts(err) || open_devices(n, err) || check_lengths(n, err) ||
	    make_lanes(n, err))
		return err->code;
	return connect_all(n, err);
}

/**
 * messages_lanes_open() - open the devices that a workload needs, and connect them
 * @l: result, all zero before; messages_lanes_close() frees it, also after an error
 * @lab: the lab
 * @plan: its plan, to be kept
 * @work: the workload
 * @o: service level, timeout and retries
 * @err: error
 *
 * The process has mounts of its own then, with the /sys of some node.
 *
 * Return: 0 or negative errno.
 */
int messages_lanes_open(struct messages_lanes *l, const struct weft_lab *lab,
			const struct weft_plan *plan, const struct weft_work *work,
			const struct weft_messages_options *o, struct weft_err *err)
{
	struct nodes n = { .l = l, .lab = lab, .o = o, .work = work };
	struct weft_err back;
	struct weft_ns ns;
	int ret;

	l->plan = plan;
	if (sort_messages(l, work, err) || load_library(l, err) || map_memory(l, err))
		return err->code;
	n.room = calloc(plan->nics + 1, sizeof(*n.room));
	if (!n.room)
		return weft_err_nomem(err);
	ret = weft_ns_save(&ns, err);
	if (!ret) {
		ret = make_all(&n, err);
		if (weft_ns_back(&ns, &back) && !ret) {
			*err = back;
			ret = back.code;
		}
	}
	free(n.room);
	return ret;
}

/**
 * messages_lanes_close() - close connections and devices
 * @l: the connections
 */
void messages_lanes_close(struct messages_lanes *l)
{
	if (l->verbs && l->device)
		l->verbs->close(l->device, l->plan->nics);
	if (l->memory)
		munmap(l->memory, l->bytes);
	free(l->lane);
	free(l->of);
	free(l->next);
	free(l->device);
}
