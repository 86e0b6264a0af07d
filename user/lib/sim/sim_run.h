/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a simulation, shared by the files of this room.
 */
#ifndef WEFT_SIM_RUN_H
#define WEFT_SIM_RUN_H

#include "core/cc/dcqcn.h"
#include "core/cc/ibcc.h"
#include "core/fabric.h"
#include "core/sim/bitset.h"

#include "base/barrier.h"
#include "base/err.h"
#include "plan/plan.h"
#include "sim/sim.h"
#include "sim/sim_cc.h"
#include "workload/workload.h"

/* Kinds of objects that have events, for fab_name() */
#define WEFT_SIM_NAME_NIC	FAB_NAME_HOST
#define WEFT_SIM_NAME_QP	(FAB_NAME_HOST + 1)
#define WEFT_SIM_NAME_START	(FAB_NAME_HOST + 2)
#define WEFT_SIM_NAME_TRAFFIC	(FAB_NAME_HOST + 3)

/* Where the later of two times is sought, both are taken plus 1: then this is the least. */
static_assert(WEFT_NOT_YET + 1 == 0, "less than any time, plus 1");

#define WEFT_SIM_WINDOW	2048	/* packets in any order, from the oldest that is missing */

struct weft_sim;
struct weft_sim_cross;
struct weft_sim_heard;
struct weft_sim_hold;
struct weft_sim_index;
struct weft_sim_keep;
struct weft_sim_nic;
struct weft_sim_qp;
struct weft_sim_repeat;
struct weft_sim_transport;
struct fab_srd_rx;
struct fab_srd_tx;

/**
 * struct weft_sim_pkt - a packet
 *
 * There is memory for @hop only where a congestion control measures.
 */
struct weft_sim_pkt {
	/** @p: the model's part */
	struct fab_pkt p;
	/** @qp: its queue pair; NULL for what is reduced, and for traffic */
	struct weft_sim_qp *qp;
	/** @message: its message; NULL for what goes back, or is reduced, and for traffic */
	struct weft_sim_message *message;
	/** @tx: NIC between whose arbiter, or generator, and wire it is, or NULL */
	struct weft_sim_nic *tx;
	/** @psn: its number, or the number that it acknowledges; of traffic: its generator's */
	u32 psn;
	/** @payload: bytes of its message */
	u32 payload;
	/** @back: it goes from the receiver's end to the sender's */
	bool back;
	/** @cnp: with @back: it is a congestion notification, else an acknowledgement */
	bool cnp;
	/** @becn: with @back: a packet of the sender was marked (InfiniBand) */
	bool becn;
	/** @traffic: it is of background traffic, not of a message */
	bool traffic;
	/** @ce: with @back: packets that it acknowledges and that came marked */
	u32 ce;
	/** @stamp: when it, or with @back the newest that it acknowledges, began on the wire */
	fab_time stamp;
	/** @nak: an acknowledgement that says that packet @psn, or @first, is missing */
	bool nak;
	/** @ack_req: it asks for one */
	bool ack_req;
	/** @pull: with @back: it asks for packets, @psn so far */
	bool pull;
	/** @ends: the sender has nothing behind it */
	bool ends;
	/** @begins: it is the first of its message */
	bool begins;
	/** @copy: of traffic: a fault made it, and nobody counts it */
	bool copy;
	/**
	 * @first: of an acknowledgement in any order: packet of the first bit of @held; with
	 * srd, of others: the oldest that its sender still knows of
	 */
	u32 first;
	/** @held: bits of packets that the receiver holds */
	u64 held;
	/** @path: with srd: index of its path */
	u8 path;
	/** @probe: with srd: it asks whether its path works, or with @back says so */
	bool probe;
	/** @epsn: with srd and @back: all packets before were taken */
	u32 epsn;
	/** @measured: switches write INT into it; of an acknowledgement: it brings it back */
	bool measured;
	/** @hops: entries of @hop */
	u32 hops;
	/** @hop: INT, from the sender on; last in the struct */
	struct weft_sim_hop hop[WEFT_SIM_HOPS];
};

