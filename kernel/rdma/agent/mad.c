// SPDX-License-Identifier: GPL-2.0
/*
 * Management datagrams (MADs) that the device answers itself.
 *
 * These are Get and Set of subnet management, LID-routed or directed, of performance
 * management, and on InfiniBand of congestion control, and the TrapRepress of its own
 * traps. All others, responses included, go to the agents that are registered for
 * them; ib_mad drops those without an agent.
 */
#include "rdma/agent/mad.h"

#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>

#include "rdma/dev.h"

static bool mad_is_subnet(const struct ib_mad_hdr *h)
{
	return h->mgmt_class == IB_MGMT_CLASS_SUBN_LID_ROUTED ||
	       h->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
}

/* RoCE has no congestion control management. */
static bool mad_is_congestion(const struct weft_rdma_dev *dev,
			      const struct ib_mad_hdr *h)
{
	return dev->is_ib && h->mgmt_class == IB_MGMT_CLASS_CONG_MGMT;
}

/* A TrapRepress for a manager in this node is for its own notices, if any. */
static bool mad_is_repress(const struct weft_rdma_dev *dev,
			   const struct ib_mad_hdr *h)
{
	return dev->sma.managed && mad_is_subnet(h) &&
	       h->method == IB_MGMT_METHOD_TRAP_REPRESS;
}

/* Subnet managers exchange SMInfo; it is not for the device. */
static bool mad_is_ours(const struct weft_rdma_dev *dev,
			const struct ib_mad_hdr *h)
{
	if (mad_is_repress(dev, h))
		return true;
	if (h->method != IB_MGMT_METHOD_GET && h->method != IB_MGMT_METHOD_SET)
		return false;
	if (mad_is_subnet(h))
		return h->attr_id != IB_SMP_ATTR_SM_INFO;
	return h->mgmt_class == IB_MGMT_CLASS_PERF_MGMT ||
	       mad_is_congestion(dev, h);
}

static int mad_answer(struct weft_rdma_dev *dev, int flags, struct ib_mad *out)
{
	const struct ib_mad_hdr *h = &out->mad_hdr;

	if (mad_is_congestion(dev, h))
		return weft_cc_agent_answer(dev, out);
	if (h->base_version != IB_MGMT_BASE_VERSION || h->class_version != 1)
		return IB_MGMT_MAD_STATUS_BAD_VERSION;
	return mad_is_subnet(h) ? weft_sma_answer(dev, flags, out) :
				  weft_pma_answer(dev, out);
}

/**
 * weft_rdma_process_mad() - answer a management datagram
 * @ib: the device
 * @flags: IB_MAD_*: checks of keys to be skipped
 * @port: 1
 * @in_wc: its completion, NULL for local requests
 * @in_grh: its GRH, or NULL
 * @in: the datagram
 * @out: the response
 * @out_size: its size, not changed
 * @out_pkey_index: index of its P_Key, not changed
 *
 * Context: process; takes the fabric's lock.
 * Return: IB_MAD_RESULT_*.
 */
int weft_rdma_process_mad(struct ib_device *ib, int flags, u32 port,
			  const struct ib_wc *in_wc, const struct ib_grh *in_grh,
			  const struct ib_mad *in, struct ib_mad *out,
			  size_t *out_size, u16 *out_pkey_index)
{
	struct weft_rdma_dev *dev = weft_rdma_dev_of(ib);
	struct ib_mad_hdr *h = &out->mad_hdr;
	int status;

	if (!mad_is_ours(dev, &in->mad_hdr))
		return IB_MAD_RESULT_SUCCESS;
	*out = *in;
	status = mad_answer(dev, flags, out);
	if (status < 0)
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
	h->method = IB_MGMT_METHOD_GET_RESP;
	h->status = cpu_to_be16(status);
	if (h->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		h->status |= IB_SMP_DIRECTION;
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}
