// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The NICs of a lab and the connections between them that a workload needs.
 *
 * One process has the NICs of all nodes: it enters the network namespace of each to
 * open its devices and to connect them. A message has no content. So all come from one
 * piece of memory and go to it, the long ones again and again.
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

#include "base/limits.h"
#include "bound/bound_path.h"
#include "netlink/ns.h"
#include "topology/share.h"

#define LIBRARY		"weft-verbs.so"
#define DEPTH		256	/* messages of a connection on their way */
#define SENDS		2	/* times that: not acknowledged */
#define PAD		4	/* bytes of which a packet of verbs has a multiple */
#define FILES_OF_LANE	3	/* by TCP */
#define FILES_OF_NIC	8	/* and its RDMA device */
#define LONGEST		(2UL << 30)
#define PIECES		16	/* of a message, as scatter and gather entries */
#define PIECE		(2UL << 20)	/* memory is a multiple of that, bytes */
#define NONE		UINT32_MAX

static int load_library(const struct weft_carrier **verbs, struct weft_err *err)
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
	*verbs = dlsym(library, WEFT_CARRIER_VERBS);
	if (*verbs && (*verbs)->version == WEFT_CARRIER_VERSION)
		return 0;
	*verbs = NULL;
	return weft_err_set(err, WEFT_ERR_OTHER, -EPROTO, "%s: it is not of this weft", path);
}

static int find_carriers(struct messages_lanes *l, struct weft_err *err)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->lane[i].by == BY_TCP)
			l->carrier[BY_TCP] = &weft_carrier_tcp;
		else if (!l->carrier[BY_VERBS] && load_library(&l->carrier[BY_VERBS], err))
			return err->code;
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

/* Why a NIC has no connections by verbs; NULL: it has. */
static const char *lacks_verbs(const struct messages_lanes *l, uint32_t nic)
{
	const struct weft_plan_nic *p = &l->plan->nic[nic];

	if (!*p->device)
		return "it has no RDMA device: expected --net tcp";
	return p->nic.verbs.kind == WEFT_VERBS_KIND_EFA ?
	       "it is of the EFA kind, which has no connections: expected --net tcp" : NULL;
}

static int choose_carrier(const struct messages_lanes *l, struct messages_lane *lane,
			  const struct weft_message *m, enum weft_messages_by by,
			  struct weft_err *err)
{
	uint32_t nic = lacks_verbs(l, lane->nic) ? lane->nic : lane->peer;
	const char *why = lacks_verbs(l, nic);

	if (by == WEFT_BY_VERBS && why)
		return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
				    "message %" PRIu32 ": %s: %s", m->line,
				    l->plan->nic[nic].nic.name, why);
	lane->by = by == WEFT_BY_TCP || why ? BY_TCP : BY_VERBS;
	return 0;
}

/**
 * struct paths - ways between nodes, from which ideals follow
 * @of: by carrier
 * @path: that of the current lane
 */
struct paths {
	struct weft_lanes of[CARRIERS];
	struct weft_lane path;
};

static int add_lane(struct messages_lanes *l, struct paths *paths,
		    const struct weft_message *m, enum weft_messages_by by,
		    struct weft_err *err)
{
	struct messages_lane *lane = &l->lane[l->n];

	if (weft_lanes_find(&paths->of[BY_TCP], m->from, m->to, &paths->path, err))
		return err->code;
	*lane = (struct messages_lane) {
		.nic = paths->path.nic, .peer = paths->path.peer,
		.sent = { NO_MESSAGE, NO_MESSAGE }, .waiting = { NO_MESSAGE, NO_MESSAGE },
	};
	l->n++;
	if (choose_carrier(l, lane, m, by, err))
		return err->code;
	return lane->by == BY_VERBS ?
	       weft_lanes_find(&paths->of[BY_VERBS], m->from, m->to, &paths->path, err) : 0;
}

/* The time that the message would take alone; packets of verbs are padded. */
static uint64_t ideal(const struct messages_lane *lane, const struct weft_lane *path,
		      uint64_t bytes)
{
	return weft_lane_time(path, lane->by == BY_VERBS ? (bytes + PAD - 1) / PAD * PAD : bytes);
}