/**
 * struct weft_sim_message - a message on its way
 */
struct weft_sim_message {
	/** @due: when it starts, once all that it waits for has ended */
	fab_time due;
	/** @next: the message behind it in its queue pair */
	struct weft_sim_message *next;
	/** @qp: its queue pair; NULL for work of a node */
	struct weft_sim_qp *qp;
	/** @waits: messages that have to end before it starts */
	u32 waits;
	/** @packets: packets of it */
	u32 packets;
	/** @psn: with @numbered: number of the first one */
	u32 psn;
	/** @numbered: it has begun to be sent */
	bool numbered;
	/** @left: of these, how many have not come */
	u32 left;
};

/**
 * struct weft_sim_qp - a queue pair, from the sender's end to the receiver's
 */
struct weft_sim_qp {
	/** @from: NIC that sends */
	struct weft_sim_nic *from;
	/** @tx: message that is sent; NULL: all are */
	struct weft_sim_message *tx;
	/** @next: with @queued: the queue pair behind it in its transmit queue */
	struct weft_sim_qp *next;
	/** @queued: it is in a transmit queue */
	bool queued;
	/** @cached: the NIC has its state */
	bool cached;
	/** @tx_pkt: packet of @tx that is next */
	u32 tx_pkt;
	/** @psn: number of that packet */
	u32 psn;
	/** @una: oldest number that is not acknowledged */
	u32 una;
	/** @high: number of the packet that is sent for the first time next */
	u32 high;
	/** @since_ack_req: packets since the last that asks for an acknowledgement */
	u32 since_ack_req;
	/** @not_before: it sends no packet before, ps */
	fab_time not_before;
	/** @to: NIC that receives */
	struct weft_sim_nic *to;
	/** @hash: flow hash of its packets */
	u32 hash;
	/** @back: flow hash of the acknowledgements */
	u32 back;
	/** @timer: event: it may send again */
	struct fab_event timer;
	/** @timeout: event: nothing was acknowledged for long, if @deadline is over */
	struct fab_event timeout;
	/** @deadline: with @timeout pending: when it is over, ps */
	fab_time deadline;
	/** @retries: how often the oldest packet may still be sent again */
	u32 retries;
	/** @last: the last message that was posted */
	struct weft_sim_message *last;
	/** @oldest: first message of which a packet is not acknowledged; NULL: none is left */
	struct weft_sim_message *oldest;
	/** @newer: neighbour in the NIC's cache that was used later */
	struct weft_sim_qp *newer;
	/** @older: neighbour that was used earlier */
	struct weft_sim_qp *older;
	/** @alone: a packet and its acknowledgement take so long alone, ps */
	fab_time alone;
	/** @cwnd: with a window: packets that may be on their way, in 1 / WEFT_SIM_PACKET */
	u64 cwnd;
	union {
		/** @dctcp: with dctcp */
		struct weft_sim_dctcp dctcp;
		/** @swift: with swift */
		struct fab_swift swift;
		/** @hpcc: with hpcc */
		struct weft_sim_hpcc hpcc;
		/** @ndp: with ndp, also of @to */
		struct weft_sim_ndp ndp;
		/** @dcqcn: reaction point of DCQCN, at @from */
		struct fab_dcqcn dcqcn;
		/** @ibcc: the same of InfiniBand's congestion control */
		struct fab_ibcc ibcc;
	};
	/** @repeat: with packets in any order: those in flight; NULL: none was */
	struct weft_sim_repeat *repeat;
	/** @srd_tx: with srd: the sender; NULL: nothing was sent */
	struct fab_srd_tx *srd_tx;
	/* The rest belongs to the cell of @to. */
	/** @epsn: number of the packet that is expected */
	u32 epsn;
	/** @hold: with packets in any order: those that are ahead; NULL: none was */
	struct weft_sim_hold *hold;
	/** @srd_rx: with srd: the receiver; NULL: nothing has come */
	struct fab_srd_rx *srd_rx;
	/** @nak_sent: a packet is missing, and the sender was told */
	bool nak_sent;
	/** @queued_ack: acknowledgement that waits in the NIC and can still change */
	struct weft_sim_pkt *queued_ack;
	/** @ce: marked packets that the next acknowledgement tells of */
	u32 ce;
	/** @stamp: when the newest packet that was taken began on the wire */
	fab_time stamp;
	/** @seen: packet with INT that is executed now, or NULL */
	const struct weft_sim_pkt *seen;
	/** @becn: the next acknowledgement says that a packet was marked */
	bool becn;
	/** @cnp_at: notification point, at @to: no CNP is sent before */
	fab_time cnp_at;
};

