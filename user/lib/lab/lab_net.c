// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The network that programs in a lab use: sockets or verbs.
 *
 * MPI libraries use the fastest device that they find, each by its own rules.
 * Environment variables select the network explicitly, so that a run is the
 * same whether or not nodes have RDMA devices.
 */
#include "lab/lab_net.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/lab_verbs.h"
#include "netlink/discipline.h"
#include "topology/share.h"

#define LIST_MAX	((size_t)WEFT_NODE_NICS_MAX * (WEFT_DEVICE_SIZE + 3))

const char *const weft_lab_net_words[] = { "tcp", "verbs", "efa", "sharp", "nvls", NULL };

/**
 * struct variable - an environment variable, set unless the user has set it
 * @name: its name
 * @value: its value
 */
struct variable {
	const char *name;
	const char *value;
};

/* Exclude what looks for RDMA devices, in Open MPI and below. */
static const struct variable tcp[] = {
	{ "OMPI_MCA_pml", "ob1" },
	{ "OMPI_MCA_btl", "^openib,uct,ofi" },
	{ "OMPI_MCA_osc", "^ucx" },
	{ "UCX_TLS", "tcp,self,sm" },
	{ "FI_PROVIDER", "^verbs,efa" },
	{ "NCCL_NET", "Socket" },
	{ NULL, NULL },
};

/*
 * Devices are "any" because Open MPI uses UCX only for devices with the name
 * mlx5. Its ring all-reduce waits for each send before it receives, so with
 * UCX's rendezvous one end of a link is always idle. Blocks up to 16 MiB are
 * therefore sent without rendezvous.
 *
 * UCX allocates all buffers that it may ever need at once, and registers them, unless its pools
 * grow by less.
 */
static const struct variable verbs[] = {
	{ "OMPI_MCA_pml", "ucx" },
	{ "OMPI_MCA_osc", "sm,ucx" },
	{ "OMPI_MCA_btl", "^openib,uct,ofi" },
	{ "OMPI_MCA_pml_ucx_tls", "any" },
	{ "OMPI_MCA_pml_ucx_devices", "any" },
	{ "UCX_TLS", "rc,ud,self,sm" },
	{ "UCX_RNDV_THRESH", "16m" },
	{ "UCX_RC_VERBS_TX_BUFS_GROW", "256" },
	{ "UCX_UD_VERBS_TX_BUFS_GROW", "256" },
	{ "UCX_UD_VERBS_RX_BUFS_GROW", "256" },
	{ "FI_PROVIDER", "verbs" },
	{ "NCCL_NET", "IB" },
	{ NULL, NULL },
};

/*
 * On the virtual clock code takes no time, so whoever waits for a message takes what arrives at
 * once. Of UCX's 4095 receives of 8 KiB, which are 34 MB of memory for each rank, a quarter
 * is enough.
 */
static const struct variable verbs_virtual[] = {
	{ "UCX_RC_VERBS_RX_QUEUE_LEN", "1024" },
	{ NULL, NULL },
};

/*
 * libfabric's provider of EFA. Open MPI takes it as it is: OFI for messages, and nothing beside
 * it that looks for other devices. Ranks of a node use its shared memory, which copies by
 * process_vm_readv() unless it is told otherwise.
 */
static const struct variable efa[] = {
	{ "OMPI_MCA_pml", "cm" },
	{ "OMPI_MCA_mtl", "ofi" },
	{ "OMPI_MCA_mtl_ofi_provider_include", "efa" },
	{ "OMPI_MCA_btl", "self,vader" },
	{ "OMPI_MCA_osc", "^ucx" },
	{ "FI_PROVIDER", "efa" },
	{ "NCCL_NET", "AWS Libfabric" },
	{ NULL, NULL },
};

