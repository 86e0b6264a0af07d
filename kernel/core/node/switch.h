/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A switch: ingress admission, forwarding, virtual output queues, egress ports.
 */
#ifndef FAB_SWITCH_H
#define FAB_SWITCH_H

#include "core/node/agent.h"
#include "core/node/buffer.h"
#include "core/node/arn.h"
#include "core/node/port.h"
#include "core/node/route.h"

/**
 * enum fab_forward - when a switch may begin to forward a packet
 * @FAB_CUT_THROUGH: once its head has arrived
 * @FAB_STORE_FORWARD: once its tail has arrived
 * @__FAB_FORWARD_MAX: number of ways
 */
enum fab_forward {
	FAB_CUT_THROUGH,
	FAB_STORE_FORWARD,
	__FAB_FORWARD_MAX
};

/**
 * enum fab_arbiter - order among packets of one class for one egress port
 * @FAB_ARBITER_FIFO: order of arrival (an output-queued, shared-memory switch)
 * @FAB_ARBITER_ROUND_ROBIN: round robin over ingress ports (virtual output queues)
 * @__FAB_ARBITER_MAX: number of arbiters
 */
enum fab_arbiter {
	FAB_ARBITER_FIFO,
	FAB_ARBITER_ROUND_ROBIN,
	__FAB_ARBITER_MAX
};

/**
 * enum fab_sl2vl - input of the choice of a packet's class on the next wire
 * @FAB_SL2VL_KEEP: none: it keeps the class of the last wire
 * @FAB_SL2VL_SL: its service level
 * @FAB_SL2VL_PORTS: ingress port, egress port and service level
 * @FAB_SL2VL_CLASS: ingress port, egress port and its class on the last wire
 * @__FAB_SL2VL_MAX: number of ways
 */
enum fab_sl2vl {
	FAB_SL2VL_KEEP,
	FAB_SL2VL_SL,
	FAB_SL2VL_PORTS,
	FAB_SL2VL_CLASS,
	__FAB_SL2VL_MAX
};

#define FAB_VL_DROP	15	/* in a table of VLs: drop this service level */

/**
 * struct fab_switch_params - parameters of a switch
 */
struct fab_switch_params {
	/** @latency: pipeline latency, head in to head out, ps */
	fab_time latency;
	/** @forward: cut-through or store-and-forward */
	enum fab_forward forward;
	/** @ports: number of ports, 1 to FAB_PORTS_MAX */
	u32 ports;
	/** @sma_latency: time in which its agent processes a packet, ps */
	fab_time sma_latency;
	/** @arbiter: order within a class */
	enum fab_arbiter arbiter;
	/** @select: choice among equal ports */
	enum fab_select select;
	/** @quantum: step of queue lengths in an adaptive choice, bytes; 0: each byte counts */
	u32 quantum;
	/** @flowlets: entries of the flowlet table, a power of two; 0 without flowlets */
	u32 flowlets;
	/** @flowlet_gap: idle time after which a flow may move, ps */
	fab_time flowlet_gap;
	/** @arn_hold: how long a notice of the next switch holds, ps; 0: no notices */
	fab_time arn_hold;
	/** @arn_queue: with these: bytes of a class's queue from which on it tells */
	u32 arn_queue;
	/** @buffer: size of the shared buffer */
	struct fab_buffer_params buffer;
	/** @dsts: destinations of the forwarding table, 0 to dsts - 1 */
	u32 dsts;
	/** @dst: its own number as a destination, or FAB_NO_DST */
	u32 dst;
	/** @lmc: log2 of the entries per destination (IB LMC), 0 to FAB_LMC_MAX */
	u32 lmc;
	/** @groups: port groups of the forwarding table */
	u32 groups;
	/** @mcasts: multicast groups of the forwarding table; 0: multicast is flooded */
	u32 mcasts;
	/** @sl2vl: class of a packet on its next wire */
	enum fab_sl2vl sl2vl;
	/**
	 * @vl: with @sl2vl: class of each service level, or of each class on the
	 * last wire; FAB_VL_DROP drops
	 */
	u8 vl[FAB_CLASSES_MAX];
	/** @port: parameters of every port */
	struct fab_port_params port;
};

/**
 * struct fab_switch - one switch
 */
struct fab_switch {
	/** @route: forwarding table */
	struct fab_route_table route;
	/** @buffer: shared buffer */
	struct fab_buffer buffer;
	/** @faults: its faults */
	struct fab_switch_faults faults;
	/** @port: the ports */
	struct fab_port *port;
	/** @vl: row of @p.vl for each pair of ports, or one row; or NULL */
	u8 *vl;
	/** @arn: to and from its neighbours, or NULL */
	struct fab_arns *arn;
	/** @p: parameters */
	struct fab_switch_params p;
	/** @id: number in the fabric, given by the host; salts the choices */
	u32 id;
	/** @next: next switch of the fabric */
	struct fab_switch *next;
	/** @at: what points to it in the fabric's list */
	struct fab_switch **at;
	/** @reduce: its aggregation nodes, a list */
	struct fab_reduce *reduce;
	/** @reduced: chunks that they reduced, also those that are gone */
	u64 reduced;
	/** @agent: packets for the switch itself */
	struct fab_agent agent;
};

int fab_switch_params_check(const struct fab_switch_params *p);
size_t fab_switch_mem(const struct fab_switch_params *p);
void fab_switch_init(struct fab *fab, struct fab_switch *sw, u32 id,
		     const struct fab_switch_params *p, void *mem);
void fab_switch_enter(struct fab *fab, struct fab_switch *sw);
void fab_switch_remove(struct fab *fab, struct fab_switch *sw);
void fab_switch_lose(struct fab *fab, struct fab_switch *sw,
		     struct fab_pkt *pkt, enum fab_drop why);
void fab_switch_emit(struct fab *fab, struct fab_switch *sw, u32 out,
		     struct fab_pkt *pkt);
void fab_switch_spread(struct fab *fab, struct fab_port *in, const u16 *ports, u32 n,
		       struct fab_pkt *pkt);
int fab_switch_sl2vl_set(struct fab_switch *sw, u32 in, u32 out, u8 index,
			 u8 vl);
u8 fab_switch_sl2vl_get(const struct fab_switch *sw, u32 in, u32 out, u8 index);
void fab_switch_sched_get(const struct fab_switch *sw, u32 port,
			  struct fab_sched_params *p);
int fab_switch_sched_set(struct fab *fab, struct fab_switch *sw, u32 port,
			 const struct fab_sched_params *p);
void fab_switch_receive(struct fab *fab, struct fab_port *in,
			struct fab_pkt *pkt);

#endif
