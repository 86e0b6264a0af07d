// SPDX-License-Identifier: GPL-2.0
/*
 * weft_verbs_test: verbs that only the kernel has, between two devices.
 *
 * insmod weft_verbs_test.ko devices=NAME,NAME runs all tests and prints their results
 * as TAP, each line behind the module's name. Any kernel can load it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "tests/verbs/cases.h"

static char *devices[2];
static int ndevices;
module_param_array(devices, charp, &ndevices, 0444);
MODULE_PARM_DESC(devices, "names of two RDMA devices that are connected");

static uint rounds = 100;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "rounds of the tests that repeat");

static bool lossy;
module_param(lossy, bool, 0444);
MODULE_PARM_DESC(lossy, "packets are lost: only tests that hold then");

/**
 * vt_rounds() - how often a test repeats that does
 *
 * Context: any.
 * Return: the number.
 */
uint vt_rounds(void)
{
	return rounds;
}

/**
 * vt_check() - check a condition
 * @holds: does it hold?
 * @where: function
 * @line: line
 * @what: its text
 *
 * Context: any.
 * Return: 0 or -EINVAL, which is printed.
 */
int vt_check(bool holds, const char *where, int line, const char *what)
{
	if (holds)
		return 0;
	pr_err("%s:%d: not %s\n", where, line, what);
	return -EINVAL;
}

/**
 * vt_complete() - check the next completion
 * @end: whose
 * @status: its status
 * @opcode: its opcode, if it has succeeded
 *
 * Context: process, sleeps.
 * Return: 0 if it is like that.
 */
int vt_complete(struct vt_end *end, enum ib_wc_status status,
		enum ib_wc_opcode opcode)
{
	struct ib_wc wc;

	if (vt_wait(end, &wc)) {
		pr_err("no completion\n");
		return -ETIMEDOUT;
	}
	if (wc.status == status && (status || wc.opcode == opcode))
		return 0;
	pr_err("completion: status %d (%s), opcode %d\n", wc.status,
	       ib_wc_status_msg(wc.status), wc.opcode);
	return -EINVAL;
}

/**
 * vt_local() - memory by the local DMA key
 * @buf: buffer, of which the first element counts
 * @len: bytes
 *
 * Context: any.
 * Return: the SGE.
 */
struct ib_sge vt_local(struct vt_buffer *buf, u32 len)
{
	return (struct ib_sge) {
		.addr = sg_dma_address(&buf->sg[0]),
		.length = len,
		.lkey = buf->end->pd->local_dma_lkey,
	};
}

/**
 * vt_ready() - map and register the buffer of the end that is accessed
 * @p: the pair
 * @access: IB_ACCESS_*
 *
 * Context: process, sleeps.
 * Return: 0 or an error.
 */
int vt_ready(struct vt_pair *p, int access)
{
	return VT_CHECK(!vt_buffer_map(&p->dst)) ?:
	       VT_CHECK(!vt_register(&p->b, &p->dst, p->dst.mr->rkey, access)) ?:
	       vt_complete(&p->b, IB_WC_SUCCESS, IB_WC_REG_MR);
}

/**
 * vt_write() - post a write from the source to the destination
 * @p: the pair
 * @offset: bytes behind the destination's start
 * @len: bytes
 * @key: R_Key
 *
 * Context: any.
 * Return: 0 or an error.
 */
int vt_write(struct vt_pair *p, u64 offset, u32 len, u32 key)
{
	struct ib_sge sge = vt_local(&p->src, len);

	return vt_rdma(&p->a, IB_WR_RDMA_WRITE, &sge,
		       p->dst.mr->iova + offset, key);
}

/* The buffers that a test wants. */
static int vt_buffers(struct vt_pair *p, const struct vt_case *c)
{
	int err;

	err = vt_buffer_alloc(&p->src, &p->a, IB_MR_TYPE_MEM_REG, 1,
			      c->large ? 7 : 2);
	if (err)
		return err;
	vt_buffer_fill(&p->src, 1);
	if (c->gaps)
		return vt_buffer_alloc(&p->dst, &p->b, IB_MR_TYPE_SG_GAPS,
				       VT_SGES, 0);
	return vt_buffer_alloc(&p->dst, &p->b, IB_MR_TYPE_MEM_REG,
			       c->large ? 1 : 3, c->large ? 7 : 0);
}

static int vt_run_between(const struct vt_case *c, struct ib_device *a,
			  struct ib_device *b)
{
	struct vt_pair p = { .a.dev = a, .b.dev = b };
	int err;

	err = vt_pair_open(&p.a, &p.b, c->uc ? IB_QPT_UC : IB_QPT_RC);
	if (!err)
		err = vt_buffers(&p, c);
	if (!err)
		err = c->run(&p);
	vt_pair_stop(&p.a, &p.b);
	vt_buffer_free(&p.src);
	vt_buffer_free(&p.dst);
	vt_pair_close(&p.a, &p.b);
	return err;
}

static void vt_run_all(const struct vt_case *c, struct ib_device *a,
		       struct ib_device *b, int *number)
{
	for (; c->name; c++) {
		if (lossy && !c->lossy)
			continue;
		pr_info("%sok %d %s\n", vt_run_between(c, a, b) ? "not " : "",
			++*number, c->name);
	}
}

static int __init vt_main_init(void)
{
	struct ib_device *a, *b;
	int number = 0;

	if (ndevices != 2)
		return -EINVAL;
	a = ib_device_get_by_name(devices[0], RDMA_DRIVER_UNKNOWN);
	b = ib_device_get_by_name(devices[1], RDMA_DRIVER_UNKNOWN);
	if (a && b) {
		vt_run_all(vt_key_cases, a, b, &number);
		vt_run_all(vt_order_cases, a, b, &number);
		pr_info("1..%d\n", number);
	}
	if (a)
		ib_device_put(a);
	if (b)
		ib_device_put(b);
	return a && b ? 0 : -ENODEV;
}

static void __exit vt_main_exit(void)
{
}

module_init(vt_main_init);
module_exit(vt_main_exit);
MODULE_DESCRIPTION("Tests of the kernel's verbs");
MODULE_LICENSE("GPL");
