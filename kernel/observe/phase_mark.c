// SPDX-License-Identifier: GPL-2.0
/*
 * Marks: programs mark phases in /proc/net/weft_mark.
 *
 * A node is a network namespace, so the file needs no name of a fabric: a line that
 * is written there is a mark in the fabrics of the namespace's NICs. All users of
 * the node may write. The mark is made before write() returns, at the fabric time of
 * the call.
 */
#include "observe/phase_mark.h"

#include <linux/netdevice.h>
#include <linux/proc_fs.h>
#include <linux/rtnetlink.h>
#include <linux/seq_file.h>
#include <linux/seq_file_net.h>
#include <net/net_namespace.h>

#include "fabric/endpoint.h"
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/phase.h"
#include "netdev/nic.h"

#define MARK_FILE	"weft_mark"
#define MARK_END	"-"		/* a line that only ends a phase */

/* Mark each fabric that the namespace has a NIC of, once. */
static int mark_everywhere(struct net *net, const char *name)
{
	struct weft_endpoint *wep;
	struct net_device *dev;
	int err = -ENODEV;

	ASSERT_RTNL();
	for_each_netdev(net, dev) {
		if (!weft_nic_is(dev))
			continue;
		wep = rtnl_dereference(((struct weft_nic *)netdev_priv(dev))->ep);
		if (!wep)
			continue;
		err = weft_phase_mark(wep->fabric, name);
		if (err)
			break;
	}
	return err;
}

static int mark_line(struct net *net, char *line)
{
	int err;

	line = strim(line);
	if (!strcmp(line, MARK_END))
		*line = '\0';
	else if (!fab_phase_name_valid(line))
		return -EINVAL;
	rtnl_lock();
	err = mark_everywhere(net, line);
	rtnl_unlock();
	return err;
}

static int mark_write(struct file *file, char *buf, size_t size)
{
	struct net *net = seq_file_single_net(file->private_data);
	char *line, *rest = buf;
	int err = -EINVAL;

	if (memchr(buf, '\0', size))
		return -EINVAL;
	while ((line = strsep(&rest, "\n"))) {
		if (!*line)
			continue;
		err = mark_line(net, line);
		if (err)
			break;
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return err;
}

static void mark_tell(struct seq_file *m, struct weft_fabric *f)
{
	weft_engine_lock(f);
	if (*f->fab.phases.mark)
		seq_printf(m, "%s\n", f->fab.phases.mark);
	weft_engine_unlock(f);
}

/* The present marked phase of the namespace's first NIC. */
static int mark_show(struct seq_file *m, void *v)
{
	struct net *net = seq_file_single_net(m);
	struct weft_endpoint *wep = NULL;
	struct net_device *dev;

	rtnl_lock();
	for_each_netdev(net, dev) {
		if (weft_nic_is(dev))
			wep = rtnl_dereference(((struct weft_nic *)netdev_priv(dev))->ep);
		if (wep) {
			mark_tell(m, wep->fabric);
			break;
		}
	}
	rtnl_unlock();
	return 0;
}

/**
 * weft_phase_mark_init() - create the file of a network namespace
 * @net: the namespace
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int __net_init weft_phase_mark_init(struct net *net)
{
	if (!IS_ENABLED(CONFIG_PROC_FS))
		return 0;
	return proc_create_net_single_write(MARK_FILE, 0666, net->proc_net,
					    mark_show, mark_write, NULL) ?
	       0 : -ENOMEM;
}

/**
 * weft_phase_mark_exit() - remove the file of a network namespace
 * @net: the namespace
 *
 * Context: process, may sleep; RTNL is not held, because a writer takes it.
 */
void weft_phase_mark_exit(struct net *net)
{
	remove_proc_entry(MARK_FILE, net->proc_net);
}
