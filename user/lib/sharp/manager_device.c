// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Devices by which processes reach switches of NVLink.
 *
 * NICs of NVLink have no verbs, so a lab makes no RDMA devices there. The manager makes those
 * that it needs, and removes them when it ends.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "lab/lab_verbs.h"
#include "netlink/discipline.h"
#include "netlink/ns.h"
#include "netlink/rdma.h"
#include "sharp/manager.h"

#define NUMBER_MAX	65536U

static bool is_nvlink(const struct weft_plan_nic *n)
{
	return weft_port_discipline(&n->nic.port)->family == WEFT_NVLINK;
}

/* A NIC that has a device is content. The RDMA core returns ENFILE if a name is taken. */
static int make_device(struct weft_nl *nl, const char *ifname, unsigned int *next,
		       char name[WEFT_DEVICE_SIZE], struct weft_err *err)
{
	int ret = -EEXIST;

	while ((ret == -EEXIST || ret == -ENFILE) && *next < NUMBER_MAX) {
		snprintf(name, WEFT_DEVICE_SIZE, "nvls%u", (*next)++);
		ret = weft_rdma_new(nl, name, ifname, err);
	}
	if (ret)
		*name = '\0';
	if (ret == -EBUSY)
		return 0;
	if (ret)
		weft_err_prefix(err, "RDMA device on %s", ifname);
	return ret;
}

/* The caller is in the node's network namespace. */
static int make_devices(struct weft_sharp *s, const struct weft_plan_node *node,
			unsigned int *next, struct weft_err *err)
{
	const struct weft_plan *p = &s->routes.plan;
	struct weft_nl nl;
	int ret = 0;

	if (weft_nl_open_rdma(&nl, err))
		return err->code;
	for (unsigned int i = node->first; !ret && i < node->first + node->nics; i++)
		if (is_nvlink(&p->nic[i]))
			ret = make_device(&nl, p->nic[i].nic.ifname, next, s->device[i], err);
	weft_nl_close(&nl);
	return ret;
}

static int enter(const struct weft_sharp *s, const struct weft_plan_node *node,
		 struct weft_err *err)
{
	return weft_lab_enter_ns(s->routes.lab, node->name, "net", CLONE_NEWNET, err);
}

/**
 * weft_sharp_devices_make() - make a device for each NIC of NVLink
 * @s: the manager, whose plan is there
 * @err: error
 *
 * Return: 0 or negative errno; in any case weft_sharp_devices_remove() removes them.
 */
int weft_sharp_devices_make(struct weft_sharp *s, struct weft_err *err)
{
	const struct weft_plan *p = &s->routes.plan;
	unsigned int next = 0;
	struct weft_ns ns;
	int ret = 0;

	s->device = calloc(p->nics + 1, sizeof(*s->device));
	if (!s->device)
		return weft_err_nomem(err);
	if (!weft_verbs_loaded())
		return weft_err_set(err, WEFT_ERR_OTHER, -ENODEV,
				    "the module weft_rdma is not loaded: `weft doctor` says what is missing");
	if (weft_ns_save(&ns, err))
		return err->code;
	for (unsigned int i = 0; !ret && i < p->nodes; i++) {
		ret = enter(s, &p->node[i], err);
		if (!ret)
			ret = make_devices(s, &p->node[i], &next, err);
	}
	return weft_ns_back(&ns, ret, err);
}

static void remove_device(struct weft_nl *nl, const char *name)
{
	struct weft_err ignored;
	uint32_t index;

	if (*name && !weft_rdma_find(nl, name, &index, &ignored))
		weft_rdma_del(nl, index, &ignored);
}

/**
 * weft_sharp_devices_remove() - remove the devices that were made
 * @s: the manager
 *
 * A device also goes with its NIC, so errors are ignored.
 */
void weft_sharp_devices_remove(struct weft_sharp *s)
{
	const struct weft_plan *p = &s->routes.plan;
	struct weft_err ignored;
	struct weft_ns ns;
	struct weft_nl nl;

	if (!s->device || weft_ns_save(&ns, &ignored))
		return;
	for (unsigned int i = 0; i < p->nodes; i++) {
		const struct weft_plan_node *node = &p->node[i];

		if (enter(s, node, &ignored) || weft_nl_open_rdma(&nl, &ignored))
			continue;
		for (unsigned int k = node->first; k < node->first + node->nics; k++)
			remove_device(&nl, s->device[k]);
		weft_nl_close(&nl);
	}
	weft_ns_back(&ns, 0, &ignored);
	free(s->device);
	s->device = NULL;
}
