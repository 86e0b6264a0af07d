// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Labs as metrics of Prometheus, text format 0.0.4.
 *
 * Counters have the names of the kernel, so new ones of the kernel appear here
 * as well. The format requires all samples of a name in one place, but labs are
 * read one after the other. So each name has a text of its own, and all texts
 * are joined at the end.
 */
#include "service/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "facts/port_view.h"
#include "netlink/json.h"
#include "report/report.h"

/**
 * struct weft_metrics_family - all samples of one name
 * @name: the name
 * @samples: the lines
 */
struct weft_metrics_family {
	char name[96];
	struct weft_strbuf samples;
};

/**
 * struct place - the object of samples
 * @subject: kind of object, after "weft_" in the names of metrics
 * @of: the object in help texts
 * @labels: "lab=..." and more, escaped
 */
struct place {
	const char *subject;
	const char *of;
	struct weft_strbuf labels;
};

/* Add a label; the format escapes backslash, quote and newline. */
static void add_label(struct weft_strbuf *labels, const char *key,
		      const char *value)
{
	char one[2] = "";

	weft_strbuf_addf(labels, "%s%s=\"", labels->len ? "," : "", key);
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			weft_strbuf_add(labels, "\\");
		*one = *value;
		weft_strbuf_add(labels, *value == '\n' ? "\\n" : one);
	}
	weft_strbuf_add(labels, "\"");
}

static void place_begin(struct place *p, const struct weft_facts *f,
			const char *subject, const char *of)
{
	*p = (struct place) { .subject = subject, .of = of };
	add_label(&p->labels, "lab", f->lab);
}

static void place_end(struct weft_metrics *m, struct place *p)
{
	m->failed |= p->labels.failed;
	free(p->labels.text);
}

static struct weft_metrics_family *find(struct weft_metrics *m,
					const char *name)
{
	/*
	 * All ports have the same counters in the same order: try the next name
	 * first.
	 */
	for (size_t i = 0; i < m->n; i++) {
		size_t at = (m->next + i) % m->n;

		if (strcmp(m->family[at].name, name))
			continue;
		m->next = at + 1;
		return &m->family[at];
	}
	return NULL;
}

static struct weft_metrics_family *add_family(struct weft_metrics *m,
					      const char *name, bool gauge,
					      const char *help)
{
	struct weft_metrics_family *f;

	f = weft_array_grow(m->family, m->n, sizeof(*f));
	if (!f) {
		m->failed = true;
		return NULL;
	}
	m->family = f;
	f += m->n++;
	*f = (struct weft_metrics_family) { 0 };
	snprintf(f->name, sizeof(f->name), "%s", name);
	weft_strbuf_addf(&f->samples, "# HELP %s %s\n# TYPE %s %s\n", name,
			 help, name, gauge ? "gauge" : "counter");
	return f;
}

static void add(struct weft_metrics *m, const struct place *p,
		const char *what, bool gauge, const char *help, uint64_t value)
{
	struct weft_metrics_family *f;
	char name[96];

	snprintf(name, sizeof(name), "weft_%s_%s%s", p->subject, what,
		 gauge ? "" : "_total");
	f = find(m, name);
	if (!f)
		f = add_family(m, name, gauge, help);
	if (f)
		weft_strbuf_addf(&f->samples, "%s{%s} %" PRIu64 "\n", name,
				 p->labels.text ? p->labels.text : "", value);
}

/* Levels, peaks and points in time are gauges; all others only grow. */
static bool is_gauge(const char *counter)
{
	const char *last = strrchr(counter, '_');

	return !strcmp(counter, "queue") || (last && !strcmp(last, "_peak")) ||
	       !strncmp(counter, "first_", 6) || strstr(counter, "_since");
}

static void add_counters(struct weft_metrics *m, const struct place *p,
			 const struct weft_counters *cs)
{
	char help[128];

	for (unsigned int i = 0; i < cs->n; i++) {
		snprintf(help, sizeof(help), "%s of %s", cs->c[i].name, p->of);
		add(m, p, cs->c[i].name, is_gauge(cs->c[i].name), help,
		    cs->c[i].value);
	}
}

