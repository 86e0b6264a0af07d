// SPDX-License-Identifier: GPL-2.0
/*
 * Phases: stretches of time that a program names, or that its traffic shows.
 *
 * DOC: theory of operation
 *
 * Traffic makes a phase if hosts hand in @least bytes more than @rate_bps permits. A
 * bucket of that size fills with the bytes that they hand in, and leaks at that rate.
 * Its state is the time when it is empty, as in GCRA. A packet that finds the bucket
 * empty begins a candidate, at its own time. A packet that fills the bucket turns the
 * candidate into a phase, and belongs to it. Each later packet that fills the bucket
 * again belongs to it too: since an earlier one that does, at least @rate_bps were
 * handed in on average. Programs exchange small packets before large ones
 * (rendezvous). So a later candidate does not replace one while packets follow one
 * another closely and for a short time.
 *
 * All packets handed in from the begin to the last packet that filled the bucket
 * belong to the phase. It ends when the last of them has reached its host or is lost.
 * A packet that the NIC holds (moderate.c) reaches its host with the interrupt: no
 * program can know of it earlier. The phase is over when for @quiet none of its
 * packets was handed in, delivered, reported by an interrupt or lost.
 *
 * So begins and ends are known only later: packets that belong to no phase may follow
 * an end. Nothing is copied at a begin or an end. They have numbers, and each counter
 * is a tally: the count since a begin up to an end, and the count after that end. By
 * the numbers a tally detects a new begin (it starts from 0) or a later end (its open
 * count is sure now). That costs one comparison each, and no event. The end of a
 * phase is detected when the next packet is handed in, delivered or lost, at the next
 * interrupt, or at a read. A run with phases has the same events as one without.
 *
 * An interrupt reports all packets that an endpoint holds. It belongs to the phase if
 * one of them does. So of the held packets that are not older than the begin, the
 * oldest is kept: it is the first one to be of the phase, if any is.
 *
 * Latencies are a histogram, which has no tally. Those that may turn out to belong to
 * the phase wait in a short list. Latencies that do not fit are left out. That takes
 * more than FAB_PHASE_AHEAD deliveries before a candidate becomes a phase, or after
 * the last packet of a phase.
 *
 * A phase by mark begins and ends with marks; its counters are differences of totals.
 *
 * Packets of traffic generators are not of a host and make no phase. Their time on
 * wires and their losses do count.
 */
#include "core/node/phase.h"
#include "core/fabric.h"
#include "core/node/trigger.h"

static u64 tally_read(const struct fab_tally *t, u64 begin, u64 end)
{
	if (t->begin != begin)
		return 0;
	return t->end == end ? t->sure : t->sure + t->open;
}

static void tally_add(struct fab_tally *t, u64 begin, u64 end, u64 n)
{
	t->sure = tally_read(t, begin, end);
	t->open = t->begin == begin && t->end == end ? t->open + n : n;
	t->begin = begin;
	t->end = end;
}

/* The number of the end up to which a sum counts: of the last packet or of the phase. */
static u64 phase_end_of(const struct fab_phases *s, enum fab_phase_sum what)
{
	return what <= FAB_PHASE_BYTES ? s->lasts : s->ends;
}

static bool phase_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9');
}

/**
 * fab_phase_name_valid() - can a mark have this name?
 * @name: the name
 *
 * It starts with a letter or a digit, so it is neither an option nor a path.
 *
 * Return: whether it can.
 */
bool fab_phase_name_valid(const char *name)
{
	const char *c;

	if (!phase_name_char(*name) || strlen(name) >= FAB_PHASE_NAME)
		return false;
	for (c = name; *c; c++)
		if (!phase_name_char(*c) && !strchr("._:+-", *c))
			return false;
	return true;
}

/**
 * fab_phase_excess_check() - check the parameters of an excess over a rate
 * @rate_bps: the rate, bits per second
 * @bytes: the excess
 *
 * Return: 0, or -ERANGE.
 */
int fab_phase_excess_check(u64 rate_bps, u64 bytes)
{
	if (rate_bps < FAB_RATE_MIN || rate_bps > FAB_RATE_MAX)
		return -ERANGE;
	if (!bytes || bytes > FAB_PHASE_LEAST_MAX)
		return -ERANGE;
	return fab_bucket_time(bytes, rate_bps) > FAB_DELAY_MAX ? -ERANGE : 0;
}

/**
 * fab_phase_params_check() - check the conditions of phases by traffic
 * @p: the parameters
 *
 * Return: 0, or -ERANGE.
 */