/* Use the device with the node's address only: NICs may not reach all nodes. */
static const struct variable node_address[] = {
	{ "FI_TCP_IFACE", WEFT_NODE_DEVICE },
	{ "FI_SOCKETS_IFACE", WEFT_NODE_DEVICE },
	{ "GLOO_SOCKET_IFNAME", WEFT_NODE_DEVICE },
	{ "TP_SOCKET_IFNAME", WEFT_NODE_DEVICE },
	{ "NCCL_SOCKET_IFNAME", "=" WEFT_NODE_DEVICE },
	{ NULL, NULL },
};

/*
 * Set UCX's list of devices: the node's own RDMA devices, or the device with
 * its address. A list that a process of another node has passed on is for that
 * node, or for the other network, and is replaced.
 */
static void set_ucx(const char *devices)
{
	const char *now = getenv("UCX_NET_DEVICES");
	const char *ours = getenv("WEFT_NET_DEVICES");

	if (now && (!ours || strcmp(now, ours)))
		return;
	if (!devices) {
		unsetenv("UCX_NET_DEVICES");
		unsetenv("WEFT_NET_DEVICES");
		return;
	}
	setenv("UCX_NET_DEVICES", devices, 1);
	setenv("WEFT_NET_DEVICES", devices, 1);
}

static void set_all(const struct variable *v)
{
	for (; v->name; v++)
		setenv(v->name, v->value, 0);
}

/* NCCL compares the beginning of names: pass the name without its number. */
static void set_nccl(const char *device, bool roce)
{
	size_t n = strlen(device);
	char like[WEFT_DEVICE_SIZE];

	while (n && strchr("0123456789", device[n - 1]))
		n--;
	snprintf(like, sizeof(like), "%.*s", (int)n, device);
	setenv("NCCL_IB_HCA", like, 0);
	/* 0 is the link-local address, 1 the NIC's IPv4 address. */
	if (roce)
		setenv("NCCL_IB_GID_INDEX", "1", 0);
}

static void list_devices(json_t *nics, char list[LIST_MAX])
{
	const char *name;
	json_t *nic;
	size_t i, n = 0;

	*list = '\0';
	json_array_foreach(nics, i, nic) {
		name = json_string_value(json_object_get(nic, "rdma_device"));
		if (name && n < LIST_MAX)
			n += (size_t)snprintf(list + n, LIST_MAX - n, "%s%s:1",
					      n ? "," : "", name);
	}
}

static void use_tcp(const struct weft_lab *lab)
{
	set_all(tcp);
	set_ucx(weft_lab_node_addresses(lab) ? WEFT_NODE_DEVICE : NULL);
}

static int use_verbs(const struct weft_lab *lab, const char *node,
		     struct weft_err *err)
{
	json_t *nics = json_object_get(weft_lab_node(lab, node), "nics");
	const char *device = weft_lab_device(lab, node), *name;
	char list[LIST_MAX];

	if (!device)
		return weft_err_set(err, WEFT_ERR_USAGE, -ENODEV,
				    "node \"%.40s\" has no RDMA device: `weft doctor` says what is missing",
				    node);
	name = json_string_value(json_object_get(json_array_get(nics, 0),
						 "discipline"));
	set_all(verbs);
	if (!access(WEFT_VCLOCK_FILE, F_OK))
		set_all(verbs_virtual);
	set_nccl(device, !name || weft_discipline(name)->family != WEFT_INFINIBAND);
	/*
	 * If a node sees the devices of all nodes, UCX needs a list of its own
	 * ones.
	 */
	list_devices(nics, list);
	set_ucx(weft_lab_shares_devices(lab) ? list : NULL);
	return 0;
}

