// SPDX-License-Identifier: GPL-2.0
/*
 * Egress scheduling: which class of a port sends next.
 *
 * DOC: theory of operation
 *
 * Strict classes first, the higher number before the lower (802.1Q 8.6.8.1).
 * The others by deficit round robin (Shreedhar and Varghese, SIGCOMM 1995): a
 * visit to a class adds its quantum, weight times the unit, to its deficit, and
 * lasts as long as the deficit covers the next packet. Over any interval in
 * which two classes always have packets, their bytes differ from the ratio of
 * their weights by less than a quantum and a packet each. A class that runs
 * empty loses its deficit; one that is held back by its discipline keeps it.
 *
 * That is one kind; the other is InfiniBand's arbitration by tables, vlarb.c.
 *
 * The caller counts bytes as they are on the wire, per-frame overhead included.
 */
#include "core/egress/sched.h"
#include "core/sim/bitset.h"

/**
 * fab_sched_params_check() - can the model carry these parameters?
 * @p: the parameters
 * @classes: classes of the port, 1 to FAB_CLASSES_MAX
 *
 * Return: 0; -EINVAL for an unknown kind, a quantum of 0, and for tables that
 * fab_vlarb_params_check() refuses.
 */
int fab_sched_params_check(const struct fab_sched_params *p, u32 classes)
{
	switch (p->kind) {
	case FAB_SCHED_DRR:
		return p->quantum ? 0 : -EINVAL;
	case FAB_SCHED_VLARB:
		return fab_vlarb_params_check(&p->vlarb, classes);
	}
	return -EINVAL;
}

/**
 * fab_sched_init() - make a scheduler
 * @s: the scheduler
 * @p: its parameters, which fab_sched_params_check() accepts
 */
void fab_sched_init(struct fab_sched *s, const struct fab_sched_params *p)
{
	u32 i;

	memset(s, 0, sizeof(*s));
	s->kind = p->kind;
	if (p->kind == FAB_SCHED_VLARB) {
		s->tables = p->vlarb;
		fab_vlarb_init(&s->vlarb, &s->tables);
		return;
	}
	s->quantum = p->quantum;
	s->fresh = true;
	for (i = 0; i < FAB_CLASSES_MAX; i++) {
		s->weight[i] = p->weight[i];
		if (!p->weight[i])
			s->strict |= BIT(i);
	}
}

static u64 sched_quantum(const struct fab_sched *s, u32 cls)
{
	return (u64)s->weight[cls] * s->quantum;
}

/*
 * One round over the classes of @ready, in turn. The round may end in the
 * middle of a visit, which then goes on with the next packet.
 */
static int sched_round(struct fab_sched *s, u16 ready, const u32 *head_bytes)
{
	u32 n = hweight16(ready) + 1;
	u8 cls;

	while (n--) {
		cls = fab_bits_turn(ready, s->turn);
		if (cls != s->turn)
			s->fresh = true;
		s->turn = cls;
		if (s->fresh)
			s->deficit[cls] += sched_quantum(s, cls);
		s->fresh = false;
		if (s->deficit[cls] >= head_bytes[cls])
			return cls;
		s->turn = (cls + 1) % FAB_CLASSES_MAX;
		s->fresh = true;
	}
	return -1;
}

/*
 * Quanta far smaller than the packets would take many rounds in which nobody
 * may send: take all of them but the last at once.
 */
static void sched_skip(struct fab_sched *s, u16 ready, const u32 *head_bytes)
{
	u32 least = U32_MAX, lack, cls;
	u16 left;

	for (left = ready; left; left &= left - 1) {
		cls = __ffs(left);
		/* After a round a quantum is less than a packet: 32 bits. */
		lack = head_bytes[cls] - s->deficit[cls];
		least = min(least, (lack - 1) / (u32)sched_quantum(s, cls));
	}
	for (left = ready; left; left &= left - 1) {
		cls = __ffs(left);
		s->deficit[cls] += least * sched_quantum(s, cls);
	}
}

/**
 * fab_sched_pick() - choose the class that sends next
 * @s: the scheduler
 * @ready: bit per class whose first packet may go now
 * @head_bytes: length on the wire of the first packet of each of them
 *
 * The caller sends the packet and says so with fab_sched_sent().
 *
 * Return: the class; -1 when @ready is empty, or has only classes that are
 * never served (fab_sched_serves()).
 */
int fab_sched_pick(struct fab_sched *s, u16 ready, const u32 *head_bytes)
{
	int cls;

	if (!ready)
		return -1;
	if (s->kind == FAB_SCHED_VLARB)
		return fab_vlarb_pick(&s->vlarb, &s->tables, ready);
	if (ready & s->strict)
		return fls(ready & s->strict) - 1;
	cls = sched_round(s, ready, head_bytes);
	if (cls >= 0)
		return cls;
	sched_skip(s, ready, head_bytes);
	return sched_round(s, ready, head_bytes);
}

/* Add quanta of a class until it has @lack bytes more; one is less than a packet: 32 bits. */
static void sched_rounds(struct fab_sched *s, u32 cls, u32 lack)
{
	u32 quantum = sched_quantum(s, cls);

	s->deficit[cls] += (u64)quantum * DIV_ROUND_UP(lack, quantum);
}

/**
 * fab_sched_only() - as fab_sched_pick(), if only one class is ready
 * @s: the scheduler
 * @cls: the class
 * @bytes: length on the wire of its first packet
 *
 * Return: false if it is never served.
 */
bool fab_sched_only(struct fab_sched *s, u32 cls, u32 bytes)
{
	s64 *deficit = &s->deficit[cls];

	if (s->kind == FAB_SCHED_VLARB)
		return fab_vlarb_pick(&s->vlarb, &s->tables, BIT(cls)) >= 0;
	if (s->strict & BIT(cls))
		return true;
	if (s->fresh || cls != s->turn)
		*deficit += sched_quantum(s, cls);
	s->turn = cls;
	s->fresh = false;
	if (likely(*deficit >= bytes))
		return true;
	*deficit += sched_quantum(s, cls);
	if (*deficit < bytes)
		sched_rounds(s, cls, bytes - *deficit);
	return true;
}

/**
 * fab_sched_sent() - a packet was sent
 * @s: the scheduler
 * @cls: its class, as fab_sched_pick() said
 * @bytes: its length on the wire
 *
 * If the class ran empty by it, fab_sched_idle() may have been called already:
 * then there is no deficit to take from.
 */
void fab_sched_sent(struct fab_sched *s, u8 cls, u32 bytes)
{
	if (s->kind == FAB_SCHED_VLARB)
		fab_vlarb_sent(&s->vlarb, &s->tables, cls, bytes);
	else if (s->weight[cls])
		s->deficit[cls] -= min(s->deficit[cls], (s64)bytes);
}