/**
 * struct weft_sim_txq - what waits at a NIC to be sent in a class
 */
struct weft_sim_txq {
	/** @first: queue pair whose turn it is, NULL: none */
	struct weft_sim_qp *first;
	/** @last: with @first: the last of them */
	struct weft_sim_qp *last;
	/** @urgent: acknowledgements, notifications */
	struct fab_fifo urgent;
	/** @operands: what its node brings to reductions */
	struct fab_fifo operands;
	/** @pending: bytes between arbiter and wire */
	u64 pending;
	/** @full: the model's ring was full */
	bool full;
};

/**
 * struct weft_sim_nic - a NIC
 */
struct weft_sim_nic {
	/** @ep: the model's part */
	struct fab_endpoint ep;
	/** @sim: the cell that it belongs to */
	struct weft_sim *sim;
	/** @plan: its entry in the plan */
	const struct weft_plan_nic *plan;
	/** @transport: how its messages become packets */
	const struct weft_sim_transport *transport;
	/** @any: packets of reliable connections may come in any order */
	bool any;
	/** @reorder: with @any: how late a packet may be before it counts as lost, ps */
	fab_time reorder;
	/** @cls: class of its packets, but for notifications */
	u8 cls;
	/** @cnp_cls: class of its notifications */
	u8 cnp_cls;
	/** @mtu: most payload of a packet, bytes */
	u32 mtu;
	/** @header: bytes of a packet beside its payload, as the model counts them */
	u32 header;
	/** @pad: payload is padded to a multiple of this, bytes */
	u32 pad;
	/** @ack_len: bytes of an acknowledgement, as the model counts them */
	u32 ack_len;
	/** @ect: fab_pkt.flags of its packets: they can be marked, or not */
	u8 ect;
	/** @limit: bytes that may be pending while another packet is taken, at @limit_bps */
	u64 limit;
	/** @limit_bps: rate of the wire for which it was computed */
	u64 limit_bps;
	/** @cc: congestion control of its queue pairs */
	const struct weft_sim_cc *cc;
	/** @dcqcn: with dcqcn: how */
	struct fab_dcqcn_params dcqcn;
	/** @ibcc: with ibcc: how */
	struct fab_ibcc_params ibcc;
	/** @txq: transmit queues: of @cls, and of @cnp_cls if that is another class */
	struct weft_sim_txq txq[2];
	/** @turn: the queue that was served last */
	u32 turn;
	/** @arbitrate: event: packets may be taken */
	struct fab_event arbitrate;
	/** @busy_until: no packet of a queue pair is taken before, ps */
	fab_time busy_until;
	/** @newest: queue pair in the cache that was used last */
	struct weft_sim_qp *newest;
	/** @oldest: the one that leaves it next */
	struct weft_sim_qp *oldest;
	/** @cached: queue pairs in the cache */
	u32 cached;
	/** @arrived: packets that are not executed yet */
	struct fab_fifo arrived;
	/** @execute: event: the first of them is due */
	struct fab_event execute;
	/** @leaf: the NIC in groups that reduce, NULL: in none */
	struct weft_sim_leaf *leaf;
	/** @pull_first: with ndp: queue pair that is asked next, NULL: none */
	struct weft_sim_qp *pull_first;
	/** @pull_last: with @pull_first: the last of them */
	struct weft_sim_qp *pull_last;
	/** @pull_at: nobody is asked before, ps */
	fab_time pull_at;
	/** @pull: event: the next one is asked */
	struct fab_event pull;
};