/* All RDMA devices of a node have to be of the EFA kind: libfabric refuses others beside. */
static int use_efa(const struct weft_lab *lab, const char *node, struct weft_err *err)
{
	json_t *nic, *nics = json_object_get(weft_lab_node(lab, node), "nics");
	size_t i, found = 0;

	json_array_foreach(nics, i, nic) {
		const char *kind = json_string_value(json_object_get(nic, "rdma_kind"));

		if (!json_object_get(nic, "rdma_device"))
			continue;
		if (!kind || strcmp(kind, "efa"))
			return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
					    "node \"%.40s\" has RDMA devices of another kind than EFA: set nic: {verbs: {kind: efa}}",
					    node);
		found++;
	}
	if (!found)
		return weft_err_set(err, WEFT_ERR_USAGE, -ENODEV,
				    "node \"%.40s\" has no RDMA device: `weft doctor` says what is missing",
				    node);
	set_all(efa);
	set_ucx(NULL);
	return 0;
}

/* Before all other libraries, one that takes collectives of MPI to the switches. */
static int preload(const char *lib, struct weft_err *err)
{
	const char *before = getenv("LD_PRELOAD");
	char *all;

	if (before && strstr(before, lib))
		return 0;
	if (asprintf(&all, "%s%s%s", lib, before && *before ? ":" : "",
		     before ? before : "") < 0)
		return weft_err_nomem(err);
	setenv("LD_PRELOAD", all, 1);
	free(all);
	return 0;
}

/* Processes ask the aggregation manager for trees of switches. */
static int use_switches(const struct weft_lab *lab, struct weft_err *err)
{
	static const char *const places[] = {
		"sharp/libweft-sharp.so", "../lib/weft/sharp/libweft-sharp.so", NULL
	};
	char path[WEFT_LAB_PATH], lib[PATH_MAX];

	if (weft_part_find("the library for reductions in switches", "WEFT_SHARP_LIB",
			   places, lib, err))
		return err->code;
	weft_lab_path(lab, path, "sharp");
	setenv("WEFT_SHARP", path, 1);
	return preload(lib, err);
}

static int use_sharp(const struct weft_lab *lab, const char *node, struct weft_err *err)
{
	if (use_verbs(lab, node, err))
		return err->code;
	return use_switches(lab, err);
}

/* What switches of NVLink do not reduce goes by verbs if all nodes have them. */
static int use_nvls(const struct weft_lab *lab, const char *node, struct weft_err *err)
{
	json_t *each, *nodes = json_object_get(lab->state, "nodes");
	bool all = true;
	size_t i;

	json_array_foreach(nodes, i, each)
		all &= !!weft_lab_device(lab, json_string_value(json_object_get(each, "name")));
	if (!all)
		use_tcp(lab);
	else if (use_verbs(lab, node, err))
		return err->code;
	return use_switches(lab, err);
}

/**
 * weft_lab_net_is_known() - is it the name of a network?
 * @net: the name
 *
 * Return: true if it is one of WEFT_LAB_NETS.
 */
bool weft_lab_net_is_known(const char *net)
{
	for (const char *const *name = weft_lab_net_words; *name; name++)
		if (!strcmp(net, *name))
			return true;
	return false;
}

/**
 * weft_lab_net() - select the network of programs
 * @lab: the lab, up
 * @node: node on which they will run
 * @net: "tcp", "verbs", "efa", "sharp" or "nvls"; NULL: $WEFT_NET of the caller, or else "tcp"
 * @err: error
 *
 * Variables that the user has set remain unchanged.
 *
 * Return: 0 or negative errno.
 */
int weft_lab_net(const struct weft_lab *lab, const char *node, const char *net,
		 struct weft_err *err)
{
	if (!net)
		net = getenv("WEFT_NET");
	if (!net)
		net = "tcp";
	setenv("WEFT_NET", net, 1);
	if (weft_lab_node_addresses(lab))
		set_all(node_address);
	if (!strcmp(net, "verbs"))
		return use_verbs(lab, node, err);
	if (!strcmp(net, "efa"))
		return use_efa(lab, node, err);
	if (!strcmp(net, "sharp"))
		return use_sharp(lab, node, err);
	if (!strcmp(net, "nvls"))
		return use_nvls(lab, node, err);
	if (!weft_lab_net_is_known(net))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "network \"%.40s\": expected " WEFT_LAB_NETS, net);
	use_tcp(lab);
	return 0;
}
