/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan: the operations, in order, that bring a topology up.
 *
 * Planning is pure: the plan depends on the topology alone, not on the machine.
 */
#ifndef WEFT_PLAN_H
#define WEFT_PLAN_H

#include <jansson.h>
#include <net/if.h>
#include <stdint.h>

#include "base/err.h"
#include "netlink/fabric.h"
#include "netlink/link.h"
#include "netlink/nic.h"
#include "netlink/route.h"
#include "netlink/switch.h"
#include "topology/topo.h"

#define WEFT_SETTINGS_MAX	24
#define WEFT_NOTE_MAX		400

/* Networks of NIC k: 10.k.0.0/16, and 10.(128 + k).0.0/16 over InfiniBand */
#define WEFT_NIC_NET		0x0a000000U
#define WEFT_IPOIB_NET		0x0a800000U

/* The MAC address of a NIC: these two bytes, and its IPv4 address */
#define WEFT_MAC_PREFIX		0x0200U

/* Addresses of nodes with an address of their own: 10.255.0.0/16 */
#define WEFT_NODE_NET		0x0aff0000U
#define WEFT_NODE_DEVICE	"node0"
#define WEFT_NODE_IFINDEX	10	/* above lo and tunnel devices of modules */

/**
 * struct weft_setting - a kernel parameter of a node's network namespace
 */
struct weft_setting {
	/** @key: its name, such as "net.ipv4.tcp_rmem" */
	char key[48];
	/** @value: its value */
	char value[48];
};

/**
 * struct weft_reach - properties of a NIC that decide over which NIC nodes talk
 */
struct weft_reach {
	/** @network: number of its connected component */
	unsigned int network;
	/** @rank: rank of its family; 0 is preferred */
	unsigned int rank;
	/** @rate: rate of its link, bit/s */
	uint64_t rate;
	/** @rail: its number among the node's NICs of this rank and rate */
	unsigned int rail;
};

/**
 * struct weft_plan_nic - a NIC of a node
 */
struct weft_plan_nic {
	/** @node: the node */
	unsigned int node;
	/** @mac: its MAC address */
	uint8_t mac[6];
	/** @ip: its IPv4 address, in the host's byte order */
	uint32_t ip;
	/** @prefix: prefix length of @ip, bits */
	unsigned int prefix;
	/**
	 * @ifindex: index of the netdev, unique in the lab, since dcbnl
	 * identifies application tables by ifindex regardless of the namespace
	 */
	uint32_t ifindex;
	/** @mtu: its MTU */
	uint32_t mtu;
	/** @reach: when it is used to reach a node */
	struct weft_reach reach;
	/** @device: name of its RDMA device without the number; empty for none */
	char device[WEFT_DEVICE_SIZE];
	/** @ipoib: enum weft_ipoib_mode of its netdev of IP over InfiniBand */
	uint32_t ipoib;
	/** @ipoib_name: name of that netdev */
	char ipoib_name[IF_NAMESIZE];
	/** @ipoib_ip: IPv4 address of that netdev, with the prefix length @prefix */
	uint32_t ipoib_ip;
	/** @nic: parameters of the NIC; @nic.id is its planned endpoint id */
	struct weft_nic nic;
};

/**
 * struct weft_plan_node - a node
 */
struct weft_plan_node {
	/** @name: its name */
	char name[WEFT_OBJECT_NAME_MAX + 1];
	/** @ip: its own IPv4 address, in the host's byte order; 0 for none */
	uint32_t ip;
	/** @first: index of its first NIC */
	unsigned int first;
	/** @nics: number of its NICs */
	unsigned int nics;
	/** @settings: entries of @setting */
	unsigned int settings;
	/** @setting: kernel parameters */
	struct weft_setting setting[WEFT_SETTINGS_MAX];
};

/**
 * struct weft_plan_vl - mapping of classes between two ports of a switch
 */
struct weft_plan_vl {
	/** @sw: the switch, whose sl2vl is "class" */
	uint32_t sw;
	/** @in: input port */
	uint32_t in;
	/** @out: output port */
	uint32_t out;
	/** @vl: class on the next wire; index: class on the previous wire */
	uint8_t vl[WEFT_CLASSES_MAX];
};

/**
 * struct weft_plan - all operations, in the order of the members
 *
 * Numbers of switches are those of the plan; the kernel's may differ.
 */
struct weft_plan {
	/** @fabric: the fabric */
	struct weft_fabric fabric;
	/** @has_clock: the topology sets a clock */
	bool has_clock;
	/** @clock: 0: virtual; 1: real; K: real/K, K times slower than real time */
	uint32_t clock;
	/** @arp: nodes use ARP, although MAC addresses follow from IPv4 addresses */
	bool arp;
	/** @ipv6: IPv6 is enabled in nodes */
	bool ipv6;
	/** @converges: routes are recomputed when links go down or come up */
	bool converges;
	/**
	 * @convergence: delay of that after the first such link, ps of fabric
	 * time
	 */
	uint64_t convergence;
	/** @multipath: a node uses all equally good rails to a peer */
	bool multipath;
	/** @switches: entries of @sw */
	unsigned int switches;
	/** @sw: the switches */
	struct weft_switch *sw;
	/** @nodes: entries of @node */
	unsigned int nodes;
	/** @node: the nodes */
	struct weft_plan_node *node;
	/** @nics: entries of @nic; index and endpoint id are the same */
	unsigned int nics;
	/** @nic: the NICs */
	struct weft_plan_nic *nic;
	/** @links: entries of @link */
	unsigned int links;
	/** @link: the links */
	struct weft_link *link;
	/** @lossless: there are lossless classes, and their buffers suffice */
	bool lossless;
	/** @cyclic: lossless classes can deadlock, and the topology accepts that */
	bool cyclic;
	/** @notes: entries of @note */
	unsigned int notes;
	/** @note: remarks for people */
	char (*note)[WEFT_NOTE_MAX];
	/** @vls: entries of @vl */
	unsigned int vls;
	/** @vl: mappings that differ from @sw->vl, sorted by switch and ports */
	struct weft_plan_vl *vl;
	/** @routes: entries of @route */
	unsigned int routes;
	/** @route: the routes, flood ports included */
	struct weft_route *route;
};

int weft_plan_make(struct weft_plan *plan, const struct weft_topo *topo,
		   struct weft_err *err);
void weft_plan_free(struct weft_plan *plan);
unsigned int weft_plan_node_number(const struct weft_plan *plan, const char *name);

/* plan_clock.c: clock and dilation */
void weft_plan_clock(struct weft_plan *plan, uint32_t clock);
uint32_t weft_plan_dilation(const struct weft_plan *plan);

json_t *weft_plan_json(const struct weft_plan *plan);
json_t *weft_plan_check_json(const struct weft_plan *plan);

#endif
