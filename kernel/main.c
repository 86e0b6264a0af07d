// SPDX-License-Identifier: GPL-2.0
/*
 * weft: emulated lossless fabrics between network namespaces.
 *
 * Fabrics hold the module, so only NICs without one are left at the end. They go
 * with the kind, which is the first to be unregistered.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "fabric/devlink.h"
#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "fabric/limit.h"
#include "fabric/netns.h"
#include "netdev/rtnl.h"
#include "netlink/nl.h"
#include "observe/capture.h"
#include "observe/trail.h"
#include "version.h"

static int __init weft_init(void)
{
	int err;

	err = weft_limit_init();
	if (err)
		return err;
	err = weft_engine_setup();
	if (err)
		goto err_exit_limit;
	err = weft_devlink_init();
	if (err)
		goto err_end_engine;
	err = weft_netns_init();
	if (err)
		goto err_exit_devlink;
	err = weft_capture_init();
	if (err)
		goto err_exit_netns;
	err = weft_trail_init();
	if (err)
		goto err_exit_capture;
	err = weft_fabric_init();
	if (err)
		goto err_exit_trail;
	err = weft_nl_init();
	if (err)
		goto err_exit_fabric;
	err = weft_rtnl_init();
	if (err)
		goto err_exit_nl;
	return 0;

err_exit_nl:
	weft_nl_exit();
err_exit_fabric:
	weft_fabric_exit();
err_exit_trail:
	weft_trail_exit();
err_exit_capture:
	weft_capture_exit();
err_exit_netns:
	weft_netns_exit();
err_exit_devlink:
	weft_devlink_exit();
err_end_engine:
	weft_engine_end();
err_exit_limit:
	weft_limit_exit();
	return err;
}

static void __exit weft_exit(void)
{
	weft_rtnl_exit();
	weft_nl_exit();
	weft_trail_exit();
	weft_capture_exit();
	weft_netns_exit();
	weft_fabric_exit();
	weft_devlink_exit();
	weft_engine_end();
	weft_limit_exit();
	rcu_barrier();
}

module_init(weft_init);
module_exit(weft_exit);
MODULE_DESCRIPTION("Emulated lossless fabrics between network namespaces");
MODULE_LICENSE("GPL");
MODULE_VERSION(WEFT_VERSION);