/**
 * struct weft_sim_transport - how messages become packets
 */
struct weft_sim_transport {
	/** @name: what users write */
	const char *name;
	/** @refuse: why a NIC cannot have it, or NULL */
	const char *(*refuse)(const struct weft_plan_nic *nic);
	/** @nic: set mtu, header, pad, ack_len and ect of a NIC */
	void (*nic)(struct weft_sim_nic *nic);
	/** @verbs: the NIC's parameters of verbs count */
	bool verbs;
	/** @ready: may a queue pair send a packet? NULL: if it has a message */
	bool (*ready)(const struct weft_sim_qp *qp);
	/** @lost: message and number of the packet that is sent again next; NULL: none ever is */
	struct weft_sim_message *(*lost)(const struct weft_sim_qp *qp, u32 *psn);
	/** @repeats: packets that are lost are sent again */
	bool repeats;
	/** @connect: prepare a queue pair; NULL: nothing */
	void (*connect)(struct weft_sim *sim, struct weft_sim_qp *qp);
	/** @build: complete a packet of a message; @last: it is the last one */
	void (*build)(struct weft_sim_qp *qp, struct weft_sim_pkt *pkt, bool last);
	/** @trimmed: a packet that a switch has trimmed is executed; NULL: it is lost */
	void (*trimmed)(struct weft_sim *sim, const struct weft_sim_pkt *pkt);
	/** @sent: a packet of a message begins on the wire; NULL: no matter */
	void (*sent)(struct weft_sim *sim, struct weft_sim_pkt *pkt);
	/** @receive: a packet is executed at @nic; it stays the caller's */
	void (*receive)(struct weft_sim *sim, struct weft_sim_nic *nic,
			struct weft_sim_pkt *pkt);
};

extern const struct weft_sim_transport weft_sim_rc, weft_sim_srd, weft_sim_frames;

/**
 * struct weft_sim_starts - messages that are to start
 */
struct weft_sim_starts {
	/** @heap: their numbers: by time, then by number */
	u32 *heap;
	/** @n: how many */
	u32 n;
	/** @due: event: the first of them is due; pending exactly if there is one */
	struct fab_event due;
};

/**
 * struct weft_sim_box - what goes from a part to another one
 */
struct weft_sim_box {
	/** @cross: packets and control frames, in the order in which they were sent */
	struct weft_sim_cross *cross;
	/** @n: how many */
	size_t n;
	/** @room: entries of @cross */
	size_t room;
};

/**
 * struct weft_sim_state - of a part between two windows, for all to see
 *
 * The times are the greatest of its cells, but for @next and @failed.
 */
struct weft_sim_state {
	/** @next: nothing is due before, ps */
	fab_time next;
	/** @now: time of its last event */
	fab_time now;
	/** @moved: when a packet was last seen to move, or a message started */
	fab_time moved;
	/** @hops: packets sent on a wire */
	u64 hops;
	/** @bytes: bytes of messages that have ended */
	u64 bytes;
	/** @ended: messages that have ended */
	u64 ended;
	/** @started: messages that have started */
	u64 started;
	/** @made: packets that were made here, or came from another part */
	u64 made;
	/** @gone: packets that were executed, or went to another part */
	u64 gone;
	/** @delivered: packets delivered */
	u64 delivered;
	/** @marked: packets that came marked */
	u64 marked;
	/** @lost: packets lost */
	u64 lost;
	/** @repeated: packets sent again */
	u64 repeated;
	/** @end: when the last message ended */
	fab_time end;
	/** @quiet: when a packet was last executed, lost, or sent to another part */
	fab_time quiet;
	/** @failed: when it failed, ps; FAB_NEVER: it has not */
	fab_time failed;
};

/**
 * struct weft_sim_part - what is run by a rank of MPI, or by one of several threads
 */
