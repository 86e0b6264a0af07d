// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What can be changed of a NIC or a link while programs run, as people write it.
 */
#include "facts/setting.h"

#include <errno.h>
#include <string.h>

#include "base/units.h"
#include "topology/topo_port.h"
#include "topology/topo_verbs.h"

/* A NIC has the same names as in captures, reports and /etc/hosts. */
static bool is_called(const struct weft_nic *nic, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(nic->name, name, len) &&
	       (!nic->name[len] || nic->name[len] == '.');
}

/**
 * weft_setting_nic() - find the NIC that is meant
 * @list: NICs of a lab
 * @n: how many
 * @name: of a NIC, or of a node that has one
 * @err: that there is none, or more than one
 *
 * Return: the NIC or NULL.
 */
const struct weft_nic *weft_setting_nic(const struct weft_nic *list,
					unsigned int n, const char *name,
					struct weft_err *err)
{
	const struct weft_nic *found = NULL;

	for (unsigned int i = 0; i < n; i++) {
		if (!is_called(&list[i], name))
			continue;
		if (found) {
			weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				     "node \"%s\" has more than one NIC: name one (%s.ethN)",
				     name, name);
			return NULL;
		}
		found = &list[i];
	}
	if (!found)
		weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
			     "no NIC is called \"%s\": `weft show nics` lists them",
			     name);
	return found;
}

static int set_stop(struct weft_nic *nic, const char *text,
		    struct weft_err *err)
{
	uint32_t classes = weft_port_classes(&nic->port);

	nic->has |= WEFT_NIC_HAS_RX_STOP;
	if (!strcmp(text, "none"))
		nic->rx_stop = 0;
	else if (!strcmp(text, "all"))
		nic->rx_stop = (1U << classes) - 1;
	else if (!weft_parse_classes(text, classes, &nic->rx_stop))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "rx-stop: \"%.40s\": expected all, none, or classes of 0 to %u such as 0,3-5",
				    text, classes - 1);
	return 0;
}

static int set_rx_rate(struct weft_nic *nic, const char *text,
		       struct weft_err *err)
{
	nic->has |= WEFT_NIC_HAS_RX_RATE;
	nic->rx_rate = 0;
	if (!strcmp(text, "unlimited") ||
	    !weft_parse_rate(text, &nic->rx_rate, err))
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "rx-rate: \"%.40s\": expected unlimited, or a rate such as 10Gbps",
			    text);
}

/**
 * weft_setting_nic_word() - parse a setting of a NIC
 * @nic: the NIC; what is set is in @nic->has and @nic->verbs.has
 * @key: rx-rate, rx-stop or verbs.KEY
 * @text: its value
 * @err: what was expected
 *
 * Return: 0 or negative errno.
 */
int weft_setting_nic_word(struct weft_nic *nic, const char *key,
			  const char *text, struct weft_err *err)
{
	if (!strcmp(key, "rx-rate"))
		return set_rx_rate(nic, text, err);
	if (!strcmp(key, "rx-stop"))
		return set_stop(nic, text, err);
	if (!strncmp(key, "verbs.", 6))
		return weft_verbs_set(&nic->verbs, key + 6, text, err);
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%.40s\": expected rx-rate, rx-stop or verbs.KEY",
			    key);
}

static int set_lanes(struct weft_wire *w, const char *text,
		     struct weft_err *err)
{
	uint64_t n;

	if (weft_parse_number(text, &n, err) || n > UINT32_MAX)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "lanes-up: \"%.40s\": expected a number of lanes",
				    text);
	w->has |= WEFT_WIRE_HAS_LANES_UP;
	w->lanes_up = (uint32_t)n;
	return 0;
}

static int set_rate(struct weft_wire *w, const char *text,
		    struct weft_err *err)
{
	if (weft_parse_rate(text, &w->rate, err)) {
		weft_err_prefix(err, "rate");
		return err->code;
	}
	w->has |= WEFT_WIRE_HAS_RATE;
	return 0;
}

/**
 * weft_setting_wire_word() - parse a setting of a wire
 * @wire: the wire; what is set is in @wire->has
 * @key: rate or lanes-up
 * @text: its value
 * @err: what was expected
 *
 * Return: 0 or negative errno.
 */
int weft_setting_wire_word(struct weft_wire *wire, const char *key,
			   const char *text, struct weft_err *err)
{
	if (!strcmp(key, "rate"))
		return set_rate(wire, text, err);
	if (!strcmp(key, "lanes-up"))
		return set_lanes(wire, text, err);
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%.40s\": expected rate or lanes-up", key);
}
