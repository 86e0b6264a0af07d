// SPDX-License-Identifier: GPL-2.0
/*
 * Pauses: "pause" stops a whole link (802.3x), "pfc" each class on its own
 * (802.1Qbb).
 *
 * DOC: theory of operation
 *
 * When the buffer reports a class as over, the port sends XOFF: the far end stops the
 * class for a number of quanta of 512 bit times. The port repeats XOFF after half of
 * that time until the class is under again, and then sends XON. A frame contains the
 * changes since the last one, so a change that reverts before the wire is free is
 * never sent. With "pause" all classes are over when one is, and under when all are.
 *
 * The far end finishes the packet on its wire and sends no other of the class until
 * the pause ends. It counts quanta at its own rate, from the instant that the frame
 * takes effect (fab_port_params.react after its last bit). Control frames are never
 * paused.
 *
 * pfc_watchdog.c has what a switch does with a class that is paused for ever.
 *
 * Sources: the rules of IEEE 802.3 annex 31B and 802.1Q clause 36 as commonly
 * described (neither was read); thresholds as in buffer.c. Documentation/model/pfc.rst
 * has the details.
 *
 * Invariants: a class in its headroom is over; a class that is over holds bytes; a
 * class whose last frame is stale has a frame pending; the timer is not later than
 * any deadline; only lossless classes are paused.
 *
 * Not modelled: jitter of the frames' time stamps, MACsec, pause by the length of
 * the egress queue.
 */
#include "core/flow/pfc.h"
#include "core/fabric.h"
#include "core/flow/pfc_state.h"
#include "core/sim/fixed.h"

#define PFC_SLOTS	64	/* frames on a wire */
#define PFC_CLASS_SLOTS	8	/* of each class, whose XOFF and XON alternate */

/* Do all classes stop and resume together? */
static bool pfc_together(const struct fab_port *port)
{
	return port->flow->pauses == FAB_PAUSES_LINK;
}

static const struct fab_buffer *pfc_buffer(const struct fab_port *port)
{
	return port->sw ? &port->sw->buffer : &port->ep->rx.buffer;
}

/* The earliest deadline of a class. */
static fab_time pfc_class_next(const struct fab_port *port, u32 cls)
{
	const struct pfc *pfc = pfc_of(port);
	const struct pfc_class *c = &pfc->cls[cls];
	fab_time at = FAB_NEVER;

	if (pfc->paused & BIT(cls))
		at = min(at, c->until);
	if (pfc->told & ~pfc->due & BIT(cls))
		at = min(at, c->refresh);
	if (pfc->storm & BIT(cls))
		at = min(at, c->heard + port->p->flow.pfc.restore);
	return at;
}

static fab_time pfc_next(const struct fab_port *port)
{
	const struct pfc *pfc = pfc_of(port);
	u16 busy = pfc->paused | pfc->told | pfc->storm;
	fab_time at = pfc->poll;

	for (; busy; busy &= busy - 1)
		at = min(at, pfc_class_next(port, __ffs(busy)));
	return at;
}

/* Classes with a pending frame. */
static u16 pfc_news(const struct fab_port *port)
{
	const struct pfc *pfc = pfc_of(port);
	u16 say = (port->over ^ pfc->told) | (port->over & pfc->due);

	return say && pfc_together(port) ? port->lossless : say;
}

/* Set the timer to the earliest deadline. */
static void pfc_arm(struct fab *fab, struct fab_port *port)
{
	fab_event_move(&fab->events, &port->flow_timer, pfc_next(port));
}

/*
 * Receiving: when the far end must stop
 */

/* Classes that stop and resume together with @cls. */
static u16 pfc_group(const struct fab_port *port, u32 cls)
{
	if (pfc_together(port))
		return port->lossless;
	return port->lossless & BIT(cls);
}

/* Classes that a fault stops, whatever the buffer holds. */
static u16 pfc_forced(const struct fab_port *port)
{
	u16 storm = port->faults.storm & port->lossless;

	return storm && pfc_together(port) ? port->lossless : storm;
}

/* May all of @group resume? */
static bool pfc_under(const struct fab_port *port, u16 group)
{
	if (group & pfc_forced(port))
		return false;
	for (; group; group &= group - 1)
		if (!fab_buffer_under(pfc_buffer(port),
				      &port->cls[__ffs(group)].account))
			return false;
	return true;
}

static noinline void pfc_stop_group(struct fab *fab, struct fab_port *port, u32 cls)
{
	u16 group = pfc_group(port, cls);

	if (!(group & ~port->over))
		return;
	port->over |= group;
	fab_control_want(fab, port);
}

