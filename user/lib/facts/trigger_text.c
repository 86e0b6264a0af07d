// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Triggers as text for people.
 */
#include <inttypes.h>
#include <stdio.h>

#include <linux/weft.h>

#include "base/units.h"
#include "facts/facts.h"
#include "netlink/json.h"
#include "netlink/trigger.h"

static const char *nic_name(const struct weft_facts *facts, uint32_t id)
{
	const struct weft_nic *nic = weft_nic_find(facts->nic, facts->nics, id);

	return nic ? nic->name : "a NIC that is gone";
}

/**
 * weft_trigger_when() - describe the start of an object that has a trigger
 * @t: the trigger
 * @after: delay after the moment of the trigger, ps
 * @facts: the lab
 * @buf: result
 * @len: size of @buf, bytes
 *
 * Return: @buf.
 */
const char *weft_trigger_when(const struct weft_trigger *t, uint64_t after,
			      const struct weft_facts *facts, char *buf,
			      size_t len)
{
	char time[32], amount[32];

	weft_format_time(time, sizeof(time), after);
	switch (t->kind) {
	case WEFT_TRIGGER_KIND_MARK:
		snprintf(buf, len, "%s after the begin of %s", time, t->name);
		break;
	case WEFT_TRIGGER_KIND_PHASE:
		snprintf(buf, len, "%s after the begin of traffic-%" PRIu32,
			 time, t->number);
		break;
	case WEFT_TRIGGER_KIND_RATE:
		snprintf(buf, len, "%s after %s sent more than %s", time,
			 nic_name(facts, t->nic),
			 weft_format_rate(amount, sizeof(amount), t->rate));
		break;
	default:
		snprintf(buf, len, "%s after %s had sent %s", time,
			 nic_name(facts, t->nic),
			 weft_format_size(amount, sizeof(amount), t->size));
	}
	return buf;
}

/**
 * weft_trigger_why_not() - describe why the moment of a trigger has not come
 * @t: the trigger
 * @facts: the lab
 * @buf: result
 * @len: size of @buf, bytes
 *
 * Return: @buf.
 */
const char *weft_trigger_why_not(const struct weft_trigger *t,
				 const struct weft_facts *facts, char *buf,
				 size_t len)
{
	char amount[32], size[32];

	weft_format_size(size, sizeof(size), t->size);
	switch (t->kind) {
	case WEFT_TRIGGER_KIND_MARK:
		snprintf(buf, len, "no mark %s", t->name);
		break;
	case WEFT_TRIGGER_KIND_PHASE:
		snprintf(buf, len, "no phase traffic-%" PRIu32, t->number);
		break;
	case WEFT_TRIGGER_KIND_RATE:
		snprintf(buf, len, "%s did not send %s above %s",
			 nic_name(facts, t->nic), size,
			 weft_format_rate(amount, sizeof(amount), t->rate));
		break;
	default:
		snprintf(buf, len, "%s sent %s of %s", nic_name(facts, t->nic),
			 weft_format_size(amount, sizeof(amount), t->sent), size);
	}
	return buf;
}

/**
 * weft_trigger_from() - describe the start of an object, and whether it has started
 * @facts: the lab, with its triggers
 * @id: number of the trigger
 * @after: delay after the moment of the trigger, ps
 * @start: start of the object, ps; valid only once the moment has come
 * @buf: result
 * @len: size of @buf, bytes
 *
 * Return: @buf.
 */
const char *weft_trigger_from(const struct weft_facts *facts, uint32_t id,
			      uint64_t after, uint64_t start, char *buf,
			      size_t len)
{
	const struct weft_trigger *t = weft_trigger_find(facts->trigger,
							 facts->triggers, id);
	char when[128], why[128], time[32], late[64] = "";

	*buf = '\0';
	if (!t)
		return buf;
	weft_trigger_when(t, after, facts, when, sizeof(when));
	if (!weft_trigger_met(t)) {
		snprintf(buf, len, "from %s (not begun: %s)", when,
			 weft_trigger_why_not(t, facts, why, sizeof(why)));
		return buf;
	}
	if (weft_trigger_late(t, after))
		snprintf(late, sizeof(late), ", %s late",
			 weft_format_time(time, sizeof(time),
					  weft_trigger_late(t, after)));
	snprintf(buf, len, "from %s (%s%s)",
		 weft_format_time(time, sizeof(time), start), when, late);
	return buf;
}

/**
 * weft_trigger_json() - add the trigger of an object to its JSON
 * @o: JSON of the object
 * @facts: the lab, with its triggers
 * @id: number of the trigger
 * @after: delay after the moment of the trigger, ps
 */
void weft_trigger_json(json_t *o, const struct weft_facts *facts, uint32_t id,
		       uint64_t after)
{
	const struct weft_trigger *t = weft_trigger_find(facts->trigger,
							 facts->triggers, id);
	char text[128];

	if (!t)
		return;
	json_object_set_new(o, "trigger",
			    json_string(weft_trigger_when(t, after, facts, text,
							  sizeof(text))));
	json_object_set_new(o, "after_ps", weft_json_u64(after));
	json_object_set_new(o, "trigger_ps", weft_trigger_met(t) ?
			    weft_json_u64(t->at) : json_null());
	if (!weft_trigger_met(t))
		json_object_set_new(o, "start_ps", json_null());
}
