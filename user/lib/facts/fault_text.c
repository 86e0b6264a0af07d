// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults as text for people.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <linux/weft.h>

#include "base/units.h"
#include "facts/facts.h"
#include "facts/port_view.h"
#include "netlink/fault.h"
#include "netlink/fault_fields.h"
#include "netlink/json.h"

#define DSTS_SHOWN	3

static bool has(const struct weft_fault *f, unsigned int attr)
{
	return f->has & WEFT_HAS(attr);
}

static const struct weft_link *find_link(const struct weft_facts *facts,
					 uint32_t id)
{
	for (unsigned int i = 0; i < facts->links; i++)
		if (facts->link[i].id == id)
			return &facts->link[i];
	return NULL;
}

static const char *switch_name(const struct weft_facts *facts, uint32_t id)
{
	const struct weft_switch *sw = weft_switch_find(facts->sw, facts->switches, id);

	return sw ? sw->name : "";
}

static const char *nic_name(const struct weft_facts *facts, uint32_t id)
{
	const struct weft_nic *nic = weft_nic_find(facts->nic, facts->nics, id);

	return nic ? nic->name : "a NIC that is gone";
}

static void switch_json(json_t *o, const struct weft_facts *facts,
			const struct weft_fault *fault)
{
	json_t *dst = json_array();

	json_object_set_new(o, "switch",
			    json_string(switch_name(facts, fault->sw)));
	for (unsigned int i = 0; i < fault->dst.n; i++)
		json_array_append_new(dst, json_string(nic_name(facts,
								fault->dst.v[i])));
	if (fault->dst.n)
		json_object_set(o, "dst", dst);
	json_decref(dst);
}

static void link_json(json_t *o, const struct weft_facts *facts,
		      const struct weft_fault *fault)
{
	const struct weft_link *link = find_link(facts, fault->link);
	struct weft_port_view v = { 0 };

	if (link)
		weft_port_view(&v, facts, link,
			       has(fault, WEFT_A_FAULT_DIRECTION) ?
			       fault->direction & 1 : 0);
	json_object_set_new(o, "link", json_string(link ? link->name : ""));
	json_object_set_new(o, "from", json_string(v.name));
	json_object_set_new(o, "to", json_string(v.peer));
	json_object_set_new(o, "both",
			    json_boolean(!has(fault, WEFT_A_FAULT_DIRECTION)));
}

/**
 * weft_fault_json() - a fault as JSON
 * @facts: the lab
 * @fault: the fault
 *
 * Return: a new reference.
 */
json_t *weft_fault_json(const struct weft_facts *facts,
			const struct weft_fault *fault)
{
	const struct weft_counters *c = &fault->counters;
	json_t *o = json_object();
	char text[256];

	json_object_set_new(o, "id", json_integer(fault->id));
	if (has(fault, WEFT_A_FAULT_SWITCH))
		switch_json(o, facts, fault);
	else
		link_json(o, facts, fault);
	weft_fields_json(o, weft_fault_fields_shown, fault);
	if (has(fault, WEFT_A_FAULT_TRIGGER))
		weft_trigger_json(o, facts, fault->trigger, fault->after);
	for (unsigned int i = 0; i < c->n; i++)
		json_object_set_new(o, c->c[i].name,
				    weft_json_u64(c->c[i].value));
	json_object_set_new(o, "effect",
			    json_string(weft_fault_effect(fault, facts, text,
							  sizeof(text))));
	json_object_set_new(o, "when",
			    json_string(weft_fault_when(fault, facts, text,
							sizeof(text))));
	return o;
}

/**
 * weft_faults_json() - all faults of a lab as JSON
 * @facts: the lab
 *
 * Return: a new reference.
 */
json_t *weft_faults_json(const struct weft_facts *facts)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < facts->faults; i++)
		json_array_append_new(a, weft_fault_json(facts,
							 &facts->fault[i]));
	return a;
}