static int put(struct messages_lanes *l, struct paths *paths, struct weft_message *m,
	       enum weft_messages_by by, bool first, struct weft_err *err)
{
	struct messages_lane *lane;

	if (m->group)
		return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
				    "message %" PRIu32 ": expected none that switches reduce: programs have these by weft run --net sharp",
				    m->line);
	if (first && add_lane(l, paths, m, by, err))
		return err->code;
	lane = &l->lane[l->n - 1];
	m->ideal = ideal(lane, &paths->path, m->bytes);
	if (lane->depth < DEPTH)
		lane->depth++;
	if (lane->by == BY_VERBS && m->bytes > l->longest)
		l->longest = m->bytes;
	return 0;
}

static int put_all(struct messages_lanes *l, struct paths *paths, struct weft_work *w,
		   const uint32_t *order, enum weft_messages_by by, struct weft_err *err)
{
	for (uint32_t i = 0; i < w->messages; i++) {
		struct weft_message *m = &w->message[order[i]];
		bool first = !i || !same_lane(m, &w->message[order[i - 1]]);

		l->of[order[i]] = NONE;
		if (!weft_message_moves(m))
			continue;
		if (put(l, paths, m, by, first, err))
			return err->code;
		l->of[order[i]] = l->n - 1;
	}
	return 0;
}

static int sort_all(struct messages_lanes *l, struct weft_work *w, uint32_t *order,
		    enum weft_messages_by by, struct weft_err *err)
{
	struct paths paths = { .path = { 0 } };
	int ret;

	for (uint32_t i = 0; i < w->messages; i++)
		order[i] = i;
	qsort_r(order, w->messages, sizeof(*order), by_lane, w->message);
	ret = weft_lanes_make(&paths.of[BY_TCP], l->plan, false, err);
	if (!ret)
		ret = weft_lanes_make(&paths.of[BY_VERBS], l->plan, true, err);
	if (!ret)
		ret = put_all(l, &paths, w, order, by, err);
	for (int by_what = 0; by_what < CARRIERS; by_what++)
		weft_lanes_free(&paths.of[by_what]);
	return ret;
}

static int sort_messages(struct messages_lanes *l, struct weft_work *w,
			 enum weft_messages_by by, struct weft_err *err)
{
	uint32_t *order = calloc(w->messages + 1, sizeof(*order));
	bool ok = order;
	int ret;

	l->lane = calloc(w->messages + 1, sizeof(*l->lane));
	l->of = calloc(w->messages + 1, sizeof(*l->of));
	l->next = calloc(w->messages + 1, sizeof(*l->next));
	for (int i = 0; i < CARRIERS; i++) {
		l->device[i] = calloc(l->plan->nics + 1, sizeof(*l->device[i]));
		ok = ok && l->device[i];
	}
	ret = ok && l->lane && l->of && l->next ? sort_all(l, w, order, by, err) :
						  weft_err_nomem(err);
	free(order);
	return ret;
}

/* --- memory ------------------------------------------------------------------------ */

/* A sixteenth of the longest message by verbs, of which no device takes more than LONGEST. */
static int map_memory(struct messages_lanes *l, struct weft_err *err)
{
	uint64_t longest = l->longest < LONGEST ? l->longest : LONGEST;

	l->bytes = (longest / PIECES / PIECE + 1) * PIECE;
	l->memory = mmap(NULL, l->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0);
	if (l->memory != MAP_FAILED)
		return 0;
	l->memory = NULL;
	return weft_err_sys(err, errno, "%zu bytes of memory for messages", l->bytes);
}

/* --- devices and connections ------------------------------------------------------- */

/**
 * struct nodes - the nodes, one by one
 * @l: the connections
 * @lab: the lab
 * @o: how messages are sent
 * @room: by carrier, of each NIC of the plan
 * @work: the workload
 */
struct nodes {
	struct messages_lanes *l;
	const struct weft_lab *lab;
	const struct weft_messages_options *o;
	struct weft_carrier_room *room[CARRIERS];
	const struct weft_work *work;
};