/* Must the far end stop a class, after a packet was taken or refused? */
static inline bool pfc_stops(const struct fab_port *port, u32 cls,
			     enum fab_drop verdict)
{
	const struct fab_account *a = &port->cls[cls].account;

	if (unlikely(fab_buffer_over(pfc_buffer(port), a)))
		return true;
	return unlikely(verdict == FAB_DROP_HEADROOM) && fab_account_held(a);
}

static inline void pfc_stop(struct fab *fab, struct fab_port *port, u32 cls,
			    enum fab_drop verdict)
{
	if (pfc_stops(port, cls, verdict))
		pfc_stop_group(fab, port, cls);
}

static void pfc_on_receive(struct fab *fab, struct fab_port *port,
			   struct fab_pkt *pkt, enum fab_drop verdict)
{
	pfc_stop(fab, port, pkt->cls_in, verdict);
}

static void pfc_on_copy(struct fab *fab, struct fab_port *port,
			const struct fab_pkt *pkt)
{
	pfc_stop(fab, port, pkt->cls_in, FAB_DROP_COUNT);
}

/* May the far end go on? */
static void pfc_on_release(struct fab *fab, struct fab_port *port,
			   const struct fab_pkt *pkt)
{
	u16 group = pfc_group(port, pkt->cls_in);

	if (!(group & port->over) || !pfc_under(port, group))
		return;
	port->over &= ~group;
	fab_control_want(fab, port);
}

static void pfc_say(struct fab_port *port, u16 say, struct fab_control *c)
{
	u16 quanta = port->p->flow.pfc.quanta;
	u32 cls;

	if (pfc_together(port)) {
		c->type = FAB_CONTROL_PAUSE;
		c->pause.quanta[0] = port->over ? quanta : 0;
		return;
	}
	c->type = FAB_CONTROL_PFC;
	c->pause.enable = say;
	for (; say; say &= say - 1) {
		cls = __ffs(say);
		c->pause.quanta[cls] = port->over & BIT(cls) ? quanta : 0;
	}
}

static u32 pfc_control(struct fab *fab, struct fab_port *port, enum fab_say how,
		       struct fab_control *c)
{
	struct pfc *pfc = pfc_of(port);
	u16 say = pfc_news(port), left;
	fab_time time;

	pfc->due = 0;
	if (!say)
		return 0;
	pfc_say(port, say, c);
	pfc->told = port->over;
	if (unlikely(port->faults.storm))
		fab_fault_stormed(port, say & pfc_forced(port));
	/* The far end counts quanta at its own rate. */
	time = fab_pfc_time(port->p->flow.pfc.quanta, port->peer->wire.bps);
	for (left = say; left; left &= left - 1) {
		pfc->cls[__ffs(left)].refresh = fab->now + time / 2;
		port->cls[__ffs(left)].c.tx_pause++;
	}
	pfc_arm(fab, port);
	return FAB_PFC_WIRE;
}

/* Request another frame: XOFF, or XON if the class may resume by now. */
static void pfc_refresh(struct fab *fab, struct fab_port *port, u32 cls)
{
	struct pfc *pfc = pfc_of(port);
	u16 group = pfc_group(port, cls);

	if (pfc_under(port, group))
		port->over &= ~group;
	pfc->due |= BIT(cls);
	fab_control_want(fab, port);
}

/*
 * Sending: when the far end stops
 */

static void pfc_pause(struct fab *fab, struct fab_port *port, u32 cls,
		      u16 quanta)
{
	struct pfc *pfc = pfc_of(port);
	struct pfc_class *c = &pfc->cls[cls];

	c->until = fab->now + fab_pfc_time(quanta, port->wire.bps);
	if (pfc->paused & BIT(cls))
		return;
	fab_pfc_watch(fab, port);
	pfc->paused |= BIT(cls);
	fab_pfc_halt(port);
	c->since = fab->now;
	fab_notice(fab, port, cls, FAB_NOTICE_PAUSED);
}

static void pfc_resume(struct fab *fab, struct fab_port *port, u32 cls)
{
	struct pfc *pfc = pfc_of(port);
	struct pfc_class *c = &pfc->cls[cls];

	if (!(pfc->paused & BIT(cls)))
		return;
	pfc->paused &= ~BIT(cls);
	fab_pfc_halt(port);
	c->paused += fab->now - c->since;
	fab_notice(fab, port, cls, FAB_NOTICE_RESUMED);
	fab_port_kick(fab, port, fab->now);
}

