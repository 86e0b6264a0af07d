// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Carry out a plan.
 *
 * The lab's state file lists all nodes before this begins, so the remains of a
 * killed process can be found. An error undoes everything.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "lab/lab.h"
#include "lab/lab_ip.h"
#include "lab/lab_mpi.h"
#include "lab/lab_netns.h"
#include "lab/lab_sources.h"
#include "lab/lab_verbs.h"
#include "netlink/discipline.h"
#include "netlink/ipoib.h"
#include "netlink/ns.h"
#include "netlink/rtnl.h"

/**
 * struct up - state of the execution of a plan
 * @lab: the lab
 * @plan: the plan
 * @nl: socket of the netlink family
 * @fabric: number of the fabric
 * @sw: the kernel's number of each planned switch
 * @step: called for each step
 * @ctx: context of @step
 * @done: number of steps done
 * @total: number of all steps
 * @err: error
 */
struct up {
	struct weft_lab *lab;
	struct weft_plan *plan;
	struct weft_nl nl;
	uint32_t fabric;
	uint32_t *sw;
	weft_step_fn step;
	void *ctx;
	unsigned int done;
	unsigned int total;
	struct weft_err *err;
};

static int progress(struct up *up, const char *what)
{
	if (!up->step || up->step(up->ctx, what, up->done++, up->total))
		return 0;
	return weft_err_set(up->err, WEFT_ERR_OTHER, -EINTR, "interrupted");
}

static int make_dir(const char *path, mode_t mode, struct weft_err *err)
{
	/* chmod() sets the mode regardless of the umask. */
	if (mkdir(path, mode) || chmod(path, mode))
		return weft_err_sys(err, errno, "make %s", path);
	return 0;
}

static int write_hosts(struct up *up)
{
	char path[WEFT_LAB_PATH], ip[WEFT_IP_TEXT];
	const struct weft_plan *p = up->plan;
	struct weft_strbuf s = { 0 };

	weft_strbuf_add(&s, "127.0.0.1\tlocalhost\n");
	for (unsigned int i = 0; i < p->nodes; i++)
		if (p->node[i].ip)
			weft_strbuf_addf(&s, "%s\t%s\n",
					 weft_ip_text(ip, p->node[i].ip),
					 p->node[i].name);
	for (unsigned int i = 0; i < p->nics; i++) {
		const struct weft_plan_nic *n = &p->nic[i];
		const struct weft_plan_node *node = &p->node[n->node];
		bool named = node->first == i && !node->ip;

		weft_strbuf_addf(&s, "%s\t%s%s%s\n", weft_ip_text(ip, n->ip),
				 named ? node->name : "", named ? " " : "",
				 n->nic.name);
	}
	for (unsigned int i = 0; i < p->nics; i++)
		if (p->nic[i].ipoib != WEFT_IPOIB_OFF)
			weft_strbuf_addf(&s, "%s\t%s.%s\n",
					 weft_ip_text(ip, p->nic[i].ipoib_ip),
					 p->node[p->nic[i].node].name,
					 p->nic[i].ipoib_name);
	weft_lab_path(up->lab, path, "hosts");
	return weft_file_write(path, 0644, &s, up->err);
}

