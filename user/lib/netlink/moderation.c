// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Interrupt moderation: a NIC holds back interrupts for received frames.
 */
#include "netlink/moderation.h"

#include <netlink/attr.h>

#include <linux/weft.h>

#include "netlink/json.h"

static const char *const onoff[] = { "off", "on", NULL };

static const struct weft_field moderation_fields[] = {
#define F(key, attr, member) \
	WEFT_FIELD(key, MODERATION, attr, U32, weft_moderation, member)
	F("rx_usecs", RX_USECS, rx_usecs),
	F("rx_frames", RX_FRAMES, rx_frames),
	WEFT_FIELD_WORDS("adaptive_rx", MODERATION, ADAPTIVE_RX,
			 weft_moderation, adaptive_rx, onoff),
	{ 0 }
#undef F
};

/**
 * weft_moderation_put() - encode the parameters that are set
 * @msg: request
 * @type: the attribute that holds them; omitted if none is set
 * @m: the parameters
 */
void weft_moderation_put(struct nl_msg *msg, int type,
			 const struct weft_moderation *m)
{
	weft_fields_put_nest(msg, type, moderation_fields, m);
}

/**
 * weft_moderation_parse() - decode parameters and counters
 * @m: result, zeroed by the caller
 * @nest: the attribute
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_moderation_parse(struct weft_moderation *m, struct nlattr *nest,
			  struct weft_err *err)
{
	struct nlattr *nla;
	int rem;

	nla_for_each_nested(nla, nest, rem) {
		if (nla_type(nla) != WEFT_A_MODERATION_COUNTER)
			weft_field_parse(moderation_fields, m, nla);
		else if (weft_counters_add(&m->counters, nla, err))
			return err->code;
	}
	return 0;
}

/**
 * weft_moderation_json() - parameters and counters as JSON
 * @m: the parameters and counters
 *
 * Return: a new reference, NULL without memory.
 */
json_t *weft_moderation_json(const struct weft_moderation *m)
{
	json_t *o = json_object(), *counters = weft_json_counters(&m->counters);

	weft_fields_json(o, moderation_fields, m);
	json_object_update(o, counters);
	json_decref(counters);
	return o;
}
