// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * NICs.
 */
#include "netlink/nic.h"

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

static void parse_params(struct nlattr **tb, struct weft_nic *nic)
{
	if (tb[WEFT_A_NIC_FABRIC])
		nic->fabric = nla_get_u32(tb[WEFT_A_NIC_FABRIC]);
	if (tb[WEFT_A_NIC_ID])
		nic->id = nla_get_u32(tb[WEFT_A_NIC_ID]);
	if (tb[WEFT_A_NIC_NAME])
		snprintf(nic->name, sizeof(nic->name), "%s",
			 nla_get_string(tb[WEFT_A_NIC_NAME]));
	if (tb[WEFT_A_NIC_IFNAME])
		snprintf(nic->ifname, sizeof(nic->ifname), "%s",
			 nla_get_string(tb[WEFT_A_NIC_IFNAME]));
	if (tb[WEFT_A_NIC_ADDRESS] && nla_len(tb[WEFT_A_NIC_ADDRESS]) == 6)
		memcpy(nic->address, nla_data(tb[WEFT_A_NIC_ADDRESS]), 6);
	if (tb[WEFT_A_NIC_SEGMENTATION])
		nic->segmentation = nla_get_u32(tb[WEFT_A_NIC_SEGMENTATION]);
	if (tb[WEFT_A_NIC_TX_LATENCY])
		nic->tx_latency = nla_get_u64(tb[WEFT_A_NIC_TX_LATENCY]);
	if (tb[WEFT_A_NIC_RX_LATENCY])
		nic->rx_latency = nla_get_u64(tb[WEFT_A_NIC_RX_LATENCY]);
	if (tb[WEFT_A_NIC_RDMA_DEVICE])
		snprintf(nic->device, sizeof(nic->device), "%s",
			 nla_get_string(tb[WEFT_A_NIC_RDMA_DEVICE]));
}

static void parse_receive(struct nlattr **tb, struct weft_nic *nic)
{
	if (tb[WEFT_A_NIC_RX_RATE])
		nic->rx_rate = nla_get_u64(tb[WEFT_A_NIC_RX_RATE]);
	if (tb[WEFT_A_NIC_RX_STOP])
		nic->rx_stop = nla_get_u32(tb[WEFT_A_NIC_RX_STOP]);
	if (tb[WEFT_A_NIC_RX_BUFFER])
		nic->rx_buffer = nla_get_u64(tb[WEFT_A_NIC_RX_BUFFER]);
	if (tb[WEFT_A_NIC_RX_USED])
		nic->rx_used = nla_get_u64(tb[WEFT_A_NIC_RX_USED]);
	if (tb[WEFT_A_NIC_RX_PEAK])
		nic->rx_peak = nla_get_u64(tb[WEFT_A_NIC_RX_PEAK]);
}

static int parse_verbs(struct weft_nic *nic, struct nlattr *nest,
		       struct weft_err *err)
{
	struct nlattr *nla;
	int rem, ret = 0;

	nla_for_each_nested(nla, nest, rem)
		if (!ret && nla_type(nla) == WEFT_A_VERBS_COUNTER)
			ret = weft_counters_add(&nic->verbs_counters, nla,
						err);
	return ret ? ret : weft_verbs_parse(&nic->verbs, nest, err);
}

static int parse_stats(struct nlattr *nla, struct weft_nic *nic,
		       struct weft_err *err)
{
	switch (nla_type(nla)) {
	case WEFT_A_NIC_VERBS:
		return parse_verbs(nic, nla, err);
	case WEFT_A_NIC_MODERATION:
		return weft_moderation_parse(&nic->moderation, nla, err);
	case WEFT_A_NIC_PORT_PARAMS:
		return weft_port_params_parse(&nic->port, nla, err);
	case WEFT_A_NIC_COUNTER:
		return weft_counters_add(&nic->counters, nla, err);
	case WEFT_A_NIC_DROP:
		return weft_counters_add(&nic->drops, nla, err);
	case WEFT_A_NIC_LATENCY:
		return weft_hist_parse(&nic->latency, nla, err);
	case WEFT_A_NIC_CLASS:
		return weft_class_states_add(&nic->cls, nla, err);
	case WEFT_A_NIC_BUFFER_CLASS:
		return weft_buffer_add(&nic->classes, nla, err);
	}
	return 0;
}

static int parse_nic(struct nlmsghdr *hdr, void *ctx, struct weft_err *err)
{
	struct nlattr *tb[WEFT_A_NIC_MAX + 1], *nla;
	struct weft_nic *nic = ctx;
	int rem;

	if (weft_nl_attrs(hdr, tb, WEFT_A_NIC_MAX, err))
		return err->code;
	parse_params(tb, nic);
	parse_receive(tb, nic);
	nlmsg_for_each_attr(nla, hdr, 4, rem)
		if (parse_stats(nla, nic, err))
			return err->code;
	return 0;
}

static void put_receive(struct nl_msg *msg, const struct weft_nic *nic)
{
	if (nic->has & WEFT_NIC_HAS_RX_RATE)
		nla_put_u64(msg, WEFT_A_NIC_RX_RATE, nic->rx_rate);
	if (nic->has & WEFT_NIC_HAS_RX_STOP)
		nla_put_u32(msg, WEFT_A_NIC_RX_STOP, nic->rx_stop);
}