int fab_phase_params_check(const struct fab_phase_params *p)
{
	if (!p->rate_bps)
		return 0;
	if (!p->quiet || p->quiet > FAB_DELAY_MAX)
		return -ERANGE;
	return fab_phase_excess_check(p->rate_bps, p->least);
}

static void phase_tell(struct fab *fab, const struct fab_phase *ph)
{
	if (fab->host->phase)
		fab->host->phase(fab, ph);
}

/* Add a phase to the list. Returns NULL if that is full. */
static struct fab_phase *phase_add(struct fab *fab, const char *name,
				   fab_time begin)
{
	struct fab_phases *s = &fab->phases;
	struct fab_phase *ph;

	if (s->n == s->room) {
		s->missed++;
		return NULL;
	}
	ph = &s->list[s->n++];
	memset(ph, 0, sizeof(*ph));
	strscpy(ph->name, name, sizeof(ph->name));
	ph->open = true;
	ph->begin = begin;
	ph->end = begin;
	ph->wire = FAB_NO_LABEL;
	fab_hist_init(&ph->latency);
	phase_tell(fab, ph);
	return ph;
}

/* Busy time until now. The counter includes the rest of the present transmission. */
static u64 phase_busy(const struct fab *fab, const struct fab_port *port)
{
	return port->c.tx_busy_ps -
	       (port->busy_until > fab->now ? port->busy_until - fab->now : 0);
}

/* Keep the wire that was busy longest; among equals, that with the lowest label. */
static void phase_see_port(const struct fab *fab, struct fab_phase *ph,
			   const struct fab_port *port)
{
	const struct fab_phases *s = &fab->phases;
	const struct fab_phase_port *pp = &port->phase;
	u64 busy = ph == s->by_mark ?
		   phase_busy(fab, port) - pp->marked_busy :
		   tally_read(&pp->busy, s->begins, s->ends);

	if (!busy || busy < ph->wire_busy || pp->label == FAB_NO_LABEL)
		return;
	if (busy == ph->wire_busy && pp->label >= ph->wire)
		return;
	ph->wire_busy = busy;
	ph->wire = pp->label;
}

static void phase_see_nic(const struct fab *fab, struct fab_phase *ph,
			  const struct fab_endpoint *ep)
{
	const struct fab_phases *s = &fab->phases;
	const struct fab_phase_nic *pn = &ep->phase;
	u64 bytes = ph == s->by_mark ? pn->all - pn->marked :
				       tally_read(&pn->bytes, s->begins, s->lasts);

	phase_see_port(fab, ph, &ep->port);
	ph->nics += !!bytes;
	ph->nic_bytes = max(ph->nic_bytes, bytes);
}

/* Bring the fields of a phase up to date. */
static void phase_fill(const struct fab *fab, struct fab_phase *ph)
{
	const struct fab_phases *s = &fab->phases;
	const struct fab_endpoint *ep;
	const struct fab_switch *sw;
	u32 i;

	ph->end = ph == s->by_mark ? fab->now : s->end;
	ph->nics = 0;
	ph->nic_bytes = 0;
	ph->wire = FAB_NO_LABEL;
	ph->wire_busy = 0;
	for (i = 0; i < FAB_PHASE_SUMS; i++)
		ph->sum[i] = ph == s->by_mark ? s->all[i] - s->marked[i] :
			     tally_read(&s->tally[i], s->begins,
					phase_end_of(s, i));
	for (ep = fab->endpoints; ep; ep = ep->next)
		phase_see_nic(fab, ph, ep);
	for (sw = fab->switches; sw; sw = sw->next)
		for (i = 0; i < sw->p.ports; i++)
			phase_see_port(fab, ph, &sw->port[i]);
}

static void phase_close(struct fab *fab, struct fab_phase *ph)
{
	if (!ph)
		return;
	phase_fill(fab, ph);
	ph->open = false;
	phase_tell(fab, ph);
}

static void phase_traffic_over(struct fab *fab)
{
	struct fab_phases *s = &fab->phases;

	phase_close(fab, s->by_traffic);
	s->by_traffic = NULL;
	s->on = false;
	s->begin = FAB_NEVER;
	s->bucket.empty = fab->now;
}

/**
 * fab_phase_look() - close the phase by traffic if it is over
 * @fab: the fabric
 */
void fab_phase_look(struct fab *fab)
{
	struct fab_phases *s = &fab->phases;

	if (s->on && fab->now > s->end + s->p.quiet)
		phase_traffic_over(fab);
}

/**
 * fab_phase_start() - count for phases from now on
 * @fab: the fabric, for which this was not called before
 * @list: memory of phases; must live as long as the fabric
 * @room: number of phases that fit, at least 1
 */
