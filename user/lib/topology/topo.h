/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A topology: nodes, switches and links with all their parameters.
 */
#ifndef WEFT_TOPO_H
#define WEFT_TOPO_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/names.h"
#include "netlink/link.h"
#include "netlink/nic.h"
#include "netlink/switch.h"

#define WEFT_NODES_MAX		16384
#define WEFT_SWITCHES_MAX	4096
#define WEFT_LINKS_MAX		65536
#define WEFT_NODE_NICS_MAX	16
#define WEFT_DIMS_MAX		3

/**
 * struct weft_topo_port - parameters of the group "port"
 */
struct weft_topo_port {
	/** @p: parameters; here, credit.blocks is in bytes and red is not used */
	struct weft_port_params p;
	/** @ecn: ECN marking; here, @ecn.cls has a bit for each class */
	struct weft_red ecn;
};

/** enum weft_room_has - fields of struct weft_room that are set */
enum weft_room_has {
	WEFT_ROOM_HAS_RESERVE = 1,
	WEFT_ROOM_HAS_HEADROOM = 2,
	WEFT_ROOM_HAS_XON = 4,
	WEFT_ROOM_HAS_THRESHOLD = 8,
	WEFT_ROOM_HAS_ALPHA = 16,
	WEFT_ROOM_HAS_LOSSY_ALPHA = 32,
};

/**
 * struct weft_room - buffer limits of the classes of an ingress port
 */
struct weft_room {
	/** @has: bits of enum weft_room_has */
	uint32_t has;
	/** @reserve: bytes for each lossless class only */
	uint32_t reserve;
	/** @headroom: bytes for packets that arrive after the decision to pause */
	uint32_t headroom;
	/** @xon: a class resumes this many bytes below its threshold */
	uint32_t xon;
	/** @threshold: limit in the shared buffer, bytes */
	uint64_t threshold;
	/** @alpha: instead of @threshold: the limit is 2^alpha times the free shared bytes */
	int32_t alpha;
	/** @lossy_alpha: the same for the lossy classes */
	int32_t lossy_alpha;
};

/**
 * struct weft_topo_nic - a NIC of a node
 */
struct weft_topo_nic {
	/** @mtu: its MTU */
	uint32_t mtu;
	/** @nic: parameters; of @nic.port, only queue limit and classes are used */
	struct weft_nic nic;
	/** @port: parameters of the group "port" */
	struct weft_topo_port port;
	/** @room: limits in its receive buffer */
	struct weft_room room;
	/** @device: name of its RDMA device without the number; empty: it has none */
	char device[WEFT_DEVICE_SIZE];
	/** @ipoib: enum weft_ipoib_mode */
	uint32_t ipoib;
};

/**
 * struct weft_topo_switch - a switch
 */
struct weft_topo_switch {
	/** @sw: parameters; of @sw.port, only queue limit and classes are used */
	struct weft_switch sw;
	/** @port: parameters of the group "port", for all its ports */
	struct weft_topo_port port;
	/** @room: limits in its buffer */
	struct weft_room room;
	/** @placed: it has coordinates in the torus; all switches have them, or none */
	bool placed;
	/** @coord: its coordinates, each from 0 to the size of the torus minus 1 */
	uint32_t coord[WEFT_DIMS_MAX];
};

/**
 * struct weft_topo_node - a node
 */
struct weft_topo_node {
	/** @name: its host name */
	char name[WEFT_OBJECT_NAME_MAX + 1];
	/** @nics: entries of @nic, one for each link to it */
	unsigned int nics;
	/** @nic: its NICs */
	struct weft_topo_nic *nic;
};

/**
 * struct weft_topo_route - next hop of a switch for a destination NIC
 */
struct weft_topo_route {
	/** @sw: the switch */
	uint32_t sw;
	/** @node: the destination node */
	uint32_t node;
	/** @nic: the NIC of the node, counted per node */
	uint32_t nic;
	/** @next: the next switch */
	uint32_t next;
};

/** enum weft_policy - routing policy: which paths to a destination are used */
enum weft_policy {
	WEFT_POLICY_MIN_HOP,
	WEFT_POLICY_UP_DOWN,
	WEFT_POLICY_FAT_TREE,
	WEFT_POLICY_DIMENSION_ORDER,
};

/** enum weft_datelines - do packets change their class at the datelines of a torus? */
enum weft_datelines {
	WEFT_DATELINES_OFF,
	WEFT_DATELINES_ON,
	WEFT_DATELINES_IF_POSSIBLE,
};

/**
 * struct weft_topo_routing - parameters of the group "routing"
 */
struct weft_topo_routing {
	/** @policy: enum weft_policy */
	uint32_t policy;
	/** @datelines: enum weft_datelines */
	uint32_t datelines;
	/** @allow_cycles: the user accepts that lossless classes may deadlock */
	bool allow_cycles;
	/** @converges: routes are updated if links go down or come up */
	bool converges;
	/** @convergence: time from the first such change to the update, ps of fabric time */
	uint64_t convergence;
	/** @roots: entries of @root */
	unsigned int roots;
	/** @root: of policy up-down: the switches at the top, each once */
	uint32_t *root;
};

/**
 * struct weft_topo_end - one end of a link
 */
struct weft_topo_end {
	/** @is_node: it is a node, not a switch */
	bool is_node;
	/** @index: index of the node or switch */
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
	/** @arp: resolve neighbours by ARP, not by the rule of MAC addresses */
	bool arp;
	/** @ipv6: IPv6 is enabled */
	bool ipv6;
	/** @node_addresses: each node has an address besides those of its NICs */
	bool node_addresses;
	/** @multipath: with @node_addresses: all rails to a peer are used */
	bool multipath;
	/** @tcp_buffer: size of TCP buffers, bytes; 0: as much as the fabric needs */
	uint64_t tcp_buffer;
	/** @congestion: TCP congestion control; empty: the kernel's default */
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
	/** @clock: 0: virtual, 1: real, K: real/K, WEFT_CLOCK_AUTO: real/auto */
	uint32_t clock;
	/** @seed: seed of all random numbers */
	uint64_t seed;
	/** @late_bound: an event that runs later than this is late, ps; 0: the kernel's default */
	uint64_t late_bound;
	/** @settings: settings of the nodes */
	struct weft_topo_settings settings;
	/** @nodes: entries of @node */
	unsigned int nodes;
	/** @node: the nodes */
	struct weft_topo_node *node;
	/** @switches: entries of @sw */
	unsigned int switches;
	/** @sw: the switches */
	struct weft_topo_switch *sw;
	/** @links: entries of @link */
	unsigned int links;
	/** @link: the links */
	struct weft_topo_link *link;
	/** @routing: parameters of routing */
	struct weft_topo_routing routing;
	/** @routes: entries of @route */
	unsigned int routes;
	/** @route: explicit routes, sorted by node, NIC, switch */
	struct weft_topo_route *route;
	/** @dims: dimensions of the torus of switches; 1: a ring, 0: no torus */
	unsigned int dims;
	/** @dim: switches along each dimension */
	uint32_t dim[WEFT_DIMS_MAX];
	/** @managed: a subnet manager that a node runs assigns LIDs and routes of InfiniBand */
	bool managed;
	/** @lossy: the user accepts losses in lossless classes */
	bool lossy;
};

/**
 * typedef weft_profile_fn - reads the text of a profile
 * @ctx: as given
 * @name: its name
 * @file: result: name of the file, for messages, to be freed by free()
 * @text: result: its content, to be freed by free()
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
json_t *weft_topo_json(const struct weft_topo *t);

#endif