/* The tmpfs is private: no namespace may be pinned at a path that it sees. */
static int make_dirs(struct up *up)
{
	char path[WEFT_LAB_PATH];

	if (mkdir(WEFT_NETNS_DIR, 0755) && errno != EEXIST)
		return weft_err_sys(up->err, errno, "make %s", WEFT_NETNS_DIR);
	weft_lab_path(up->lab, path, "%s", "");
	if (make_dir(path, 0755, up->err))
		return up->err->code;
	if (mount("weft", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") ||
	    mount(NULL, path, NULL, MS_PRIVATE, NULL))
		return weft_err_sys(up->err, errno, "mount tmpfs on %s", path);
	weft_lab_path(up->lab, path, "net");
	if (weft_ns_pin("net", path, up->err))
		return up->err->code;
	weft_lab_path(up->lab, path, "nodes");
	if (make_dir(path, 0755, up->err))
		return up->err->code;
	if (write_hosts(up))
		return up->err->code;
	return weft_lab_mpi_up(up->lab, up->err);
}

static int write_setting(const struct weft_setting *s, struct weft_err *err)
{
	char path[96] = "/proc/sys/";
	int fd, ret = 0;
	ssize_t n;

	strcat(path, s->key);
	for (char *c = path; *c; c++)
		*c = *c == '.' ? '/' : *c;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0) {
		/* A kernel without IPv6 has no such settings. */
		if (errno == ENOENT && !strncmp(s->key, "net.ipv6.", 9))
			return 0;
		return weft_err_sys(err, errno, "setting %s", s->key);
	}
	n = write(fd, s->value, strlen(s->value));
	if (n < 0)
		ret = weft_err_sys(err, errno, "setting %s = %s", s->key,
				   s->value);
	close(fd);
	return ret;
}

/*
 * NICs are up before they get links. Of a carrier that comes, Linux tells at once where the
 * device is up, else up to 1 s after the one before; until then it is not running.
 */
static int make_nic(struct weft_nl *rt, const struct weft_plan_nic *n, struct weft_err *err)
{
	int ret = weft_rtnl_nic_new(rt, n->nic.ifname, n->ifindex, n->mac, n->mtu, err);

	return ret ? ret : weft_rtnl_link_up(rt, n->ifindex, err);
}

static int make_nics(struct up *up, const struct weft_plan_node *node)
{
	struct weft_nl rt;
	int ret;

	if (weft_nl_open_route(&rt, up->err))
		return up->err->code;
	ret = weft_rtnl_link_up(&rt, 1, up->err);
	for (unsigned int i = 0; !ret && i < node->nics; i++) {
		const struct weft_plan_nic *n = &up->plan->nic[node->first + i];

		ret = make_nic(&rt, n, up->err);
		if (ret)
			weft_err_prefix(up->err, "make NIC %s", n->nic.name);
	}
	weft_nl_close(&rt);
	return ret;
}

/* FNV-1a of 64 bits. */
static uint64_t hash_of(const char *text, uint64_t hash)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	return hash;
}

/*
 * A boot id of the node's own: middleware takes processes with the same one for neighbours
 * on one machine (UCX, UCC, NCCL). The same lab has the same ones each time.
 */
static int write_boot_id(struct up *up, const char *node)
{
	uint64_t a = hash_of(node, 0xcbf29ce484222325 ^ up->plan->fabric.seed);
	uint64_t b = hash_of(up->lab->name, a);
	char path[WEFT_LAB_PATH];
	struct weft_strbuf s = { 0 };

	weft_strbuf_addf(&s, "%08x-%04x-4%03x-a%03x-%012llx\n", (unsigned int)(a >> 32),
			 (unsigned int)(a >> 16 & 0xffff), (unsigned int)(a & 0xfff),
			 (unsigned int)(b >> 48 & 0xfff),
			 (unsigned long long)(b & 0xffffffffffff));
	weft_lab_path(up->lab, path, "nodes/%s/boot_id", node);
	return weft_file_write(path, 0444, &s, up->err);
}

static int pin_node(struct up *up, const char *name)
{
	static const char *const kinds[] = { "net", "uts", "ipc" };
	char path[WEFT_LAB_PATH];

	weft_lab_path(up->lab, path, "nodes/%s", name);
	if (make_dir(path, 0755, up->err))
		return up->err->code;
	weft_lab_path(up->lab, path, "nodes/%s/shm", name);
	if (make_dir(path, 01777, up->err))
		return up->err->code;
	if (write_boot_id(up, name))
		return up->err->code;
	for (unsigned int i = 0; i < 3; i++) {
		weft_lab_path(up->lab, path, "nodes/%s/%s", name, kinds[i]);
		if (weft_ns_pin(kinds[i], path, up->err))
			return up->err->code;
	}
	return weft_lab_netns_pin(up->lab, name, up->err);
}

