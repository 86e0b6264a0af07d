// SPDX-License-Identifier: GPL-2.0
/*
 * weft_rdma: InfiniBand verbs over emulated fabrics.
 *
 * ib_core holds no reference on the module. So exit first prevents the creation of
 * devices, then removes all devices, then waits for the packets on their way.
 */
#include <linux/module.h>
#include <rdma/rdma_netlink.h>

#include "rdma/agent/switch.h"
#include "rdma/dev.h"
#include "rdma/pd.h"
#include "rdma/pkt.h"
#include "version.h"

static int __init weft_rdma_init(void)
{
	int err;

	weft_polls_init();
	err = weft_rpkt_init();
	if (err)
		return err;
	weft_agent_init();
	err = weft_rdma_dev_init();
	if (!err)
		return 0;
	weft_agent_exit();
	weft_rpkt_exit();
	return err;
}

static void __exit weft_rdma_exit(void)
{
	weft_rdma_dev_exit();
	weft_agent_exit();
	weft_rpkt_exit();
}

module_init(weft_rdma_init);
module_exit(weft_rdma_exit);
MODULE_DESCRIPTION("InfiniBand verbs over emulated fabrics");
MODULE_LICENSE("GPL");
MODULE_VERSION(WEFT_VERSION);
MODULE_ALIAS_RDMA_LINK("weft");
