// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Move the calling process into a node.
 *
 * The network, UTS and IPC namespaces are those of the node. The mount
 * namespace is a copy for the caller, as with `ip netns exec`, with /etc/hosts,
 * /dev/shm, boot id and /sys of the node. All processes of the node share its /dev/shm.
 * Mounts that a program makes are visible only to itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lab/lab.h"
#include "netlink/ns.h"

#define BOOT_ID	"/proc/sys/kernel/random/boot_id"

/**
 * weft_lab_enter_ns() - enter a namespace of a node
 * @lab: the lab
 * @node: name of the node
 * @kind: "net", "uts" or "ipc"
 * @type: the same, as CLONE_NEW*
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_lab_enter_ns(const struct weft_lab *lab, const char *node,
		      const char *kind, int type, struct weft_err *err)
{
	char path[WEFT_LAB_PATH];

	weft_lab_path(lab, path, "nodes/%s/%s", node, kind);
	return weft_ns_enter(path, type, err);
}

static int bind_over(const char *from, const char *to, struct weft_err *err)
{
	if (mount(from, to, NULL, MS_BIND, NULL))
		return weft_err_sys(err, errno, "mount %s on %s", from, to);
	return 0;
}

/* A minimal system may have no /etc/hosts to mount over: create an empty one. */
static int need_file(const char *path, struct weft_err *err)
{
	int fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0)
		return weft_err_sys(err, errno, "%s", path);
	close(fd);
	return 0;
}

/**
 * weft_lab_own_mounts() - give the caller mounts that nobody else sees
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_lab_own_mounts(struct weft_err *err)
{
	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_SLAVE | MS_REC, NULL))
		return weft_err_sys(err, errno, "make a mount namespace");
	return 0;
}

/**
 * weft_lab_mount_sys() - mount a /sys that shows the caller's network namespace
 * @err: error
 *
 * The caller has mounts of its own. sysfs shows the network namespace of the process that
 * mounts it.
 *
 * Return: 0 or negative errno.
 */
int weft_lab_mount_sys(struct weft_err *err)
{
	struct statvfs st;
	unsigned long flags = 0;

	if (!statvfs("/sys", &st) && st.f_flag & ST_RDONLY)
		flags = MS_RDONLY;
	umount2("/sys", MNT_DETACH);
	if (mount("weft", "/sys", "sysfs", flags, NULL))
		return weft_err_sys(err, errno, "mount sysfs on /sys");
	return 0;
}

static int node_mounts(const struct weft_lab *lab, const char *node,
		       struct weft_err *err)
{
	char hosts[WEFT_LAB_PATH], shm[WEFT_LAB_PATH], boot[WEFT_LAB_PATH];

	if (weft_lab_own_mounts(err))
		return err->code;
	weft_lab_path(lab, hosts, "hosts");
	weft_lab_path(lab, shm, "nodes/%s/shm", node);
	weft_lab_path(lab, boot, "nodes/%s/boot_id", node);
	if (need_file("/etc/hosts", err) ||
	    bind_over(hosts, "/etc/hosts", err) ||
	    bind_over(shm, "/dev/shm", err) || bind_over(boot, BOOT_ID, err))
		return err->code;
	return weft_lab_mount_sys(err);
}

/**
 * weft_lab_enter() - move into a node
 * @lab: the lab, up
 * @node: name of the node
 * @err: error
 *
 * After an error some namespaces may be changed already: the caller should exit.
 *
 * Return: 0 or negative errno.
 */
int weft_lab_enter(const struct weft_lab *lab, const char *node,
		   struct weft_err *err)
{
	if (!weft_lab_node(lab, node))
		return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
				    "lab \"%s\" has no node \"%.40s\": `weft show nodes` lists them",
				    lab->name, node);
	if (weft_lab_enter_ns(lab, node, "net", CLONE_NEWNET, err) ||
	    weft_lab_enter_ns(lab, node, "uts", CLONE_NEWUTS, err) ||
	    weft_lab_enter_ns(lab, node, "ipc", CLONE_NEWIPC, err) ||
	    node_mounts(lab, node, err))
		return err->code;
	setenv("WEFT_LAB", lab->name, 1);
	setenv("WEFT_NODE", node, 1);
	setenv("WEFT_MARKS", WEFT_MARKS_FILE, 1);
	return 0;
}