/* The caller is in the new namespaces of the node. */
static int fill_node(struct up *up, const struct weft_plan_node *node)
{
	if (sethostname(node->name, strlen(node->name)))
		return weft_err_sys(up->err, errno, "set host name");
	if (pin_node(up, node->name))
		return up->err->code;
	for (unsigned int i = 0; i < node->settings; i++)
		if (write_setting(&node->setting[i], up->err))
			return up->err->code;
	return make_nics(up, node);
}

static int make_node(struct up *up, const struct weft_plan_node *node)
{
	struct weft_ns ns;
	int ret;

	if (progress(up, node->name) || weft_ns_save(&ns, up->err))
		return up->err->code;
	if (unshare(CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC))
		ret = weft_err_sys(up->err, errno, "make namespaces");
	else
		ret = fill_node(up, node);
	if (ret)
		weft_err_prefix(up->err, "node %s", node->name);
	return weft_ns_back(&ns, ret, up->err);
}

static int make_nodes(struct up *up)
{
	for (unsigned int i = 0; i < up->plan->nodes; i++)
		if (make_node(up, &up->plan->node[i]))
			return up->err->code;
	return 0;
}

static int make_switches(struct up *up)
{
	struct weft_switch sw;

	for (unsigned int i = 0; i < up->plan->switches; i++) {
		sw = up->plan->sw[i];
		sw.fabric = up->fabric;
		if (weft_switch_new(&up->nl, &sw, up->err)) {
			weft_err_prefix(up->err, "switch %s", sw.name);
			return up->err->code;
		}
		up->sw[i] = sw.id;
	}
	return 0;
}

/* Set mappings of classes that depend on the input and output port. */
static int make_classes(struct up *up)
{
	const struct weft_plan *p = up->plan;

	for (unsigned int i = 0; i < p->vls; i++) {
		const struct weft_plan_vl *row = &p->vl[i];
		struct weft_switch sw = {
			.fabric = up->fabric, .id = up->sw[row->sw],
		};

		memcpy(sw.vl, row->vl, sizeof(sw.vl));
		if (weft_switch_set_vl(&up->nl, &sw, &row->in, &row->out,
				       up->err)) {
			weft_err_prefix(up->err, "classes of switch %s",
					p->sw[row->sw].name);
			return up->err->code;
		}
	}
	return 0;
}

static int attach_nic(struct up *up, unsigned int index)
{
	const struct weft_plan_nic *n = &up->plan->nic[index];
	struct weft_nic nic = n->nic;
	char path[WEFT_LAB_PATH];
	int ret;

	weft_lab_path(up->lab, path, "nodes/%s/net",
		      up->plan->node[n->node].name);
	nic.fabric = up->fabric;
	nic.netns_fd = open(path, O_RDONLY | O_CLOEXEC);
	nic.has |= WEFT_NIC_HAS_NETNS;
	if (nic.netns_fd < 0)
		return weft_err_sys(up->err, errno, "%s", path);
	ret = weft_nic_attach(&up->nl, &nic, up->err);
	if (ret)
		weft_err_prefix(up->err, "NIC %s", nic.name);
	close(nic.netns_fd);
	return ret;
}

static void use_kernel_ids(const struct up *up, struct weft_link *link)
{
	link->fabric = up->fabric;
	for (unsigned int i = 0; i < 2; i++)
		if (!link->end[i].is_nic)
			link->end[i].id = up->sw[link->end[i].id];
}

static int make_links(struct up *up)
{
	struct weft_link link;

	for (unsigned int i = 0; i < up->plan->links; i++) {
		link = up->plan->link[i];
		use_kernel_ids(up, &link);
		if (weft_link_new(&up->nl, &link, up->err)) {
			weft_err_prefix(up->err, "link %s", link.name);
			return up->err->code;
		}
	}
	return 0;
}

/* Does the subnet manager set the routes of a switch? */
static bool is_managed(const struct weft_plan *p, uint32_t sw)
{
	return p->fabric.managed &&
	       weft_port_discipline(&p->sw[sw].port)->family == WEFT_INFINIBAND;
}

