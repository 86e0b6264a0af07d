/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A topology: nodes, switches and links with all their parameters.
 */
#ifndef WEFT_TOPO_H
#define WEFT_TOPO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "link.h"
#include "names.h"
#include "nic.h"
#include "switch.h"

#define WEFT_NODES_MAX		4096
#define WEFT_SWITCHES_MAX	1024
#define WEFT_LINKS_MAX		16384
#define WEFT_NODE_NICS_MAX	16

/**
 * struct weft_topo_node - a node
 */
struct weft_topo_node {
	/** @name: its host name */
	char name[WEFT_OBJECT_NAME_MAX + 1];
	/** @mtu: MTU of its NICs */
	uint32_t mtu;
	/** @nic: what its NICs have in common */
	struct weft_nic nic;
	/** @nics: how many, one for each link to it */
	unsigned int nics;
};

/**
 * struct weft_topo_end - one end of a link
 */
struct weft_topo_end {
	/** @is_node: a node, not a switch */
	bool is_node;
	/** @index: of the node or switch */
	unsigned int index;
	/** @port: NIC of the node or port of the switch, counted per object */
	unsigned int port;
};

/**
 * struct weft_topo_link - a link
 */
struct weft_topo_link {
	/** @name: a label */
	char name[WEFT_NAME_SIZE];
	/** @end: its ends */
	struct weft_topo_end end[2];
	/** @wire: parameters of both directions */
	struct weft_wire wire;
};

/**
 * struct weft_topo_settings - settings of the nodes' IP stack
 */
struct weft_topo_settings {
	/** @arp: resolve neighbours by ARP instead of permanent entries */
	bool arp;
	/** @ipv6: on */
	bool ipv6;
	/** @tcp_buffer: bytes, 0 for what the fabric needs */
	uint64_t tcp_buffer;
	/** @congestion: TCP congestion control, empty for the kernel's choice */
	char congestion[16];
};

/**
 * struct weft_topo - a topology
 */
struct weft_topo {
	/** @name: its name */
	char name[WEFT_OBJECT_NAME_MAX + 1];
	/** @has_clock: @clock was given */
	bool has_clock;
	/** @clock: 0 virtual, 1 real, K real/K */
	uint32_t clock;
	/** @seed: seed */
	uint64_t seed;
	/** @late_bound: ps, 0 for the kernel's default */
	uint64_t late_bound;
	/** @settings: of the nodes */
	struct weft_topo_settings settings;
	/** @nodes: entries of @node */
	unsigned int nodes;
	/** @node: the nodes */
	struct weft_topo_node *node;
	/** @switches: entries of @sw */
	unsigned int switches;
	/** @sw: the switches */
	struct weft_switch *sw;
	/** @links: entries of @link */
	unsigned int links;
	/** @link: the links */
	struct weft_topo_link *link;
};

/**
 * typedef weft_profile_fn - reads the text of a profile
 * @ctx: as given
 * @name: its name
 * @file: name of the file, for messages, to be freed by free()
 * @text: what is in it, to be freed by free()
 * @len: length of @text
 * @err: error
 *
 * Return: 0 or negative errno.
 */
typedef int (*weft_profile_fn)(void *ctx, const char *name, char **file,
			       char **text, size_t *len, struct weft_err *err);

int weft_topo_parse(struct weft_topo *topo, const char *file, const char *text,
		    size_t len, weft_profile_fn profile, void *ctx,
		    struct weft_err *err);
void weft_topo_free(struct weft_topo *topo);

#endif