__attribute__((format(printf, 3, 4)))
static void add(char *buf, size_t len, const char *fmt, ...)
{
	size_t used = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf + used, len - used, fmt, ap);
	va_end(ap);
}

static void add_time(char *buf, size_t len, const char *before, uint64_t ps)
{
	char time[32];

	add(buf, len, "%s%s", before, weft_format_time(time, sizeof(time), ps));
}

static void add_rate(char *buf, size_t len, const struct weft_fault *f)
{
	char rate[32];

	if (f->rate)
		add(buf, len, "carries at most %s",
		    weft_format_rate(rate, sizeof(rate), f->rate));
	if (f->lanes)
		add(buf, len, "%sat most %" PRIu32 " of its lanes work",
		    f->rate ? ", " : "", f->lanes);
}

static void add_delay(char *buf, size_t len, const struct weft_fault *f)
{
	add_time(buf, len, "each packet arrives ", f->delay);
	if (f->jitter)
		add_time(buf, len, " to ", f->delay + f->jitter);
	add(buf, len, " later");
}

static void add_loss(char *buf, size_t len, const struct weft_fault *f)
{
	double p = f->probability / 1e9;

	if (f->burst)
		add(buf, len,
		    "a share of %g of the frames is lost, in bursts of %" PRIu32 " on average",
		    p, f->burst);
	else
		add(buf, len, "each frame is lost with probability %g", p);
}

static void add_classes(char *buf, size_t len, const struct weft_fault *f)
{
	const char *before = " ";

	if (!f->classes)
		return;
	add(buf, len, " of class");
	for (unsigned int i = 0; i < 32; i++) {
		if (!(f->classes >> i & 1))
			continue;
		add(buf, len, "%s%u", before, i);
		before = ",";
	}
}

static void add_storm(char *buf, size_t len, const struct weft_fault *f)
{
	add(buf, len, "the sending port pauses all packets");
	add_classes(buf, len, f);
	add(buf, len, " of the far end");
}

static void add_slow(char *buf, size_t len, const struct weft_fault *f)
{
	char rate[32];

	if (f->rate)
		add(buf, len, "the host of the sending NIC takes at most %s",
		    weft_format_rate(rate, sizeof(rate), f->rate));
	else
		add(buf, len, "the host of the sending NIC takes no packets");
}

static void add_marks(char *buf, size_t len, const struct weft_fault *f)
{
	char kmin[32], kmax[32];

	if (!f->kmax) {
		add(buf, len, "the sending port marks no packets");
	} else {
		weft_format_size(kmin, sizeof(kmin), f->kmin);
		weft_format_size(kmax, sizeof(kmax), f->kmax);
		add(buf, len,
		    "the sending port marks from %s queued on, with probability %g at %s and all above",
		    kmin, f->pmax / 1e6, kmax);
	}
	add_classes(buf, len, f);
}

static void add_dst(char *buf, size_t len, const struct weft_facts *facts,
		    const struct weft_fault *f)
{
	uint32_t shown = f->dst.n <= DSTS_SHOWN ? f->dst.n : DSTS_SHOWN - 1;

	add(buf, len, f->dst.n ? "packets to " : "all packets");
	for (uint32_t i = 0; i < shown; i++)
		add(buf, len, "%s%s", i ? ", " : "",
		    nic_name(facts, f->dst.v[i]));
	if (shown < f->dst.n)
		add(buf, len, " and %" PRIu32 " others", f->dst.n - shown);
	if (f->flows && f->flows < 1000000000)
		add(buf, len, " of a share of %g of the flows", f->flows / 1e9);
}