struct weft_sim_part {
	/** @cells: entries of @cell */
	u32 cells;
	/** @cell: its cells */
	struct weft_sim **cell;
	/** @next: for each cell: nothing is due before, ps */
	fab_time *next;
	/** @until: end of the window, or when it failed, ps */
	fab_time until;
	/** @box: what goes to each part */
	struct weft_sim_box *box;
	/** @pkt_size: bytes of a packet */
	size_t pkt_size;
	/** @spare: packets that are not in use */
	struct fab_pkt *spare;
	/** @state: where it stands */
	struct weft_sim_state state;
	/** @err: with @state.failed: why */
	struct weft_err err;
};

/**
 * struct weft_sim_region - memory of a part, or of what all share
 */
struct weft_sim_region {
	/** @base: first address; NULL: it is anywhere, in @blocks */
	char *base;
	/** @used: bytes from @base that are allocated */
	size_t used;
	/** @mapped: bytes from @base that are mapped */
	size_t mapped;
	/** @blocks: without @base: the newest allocation, which points to the one before */
	void *blocks;
};

/**
 * struct weft_sim_mem - memory of a simulation
 */
struct weft_sim_mem {
	/** @region: what all share, then one of each part */
	struct weft_sim_region region[1 + WEFT_SIM_PARTS_MAX];
};

/**
 * struct weft_sim_parts - the parts of a simulation, and what all share
 */
struct weft_sim_parts {
	/** @plan: the plan */
	const struct weft_plan *plan;
	/** @work: the workload */
	struct weft_work *work;
	/** @o: options */
	const struct weft_sim_options *o;
	/** @n: how many there are */
	u32 n;
	/** @part: the parts */
	struct weft_sim_part *part;
	/** @mem: memory of all that is state */
	struct weft_sim_mem mem;
	/** @cells: entries of @cell */
	u32 cells;
	/** @cell: all cells, those of the first part first, then NULL; the first has all */
	struct weft_sim **cell;
	/** @of_node: cell of each node */
	u32 *of_node;
	/** @of_switch: cell of each switch */
	u32 *of_switch;
	/** @ahead: how far a cell may be ahead of the others, ps */
	fab_time ahead;
	/** @rest: how long parts run on after the last packet, ps */
	fab_time rest;
	/** @cuts: entries of @cut */
	u32 cuts;
	/** @cut: wires between cells */
	struct fab_cut *cut;
	/** @rings: for control frames on them, in one place because hardly any is touched */
	char *rings;
	/** @to: for each of them, the cell that it leads to */
	struct weft_sim **to;
	/** @state: state of each part, when it has received what is for it */
	struct weft_sim_state *state;
	/** @mine: the part of this process, if there is a team */
	struct weft_sim_part *mine;
	/** @in: with a team: what comes from each rank */
	struct weft_team_box *in;
	/** @out: with a team: what goes to each rank */
	struct weft_team_box *out;
	/** @divided: parts for which the fabric was divided: @n, or that of a checkpoint */
	u32 divided;
	/** @index: the checkpoint from which it goes on; NULL: it begins */
	struct weft_sim_index *index;
	/** @keep: what checkpoints need; NULL: none are wanted */
	struct weft_sim_keep *keep;
	/** @sample: time of the next sample, ps; FAB_NEVER: there is none */
	fab_time sample;
	/** @barrier: of the threads: all parts have run, or all have received */
	struct weft_barrier barrier;
};

/**
 * struct weft_sim - a simulation, or a cell of one
 *
 * A cell has a fabric and starts of its own, and those of a part share packets and
 * counts. The rest is that of the first cell, to which it belongs. A message ends in the
 * cell of the node that it is for, and so do all messages that the same ones wait for.
 */