void fab_phase_start(struct fab *fab, struct fab_phase *list, u32 room)
{
	struct fab_phases *s = &fab->phases;

	s->list = list;
	s->room = room;
	s->begin = FAB_NEVER;
	fab->phased = true;
}

/**
 * fab_phase_watch() - set the conditions of phases by traffic
 * @fab: the fabric, for which fab_phase_start() was called
 * @p: parameters, which fab_phase_params_check() accepts
 *
 * A present phase by traffic ends.
 */
void fab_phase_watch(struct fab *fab, const struct fab_phase_params *p)
{
	struct fab_phases *s = &fab->phases;

	phase_traffic_over(fab);
	s->p = *p;
	fab_bucket_init(&s->bucket, p->rate_bps, p->least);
}

/**
 * fab_phase_plugged() - start the counters of a port that got another wire
 * @fab: the fabric
 * @port: the port
 * @label: the host's number of the wire, or FAB_NO_LABEL
 */
void fab_phase_plugged(struct fab *fab, struct fab_port *port, u32 label)
{
	if (fab->phased)
		fab_phase_look(fab);
	port->phase = (struct fab_phase_port) {
		.label = label,
		.marked_busy = phase_busy(fab, port),
	};
}

static void phase_mark_begin(struct fab *fab, const char *name)
{
	struct fab_phases *s = &fab->phases;
	struct fab_endpoint *ep;
	struct fab_switch *sw;
	u32 i;

	s->by_mark = phase_add(fab, name, fab->now);
	if (!s->by_mark)
		return;
	memcpy(s->marked, s->all, sizeof(s->marked));
	for (ep = fab->endpoints; ep; ep = ep->next) {
		ep->phase.marked = ep->phase.all;
		ep->port.phase.marked_busy = phase_busy(fab, &ep->port);
	}
	for (sw = fab->switches; sw; sw = sw->next)
		for (i = 0; i < sw->p.ports; i++)
			sw->port[i].phase.marked_busy =
				phase_busy(fab, &sw->port[i]);
}

/**
 * fab_phase_mark() - begin the phase of a program's mark
 * @fab: the fabric, for which fab_phase_start() was called
 * @name: name of the phase that begins, shorter than FAB_PHASE_NAME; empty: none
 *
 * The phase of the previous mark ends. If it has the same name nothing happens, as
 * all ranks of a program may set the same mark.
 */
void fab_phase_mark(struct fab *fab, const char *name)
{
	struct fab_phases *s = &fab->phases;

	if (!strcmp(s->mark, name))
		return;
	phase_close(fab, s->by_mark);
	s->by_mark = NULL;
	strscpy(s->mark, name, sizeof(s->mark));
	if (!*name)
		return;
	phase_mark_begin(fab, name);
	fab_trigger_marked(fab, name);
}

/**
 * fab_phase_settle() - bring the phases up to date, for a reader
 * @fab: the fabric
 */
void fab_phase_settle(struct fab *fab)
{
	struct fab_phases *s = &fab->phases;

	if (!fab->phased)
		return;
	fab_phase_look(fab);
	if (s->by_traffic)
		phase_fill(fab, s->by_traffic);
	if (s->by_mark)
		phase_fill(fab, s->by_mark);
}

/**
 * fab_phase_count() - add to a counter of the whole fabric
 * @fab: the fabric
 * @what: the counter
 * @n: amount
 */
void fab_phase_count(struct fab *fab, enum fab_phase_sum what, u64 n)
{
	struct fab_phases *s = &fab->phases;

	s->all[what] += n;
	tally_add(&s->tally[what], s->begins, phase_end_of(s, what), n);
}

/**
 * fab_phase_carried() - count the busy time of a wire
 * @fab: the fabric
 * @port: the port that sends on it
 * @time: duration of the transmission, ps
 */
void fab_phase_carried(struct fab *fab, struct fab_port *port, fab_time time)
{
	struct fab_phases *s = &fab->phases;

	tally_add(&port->phase.busy, s->begins, s->ends, time);
}

static void phase_end_moves(struct fab *fab)
{
	fab->phases.end = fab->now;
	fab->phases.ends++;
}

/* The candidate becomes a phase. */
static void phase_found(struct fab *fab)
{
	struct fab_phases *s = &fab->phases;

	s->by_traffic = phase_add(fab, "", s->begin);
	s->on = true;
	s->found++;
	fab_trigger_phased(fab);
}

/* The packet that is handed in now belongs to the phase, and so do those since its begin. */
static void phase_belongs(struct fab *fab)
{
	struct fab_phases *s = &fab->phases;
	u32 i;

	if (!s->on)
		phase_found(fab);
	s->last = fab->now;
	s->lasts++;
	phase_end_moves(fab);
	for (i = 0; s->by_traffic && i < s->ahead; i++)
		fab_hist_add(&s->by_traffic->latency, s->late[i]);
	s->ahead = 0;
}