/* The effect of a fault on its switch; empty for a fault of a link. */
static void add_switch(char *buf, size_t len, const struct weft_facts *facts,
		       const struct weft_fault *f)
{
	char size[32];

	switch (f->kind) {
	case WEFT_FAULT_KIND_BLACKHOLE:
		add(buf, len, "drops ");
		add_dst(buf, len, facts, f);
		break;
	case WEFT_FAULT_KIND_FORGET:
		add(buf, len, "has no routes, all that it would forward is lost");
		break;
	case WEFT_FAULT_KIND_MISROUTE:
		add(buf, len, "sends ");
		add_dst(buf, len, facts, f);
		add(buf, len, " through port %" PRIu32, f->port);
		break;
	case WEFT_FAULT_KIND_REBOOT:
		add(buf, len, "is down with all its links, what it holds is lost");
		break;
	case WEFT_FAULT_KIND_BUFFER:
		add(buf, len, "has a shared buffer of at most %s",
		    weft_format_size(size, sizeof(size), f->size));
		break;
	case WEFT_FAULT_KIND_SHARP_DOWN:
		add(buf, len, "loses what it is to reduce");
		break;
	case WEFT_FAULT_KIND_SHARP_SLOW:
		add_time(buf, len, "takes longer to reduce, by ", f->delay);
		break;
	}
}

/**
 * weft_fault_effect() - describe the effect of a fault on its wire or switch
 * @fault: the fault
 * @facts: the lab
 * @buf: result
 * @len: size of @buf, bytes
 *
 * Return: @buf.
 */
const char *weft_fault_effect(const struct weft_fault *fault,
			      const struct weft_facts *facts, char *buf,
			      size_t len)
{
	double p = fault->probability / 1e9;

	*buf = '\0';
	add_switch(buf, len, facts, fault);
	switch (fault->kind) {
	case WEFT_FAULT_KIND_DOWN:
		add(buf, len, "is down, what is sent, queued or under way is lost");
		break;
	case WEFT_FAULT_KIND_RATE:
		add_rate(buf, len, fault);
		break;
	case WEFT_FAULT_KIND_DELAY:
		add_delay(buf, len, fault);
		break;
	case WEFT_FAULT_KIND_LOSS:
		add_loss(buf, len, fault);
		break;
	case WEFT_FAULT_KIND_CORRUPT:
		add(buf, len, "has a bit error every %" PRIu64 " bits on average",
		    fault->bits_per_error);
		break;
	case WEFT_FAULT_KIND_DUPLICATE:
		add(buf, len, "each packet is sent twice with probability %g",
		    p);
		break;
	case WEFT_FAULT_KIND_REORDER:
		add_time(buf, len, "others overtake a packet for ",
			 fault->delay);
		add(buf, len, ", with probability %g", p);
		break;
	case WEFT_FAULT_KIND_CREDIT_LOSS:
		add(buf, len, "credits are lost with probability %g, packets are not",
		    p);
		break;
	case WEFT_FAULT_KIND_PAUSE_STORM:
		add_storm(buf, len, fault);
		break;
	case WEFT_FAULT_KIND_HANG:
		add(buf, len, "the sending NIC sends no packets and takes none");
		break;
	case WEFT_FAULT_KIND_SLOW:
		add_slow(buf, len, fault);
		break;
	case WEFT_FAULT_KIND_ECN:
		add_marks(buf, len, fault);
		break;
	}
	return buf;
}

/**
 * weft_fault_when() - describe the times at which a fault is active
 * @fault: the fault
 * @facts: the lab
 * @buf: result
 * @len: size of @buf, bytes
 *
 * Return: @buf.
 */
const char *weft_fault_when(const struct weft_fault *fault,
			    const struct weft_facts *facts, char *buf,
			    size_t len)
{
	*buf = '\0';
	if (has(fault, WEFT_A_FAULT_TRIGGER))
		weft_trigger_from(facts, fault->trigger, fault->after,
				  fault->start, buf, len);
	else
		add_time(buf, len, "from ", fault->start);
	if (!fault->duration) {
		add(buf, len, " until it is removed");
		return buf;
	}
	add_time(buf, len, " for ", fault->duration);
	if (fault->period)
		add_time(buf, len, ", every ", fault->period);
	if (fault->count)
		add(buf, len, ", %" PRIu32 " times", fault->count);
	return buf;
}
