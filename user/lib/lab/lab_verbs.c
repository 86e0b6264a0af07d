// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RDMA devices of a lab.
 *
 * Names of RDMA devices are unique in the machine, across network namespaces.
 * So devices get numbers that are free, in the order of endpoints. Without
 * other labs, they are the endpoints' numbers. Devices are created last, when
 * NICs have links and addresses, since the addresses become GIDs.
 */
#include "lab/lab_verbs.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lab/lab_ipoib.h"
#include "netlink/ns.h"
#include "netlink/rdma.h"

#define MODULE_DIR	"/sys/module/weft_rdma"
#define NUMBER_MAX	65536

/**
 * weft_verbs_loaded() - can the running kernel create RDMA devices?
 *
 * Return: whether the module weft_rdma is loaded.
 */
bool weft_verbs_loaded(void)
{
	return !access(MODULE_DIR, F_OK);
}

/* Create a device with the first free number from @next on. */
static int make_device(struct weft_nl *nl, const struct weft_plan_nic *n,
		       unsigned int *next, char name[WEFT_DEVICE_SIZE],
		       struct weft_err *err)
{
	int ret = -EEXIST;

	/* The RDMA core returns ENFILE if a name is taken. */
	while ((ret == -EEXIST || ret == -ENFILE) && *next < NUMBER_MAX) {
		snprintf(name, WEFT_DEVICE_SIZE, "%.40s%u", n->device,
			 (*next)++);
		ret = weft_rdma_new(nl, name, n->nic.ifname, err);
	}
	if (ret)
		weft_err_prefix(err, "RDMA device %s on %s", name,
				n->nic.name);
	return ret;
}

static json_t *nic_state(const struct weft_lab *lab, unsigned int node,
			 unsigned int nic)
{
	json_t *nodes = json_object_get(lab->state, "nodes");

	return json_array_get(json_object_get(json_array_get(nodes, node),
					      "nics"), nic);
}

/* The caller is in the node's network namespace. */
static int make_devices(struct weft_lab *lab, const struct weft_plan *plan,
			unsigned int node, unsigned int *next,
			struct weft_err *err)
{
	const struct weft_plan_node *from = &plan->node[node];
	char name[WEFT_DEVICE_SIZE];
	struct weft_nl nl;
	int ret = 0;

	if (weft_nl_open_rdma(&nl, err))
		return err->code;
	for (unsigned int i = 0; !ret && i < from->nics; i++) {
		const struct weft_plan_nic *n = &plan->nic[from->first + i];

		if (!*n->device)
			continue;
		ret = make_device(&nl, n, next, name, err);
		if (ret)
			break;
		json_object_set_new(nic_state(lab, node, i), "rdma_device", json_string(name));
		if (n->nic.verbs.kind)
			json_object_set_new(nic_state(lab, node, i), "rdma_kind",
					    json_string(weft_verbs_kind_words[n->nic.verbs.kind]));
	}
	weft_nl_close(&nl);
	return ret;
}

/*
 * Create a node's devices in its namespaces, and return to the old ones. The device's
 * description has the host's name.
 */
static int enter_and_make(struct weft_lab *lab, const struct weft_plan *plan,
			  unsigned int node, unsigned int *next,
			  struct weft_err *err)
{
	const char *name = plan->node[node].name;
	struct weft_ns ns;
	int ret;

	if (weft_ns_save(&ns, err))
		return err->code;
	ret = weft_lab_enter_ns(lab, name, "net", CLONE_NEWNET, err);
	if (!ret)
		ret = weft_lab_enter_ns(lab, name, "uts", CLONE_NEWUTS, err);
	if (!ret)
		ret = make_devices(lab, plan, node, next, err);
	return weft_ns_back(&ns, ret, err);
}

/**
 * weft_lab_verbs_up() - create the RDMA devices of a lab
 * @lab: the lab, whose NICs are up; its state gets the names of the devices
 * @plan: its plan
 * @err: error
 *
 * Without the module weft_rdma there are no devices, which is no error.
 *
 * Return: 0 or negative errno.
 */