static void add_reasons(struct weft_metrics *m, struct place *p,
			const char *what, const char *help,
			const struct weft_counters *cs)
{
	size_t len = p->labels.len;

	for (unsigned int i = 0; i < cs->n && p->labels.text; i++) {
		add_label(&p->labels, "reason", cs->c[i].name);
		add(m, p, what, false, help, cs->c[i].value);
		p->labels.len = len;
		p->labels.text[len] = '\0';
	}
}

static void add_classes(struct weft_metrics *m, struct place *p,
			const struct weft_class_states *s)
{
	size_t len = p->labels.len;
	char cls[16];

	p->subject = "class";
	p->of = "a class of the port that sends on the wire";
	for (unsigned int i = 0; i < s->n && p->labels.text; i++) {
		snprintf(cls, sizeof(cls), "%" PRIu32, s->state[i].cls);
		add_label(&p->labels, "class", cls);
		add_counters(m, p, &s->state[i].counters);
		p->labels.len = len;
		p->labels.text[len] = '\0';
	}
}

static void add_wire(struct weft_metrics *m, const struct weft_facts *f,
		     const struct weft_link *link, unsigned int dir)
{
	const struct weft_wire *w = &link->wire[dir];
	struct weft_port_view v;
	struct place p;

	weft_port_view(&v, f, link, dir);
	place_begin(&p, f, "link", "the port that sends on the wire");
	add_label(&p.labels, "link", link->name);
	add_label(&p.labels, "from", v.name);
	add_label(&p.labels, "to", v.peer);
	add(m, &p, "up", true, "0 if the wire was taken down, otherwise 1", w->up);
	add(m, &p, "rate_bps", true, "rate of the working lanes, bit/s",
	    weft_wire_rate(w));
	add_counters(m, &p, &w->counters);
	add_reasons(m, &p, "drops", "frames lost at the port, by reason",
		    &w->drops);
	add_classes(m, &p, &w->cls);
	place_end(m, &p);
}

static void add_nic(struct weft_metrics *m, const struct weft_facts *f,
		    const struct weft_nic *nic)
{
	struct place p;

	place_begin(&p, f, "nic", "the NIC");
	add_label(&p.labels, "nic", nic->name);
	add_counters(m, &p, &nic->counters);
	add_reasons(m, &p, "drops", "frames lost at the NIC, by reason",
		    &nic->drops);
	add(m, &p, "rx_used_bytes", true, "bytes in the receive buffer",
	    nic->rx_used);
	add(m, &p, "rx_used_peak_bytes", true,
	    "most bytes ever in the receive buffer", nic->rx_peak);
	p.subject = "verbs";
	p.of = "the NIC's RDMA device";
	add_counters(m, &p, &nic->verbs_counters);
	place_end(m, &p);
}

static void add_switch(struct weft_metrics *m, const struct weft_facts *f,
		       const struct weft_switch *sw)
{
	struct place p;

	place_begin(&p, f, "switch", "the switch");
	add_label(&p.labels, "switch", sw->name);
	add(m, &p, "buffer_used_bytes", true, "bytes in the shared buffer",
	    sw->buffer_used);
	add(m, &p, "buffer_peak_bytes", true,
	    "most bytes ever in the shared buffer", sw->buffer_peak);
	place_end(m, &p);
}

static const char *switch_of(const struct weft_facts *f, uint32_t id)
{
	const struct weft_switch *sw = weft_switch_find(f->sw, f->switches, id);

	return sw ? sw->name : "";
}

static void add_aggregator(struct weft_metrics *m, const struct weft_facts *f,
			   const struct weft_aggregator *ag)
{
	struct place p;
	char group[16];

	place_begin(&p, f, "aggregator", "the aggregation node");
	snprintf(group, sizeof(group), "%" PRIu32, ag->group);
	add_label(&p.labels, "switch", switch_of(f, ag->sw));
	add_label(&p.labels, "group", group);
	add(m, &p, "results", false, "chunks that were reduced", ag->results);
	add(m, &p, "late", false, "packets without a slot, or that came twice", ag->late);
	add(m, &p, "refused", false, "packets that do not fit their chunk or group",
	    ag->refused);
	add(m, &p, "busy", true, "chunks of which some packets have come", ag->busy);
	add(m, &p, "peak", true, "most of these at a time", ag->peak);
	add(m, &p, "up", true, "0 while a fault has it down, otherwise 1", !ag->down);
	place_end(m, &p);
}