static int make_routes(struct up *up)
{
	struct weft_route r;

	for (unsigned int i = 0; i < up->plan->routes; i++) {
		r = up->plan->route[i];
		if (is_managed(up->plan, r.sw))
			continue;
		r.fabric = up->fabric;
		r.sw = up->sw[r.sw];
		if (weft_route_set(&up->nl, &r, up->err)) {
			weft_err_prefix(up->err, "route on switch %s",
					up->plan->sw[up->plan->route[i].sw].name);
			return up->err->code;
		}
	}
	return 0;
}

static int make_fabric(struct up *up)
{
	struct weft_fabric f = up->plan->fabric;

	if (progress(up, "fabric"))
		return up->err->code;
	if (weft_fabric_new(&up->nl, &f, up->err)) {
		weft_err_prefix(up->err, "fabric %s", f.name);
		return up->err->code;
	}
	up->fabric = f.id;
	if (make_switches(up) || make_classes(up))
		return up->err->code;
	for (unsigned int i = 0; i < up->plan->nics; i++)
		if (attach_nic(up, i))
			return up->err->code;
	if (make_links(up))
		return up->err->code;
	return make_routes(up);
}

static int start_node(struct up *up, unsigned int node)
{
	const char *name = up->plan->node[node].name;
	struct weft_ns ns;
	int ret;

	if (progress(up, name) || weft_ns_save(&ns, up->err))
		return up->err->code;
	ret = weft_lab_enter_ns(up->lab, name, "net", CLONE_NEWNET, up->err);
	if (!ret)
		ret = weft_lab_ip(up->plan, node, up->err);
	return weft_ns_back(&ns, ret, up->err);
}

static int start_nodes(struct up *up)
{
	for (unsigned int i = 0; i < up->plan->nodes; i++)
		if (start_node(up, i))
			return up->err->code;
	return 0;
}

/* Mark the lab as up; its report counts from now on. */
static int mark_up(struct up *up)
{
	json_t *state = up->lab->state;
	struct weft_fabric f;
	int ret;

	ret = weft_fabric_find(&up->nl, up->plan->fabric.name, &f, up->err);
	if (!ret) {
		json_object_set_new(state, "up", json_true());
		json_object_set_new(state, "since_ps",
				    json_integer((json_int_t)f.now));
		ret = weft_lab_save(up->lab, up->err);
	}
	weft_fabric_free(&f);
	return ret;
}

static int carry_out(struct up *up)
{
	if (make_dirs(up) || make_nodes(up) || make_fabric(up) ||
	    start_nodes(up) || weft_lab_verbs_up(up->lab, up->plan, up->err) ||
	    weft_lab_sources_save(up->lab, up->err))
		return up->err->code;
	return mark_up(up);
}

/**
 * weft_lab_up() - carry out a plan
 * @lab: the lab, from weft_lab_claim() with this plan
 * @plan: the plan
 * @step: called for each step, may be NULL
 * @ctx: context of @step
 * @err: error
 *
 * Context: the lock of weft_lab_lock() is held.
 * Return: 0 or negative errno; an error undoes everything.
 */
int weft_lab_up(struct weft_lab *lab, struct weft_plan *plan, weft_step_fn step,
		void *ctx, struct weft_err *err)
{
	struct up up = {
		.lab = lab, .plan = plan, .step = step, .ctx = ctx, .err = err,
		.total = 2 * plan->nodes + 1,
	};
	struct weft_err ignored;
	int ret;

	up.sw = calloc(plan->switches + 1, sizeof(*up.sw));
	if (!up.sw)
		ret = weft_err_nomem(err);
	else
		ret = weft_nl_open(&up.nl, err);
	if (!ret) {
		ret = carry_out(&up);
		weft_nl_close(&up.nl);
	}
	free(up.sw);
	if (ret)
		weft_lab_down(lab, &ignored);
	return ret;
}