static void put_params(struct nl_msg *msg, const struct weft_nic *nic)
{
	nla_put_u32(msg, WEFT_A_NIC_FABRIC, nic->fabric);
	nla_put_string(msg, WEFT_A_NIC_IFNAME, nic->ifname);
	if (*nic->name)
		nla_put_string(msg, WEFT_A_NIC_NAME, nic->name);
	if (nic->has & WEFT_NIC_HAS_ID)
		nla_put_u32(msg, WEFT_A_NIC_ID, nic->id);
	if (nic->has & WEFT_NIC_HAS_NETNS)
		nla_put_u32(msg, WEFT_A_NIC_NETNS_FD, (uint32_t)nic->netns_fd);
	if (nic->has & WEFT_NIC_HAS_SEGMENTATION)
		nla_put_u32(msg, WEFT_A_NIC_SEGMENTATION, nic->segmentation);
	if (nic->has & WEFT_NIC_HAS_TX_LATENCY)
		nla_put_u64(msg, WEFT_A_NIC_TX_LATENCY, nic->tx_latency);
	if (nic->has & WEFT_NIC_HAS_RX_LATENCY)
		nla_put_u64(msg, WEFT_A_NIC_RX_LATENCY, nic->rx_latency);
	if (nic->has & WEFT_NIC_HAS_NEIGHBOUR_PREFIX)
		nla_put_u32(msg, WEFT_A_NIC_NEIGHBOUR_PREFIX, nic->neighbour_prefix);
	if (nic->has & WEFT_NIC_HAS_NEIGHBOUR_EUI64)
		nla_put_flag(msg, WEFT_A_NIC_NEIGHBOUR_EUI64);
	put_receive(msg, nic);
	if (nic->has & WEFT_NIC_HAS_RX_BUFFER)
		nla_put_u64(msg, WEFT_A_NIC_RX_BUFFER, nic->rx_buffer);
	weft_buffer_put(msg, WEFT_A_NIC_BUFFER_CLASS, &nic->classes);
	weft_port_params_put(msg, WEFT_A_NIC_PORT_PARAMS, &nic->port);
	weft_moderation_put(msg, WEFT_A_NIC_MODERATION, &nic->moderation);
	weft_verbs_put(msg, WEFT_A_NIC_VERBS, &nic->verbs);
}

/**
 * weft_nic_attach() - attach a netdev of kind weft to a fabric
 * @nl: socket
 * @nic: its fabric, netdev and parameters; @nic->id is the result
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_nic_attach(struct weft_nl *nl, struct weft_nic *nic,
		    struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_NIC_ATTACH, 0);

	if (msg)
		put_params(msg, nic);
	return weft_nl_send(nl, msg, WEFT_NL_SET_NIC, parse_nic, nic, err);
}

/**
 * weft_nic_set() - change the receive rate, stopped classes and verbs of a NIC
 * @nl: socket
 * @nic: its fabric and endpoint id; rx_rate, rx_stop and verbs as far as they are set
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_nic_set(struct weft_nl *nl, const struct weft_nic *nic,
		 struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_NIC_SET, 0);

	if (msg) {
		nla_put_u32(msg, WEFT_A_NIC_FABRIC, nic->fabric);
		nla_put_u32(msg, WEFT_A_NIC_ID, nic->id);
		put_receive(msg, nic);
		weft_verbs_put(msg, WEFT_A_NIC_VERBS, &nic->verbs);
	}
	return weft_nl_send(nl, msg, WEFT_NL_SET_NIC, NULL, NULL, err);
}

/**
 * weft_nic_detach() - detach a netdev from its fabric
 * @nl: socket
 * @fabric: its fabric
 * @id: its endpoint id
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_nic_detach(struct weft_nl *nl, uint32_t fabric, uint32_t id,
		    struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_NIC_DETACH, 0);

	if (msg) {
		nla_put_u32(msg, WEFT_A_NIC_FABRIC, fabric);
		nla_put_u32(msg, WEFT_A_NIC_ID, id);
	}
	return weft_nl_send(nl, msg, WEFT_NL_SET_NIC, NULL, NULL, err);
}

/**
 * weft_nic_list() - read all NICs of a fabric
 * @nl: socket
 * @fabric: the fabric
 * @list: result, to be freed by weft_nic_list_free() even after an error
 * @n: how many
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_nic_list(struct weft_nl *nl, uint32_t fabric, struct weft_nic **list,
		  unsigned int *n, struct weft_err *err)
{
	struct nl_msg *msg = weft_nl_msg(nl, WEFT_CMD_NIC_GET, NLM_F_DUMP);
	struct weft_nl_array l = { .size = sizeof(**list), .parse = parse_nic };
	int ret;

	if (msg)
		nla_put_u32(msg, WEFT_A_NIC_FABRIC, fabric);
	ret = weft_nl_send(nl, msg, WEFT_NL_SET_NIC, weft_nl_array_add, &l, err);
	*list = l.v;
	*n = l.n;
	return ret;
}

/**
 * weft_nic_find() - find a NIC by its number
 * @list: NICs
 * @n: how many
 * @id: the number
 *
 * Return: the NIC, NULL if there is none.
 */
const struct weft_nic *weft_nic_find(const struct weft_nic *list, unsigned int n,
				     uint32_t id)
{
	for (unsigned int i = 0; i < n; i++)
		if (list[i].id == id)
			return &list[i];
	return NULL;
}

/**
 * weft_nic_list_free() - free what weft_nic_list() read
 * @list: the NICs
 * @n: how many
 */
void weft_nic_list_free(struct weft_nic *list, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		weft_hist_free(&list[i].latency);
		weft_class_states_free(&list[i].cls);
	}
	free(list);
}