static void pfc_on_control(struct fab *fab, struct fab_port *port,
			   const struct fab_control *c)
{
	bool all = c->type == FAB_CONTROL_PAUSE;
	u16 classes = port->lossless, quanta;
	u32 cls;

	if (!all)
		classes &= c->pause.enable;
	for (; classes; classes &= classes - 1) {
		cls = __ffs(classes);
		quanta = c->pause.quanta[all ? 0 : cls];
		port->cls[cls].c.rx_pause++;
		pfc_of(port)->cls[cls].heard = fab->now;
		if (quanta)
			pfc_pause(fab, port, cls, quanta);
		else
			pfc_resume(fab, port, cls);
	}
	pfc_arm(fab, port);
}

/*
 * The port
 */

static void pfc_class_on_timer(struct fab *fab, struct fab_port *port, u32 cls)
{
	struct pfc *pfc = pfc_of(port);
	struct pfc_class *c = &pfc->cls[cls];

	if (pfc->paused & BIT(cls) && c->until <= fab->now)
		pfc_resume(fab, port, cls);
	if (pfc->told & ~pfc->due & BIT(cls) && c->refresh <= fab->now)
		pfc_refresh(fab, port, cls);
	if (pfc->storm & BIT(cls) &&
	    c->heard + port->p->flow.pfc.restore <= fab->now)
		fab_pfc_restore(fab, port, cls);
}

static void pfc_on_timer(struct fab *fab, struct fab_port *port)
{
	u32 cls;

	if (pfc_of(port)->poll <= fab->now)
		fab_pfc_poll(fab, port);
	for (cls = 0; cls < port->p->classes; cls++)
		pfc_class_on_timer(fab, port, cls);
	pfc_arm(fab, port);
}

static int pfc_check_params(const struct fab_flow_control *flow, u32 classes,
			    const struct fab_pfc_params *p)
{
	if (p->quanta < FAB_PFC_QUANTA_MIN || !fab_pfc_watchdog_ok(p))
		return -EINVAL;
	if (flow->pauses == FAB_PAUSES_LINK)
		return 0;
	return classes > FAB_CONTROL_QUANTA || p->enable >> classes ?
	       -EINVAL : 0;
}

static int pfc_params_check(const struct fab_port_params *p)
{
	return pfc_check_params(p->disc->flow, p->classes, &p->flow.pfc);
}

static u16 pfc_lossless(const struct fab_port *port,
			const struct fab_pfc_params *p)
{
	return pfc_together(port) ? BIT(port->p->classes) - 1 : p->enable;
}

static void pfc_init(struct fab *fab, struct fab_port *port)
{
	port->lossless = pfc_lossless(port, &port->p->flow.pfc);
	pfc_of(port)->poll = FAB_NEVER;
}

/* The pauses of @classes are over: those that came, and those to be sent. */
static void pfc_end(struct fab *fab, struct fab_port *port, u16 classes)
{
	struct pfc *pfc = pfc_of(port);

	port->over &= ~classes;
	for (; classes; classes &= classes - 1) {
		pfc->cls[__ffs(classes)].stuck = 0;
		pfc_resume(fab, port, __ffs(classes));
	}
}

/* Evaluate the buffers of all classes again, and the stops by faults. */
static void pfc_look(struct fab *fab, struct fab_port *port)
{
	u16 forced = pfc_forced(port);
	u32 cls;

	if (forced & ~port->over) {
		port->over |= forced;
		fab_control_want(fab, port);
	}
	for (cls = 0; cls < port->p->classes; cls++)
		pfc_stop(fab, port, cls, FAB_DROP_COUNT);
}

static void pfc_reset(struct fab *fab, struct fab_port *port)
{
	struct pfc *pfc = pfc_of(port);

	pfc_end(fab, port, port->lossless);
	fab_pfc_end_storms(fab, port);
	pfc->told = 0;
	pfc->due = 0;
	pfc->poll = FAB_NEVER;
	pfc_arm(fab, port);
	if (fab_port_can_send(port))
		pfc_look(fab, port);
}

/* Can the classes of @gone become lossy: do their queues fit the limit? */
static bool pfc_may_go(const struct fab_port *port, u16 gone)
{
	for (; port->sw && gone; gone &= gone - 1)
		if (port->cls[__ffs(gone)].bytes > port->p->queue_limit)
			return false;
	return true;
}

/**
 * fab_pfc_set() - change the parameters of a port
 * @fab: the fabric
 * @port: the port
 * @p: the parameters
 *
 * Classes that are no longer lossless resume. All storms end; those that persist are
 * detected again.
 *
 * Return: 0; -EOPNOTSUPP if its flow control has no pauses; -EINVAL for invalid
 * parameters; -EBUSY if the queue of a class that becomes lossy exceeds the limit of
 * lossy classes.
 */
