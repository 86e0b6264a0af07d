// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of attributes, to say which one the kernel refused.
 */
#include "nl.h"

#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>

#include <linux/weft.h>

#define NAMES_MAX	18

/**
 * struct name - an attribute
 * @name: as in the specification
 * @nested: what is in it
 */
struct name {
	const char *name;
	enum weft_nl_set nested;
};

static const struct name names[__WEFT_NL_SET_MAX][NAMES_MAX] = {
	[WEFT_NL_SET_FABRIC] = {
		[WEFT_A_FABRIC_ID] = { "id", 0 },
		[WEFT_A_FABRIC_NAME] = { "name", 0 },
		[WEFT_A_FABRIC_SEED] = { "seed", 0 },
		[WEFT_A_FABRIC_DILATION] = { "dilation", 0 },
		[WEFT_A_FABRIC_MAX_NICS] = { "max-nics", 0 },
		[WEFT_A_FABRIC_LATE_BOUND] = { "late-bound", 0 },
	},
	[WEFT_NL_SET_SWITCH] = {
		[WEFT_A_SWITCH_FABRIC] = { "fabric", 0 },
		[WEFT_A_SWITCH_ID] = { "id", 0 },
		[WEFT_A_SWITCH_NAME] = { "name", 0 },
		[WEFT_A_SWITCH_PORTS] = { "ports", 0 },
		[WEFT_A_SWITCH_LATENCY] = { "latency", 0 },
		[WEFT_A_SWITCH_FORWARD] = { "forward", 0 },
		[WEFT_A_SWITCH_ARBITER] = { "arbiter", 0 },
		[WEFT_A_SWITCH_SELECT] = { "select", 0 },
		[WEFT_A_SWITCH_BUFFER_TOTAL] = { "buffer-total", 0 },
		[WEFT_A_SWITCH_BUFFER_PER_PORT] = { "buffer-per-port", 0 },
		[WEFT_A_SWITCH_PORT_PARAMS] = { "port-params",
						WEFT_NL_SET_PORT_PARAMS },
	},
	[WEFT_NL_SET_LINK] = {
		[WEFT_A_LINK_FABRIC] = { "fabric", 0 },
		[WEFT_A_LINK_ID] = { "id", 0 },
		[WEFT_A_LINK_NAME] = { "name", 0 },
		[WEFT_A_LINK_A] = { "a", WEFT_NL_SET_END },
		[WEFT_A_LINK_B] = { "b", WEFT_NL_SET_END },
		[WEFT_A_LINK_WIRE] = { "wire", WEFT_NL_SET_WIRE },
	},
	[WEFT_NL_SET_NIC] = {
		[WEFT_A_NIC_FABRIC] = { "fabric", 0 },
		[WEFT_A_NIC_ID] = { "id", 0 },
		[WEFT_A_NIC_NAME] = { "name", 0 },
		[WEFT_A_NIC_IFINDEX] = { "ifindex", 0 },
		[WEFT_A_NIC_IFNAME] = { "ifname", 0 },
		[WEFT_A_NIC_NETNS_FD] = { "netns-fd", 0 },
		[WEFT_A_NIC_SEGMENTATION] = { "segmentation", 0 },
		[WEFT_A_NIC_TX_LATENCY] = { "tx-latency", 0 },
		[WEFT_A_NIC_RX_LATENCY] = { "rx-latency", 0 },
		[WEFT_A_NIC_PORT_PARAMS] = { "port-params",
					     WEFT_NL_SET_PORT_PARAMS },
	},
	[WEFT_NL_SET_ROUTE] = {
		[WEFT_A_ROUTE_FABRIC] = { "fabric", 0 },
		[WEFT_A_ROUTE_SWITCH] = { "switch", 0 },
		[WEFT_A_ROUTE_DST] = { "dst", 0 },
		[WEFT_A_ROUTE_DST_LAST] = { "dst-last", 0 },
		[WEFT_A_ROUTE_FLOOD] = { "flood", 0 },
		[WEFT_A_ROUTE_PORT] = { "port", 0 },
	},
	[WEFT_NL_SET_WIRE] = {
		[WEFT_A_WIRE_DIRECTION] = { "direction", 0 },
		[WEFT_A_WIRE_RATE] = { "rate", 0 },
		[WEFT_A_WIRE_PROPAGATION] = { "propagation", 0 },
		[WEFT_A_WIRE_OVERHEAD] = { "overhead", 0 },
		[WEFT_A_WIRE_MIN_FRAME] = { "min-frame", 0 },
		[WEFT_A_WIRE_BITS_PER_ERROR] = { "bits-per-error", 0 },
		[WEFT_A_WIRE_UP] = { "up", 0 },
	},
	[WEFT_NL_SET_END] = {
		[WEFT_A_END_SWITCH] = { "switch", 0 },
		[WEFT_A_END_PORT] = { "port", 0 },
		[WEFT_A_END_NIC] = { "nic", 0 },
	},
	[WEFT_NL_SET_PORT_PARAMS] = {
		[WEFT_A_PORT_PARAMS_CLASSES] = { "classes", 0 },
		[WEFT_A_PORT_PARAMS_QUEUE_LIMIT] = { "queue-limit", 0 },
		[WEFT_A_PORT_PARAMS_WEIGHT] = { "weight", 0 },
		[WEFT_A_PORT_PARAMS_QUANTUM] = { "quantum", 0 },
		[WEFT_A_PORT_PARAMS_DISCIPLINE] = { "discipline", 0 },
	},
};

/**
 * weft_nl_attr_path() - name the attribute at an offset of a request
 * @req: the request
 * @offset: from its start, as the kernel gave it
 * @set: attribute set of the request
 * @buf: "wire.rate"; empty when there is no such attribute
 * @len: size of @buf
 */
void weft_nl_attr_path(struct nlmsghdr *req, uint32_t offset,
		       enum weft_nl_set set, char *buf, size_t len)
{
	struct nlattr *nla = nlmsg_attrdata(req, GENL_HDRLEN);
	int rem = nlmsg_attrlen(req, GENL_HDRLEN);
	const char *at = (char *)req + offset;
	const struct name *name;
	size_t n = 0;

	*buf = '\0';
	while (set && nla_ok(nla, rem)) {
		if (at >= (char *)nla + nla->nla_len) {
			nla = nla_next(nla, &rem);
			continue;
		}
		if (nla_type(nla) >= NAMES_MAX)
			return;
		name = &names[set][nla_type(nla)];
		if (!name->name || n >= len)
			return;
		n += (size_t)snprintf(buf + n, len - n, "%s%s", n ? "." : "",
				      name->name);
		if (at == (char *)nla)
			return;
		set = name->nested;
		rem = nla_len(nla);
		nla = nla_data(nla);
	}
}