/* This packet begins a candidate, unless there is a phase or a candidate to keep. */
static void phase_candidate(struct fab *fab)
{
	struct fab_phases *s = &fab->phases;
	fab_time lead = s->p.quiet / FAB_PHASE_LEAD;

	if (fab->now - s->before > lead)
		s->run = fab->now;
	s->before = fab->now;
	if (s->on || s->bucket.empty > fab->now)
		return;
	if (s->begin != FAB_NEVER && s->begin >= s->run &&
	    fab->now != s->run && fab->now - s->run <= lead)
		return;
	s->begin = fab->now;
	s->begins++;
	s->ahead = 0;
}

/**
 * fab_phase_sent() - count a packet that a host hands in
 * @fab: the fabric
 * @ep: the endpoint that sends
 * @pkt: the packet
 */
void fab_phase_sent(struct fab *fab, struct fab_endpoint *ep,
		    struct fab_pkt *pkt)
{
	struct fab_phases *s = &fab->phases;

	if (ep->phase.ignored)
		return;
	pkt->phased = true;
	fab_phase_look(fab);
	if (s->p.rate_bps)
		phase_candidate(fab);
	fab_phase_count(fab, FAB_PHASE_PACKETS, pkt->segs);
	fab_phase_count(fab, FAB_PHASE_BYTES, pkt->len);
	ep->phase.all += pkt->len;
	tally_add(&ep->phase.bytes, s->begins, s->lasts, pkt->len);
	if (s->p.rate_bps && fab_bucket_add(&s->bucket, fab->now, pkt->len))
		phase_belongs(fab);
}

/* Is a packet known to belong to the phase by traffic? */
static bool phase_has(const struct fab_phases *s, const struct fab_pkt *pkt)
{
	return s->on && pkt->phased && pkt->born >= s->begin &&
	       pkt->born <= s->last;
}

/**
 * fab_phase_dropped() - count a packet that is lost
 * @fab: the fabric
 * @pkt: the packet
 */
void fab_phase_dropped(struct fab *fab, const struct fab_pkt *pkt)
{
	fab_phase_look(fab);
	fab_phase_count(fab, FAB_PHASE_DROPPED, pkt->segs);
	if (phase_has(&fab->phases, pkt))
		phase_end_moves(fab);
}

/**
 * fab_phase_delivered() - count a packet that is delivered to a host
 * @fab: the fabric
 * @ep: the endpoint that has it
 * @pkt: the packet
 */
void fab_phase_delivered(struct fab *fab, struct fab_endpoint *ep,
			 const struct fab_pkt *pkt)
{
	struct fab_phases *s = &fab->phases;
	fab_time late = fab->now - pkt->born;

	ep->phase.arrived = pkt->phased ? pkt->born : FAB_NEVER;
	if (!pkt->phased)
		return;
	if (s->by_mark)
		fab_hist_add(&s->by_mark->latency, late);
	fab_phase_look(fab);
	if (phase_has(s, pkt)) {
		phase_end_moves(fab);
		if (s->by_traffic)
			fab_hist_add(&s->by_traffic->latency, late);
	} else if (s->begin != FAB_NEVER && pkt->born >= s->begin &&
		   s->ahead < FAB_PHASE_AHEAD) {
		s->late[s->ahead++] = late;
	}
}

/**
 * fab_phase_held() - the packet that was just delivered waits for an interrupt
 * @fab: the fabric
 * @ep: the endpoint that has it
 */
void fab_phase_held(struct fab *fab, struct fab_endpoint *ep)
{
	const struct fab_phases *s = &fab->phases;
	struct fab_phase_nic *pn = &ep->phase;

	if (s->begin == FAB_NEVER || pn->arrived == FAB_NEVER ||
	    pn->arrived < s->begin)
		return;
	if (pn->held_begin != s->begins)
		pn->held = FAB_NEVER;
	pn->held_begin = s->begins;
	pn->held = min(pn->held, pn->arrived);
}

/**
 * fab_phase_told() - an interrupt tells the host of all packets of an endpoint
 * @fab: the fabric
 * @ep: the endpoint
 */
void fab_phase_told(struct fab *fab, struct fab_endpoint *ep)
{
	struct fab_phases *s = &fab->phases;
	struct fab_phase_nic *pn = &ep->phase;

	fab_phase_look(fab);
	if (s->on && pn->held_begin == s->begins && pn->held <= s->last)
		phase_end_moves(fab);
	pn->held = FAB_NEVER;
}