int fab_pfc_set(struct fab *fab, struct fab_port *port,
		const struct fab_pfc_params *p)
{
	u16 gone;

	if (port->flow->pauses == FAB_PAUSES_NONE)
		return -EOPNOTSUPP;
	if (pfc_check_params(port->flow, port->p->classes, p))
		return -EINVAL;
	gone = port->lossless & ~pfc_lossless(port, p);
	if (!pfc_may_go(port, gone))
		return -EBUSY;
	pfc_end(fab, port, gone);
	fab_pfc_end_storms(fab, port);
	port->p->flow.pfc = *p;
	port->lossless = pfc_lossless(port, p);
	pfc_of(port)->poll = FAB_NEVER;
	if (pfc_of(port)->paused)
		fab_pfc_watch(fab, port);
	pfc_look(fab, port);
	if (pfc_news(port))
		fab_control_want(fab, port);
	pfc_arm(fab, port);
	return 0;
}

/**
 * fab_pfc_storm() - start or end a pause storm that a port sends
 * @fab: the fabric
 * @port: the port
 * @storm: bit per class that faults stop from now on
 *
 * No XON is sent for classes whose storm ends: the last pause expires.
 */
void fab_pfc_storm(struct fab *fab, struct fab_port *port, u16 storm)
{
	struct pfc *pfc = pfc_of(port);
	u16 before = pfc_forced(port), left;

	port->faults.storm = storm;
	for (left = before & ~pfc_forced(port); left; left &= left - 1) {
		if (!pfc_under(port, pfc_group(port, __ffs(left))))
			continue;
		port->over &= ~(left & -left);
		pfc->told &= ~(left & -left);
		pfc->due &= ~(left & -left);
	}
	if (fab_port_can_send(port))
		pfc_look(fab, port);
	pfc_arm(fab, port);
}

static const char *pfc_check_class(const struct fab_port *port, u32 cls)
{
	u16 group = pfc_group(port, cls), over = port->over & BIT(cls);
	u64 held = 0;

	if (port->cls[cls].account.headroom && !over)
		return "pfc: in the headroom, and the far end may send";
	for (; group; group &= group - 1)
		held += fab_account_held(&port->cls[__ffs(group)].account);
	if (pfc_forced(port) & BIT(cls) && !over)
		return "pfc: a storm does not stop the far end";
	if (over && !held && !(pfc_forced(port) & BIT(cls)))
		return "pfc: the far end is stopped for an empty buffer";
	return NULL;
}

static const char *pfc_check(const struct fab_port *port)
{
	const struct pfc *pfc = pfc_of(port);
	u16 classes = port->lossless;
	const char *wrong = NULL;

	if (pfc_next(port) != (fab_event_pending(&port->flow_timer) ?
			       port->flow_timer.at : FAB_NEVER))
		return "pfc: the timer is not at the next deadline";
	if ((pfc->paused | port->over) & ~port->lossless)
		return "pfc: a lossy class is paused";
	if (port->halted != (pfc->paused & ~pfc->storm))
		return "pfc: other classes are halted than are paused";
	if (port->ready & port->dropping & pfc->storm)
		return "pfc: packets wait in a class that is dropped";
	if (!fab_port_can_send(port))
		return NULL;
	if (pfc_news(port) && !(port->urgent & FAB_URGENT_CONTROL))
		return "pfc: something to say, and it is not said";
	for (; classes && !wrong; classes &= classes - 1)
		wrong = pfc_check_class(port, __ffs(classes));
	return wrong;
}

#define PFC_HOOKS							\
	.kind = FAB_FLOW_PFC,						\
	.state_size = sizeof(struct pfc),				\
	.class_size = sizeof(struct pfc_class),				\
	.at_threshold = true,						\
	.control_slots = PFC_SLOTS,					\
	.class_slots = PFC_CLASS_SLOTS,					\
	.params_check = pfc_params_check,				\
	.init = pfc_init,						\
	.reset = pfc_reset,						\
	.control = pfc_control,						\
	.on_control = pfc_on_control,					\
	.on_receive = pfc_on_receive,					\
	.on_copy = pfc_on_copy,						\
	.on_release = pfc_on_release,					\
	.on_timer = pfc_on_timer,					\
	.check = pfc_check

static const struct fab_flow_control pause_flow = {
	.pauses = FAB_PAUSES_LINK,
	PFC_HOOKS,
};

static const struct fab_flow_control pfc_flow = {
	.pauses = FAB_PAUSES_CLASS,
	PFC_HOOKS,
};

const struct fab_discipline fab_pause = {
	.name = "pause",
	.framing = &fab_frames,
	.flow = &pause_flow,
	.family = FAB_ETHERNET,
};

const struct fab_discipline fab_pfc = {
	.name = "pfc",
	.framing = &fab_frames,
	.flow = &pfc_flow,
	.family = FAB_ETHERNET,
};
