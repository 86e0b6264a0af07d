// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupt moderation: when a NIC interrupts its host.
 *
 * DOC: theory of operation
 *
 * Without moderation each frame interrupts the host at once; frames of the same
 * instant share an interrupt. With moderation the NIC holds frames. It interrupts
 * usecs after the first held frame, or with the frames-th one, whichever comes
 * first.
 *
 * Adaptive moderation holds only frames of a stream. Frames form a run as long as
 * there is no gap between them. A gap is when the line was idle, after a frame of
 * duration t, for longer than min(t, tx_latency + rx_latency). The first
 * FAB_MODERATION_RUN frames of a run interrupt at once, and those after them are
 * held. A gap interrupts for the held frames too. So evenly spaced frames at less
 * than half of the line rate are never held, whatever their length.
 *
 * A ping-pong of equal messages has a gap before each message. The path of an answer
 * includes both latencies of this NIC and those of the other NIC: after a frame of
 * duration t the next one of that length arrives more than t + tx_latency +
 * rx_latency later. So messages of up to FAB_MODERATION_RUN frames are never held.
 *
 * Drivers do it differently: lib/dim of Linux tries five settings, one step for each
 * 64 interrupts, and keeps the one with the highest throughput. The result is the
 * same: streams are moderated, and traffic that waits for each packet is not. But it
 * takes thousands of packets, and it never stops trying.
 *
 * Invariants: due is pending exactly when frames are held, never later than
 * limit.
 */
#include "core/node/moderate.h"
#include "core/fabric.h"

/* As many frames of 4 KiB as GRO makes a packet of (64 KiB). */
#define FAB_MODERATION_RUN	16U

#define MODERATION_PS_PER_US	(1000 * FAB_PS_PER_NS)

/**
 * fab_moderation_params_check() - can the model carry these parameters?
 * @p: the parameters
 *
 * Return: 0, or -ERANGE.
 */
int fab_moderation_params_check(const struct fab_moderation_params *p)
{
	if (p->usecs > FAB_MODERATION_USECS_MAX ||
	    p->frames > FAB_MODERATION_FRAMES_MAX)
		return -ERANGE;
	return 0;
}

static inline void moderation_raise(struct fab *fab, struct fab_endpoint *ep,
				    u64 *reason)
{
	struct fab_moderation *m = &ep->moderation;

	m->held = 0;
	fab_event_cancel(&fab->events, &m->due);
	if (unlikely(fab->phased))
		fab_phase_told(fab, ep);
	if (!fab->host->interrupt(ep))
		return;
	m->c.rx_interrupts++;
	++*reason;
}

static void moderation_on_due(struct fab *fab, struct fab_event *ev)
{
	struct fab_moderation *m = container_of(ev, struct fab_moderation, due);
	struct fab_endpoint *ep = container_of(m, struct fab_endpoint,
					       moderation);

	moderation_raise(fab, ep, fab->now < m->limit ?
				  &m->c.rx_interrupts_gap :
				  &m->c.rx_interrupts_usecs);
}

/**
 * fab_moderation_init() - initialise the moderation of an endpoint
 * @ep: the endpoint, whose parameters are there
 */
void fab_moderation_init(struct fab_endpoint *ep)
{
	ep->moderation.p = ep->p->moderation;
	fab_event_init(&ep->moderation.due, moderation_on_due);
}

/**
 * fab_moderation_flush() - interrupt the host for the held frames
 * @fab: the fabric
 * @ep: the endpoint
 */
void fab_moderation_flush(struct fab *fab, struct fab_endpoint *ep)
{
	struct fab_moderation *m = &ep->moderation;

	if (m->held)
		moderation_raise(fab, ep, &m->c.rx_interrupts_once);
}

/**
 * fab_moderation_set() - change the parameters
 * @fab: the fabric
 * @ep: the endpoint
 * @p: parameters, which fab_moderation_params_check() accepts
 *
 * It interrupts the host for the held frames.
 */
void fab_moderation_set(struct fab *fab, struct fab_endpoint *ep,
			const struct fab_moderation_params *p)
{
	fab_moderation_flush(fab, ep);
	ep->moderation.p = *p;
	ep->moderation.run = 0;
}

/* Does a packet that arrives now belong to a stream? */
static bool moderation_streams(struct fab_moderation *m, fab_time now,
			       u32 frames, fab_time gap)
{
	u32 before;

	if (now > m->quiet)
		m->run = 0;
	before = m->run;
	m->run = min(before + frames, FAB_MODERATION_RUN);
	m->quiet = max(m->quiet, now + gap);
	return before == FAB_MODERATION_RUN;
}

static void moderation_hold(struct fab *fab, struct fab_endpoint *ep,
			    u32 frames)
{
	struct fab_moderation *m = &ep->moderation;
	fab_time at;

	if (!m->held)
		m->limit = fab->now + m->p.usecs * MODERATION_PS_PER_US;
	m->held += frames;
	if (unlikely(fab->phased))
		fab_phase_held(fab, ep);
	if (m->p.frames && m->held >= m->p.frames) {
		moderation_raise(fab, ep, &m->c.rx_interrupts_frames);
		return;
	}
	at = m->p.adaptive ? min(m->limit, m->quiet) : m->limit;
	if (!fab_event_pending(&m->due))
		fab_event_schedule(&fab->events, &m->due, at);
	else if (m->due.at != at)
		fab_event_move(&fab->events, &m->due, at);
}

/**
 * fab_moderation_frames() - a packet waits for the host
 * @fab: the fabric
 * @ep: the endpoint that has it
 * @frames: its frames
 * @gap: result of fab_moderation_gap() for the packet
 */
void fab_moderation_frames(struct fab *fab, struct fab_endpoint *ep,
			   u32 frames, fab_time gap)
{
	struct fab_moderation *m = &ep->moderation;
	bool hold = m->p.usecs;

	m->c.rx_moderated += frames;
	if (hold && m->p.adaptive)
		hold = moderation_streams(m, fab->now, frames, gap);
	if (hold)
		moderation_hold(fab, ep, frames);
	else
		moderation_raise(fab, ep, &m->c.rx_interrupts_once);
}

/**
 * fab_moderation_check() - prove the invariants
 * @ep: the endpoint
 * @events: pending events are added
 *
 * Return: NULL, or what is wrong.
 */
const char *fab_moderation_check(const struct fab_endpoint *ep, u64 *events)
{
	const struct fab_moderation *m = &ep->moderation;
	bool pending = fab_event_pending(&m->due);

	*events += pending;
	if (pending != !!m->held)
		return "moderation: frames are held without end, or none";
	if (pending && m->due.at > m->limit)
		return "moderation: frames are held for too long";
	return NULL;
}
