// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RDMA devices.
 *
 * In requests to the RDMA core (RDMA_NL_NLDEV), the attributes follow the netlink
 * header directly.
 */
#include "netlink/rdma.h"

#include <errno.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <string.h>

#define RDMA_RC	2	/* enum ib_qp_type of the kernel */

static struct nl_msg *begin(int cmd, int flags)
{
	return nlmsg_alloc_simple(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd),
				  NLM_F_REQUEST | flags);
}

/**
 * weft_rdma_new() - create an RDMA device for a NIC
 * @nl: socket to the RDMA core, in the NIC's network namespace
 * @name: name of the device; must be unique on the machine
 * @ifname: name of the NIC's netdev
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno; -EEXIST if the name is taken.
 */
int weft_rdma_new(struct weft_nl *nl, const char *name, const char *ifname,
		  struct weft_err *err)
{
	struct nl_msg *msg = begin(RDMA_NLDEV_CMD_NEWLINK, 0);

	if (msg) {
		nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, name);
		nla_put_string(msg, RDMA_NLDEV_ATTR_LINK_TYPE, "weft");
		nla_put_string(msg, RDMA_NLDEV_ATTR_NDEV_NAME, ifname);
	}
	return weft_nl_send(nl, msg, WEFT_NL_SET_NONE, NULL, NULL, err);
}

/**
 * struct search - search for a device
 * @name: its name
 * @index: result: its number
 * @found: result: there is such a device
 */
struct search {
	const char *name;
	uint32_t index;
	bool found;
};

static int compare(struct nlmsghdr *hdr, void *ctx, struct weft_err *err)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_DEV_NAME + 1];
	struct search *s = ctx;

	if (nlmsg_parse(hdr, 0, tb, RDMA_NLDEV_ATTR_DEV_NAME, NULL))
		return weft_err_set(err, WEFT_ERR_OTHER, -EBADMSG,
				    "malformed reply from the RDMA core");
	if (!tb[RDMA_NLDEV_ATTR_DEV_INDEX] || !tb[RDMA_NLDEV_ATTR_DEV_NAME] ||
	    strcmp(nla_get_string(tb[RDMA_NLDEV_ATTR_DEV_NAME]), s->name))
		return 0;
	s->index = nla_get_u32(tb[RDMA_NLDEV_ATTR_DEV_INDEX]);
	s->found = true;
	return 0;
}

/**
 * weft_rdma_find() - find a device by its name
 * @nl: socket to the RDMA core
 * @name: the name
 * @index: result: number of the device
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno; -ENOENT if this namespace sees no such device.
 */
int weft_rdma_find(struct weft_nl *nl, const char *name, uint32_t *index,
		   struct weft_err *err)
{
	struct nl_msg *msg = begin(RDMA_NLDEV_CMD_GET, NLM_F_DUMP);
	struct search s = { .name = name };
	int ret;

	ret = weft_nl_send(nl, msg, WEFT_NL_SET_NONE, compare, &s, err);
	if (ret)
		return ret;
	*index = s.index;
	if (s.found)
		return 0;
	return weft_err_set(err, WEFT_ERR_KERNEL, -ENOENT,
			    "there is no RDMA device \"%s\"", name);
}

/**
 * weft_rdma_del() - remove a device
 * @nl: socket to the RDMA core, in the device's network namespace
 * @index: its number
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_rdma_del(struct weft_nl *nl, uint32_t index, struct weft_err *err)
{
	struct nl_msg *msg = begin(RDMA_NLDEV_CMD_DELLINK, 0);

	if (msg)
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	return weft_nl_send(nl, msg, WEFT_NL_SET_NONE, NULL, NULL, err);
}

/* Count the reliable connections among the queue pairs of a message. */
static int count_rc(struct nlmsghdr *hdr, void *ctx, struct weft_err *err)
{
	struct nlattr *qps, *qp, *type;
	int rem;

	(void)err;
	qps = nlmsg_find_attr(hdr, 0, RDMA_NLDEV_ATTR_RES_QP);
	if (!qps)
		return 0;
	nla_for_each_nested(qp, qps, rem) {
		type = nla_find(nla_data(qp), nla_len(qp),
				RDMA_NLDEV_ATTR_RES_TYPE);
		if (type && nla_get_u8(type) == RDMA_RC)
			++*(unsigned int *)ctx;
	}
	return 0;
}

/**
 * weft_rdma_connections() - count the reliable connections of a device
 * @nl: socket to the RDMA core, in the device's network namespace
 * @index: its number
 * @n: result: those of this PID namespace; in the initial one, also the kernel's
 * @err: error, with the kernel's text
 *
 * Return: 0 or negative errno.
 */
int weft_rdma_connections(struct weft_nl *nl, uint32_t index, unsigned int *n,
			  struct weft_err *err)
{
	struct nl_msg *msg = begin(RDMA_NLDEV_CMD_RES_QP_GET, NLM_F_DUMP);

	*n = 0;
	if (msg)
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	return weft_nl_send(nl, msg, WEFT_NL_SET_NONE, count_rc, n, err);
}

static int take_mode(struct nlmsghdr *hdr, void *ctx, struct weft_err *err)
{
	struct nlattr *nla;

	(void)err;
	nla = nlmsg_find_attr(hdr, 0, RDMA_NLDEV_SYS_ATTR_NETNS_MODE);
	if (nla && nla_len(nla) >= 1)
		*(bool *)ctx = !nla_get_u8(nla);
	return 0;
}

/**
 * weft_rdma_exclusive() - is the RDMA subsystem in netns mode "exclusive"?
 * @nl: socket to the RDMA core
 * @exclusive: result: true if it is
 * @err: error, with the kernel's text
 *
 * In that mode a network namespace sees its own devices only.
 *
 * Return: 0 or negative errno.
 */
int weft_rdma_exclusive(struct weft_nl *nl, bool *exclusive,
			struct weft_err *err)
{
	struct nl_msg *msg = begin(RDMA_NLDEV_CMD_SYS_GET, 0);

	*exclusive = false;
	return weft_nl_send(nl, msg, WEFT_NL_SET_NONE, take_mode, exclusive,
			    err);
}