int weft_lab_verbs_up(struct weft_lab *lab, const struct weft_plan *plan,
		      struct weft_err *err)
{
	unsigned int next = 0;

	if (!weft_verbs_loaded())
		return 0;
	if (weft_lab_ipoib_load(plan, err))
		return err->code;
	for (unsigned int i = 0; i < plan->nodes; i++)
		if (enter_and_make(lab, plan, i, &next, err) ||
		    weft_lab_ipoib_up(lab, plan, i, err))
			return err->code;
	return 0;
}

static const char *device_of(json_t *nic)
{
	return json_string_value(json_object_get(nic, "rdma_device"));
}

static void remove_devices(json_t *node)
{
	struct weft_err ignored;
	uint32_t index;
	struct weft_nl nl;
	json_t *nic;
	size_t i;

	if (weft_nl_open_rdma(&nl, &ignored))
		return;
	json_array_foreach(json_object_get(node, "nics"), i, nic)
		if (device_of(nic) &&
		    !weft_rdma_find(&nl, device_of(nic), &index, &ignored))
			weft_rdma_del(&nl, index, &ignored);
	weft_nl_close(&nl);
}

/**
 * weft_lab_verbs_down() - remove the RDMA devices of a lab
 * @lab: the lab, complete or not
 *
 * A device also ends with its NIC, but some time later. This function only
 * makes its name free when the lab is removed, so errors are ignored.
 */
void weft_lab_verbs_down(const struct weft_lab *lab)
{
	struct weft_err ignored;
	const char *name;
	struct weft_ns ns;
	json_t *node;
	size_t i;

	if (!weft_verbs_loaded() || weft_ns_save(&ns, &ignored))
		return;
	json_array_foreach(json_object_get(lab->state, "nodes"), i, node) {
		name = json_string_value(json_object_get(node, "name"));
		if (!weft_lab_enter_ns(lab, name, "net", CLONE_NEWNET, &ignored))
			remove_devices(node);
	}
	weft_ns_back(&ns, 0, &ignored);
}

static bool has_key(const struct weft_lab *lab, const char *key)
{
	json_t *node, *nic;
	size_t i, j;

	json_array_foreach(json_object_get(lab->state, "nodes"), i, node)
		json_array_foreach(json_object_get(node, "nics"), j, nic)
			if (json_object_get(nic, key))
				return true;
	return false;
}

/**
 * weft_lab_lacks_devices() - were RDMA devices planned, but not created?
 * @lab: the lab
 *
 * Return: whether there are none because the module was not loaded.
 */
bool weft_lab_lacks_devices(const struct weft_lab *lab)
{
	return has_key(lab, "device") && !has_key(lab, "rdma_device");
}

/**
 * weft_lab_shares_devices() - does each node see the RDMA devices of all nodes?
 * @lab: the lab
 *
 * Return: whether the lab has devices and the RDMA core shares devices between
 * network namespaces.
 */
bool weft_lab_shares_devices(const struct weft_lab *lab)
{
	struct weft_err ignored;
	bool exclusive = true;
	struct weft_nl nl;

	if (!has_key(lab, "rdma_device") || weft_nl_open_rdma(&nl, &ignored))
		return false;
	if (weft_rdma_exclusive(&nl, &exclusive, &ignored))
		exclusive = true;
	weft_nl_close(&nl);
	return !exclusive;
}

/**
 * weft_lab_device() - find the RDMA device of a node
 * @lab: the lab
 * @node: name of the node
 *
 * Return: name of the node's first device, NULL if it has none.
 */
const char *weft_lab_device(const struct weft_lab *lab, const char *node)
{
	json_t *nics = json_object_get(weft_lab_node(lab, node), "nics"), *nic;
	size_t i;

	json_array_foreach(nics, i, nic)
		if (device_of(nic))
			return device_of(nic);
	return NULL;
}