struct weft_sim {
	/** @fab: the fabric */
	struct fab fab;
	/** @parts: the parts */
	struct weft_sim_parts *parts;
	/** @part: the part that it is of */
	struct weft_sim_part *part;
	/** @number: its number among the cells of the part */
	u32 number;
	/** @plan: its plan */
	const struct weft_plan *plan;
	/** @o: options */
	const struct weft_sim_options *o;
	/** @work: its workload */
	struct weft_work *work;
	/** @total: bytes of all messages */
	u64 total;
	/** @transport: transport of all NICs; NULL: by the RDMA device of each */
	const struct weft_sim_transport *transport;
	/** @nic: the NICs, as in the plan */
	struct weft_sim_nic *nic;
	/** @sw: the switches, as in the plan */
	struct fab_switch *sw;
	/** @fault: the faults of the options, as one of each wire of a link */
	struct fab_fault (*fault)[2];
	/** @trigger: the triggers of faults, by number; behind them, those of groups of traffic */
	struct fab_trigger *trigger;
	/** @traffic: generators of background traffic, as in the options */
	struct fab_traffic *traffic;
	/** @heard: for each of them, what became of its packets in this cell */
	struct weft_sim_heard *heard;
	/** @latency: if its objects are wanted: latencies of each NIC */
	struct fab_hist *latency;
	/** @message: the messages, as in the workload */
	struct weft_sim_message *message;
	/** @starts: messages that are to start */
	struct weft_sim_starts starts;
	/** @followers: for each message, its first entry in @follower; one more */
	u32 *followers;
	/** @follower: messages that wait for others */
	u32 *follower;
	/** @qps: entries of @qp */
	unsigned int qps;
	/** @qp: the queue pairs */
	struct weft_sim_qp *qp;
	/** @reduce: reductions in switches, NULL: there are none */
	struct weft_sim_reduce *reduce;
};

/* sim_mem.c */
void weft_sim_mem_fix(struct weft_sim_mem *mem);
int weft_sim_region_grow(struct weft_sim_region *r, size_t used);
void *weft_sim_alloc(struct weft_sim *sim, size_t n, size_t size);
void *weft_sim_alloc_part(struct weft_sim *sim, size_t size);
void weft_sim_mem_free(struct weft_sim_mem *mem);

/* sim_model.c */
int weft_sim_build(struct weft_sim *sim, struct weft_err *err);
struct fab_port *weft_sim_port_of(const struct weft_sim *sim, const struct weft_end *end);
u8 weft_sim_class(const struct weft_sim_nic *nic, u32 sl);

/* sim_fault.c */
int weft_sim_add_faults(struct weft_sim *sim, struct weft_err *err);
int weft_sim_trigger_add(struct weft_sim *sim, u32 number, const struct weft_at *by,
			 const char *at, struct weft_err *err);

/* sim_parts.c */
int weft_sim_divide(struct weft_sim *sim, struct weft_err *err);

/* sim_cross.c */
int weft_sim_split(struct weft_sim *sim, struct weft_err *err);
void weft_sim_unsplit(struct weft_sim_parts *p);
void weft_sim_receive(const struct weft_sim_parts *p, u32 part);
void weft_sim_exchange(const struct weft_sim_parts *p);
void weft_sim_leave(struct fab *fab, struct fab_cut *cut, struct fab_pkt *pkt);
void weft_sim_tell(struct fab *fab, struct fab_cut *cut, const struct fab_control *c);

/* sim_window.c */
int weft_sim_windows(struct weft_sim_parts *p, struct weft_err *err);
fab_time weft_sim_settle(struct weft_sim_parts *p);
void weft_sim_state_add(struct weft_sim_state *all, const struct weft_sim_state *s);

/* sim_objects.c */
int weft_sim_objects(struct weft_sim *sim, fab_time now, struct weft_sim_objects *o,
		     struct weft_err *err);

/* sim_qp.c */
int weft_sim_connect(struct weft_sim *sim, struct weft_err *err);
void weft_sim_post(struct weft_sim *sim, struct weft_sim_message *m);
bool weft_sim_ready(const struct weft_sim_qp *qp);
struct weft_sim_pkt *weft_sim_next(struct weft_sim *sim, struct weft_sim_qp *qp);
struct weft_sim_pkt *weft_sim_pkt_back(struct weft_sim *sim, struct weft_sim_qp *qp);
void weft_sim_accept(struct weft_sim *sim, struct weft_sim_message *m);

/* sim_nic.c */
int weft_sim_nic_init(struct weft_sim *sim, struct weft_sim_nic *nic,
		      struct weft_err *err);