static bool is_faithful(const struct weft_facts *f)
{
	json_t *verdict = weft_verdict(f);
	bool faithful = json_is_true(json_object_get(verdict, "faithful"));

	json_decref(verdict);
	return faithful;
}

static void add_fabric(struct weft_metrics *m, const struct weft_facts *f)
{
	const struct weft_fabric *fab = &f->fabric;
	struct place p;

	place_begin(&p, f, "lab", "the lab");
	add(m, &p, "up", true, "1 if the kernel reports the lab, otherwise 0", 1);
	add(m, &p, "time_ps", true, "fabric time since the lab came up",
	    fab->now - f->since);
	add(m, &p, "dilation", true,
	    "how many times slower than real time the fabric runs",
	    fab->dilation);
	add(m, &p, "faithful", true, "1 if the verdict is faithful, otherwise 0",
	    is_faithful(f));
	add(m, &p, "faults", true, "number of faults", f->faults);
	p.subject = "fabric";
	p.of = "the fabric";
	add_counters(m, &p, &fab->counters);
	add_reasons(m, &p, "host_drops",
		    "packets lost because of the host, by reason",
		    &fab->host_drops);
	add(m, &p, "late_events", false, "events executed later than the bound",
	    fab->late_events);
	add(m, &p, "late_bound_ps", true, "bound of lateness, ps", fab->late_bound);
	add(m, &p, "lateness_max_ps", true, "largest lateness of an event, ps",
	    fab->lateness.max);
	place_end(m, &p);
}

/**
 * weft_metrics_lab() - add all metrics of a lab
 * @m: metrics
 * @facts: the lab
 */
void weft_metrics_lab(struct weft_metrics *m, const struct weft_facts *facts)
{
	add_fabric(m, facts);
	for (unsigned int i = 0; i < facts->links; i++)
		for (unsigned int dir = 0; dir < facts->link[i].wires; dir++)
			add_wire(m, facts, &facts->link[i], dir);
	for (unsigned int i = 0; i < facts->nics; i++)
		add_nic(m, facts, &facts->nic[i]);
	for (unsigned int i = 0; i < facts->switches; i++)
		add_switch(m, facts, &facts->sw[i]);
	for (unsigned int i = 0; i < facts->aggregators; i++)
		add_aggregator(m, facts, &facts->aggregator[i]);
}

/**
 * weft_metrics_lost() - add a lab of which the kernel reports nothing
 * @m: metrics
 * @lab: its name
 */
void weft_metrics_lost(struct weft_metrics *m, const char *lab)
{
	const struct weft_facts facts = { .lab = lab };
	struct place p;

	place_begin(&p, &facts, "lab", "the lab");
	add(m, &p, "up", true, "1 if the kernel reports the lab, otherwise 0", 0);
	place_end(m, &p);
}

/**
 * weft_metrics_value() - add a gauge without a lab
 * @m: metrics
 * @name: its name
 * @help: its description
 * @value: its value
 */
void weft_metrics_value(struct weft_metrics *m, const char *name,
			const char *help, uint64_t value)
{
	struct weft_metrics_family *f = add_family(m, name, true, help);

	if (f)
		weft_strbuf_addf(&f->samples, "%s %" PRIu64 "\n", name, value);
}

/**
 * weft_metrics_take() - get the text of all metrics, and clear them
 * @m: metrics
 * @text: result, to be freed by free(); NULL after an error
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_metrics_take(struct weft_metrics *m, char **text, struct weft_err *err)
{
	struct weft_strbuf all = { .failed = m->failed };

	for (size_t i = 0; i < m->n; i++) {
		all.failed |= m->family[i].samples.failed;
		if (m->family[i].samples.text)
			weft_strbuf_add(&all, m->family[i].samples.text);
		free(m->family[i].samples.text);
	}
	free(m->family);
	*m = (struct weft_metrics) { 0 };
	return weft_strbuf_take(&all, text, err);
}
