/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Labs: topologies that are up, and their state files.
 *
 * /run/weft/LAB.json	state of the lab; written before anything is created
 * /run/weft/LAB/	a tmpfs of the lab; unmounting it ends its namespaces
 *	net		the network namespace that the fabric belongs to
 *	hosts		the nodes' /etc/hosts
 *	kept.json	the topology file and its profiles
 *	reroutes	changes of its routes, a JSON object a line
 *	drawing.json	positions of nodes, switches and links by `weft draw`
 *	rsh		starts a command on a node, for MPI launchers
 *	nodes/NODE/	net, uts, ipc: the node's namespaces; shm: its /dev/shm;
 *			boot_id
 * /run/netns/NODE	the same namespace as nodes/NODE/net, for `ip netns`;
 *			LAB.NODE if plain names are taken
 * /run/weft/lock	locked by the process that creates or removes a lab
 * /run/weft/.new	LAB.json while it is being written
 */
#ifndef WEFT_LAB_H
#define WEFT_LAB_H

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"
#include "netlink/nl.h"
#include "plan/plan.h"

#define WEFT_RUN_DIR	"/run/weft"
#define WEFT_NETNS_DIR	"/run/netns"
#define WEFT_MARKS_FILE	"/proc/net/weft_mark"	/* of the reader's node */
#define WEFT_VCLOCK_FILE	"/proc/weft_vclock"	/* only in the virtual machine */
#define WEFT_LAB_PATH	192

/**
 * struct weft_lab - a lab
 */
struct weft_lab {
	/** @name: its name */
	char name[WEFT_OBJECT_NAME_MAX + 1];
	/** @state: content of its state file */
	json_t *state;
	/** @sources: its topology file and profiles while it is created, or NULL */
	json_t *sources;
};

/**
 * typedef weft_step_fn - reports the progress of a long operation
 * @ctx: context of the caller
 * @what: the current step
 * @done: number of steps done
 * @total: number of all steps
 *
 * Return: whether to continue.
 */
typedef bool (*weft_step_fn)(void *ctx, const char *what, unsigned int done,
			     unsigned int total);

int weft_lab_lock(int *fd, struct weft_err *err);
int weft_lab_names(struct weft_names *names, struct weft_err *err);
int weft_lab_open(struct weft_lab *lab, const char *name, struct weft_err *err);
int weft_lab_claim(struct weft_lab *lab, const struct weft_plan *plan,
		   const char *topology, struct weft_err *err);
int weft_lab_save(struct weft_lab *lab, struct weft_err *err);
void weft_lab_close(struct weft_lab *lab);
bool weft_lab_is_up(const struct weft_lab *lab);
json_t *weft_lab_node(const struct weft_lab *lab, const char *name);
bool weft_lab_node_addresses(const struct weft_lab *lab);
int weft_lab_oom_mark(const struct weft_lab *lab, const char *node,
		      struct weft_err *err);
const char *weft_lab_oom_node(const struct weft_lab *lab, long mark);
uint64_t weft_lab_since(const struct weft_lab *lab);
bool weft_lab_converges(const struct weft_lab *lab, uint64_t *wait);
int weft_lab_nl(const struct weft_lab *lab, struct weft_nl *nl,
		struct weft_err *err);
int weft_lab_fabric(const struct weft_lab *lab, struct weft_nl *nl,
		    uint32_t *fabric, struct weft_err *err);
int weft_lab_draw(const struct weft_lab *lab, const struct weft_topo *topo,
		  struct weft_err *err);
json_t *weft_lab_drawing(const struct weft_lab *lab);
void weft_lab_path(const struct weft_lab *lab, char *path, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

int weft_lab_up(struct weft_lab *lab, struct weft_plan *plan, weft_step_fn step,
		void *ctx, struct weft_err *err);
int weft_lab_down(struct weft_lab *lab, struct weft_err *err);
void weft_lab_end(const struct weft_lab *lab);
int weft_lab_enter(const struct weft_lab *lab, const char *node,
		   struct weft_err *err);
int weft_lab_enter_ns(const struct weft_lab *lab, const char *node,
		      const char *kind, int type, struct weft_err *err);
int weft_lab_own_mounts(struct weft_err *err);
int weft_lab_mount_sys(struct weft_err *err);

#endif