void weft_sim_nic_connect(struct weft_sim_nic *nic, struct weft_sim_qp *qp);
void weft_sim_schedule(struct weft_sim *sim, struct weft_sim_qp *qp, fab_time delay);
void weft_sim_operand(struct weft_sim *sim, struct weft_sim_nic *nic,
		      struct weft_sim_pkt *pkt);
void weft_sim_urgent(struct weft_sim *sim, struct weft_sim_nic *nic,
		     struct weft_sim_pkt *pkt);
extern const struct fab_host_ops weft_sim_host;

/* sim_rc.c */
void weft_sim_rc_ack(struct weft_sim *sim, struct weft_sim_qp *qp, u32 psn);
void weft_sim_rc_nak(struct weft_sim *sim, struct weft_sim_qp *qp, u32 psn);
void weft_sim_rc_progress(struct weft_sim *sim, struct weft_sim_qp *qp, u32 psn);

/* sim_hold.c */
void weft_sim_hold_tell(const struct weft_sim_qp *qp, struct weft_sim_pkt *ack);
void weft_sim_hold_receive(struct weft_sim *sim, struct weft_sim_qp *qp,
			   struct weft_sim_pkt *pkt);
void weft_sim_hold_trimmed(struct weft_sim *sim, struct weft_sim_qp *qp,
			   const struct weft_sim_pkt *pkt);

/* sim_repeat.c */
bool weft_sim_repeat_ready(const struct weft_sim_qp *qp);
struct weft_sim_message *weft_sim_repeat_first(const struct weft_sim_qp *qp, u32 *psn);
bool weft_sim_repeat_wants_ack(const struct weft_sim_qp *qp);
void weft_sim_repeat_taken(struct weft_sim *sim, struct weft_sim_qp *qp, u32 psn, bool again);
void weft_sim_repeat_sent(struct weft_sim *sim, struct weft_sim_qp *qp, u32 psn);
void weft_sim_repeat_all(struct weft_sim_qp *qp);
u32 weft_sim_repeat_acknowledged(struct weft_sim *sim, struct weft_sim_qp *qp,
				 const struct weft_sim_pkt *ack);

/* sim_start.c */
int weft_sim_starts_init(struct weft_sim *sim, struct weft_err *err);
fab_time weft_sim_computed(const struct weft_sim *sim, const struct weft_message *w);
void weft_sim_start_at(struct weft_sim *sim, struct weft_sim_message *m, fab_time at);

/* sim_pkt.c */
struct weft_sim_pkt *weft_sim_pkt_new(struct weft_sim *sim, bool traffic);
void weft_sim_pkt_free(struct weft_sim *sim, struct weft_sim_pkt *pkt);
void weft_sim_pkt_copy(struct weft_sim_pkt *to, const struct weft_sim_pkt *from);

/* sim.c */
void weft_sim_fail(struct weft_sim *sim, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void weft_sim_start(struct weft_sim *sim, struct weft_sim_message *m);
void weft_sim_ended(struct weft_sim *sim, struct weft_sim_message *m);
const char *weft_sim_node(const struct weft_sim *sim, const struct weft_sim_nic *nic);

/* The ranks of MPI, if there are several. */
static inline const struct weft_team *weft_sim_team(const struct weft_sim_parts *p)
{
	const struct weft_team *t = p->o->team;

	return t && t->ops && t->size > 1 ? t : NULL;
}

static inline struct weft_sim *weft_sim_of(struct fab *fab)
{
	return container_of(fab, struct weft_sim, fab);
}

/* The cell of a node. */
static inline struct weft_sim *weft_sim_at(const struct weft_sim *sim, u32 node)
{
	return sim->parts->cell[sim->parts->of_node[node]];
}

static inline struct weft_sim_pkt *weft_sim_pkt_of(const struct fab_pkt *p)
{
	return container_of(p, struct weft_sim_pkt, p);
}

static inline struct weft_message *weft_sim_work(const struct weft_sim *sim,
						 const struct weft_sim_message *m)
{
	return &sim->work->message[m - sim->message];
}

#endif
