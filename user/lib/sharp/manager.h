/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The aggregation manager of a lab: groups of processes whose switches reduce.
 */
#ifndef WEFT_SHARP_MANAGER_H
#define WEFT_SHARP_MANAGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "lab/events.h"
#include "lab/lab.h"
#include "lab/lab_routes.h"
#include "netlink/nic.h"
#include "sharp/aggregator.h"

struct weft_sharp_group;
struct weft_sharp_member;

/**
 * struct weft_sharp - an aggregation manager
 */
struct weft_sharp {
	/** @routes: plan of the lab, and the state of its links */
	struct weft_lab_routes routes;
	/** @events: events of its fabric */
	struct weft_events events;
	/** @listener: socket that processes connect to */
	int listener;
	/** @path: its name */
	char path[WEFT_LAB_PATH];
	/** @node: by node of the plan: inode of its network namespace */
	uint64_t *node;
	/** @store: switches of NVLink reduce, and owners of results store them (NVLS) */
	bool store;
	/** @device: with @store: by NIC of the plan: the RDMA device that was made, or "" */
	char (*device)[WEFT_DEVICE_SIZE];
	/** @members: entries of @member */
	unsigned int members;
	/** @member: processes that are connected */
	struct weft_sharp_member **member;
	/** @group: groups, a list */
	struct weft_sharp_group *group;
	/** @made: groups that had a tree */
	unsigned int made;
	/** @small: of these, groups without a streaming tree */
	unsigned int small;
	/** @refused: groups that were refused for lack of resources */
	unsigned int refused;
	/** @failed: groups that failed after they had a tree */
	unsigned int failed;
	/** @in_switches: collectives that switches reduced, of all processes */
	uint64_t in_switches;
	/** @by_hosts: collectives that were left to the hosts */
	uint64_t by_hosts;
	/** @bytes: bytes of the former */
	uint64_t bytes;
	/** @full: there are no more file descriptors: nobody is accepted until one is closed */
	bool full;
	/** @gone: the fabric was removed */
	bool gone;
};

int weft_sharp_open(struct weft_sharp *s, const struct weft_lab *lab, bool store,
		    struct weft_err *err);
int weft_sharp_step(struct weft_sharp *s, int stop, bool *stopped, struct weft_err *err);
int weft_sharp_save(const struct weft_sharp *s, struct weft_err *err);
void weft_sharp_close(struct weft_sharp *s);
json_t *weft_sharp_load(const struct weft_lab *lab);

/* manager_device.c */
int weft_sharp_devices_make(struct weft_sharp *s, struct weft_err *err);
void weft_sharp_devices_remove(struct weft_sharp *s);

/* manager_group.c */
struct weft_sharp_group *weft_sharp_group_find(struct weft_sharp *s, uint64_t key,
					       uint32_t size, struct weft_err *err);
int weft_sharp_group_build(struct weft_sharp *s, struct weft_sharp_group *g,
			   struct weft_err *err);
int weft_sharp_nodes(struct weft_sharp *s, struct weft_aggregator **list, unsigned int *n,
		     struct weft_err *err);
bool weft_sharp_group_down(const struct weft_sharp *s, const struct weft_sharp_group *g,
			   const struct weft_aggregator *list, unsigned int n,
			   char *text, size_t len);
bool weft_sharp_group_has(const struct weft_sharp_group *g, uint32_t id);
bool weft_sharp_group_cut(const struct weft_sharp *s, const struct weft_sharp_group *g,
			  char *text, size_t len);
void weft_sharp_group_destroy(struct weft_sharp *s, struct weft_sharp_group *g);

/**
 * struct weft_sharp_group - a group
 */
struct weft_sharp_group {
	/** @next: next group of the manager */
	struct weft_sharp_group *next;
	/** @key: what its members call it */
	uint64_t key;
	/** @size: how many members it will have */
	uint32_t size;
	/** @members: entries of @member */
	uint32_t members;
	/** @member: its members */
	struct weft_sharp_member **member;
	/** @ready: members that have a device */
	uint32_t ready;
	/** @started: members that can receive */
	uint32_t started;
	/** @left: members that left */
	uint32_t left;
	/** @number: its number in the fabric */
	uint32_t number;
	/** @qkey: its Q_Key */
	uint32_t qkey;
	/** @slots: chunks at a time */
	uint32_t slots;
	/** @payload: bytes of a chunk; 0: not known yet */
	uint32_t payload;
	/** @small: it has no streaming tree: bytes of a chunk at most; 0: it has one */
	uint32_t small;
	/** @nodes: entries of @node; 0: it has no tree */
	unsigned int nodes;
	/** @node: numbers of its aggregation nodes */
	uint32_t *node;
	/** @links: entries of @link */
	unsigned int links;
	/** @link: planned links of its tree */
	unsigned int *link;
};

/**
 * struct weft_sharp_member - a process that is connected
 */
struct weft_sharp_member {
	/** @fd: its socket */
	int fd;
	/** @node: its node, by number in the plan */
	unsigned int node;
	/** @uid: its user */
	uid_t uid;
	/** @nic: in a group with a tree: its NIC, by number in the plan */
	uint32_t nic;
	/** @group: its group, or NULL */
	struct weft_sharp_group *group;
	/** @has_left: it said that it leaves */
	bool has_left;
};

#endif
