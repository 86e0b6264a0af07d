// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The report of a lab, as JSON. Documentation/report.rst explains each key.
 *
 * With a virtual clock, nothing in it depends on the machine: no wall clock, no process
 * ids, no interface indices that others influence.
 */
#include "report/report.h"

#include "base/json_text.h"
#include "facts/port_view.h"
#include "netlink/json.h"
#include "report/changes.h"
#include "report/lossless.h"
#include "report/phases.h"

static double utilisation(const struct weft_facts *f, uint64_t busy)
{
	uint64_t time = f->fabric.now - f->since;

	return time ? (double)busy / (double)time : 0;
}

static json_t *wire_report(const struct weft_facts *f,
			   const struct weft_link *link, unsigned int dir)
{
	static const char *const keys[] = {
		"tx_packets", "tx_bytes", "tx_wire_bytes", "tx_busy_ps",
		"queue_peak", "tx_wait_ps", "tx_control", "tx_replays",
	};
	static const char *const sums[] = {
		"wait_ps", "tx_pause", "rx_pause", "marked", "trimmed",
	};
	const struct weft_wire *w = &link->wire[dir];
	uint64_t busy = weft_counters_get(&w->counters, "tx_busy_ps");
	json_t *o = json_object();
	struct weft_port_view v;

	weft_port_view(&v, f, link, dir);
	json_object_set_new(o, "link", json_string(link->name));
	json_object_set_new(o, "from", json_string(v.name));
	json_object_set_new(o, "to", json_string(v.peer));
	json_object_set_new(o, "rate_bps", weft_json_u64(w->rate));
	json_object_set_new(o, "up", json_boolean(w->up));
	for (unsigned int i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		json_object_set_new(o, keys[i],
				    weft_json_u64(weft_counters_get(&w->counters,
								    keys[i])));
	for (unsigned int i = 0; i < sizeof(sums) / sizeof(*sums); i++)
		json_object_set_new(o, sums[i],
				    weft_json_u64(weft_port_sum(&v, sums[i])));
	json_object_set_new(o, "discipline", json_string(v.params->discipline));
	json_object_set_new(o, "utilisation",
			    json_real(utilisation(f, busy)));
	json_object_set_new(o, "drops", weft_json_counters(&w->drops));
	json_object_set_new(o, "dropped",
			    weft_json_u64(weft_counters_sum(&w->drops)));
	return o;
}

static json_t *links_report(const struct weft_facts *f)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < f->links; i++)
		for (unsigned int dir = 0; dir < 2; dir++)
			json_array_append_new(a, wire_report(f, &f->link[i],
							     dir));
	return a;
}

static json_t *nic_report(const struct weft_nic *nic)
{
	static const char *const keys[] = {
		"tx_packets", "tx_bytes", "rx_packets", "rx_bytes",
	};
	json_t *o = json_object();

	json_object_set_new(o, "name", json_string(nic->name));
	for (unsigned int i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		json_object_set_new(o, keys[i],
				    weft_json_u64(weft_counters_get(
						&nic->counters, keys[i])));
	json_object_set_new(o, "drops", weft_json_counters(&nic->drops));
	json_object_set_new(o, "dropped",
			    weft_json_u64(weft_counters_sum(&nic->drops)));
	json_object_set_new(o, "rx_used", weft_json_u64(nic->rx_used));
	json_object_set_new(o, "rx_peak", weft_json_u64(nic->rx_peak));
	json_object_set_new(o, "latency", weft_json_hist(&nic->latency));
	json_object_set_new(o, "rdma_device", json_string(nic->device));
	json_object_set_new(o, "verbs",
			    weft_json_counters(&nic->verbs_counters));
	return o;
}

static json_t *nics_report(const struct weft_facts *f)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < f->nics; i++)
		json_array_append_new(a, nic_report(&f->nic[i]));
	return a;
}

