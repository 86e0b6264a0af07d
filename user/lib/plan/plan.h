/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan: what is to be done, in order, to bring a topology up.
 *
 * Planning is pure: the same topology gives the same plan, and nothing of the
 * machine is looked at.
 */
#ifndef WEFT_PLAN_H
#define WEFT_PLAN_H

#include <jansson.h>
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

/* Addresses of nodes, where they have their own: 10.255.0.0/16 */
#define WEFT_NODE_NET		0x0aff0000U
#define WEFT_NODE_DEVICE	"node0"
#define WEFT_NODE_IFINDEX	10	/* above lo and tunnels that modules bring */

/**
 * struct weft_setting - a kernel parameter of a node's network namespace
 */
struct weft_setting {
	/** @key: such as "net.ipv4.tcp_rmem" */
	char key[48];
	/** @value: its value */
	char value[48];
};

/**
 * struct weft_reach - what decides whether a NIC is taken to reach a node
 */
struct weft_reach {
	/** @network: the same for all NICs that hang together */
	unsigned int network;
	/** @rank: of its family; 0 is taken first */
	unsigned int rank;
	/** @rate: of its link, bit/s */
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
	/** @mac: its address */
	uint8_t mac[6];
	/** @ip: its IPv4 address, in the host's byte order */
	uint32_t ip;
	/** @prefix: length of the network's part */
	unsigned int prefix;
	/**
	 * @ifindex: index of the netdev, of no other one in the lab: dcbnl
	 * knows tables of applications by it, whatever the namespace
	 */
	uint32_t ifindex;
	/** @mtu: its MTU */
	uint32_t mtu;
	/** @reach: whether it is taken to reach a node */
	struct weft_reach reach;
	/** @device: how its RDMA device is called, less a number; empty for none */
	char device[WEFT_DEVICE_SIZE];
	/** @nic: how it is attached; @nic.id is planned */
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
	/** @first: its first NIC */
	unsigned int first;
	/** @nics: how many */
	unsigned int nics;
	/** @settings: entries of @setting */
	unsigned int settings;
	/** @setting: kernel parameters */
	struct weft_setting setting[WEFT_SETTINGS_MAX];
};

/**
 * struct weft_plan_vl - classes of packets between two ports of a switch
 */
struct weft_plan_vl {
	/** @sw: the switch, with sl2vl class */
	uint32_t sw;
	/** @in: port that they come in through */
	uint32_t in;
	/** @out: port that they leave through */
	uint32_t out;
	/** @vl: class on the next wire, by that on the last */
	uint8_t vl[WEFT_CLASSES_MAX];
};

/**
 * struct weft_plan - all operations, in order of the members
 *
 * Switches are numbered as planned; the kernel's numbers may be others.
 */
struct weft_plan {
	/** @fabric: the fabric */
	struct weft_fabric fabric;
	/** @has_clock: the topology says which clock */
	bool has_clock;
	/** @clock: 0 virtual, 1 real, K real/K */
	uint32_t clock;
	/** @arp: no permanent neighbour entries */
	bool arp;
	/** @converges: routes follow links that go down or come up */
	bool converges;
	/** @convergence: so long after the first of them, ps of fabric time */
	uint64_t convergence;
	/** @multipath: a node uses all rails to a peer that are equally good */
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
	/** @lossless: there are lossless classes, and they lose nothing */
	bool lossless;
	/** @cyclic: their ports can wait for each other, and that is accepted */
	bool cyclic;
	/** @notes: entries of @note */
	unsigned int notes;
	/** @note: what is worth knowing */
	char (*note)[WEFT_NOTE_MAX];
	/** @vls: entries of @vl */
	unsigned int vls;
	/** @vl: what differs from @sw->vl, sorted by switch and ports */
	struct weft_plan_vl *vl;
	/** @routes: entries of @route */
	unsigned int routes;
	/** @route: the routes, flood ports included */
	struct weft_route *route;
};

int weft_plan_make(struct weft_plan *plan, const struct weft_topo *topo,
		   struct weft_err *err);
void weft_plan_free(struct weft_plan *plan);

/* plan_clock.c: how much slower than the wall */
void weft_plan_clock(struct weft_plan *plan, uint32_t clock);
uint32_t weft_plan_dilation(const struct weft_plan *plan);

json_t *weft_plan_json(const struct weft_plan *plan);
json_t *weft_plan_check_json(const struct weft_plan *plan);

#endif
