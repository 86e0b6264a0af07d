// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Namespaces of the calling process.
 *
 * A namespace exists as long as something refers to it. Weft bind-mounts its file in
 * /proc to a file of its own. So no process has to stay alive for it, and to unmount
 * that file is enough to remove the namespace.
 */
#include "netlink/ns.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

static int open_own(const char *kind)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/thread-self/ns/%s", kind);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void close_all(struct weft_ns *ns)
{
	close(ns->net);
	close(ns->uts);
	close(ns->ipc);
	ns->net = -1;
}

/**
 * weft_ns_save() - save the current namespaces of the caller
 * @ns: result, for weft_ns_back()
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_ns_save(struct weft_ns *ns, struct weft_err *err)
{
	ns->net = open_own("net");
	ns->uts = open_own("uts");
	ns->ipc = open_own("ipc");
	if (ns->net >= 0 && ns->uts >= 0 && ns->ipc >= 0)
		return 0;
	close_all(ns);
	return weft_err_set(err, WEFT_ERR_OTHER, -EOPNOTSUPP,
			    "this kernel lacks network, UTS or IPC namespaces");
}

/**
 * weft_ns_back() - return to saved namespaces
 * @ns: the namespaces, closed here
 * @ret: what has been achieved elsewhere: 0, or a negative errno that @err explains
 * @err: error
 *
 * Return: @ret if that is an error, else 0 or negative errno; then the caller's namespaces
 * are undefined.
 */
int weft_ns_back(struct weft_ns *ns, int ret, struct weft_err *err)
{
	if ((setns(ns->net, CLONE_NEWNET) || setns(ns->uts, CLONE_NEWUTS) ||
	     setns(ns->ipc, CLONE_NEWIPC)) && !ret)
		ret = weft_err_sys(err, errno, "return to own namespaces");
	close_all(ns);
	return ret;
}

/**
 * weft_ns_enter() - enter a namespace
 * @path: its file
 * @type: CLONE_NEW*
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_ns_enter(const char *path, int type, struct weft_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return weft_err_sys(err, errno, "%s", path);
	if (setns(fd, type))
		ret = weft_err_sys(err, errno, "enter %s", path);
	close(fd);
	return ret;
}

/**
 * weft_ns_pin() - keep a namespace of the caller alive
 * @kind: "net", "uts" or "ipc"
 * @path: the file to mount it at; must not exist
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_ns_pin(const char *kind, const char *path, struct weft_err *err)
{
	char own[64];
	int fd;

	fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	if (fd < 0)
		return weft_err_sys(err, errno, "%s", path);
	close(fd);
	snprintf(own, sizeof(own), "/proc/thread-self/ns/%s", kind);
	if (mount(own, path, "none", MS_BIND, NULL))
		return weft_err_sys(err, errno, "keep namespace at %s", path);
	return 0;
}