static int enter(const struct nodes *n, uint32_t node, struct weft_err *err)
{
	return weft_lab_enter_ns(n->lab, n->l->plan->node[node].name, "net", CLONE_NEWNET,
				 err);
}

static const char *device_name(const struct nodes *n, uint32_t nic)
{
	const struct weft_plan_nic *p = &n->l->plan->nic[nic];
	const struct weft_plan_node *node = &n->l->plan->node[p->node];
	json_t *nics = json_object_get(weft_lab_node(n->lab, node->name), "nics");

	return json_string_value(json_object_get(json_array_get(nics, nic - node->first),
						 "rdma_device"));
}

static int open_device(struct nodes *n, uint32_t nic, enum messages_by by, struct weft_err *err)
{
	struct weft_carrier_room *room = &n->room[by][nic];
	const char *name = n->l->plan->nic[nic].nic.name;
	char why[WEFT_CARRIER_WHY] = "";

	room->device = device_name(n, nic);
	room->ip = n->l->plan->nic[nic].ip;
	room->memory = n->l->memory;
	room->bytes = n->l->bytes;
	room->longest = n->l->longest;
	if (by == BY_VERBS && !room->device)
		return weft_err_set(err, WEFT_ERR_KERNEL, -ENODEV,
				    "%s has no RDMA device: was weft_rdma.ko loaded when the lab was created?",
				    name);
	n->l->device[by][nic] = n->l->carrier[by]->open(room, why);
	return n->l->device[by][nic] ? 0 :
	       weft_err_set(err, WEFT_ERR_KERNEL, -EIO, "%s: %s", name, why);
}

static bool is_used(const struct nodes *n, uint32_t nic, enum messages_by by)
{
	return n->room[by][nic].sends || n->room[by][nic].receives;
}

static bool node_is_used(const struct nodes *n, uint32_t node)
{
	const struct weft_plan_node *p = &n->l->plan->node[node];

	for (uint32_t i = 0; i < p->nics; i++)
		if (is_used(n, p->first + i, BY_TCP) || is_used(n, p->first + i, BY_VERBS))
			return true;
	return false;
}

/* The caller is in the node. */
static int open_node(struct nodes *n, uint32_t node, struct weft_err *err)
{
	const struct weft_plan_node *p = &n->l->plan->node[node];

	for (uint32_t i = 0; i < p->nics; i++)
		for (int by = 0; by < CARRIERS; by++)
			if (is_used(n, p->first + i, by) &&
			    open_device(n, p->first + i, by, err))
				return err->code;
	return 0;
}

static int open_devices(struct nodes *n, struct weft_err *err)
{
	for (uint32_t i = 0; i < n->l->plan->nodes; i++)
		if (node_is_used(n, i) &&
		    (enter(n, i, err) || weft_lab_mount_sys(err) || open_node(n, i, err)))
			return err->code;
	return 0;
}

/* The longest message that a connection carries, bytes. */
static uint64_t lane_most(const struct messages_lanes *l, const struct messages_lane *lane)
{
	return l->carrier[lane->by]->most(l->device[lane->by][lane->nic]);
}

static int check_lengths(const struct messages_lanes *l, const struct weft_work *w,
			 struct weft_err *err)
{
	for (uint32_t i = 0; i < w->messages; i++) {
		const struct weft_message *m = &w->message[i];
		uint64_t most = l->of[i] == NONE ? UINT64_MAX :
						   lane_most(l, &l->lane[l->of[i]]);

		if (m->bytes > most)
			return weft_err_set(err, WEFT_ERR_USAGE, -EMSGSIZE,
					    "message %" PRIu32 ": expected at most %" PRIu64 " bytes",
					    m->line, most);
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
		struct weft_carrier_device **device = l->device[lane->by];
		const struct weft_carrier_wants wants = {
			.sends = SENDS * lane->depth, .receives = lane->depth,
			.sl = n->o->sl,
			.ack_timeout = n->o->ack_timeout, .retries = n->o->retries,
		};
		char why[WEFT_CARRIER_WHY] = "";

		lane->connection = l->carrier[lane->by]->lane(device[lane->nic],
							      device[lane->peer], i, &wants,
							      why);
		if (!lane->connection)
			return lane_fails(l, lane, why, err);
	}
	return 0;
}