static json_t *switches_report(const struct weft_facts *f)
{
	json_t *a = json_array(), *o;

	for (unsigned int i = 0; i < f->switches; i++) {
		const struct weft_switch *sw = &f->sw[i];

		o = json_object();
		json_object_set_new(o, "name", json_string(sw->name));
		json_object_set_new(o, "buffer", weft_json_u64(sw->buffer));
		json_object_set_new(o, "buffer_used",
				    weft_json_u64(sw->buffer_used));
		json_object_set_new(o, "buffer_peak",
				    weft_json_u64(sw->buffer_peak));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *latency_report(const struct weft_facts *f, struct weft_err *err)
{
	struct weft_hist all = { 0 };
	json_t *o = NULL;
	int ret = 0;

	for (unsigned int i = 0; !ret && i < f->nics; i++)
		ret = weft_hist_merge(&all, &f->nic[i].latency, err);
	if (!ret)
		o = weft_json_hist(&all);
	weft_hist_free(&all);
	return o;
}

static json_t *lateness_report(const struct weft_facts *f)
{
	json_t *o = weft_json_hist(&f->fabric.lateness);

	json_object_set_new(o, "late_events",
			    weft_json_u64(f->fabric.late_events));
	json_object_set_new(o, "bound_ps", weft_json_u64(f->fabric.late_bound));
	json_object_set_new(o, "tolerated_share",
			    json_real(1.0 / WEFT_LATE_TOLERANCE));
	return o;
}

/* Packets that the fabric itself lost; without those lost at hosts. */
static uint64_t all_drops(const struct weft_facts *f)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < f->links; i++)
		n += weft_counters_sum(&f->link[i].wire[0].drops) +
		     weft_counters_sum(&f->link[i].wire[1].drops);
	return n;
}

static uint64_t phases_missed(const struct weft_facts *f)
{
	return f->phases ? f->phase[f->phases - 1].missed : 0;
}

/**
 * weft_report_brief() - make the part of the report that a live page shows
 * @facts: the facts
 *
 * Return: a new reference: "time_ps", "verdict", "dropped" and "lossless" of the report.
 */
json_t *weft_report_brief(const struct weft_facts *facts)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "time_ps",
			 weft_json_u64(facts->fabric.now - facts->since),
			 "verdict", weft_verdict(facts), "dropped",
			 weft_json_u64(all_drops(facts)), "lossless",
			 weft_lossless_report(facts));
}

/**
 * weft_report_make() - make the report
 * @facts: the facts
 * @err: error
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_report_make(const struct weft_facts *facts, struct weft_err *err)
{
	const struct weft_fabric *fab = &facts->fabric;
	json_t *o = json_object();

	json_object_set_new(o, "version", json_integer(WEFT_JSON_VERSION));
	json_object_set_new(o, "lab", json_string(facts->lab));
	json_object_set_new(o, "topology", json_string(facts->topology));
	json_object_set_new(o, "clock", json_string(facts->clock));
	json_object_set_new(o, "seed", weft_json_seed(fab->seed));
	json_object_set_new(o, "dilation", json_integer(fab->dilation));
	json_object_set_new(o, "time_ps",
			    weft_json_u64(fab->now - facts->since));
	json_object_set_new(o, "verdict", weft_verdict(facts));
	json_object_set_new(o, "counters", weft_json_counters(&fab->counters));
	json_object_set_new(o, "dropped", weft_json_u64(all_drops(facts)));
	json_object_set_new(o, "host_drops",
			    weft_json_counters(&fab->host_drops));
	json_object_set_new(o, "lateness", lateness_report(facts));
	json_object_set_new(o, "latency", latency_report(facts, err));
	json_object_set_new(o, "lossless", weft_lossless_report(facts));
	json_object_set_new(o, "phases", weft_phases_json(facts, 0));
	json_object_set_new(o, "phases_missed",
			    weft_json_u64(phases_missed(facts)));
	json_object_set_new(o, "links", links_report(facts));
	json_object_set_new(o, "nics", nics_report(facts));
	json_object_set_new(o, "switches", switches_report(facts));
	if (fab->managed)
		json_object_set_new(o, "management",
				    weft_changes_json(facts));
	json_object_set_new(o, "faults", weft_faults_json(facts));
	json_object_set(o, "reroutes", facts->reroutes);
	if (facts->reductions)
		json_object_set(o, "reductions", facts->reductions);
	json_object_set_new(o, "traffic",
			    weft_traffic_json(facts, facts->traffic,
					      facts->traffics));
	if (!weft_json_lost() && json_object_get(o, "switches") &&
	    json_object_get(o, "latency"))
		return o;
	json_decref(o);
	weft_err_nomem(err);
	return NULL;
}