/* The ends of connections in the node in which the caller is. */
static int connect_node(struct nodes *n, uint32_t node, bool receives, struct weft_err *err)
{
	struct messages_lanes *l = n->l;

	for (uint32_t i = 0; i < l->n; i++) {
		struct messages_lane *lane = &l->lane[i];
		uint32_t nic = receives ? lane->peer : lane->nic;
		char why[WEFT_CARRIER_WHY] = "";

		if (l->plan->nic[nic].node == node &&
		    l->carrier[lane->by]->connect(lane->connection, receives, why))
			return lane_fails(l, lane, why, err);
	}
	return 0;
}

static int connect_all(struct nodes *n, bool receives, struct weft_err *err)
{
	for (uint32_t i = 0; i < n->l->plan->nodes; i++)
		if (node_is_used(n, i) &&
		    (enter(n, i, err) || connect_node(n, i, receives, err)))
			return err->code;
	return 0;
}

static int make_all(struct nodes *n, struct weft_err *err)
{
	for (uint32_t i = 0; i < n->l->n; i++) {
		const struct messages_lane *lane = &n->l->lane[i];

		n->room[lane->by][lane->nic].sends += SENDS * lane->depth;
		n->room[lane->by][lane->peer].receives += lane->depth;
	}
	if (weft_lab_own_mounts(err) || open_devices(n, err) || check_lengths(n->l, n->work, err) ||
	    make_lanes(n, err) || connect_all(n, true, err))
		return err->code;
	return connect_all(n, false, err);
}

/* In the end the process is in its own namespaces again. */
static int make_and_return(struct nodes *n, struct weft_err *err)
{
	struct weft_ns ns;
	int ret;

	weft_lift_memlock();
	weft_lift_files(FILES_OF_LANE * (uint64_t)n->l->n +
			FILES_OF_NIC * (uint64_t)n->l->plan->nics);
	if (weft_ns_save(&ns, err))
		return err->code;
	ret = make_all(n, err);
	return weft_ns_back(&ns, ret, err);
}

/**
 * messages_lanes_open() - open the NICs that a workload needs, and connect them
 * @l: result, all zero before; messages_lanes_close() frees it, also after an error
 * @lab: the lab
 * @plan: its plan, to be kept
 * @work: the workload; gets the ideals of its messages
 * @o: how they are sent
 * @err: error
 *
 * The process has mounts of its own then, with the /sys of some node.
 *
 * Return: 0 or negative errno.
 */
int messages_lanes_open(struct messages_lanes *l, const struct weft_lab *lab,
			const struct weft_plan *plan, struct weft_work *work,
			const struct weft_messages_options *o, struct weft_err *err)
{
	struct nodes n = { .l = l, .lab = lab, .o = o, .work = work };
	int ret;

	l->plan = plan;
	if (sort_messages(l, work, o->by, err) || find_carriers(l, err) || map_memory(l, err))
		return err->code;
	for (int i = 0; i < CARRIERS; i++)
		n.room[i] = calloc(plan->nics + 1, sizeof(*n.room[i]));
	ret = n.room[BY_TCP] && n.room[BY_VERBS] ? make_and_return(&n, err) :
						   weft_err_nomem(err);
	for (int i = 0; i < CARRIERS; i++)
		free(n.room[i]);
	return ret;
}

/**
 * messages_lanes_close() - close connections and NICs
 * @l: the connections
 */
void messages_lanes_close(struct messages_lanes *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->lane[i].connection)
			l->carrier[l->lane[i].by]->disconnect(l->lane[i].connection);
	for (int by = 0; by < CARRIERS; by++) {
		for (uint32_t i = 0; l->device[by] && i < l->plan->nics; i++)
			if (l->device[by][i])
				l->carrier[by]->close(l->device[by][i]);
		free(l->device[by]);
	}
	if (l->memory)
		munmap(l->memory, l->bytes);
	free(l->lane);
	free(l->of);
	free(l->next);
}
