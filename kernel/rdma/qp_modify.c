// SPDX-License-Identifier: GPL-2.0
/*
 * States and attributes of a queue pair.
 *
 * Several threads may modify one queue pair: its mutex admits one at a time. A
 * reset ends when the completions from before it are gone. Checks that depend on
 * the state are made under the fabric's lock, before anything changes.
 */
#include "rdma/qp.h"

#include <linux/etherdevice.h>

/**
 * struct qp_change - a request to modify a queue pair
 */
struct qp_change {
	/** @attr: attributes */
	const struct ib_qp_attr *attr;
	/** @mask: IB_QP_*: which of them are set */
	int mask;
	/** @path: path of IB_QP_AV */
	struct weft_path path;
	/** @mtu: path MTU of IB_QP_PATH_MTU, bytes */
	u32 mtu;
};

/* Is the attribute of @mask to be set to a value above @max? */
static bool qp_above(const struct qp_change *c, int mask, u32 value, u32 max)
{
	return (c->mask & mask) && value > max;
}

static int qp_check_ranges(const struct qp_change *c)
{
	const struct ib_qp_attr *a = c->attr;

	if (qp_above(c, IB_QP_TIMEOUT, a->timeout, 31) ||
	    qp_above(c, IB_QP_RETRY_CNT, a->retry_cnt, 7) ||
	    qp_above(c, IB_QP_RNR_RETRY, a->rnr_retry, 7) ||
	    qp_above(c, IB_QP_MIN_RNR_TIMER, a->min_rnr_timer, 31) ||
	    qp_above(c, IB_QP_RQ_PSN, a->rq_psn, WEFT_PSN_MASK) ||
	    qp_above(c, IB_QP_SQ_PSN, a->sq_psn, WEFT_PSN_MASK) ||
	    qp_above(c, IB_QP_DEST_QPN, a->dest_qp_num,
		     WEFT_RDMA_QPN_MAX) ||
	    qp_above(c, IB_QP_MAX_QP_RD_ATOMIC, a->max_rd_atomic,
		     WEFT_RDMA_RD_ATOMIC) ||
	    qp_above(c, IB_QP_MAX_DEST_RD_ATOMIC, a->max_dest_rd_atomic,
		     WEFT_RESP_RESOURCES))
		return -EINVAL;
	if ((c->mask & IB_QP_PORT) && a->port_num != 1)
		return -EINVAL;
	return 0;
}

/* Automatic path migration is not supported: there is one path. */
static int qp_check_migration(const struct qp_change *c)
{
	if (c->mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	if (c->mask & IB_QP_ALT_PATH)
		return -EOPNOTSUPP;
	if ((c->mask & IB_QP_PATH_MIG_STATE) &&
	    c->attr->path_mig_state != IB_MIG_MIGRATED)
		return -EOPNOTSUPP;
	return 0;
}

static int qp_check_mtu(struct weft_rdma_dev *dev, struct qp_change *c)
{
	struct ib_port_attr port = {};
	int err;

	if (!(c->mask & IB_QP_PATH_MTU))
		return 0;
	err = weft_rdma_query_port(&dev->ib, 1, &port);
	if (err)
		return err;
	if (c->attr->path_mtu < IB_MTU_256 ||
	    c->attr->path_mtu > port.active_mtu)
		return -EINVAL;
	c->mtu = ib_mtu_enum_to_int(c->attr->path_mtu);
	return 0;
}

/* A connection has one peer: no multicast. */
static int qp_check_path(struct weft_rdma_dev *dev, struct qp_change *c)
{
	struct weft_path *path = &c->path;
	int err;

	if (!(c->mask & IB_QP_AV))
		return 0;
	err = weft_path_from_av(dev, &c->attr->ah_attr, path);
	if (err)
		return err;
	if (dev->is_ib)
		return path->dlid >= be16_to_cpu(IB_MULTICAST_LID_BASE) ?
		       -EINVAL : 0;
	return is_multicast_ether_addr(path->dmac) ? -EINVAL : 0;
}

/* Checks that do not depend on the queue pair. */
static int qp_change_prepare(struct weft_rdma_dev *dev, struct qp_change *c)
{
	int err;

	err = qp_check_migration(c);
	if (!err)
		err = qp_check_ranges(c);
	if (!err)
		err = qp_check_mtu(dev, c);
	if (!err)
		err = qp_check_path(dev, c);
	if (!err && (c->mask & IB_QP_PKEY_INDEX) &&
	    c->attr->pkey_index >= weft_rdma_pkeys(dev))
		err = -EINVAL;
	return err;
}

static int qp_check_state(const struct weft_qp *qp, const struct qp_change *c,
			  enum ib_qp_state next)
{
	if ((c->mask & IB_QP_CUR_STATE) && c->attr->cur_qp_state != qp->state)
		return -EINVAL;
	if (!ib_modify_qp_is_ok(qp->state, next, qp->ib.qp_type, c->mask))
		return -EINVAL;
	if (qp->state == IB_QPS_SQD && next == IB_QPS_SQD && qp->draining)
		return -EINVAL;
	if (!qp->dev->client.wep && next != IB_QPS_RESET && next != IB_QPS_ERR)
		return -ENODEV;
	return 0;
}

/* Keep an address vector for queries, without its reference on the GID. */
static void qp_keep_ah(struct ib_qp_attr *to, const struct ib_qp_attr *from)
{
	to->ah_attr = from->ah_attr;
	to->ah_attr.grh.sgid_attr = NULL;
}

/* Attributes that are copied as they are. */
static const struct qp_field {
	int flag;
	u16 at;
	u16 size;
} qp_fields[] = {
#define F(flag, name)							\
	{ flag, offsetof(struct ib_qp_attr, name),			\
	  sizeof_field(struct ib_qp_attr, name) }
	F(IB_QP_PORT, port_num),
	F(IB_QP_PKEY_INDEX, pkey_index),
	F(IB_QP_QKEY, qkey),
	F(IB_QP_ACCESS_FLAGS, qp_access_flags),
	F(IB_QP_PATH_MTU, path_mtu),
	F(IB_QP_DEST_QPN, dest_qp_num),
	F(IB_QP_RQ_PSN, rq_psn),
	F(IB_QP_SQ_PSN, sq_psn),
	F(IB_QP_TIMEOUT, timeout),
	F(IB_QP_RETRY_CNT, retry_cnt),
	F(IB_QP_RNR_RETRY, rnr_retry),
	F(IB_QP_MIN_RNR_TIMER, min_rnr_timer),
	F(IB_QP_MAX_QP_RD_ATOMIC, max_rd_atomic),
	F(IB_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic),
	F(IB_QP_EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify),
#undef F
};

/* Without a flow label the UDP source port depends on the QP numbers. */
static void qp_set_path(struct weft_qp *qp, const struct qp_change *c)
{
	qp->path = c->path;
	if (!qp->path.flow_label) {
		qp->path.sport = rdma_get_udp_sport(0, qp->ib.qp_num,
						    qp->attr.dest_qp_num);
		weft_path_hash(qp->dev, &qp->path);
	}
	qp_keep_ah(&qp->attr, c->attr);
}

static void qp_set_attrs(struct weft_qp *qp, const struct qp_change *c)
{
	const struct qp_field *f;

	for (f = qp_fields; f < qp_fields + ARRAY_SIZE(qp_fields); f++)
		if (c->mask & f->flag)
			memcpy((void *)&qp->attr + f->at,
			       (const void *)c->attr + f->at, f->size);
	if (c->mask & IB_QP_PKEY_INDEX)
		qp->pkey = weft_rdma_pkey(qp->dev, qp->attr.pkey_index);
	if (c->mask & IB_QP_PATH_MTU)
		qp->mtu = c->mtu;
	if (c->mask & IB_QP_AV)
		qp_set_path(qp, c);
}

static void qp_to_rts(struct weft_qp *qp, enum ib_qp_state from)
{
	if (from == IB_QPS_RTR)
		weft_requester_reset(qp);
	qp->draining = false;
	qp->attr.en_sqd_async_notify = 0;
	WRITE_ONCE(qp->state, IB_QPS_RTS);
	weft_port_schedule(qp, 0);
}

static void qp_to_sqd(struct weft_qp *qp)
{
	if (qp->state == IB_QPS_SQD)
		return;
	WRITE_ONCE(qp->state, IB_QPS_SQD);
	qp->draining = true;
	if (weft_requester_idle(qp))
		weft_qp_drained(qp);
}

/* Go into another state, or the same again; the attributes are set already. */
static void qp_enter(struct weft_qp *qp, enum ib_qp_state next)
{
	switch (next) {
	case IB_QPS_RESET:
		weft_qp_reset(qp);
		break;
	case IB_QPS_RTR:
		weft_responder_reset(qp);
		weft_cc_init(qp);
		WRITE_ONCE(qp->state, next);
		break;
	case IB_QPS_RTS:
		qp_to_rts(qp, qp->state);
		break;
	case IB_QPS_SQD:
		qp_to_sqd(qp);
		break;
	case IB_QPS_ERR:
		weft_qp_error(qp, 0);
		break;
	default:
		WRITE_ONCE(qp->state, next);
		break;
	}
}

/* Memory that the next state needs. */
static int qp_prepare_state(struct weft_qp *qp, const struct qp_change *c)
{
	if (!(c->mask & IB_QP_STATE) || c->attr->qp_state != IB_QPS_RTR ||
	    READ_ONCE(qp->state) != IB_QPS_INIT)
		return 0;
	return weft_window_prepare(qp);
}

static int qp_change_state(struct weft_qp *qp, const struct qp_change *c,
			   enum ib_qp_state next)
{
	int err = qp_check_state(qp, c, next);

	if (err)
		return err;
	qp_set_attrs(qp, c);
	qp_enter(qp, next);
	return 0;
}

/**
 * weft_modify_qp() - change state and attributes of a queue pair
 * @ib: the queue pair
 * @attr: attributes
 * @mask: IB_QP_*: which of them are set
 * @udata: unused
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL for a transition that does not exist, or an attribute that
 * is out of range or must not change in it; -EOPNOTSUPP for path migration;
 * -ENODEV if the NIC is gone; -ENOMEM.
 */
int weft_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		   struct ib_udata *udata)
{
	struct qp_change c = { .attr = attr, .mask = mask };
	struct weft_qp *qp = weft_qp_of(ib);
	enum ib_qp_state next;
	int err;

	err = qp_change_prepare(qp->dev, &c);
	if (err)
		return err;
	mutex_lock(&qp->modify_mutex);
	err = qp_prepare_state(qp, &c);
	if (err)
		goto out;
	weft_rdma_lock(qp->dev);
	next = mask & IB_QP_STATE ? attr->qp_state : qp->state;
	err = qp_change_state(qp, &c, next);
	weft_rdma_unlock(qp->dev);
	if (!err && next == IB_QPS_RESET)
		weft_qp_purge(qp);
out:
	mutex_unlock(&qp->modify_mutex);
	return err;
}

static void qp_query_init(const struct weft_qp *qp, struct ib_qp_init_attr *to)
{
	const struct ib_qp *ib = &qp->ib;

	to->event_handler = ib->event_handler;
	to->qp_context = ib->qp_context;
	to->send_cq = ib->send_cq;
	to->recv_cq = ib->recv_cq;
	to->srq = ib->srq;
	to->cap = qp->cap;
	to->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	to->qp_type = ib->qp_type;
	to->port_num = qp->attr.port_num;
}

/**
 * weft_query_qp() - get state and attributes of a queue pair
 * @ib: the queue pair
 * @attr: set to all attributes
 * @mask: unused
 * @init: set to the attributes of its creation
 *
 * Context: process, may sleep.
 * Return: 0.
 */
int weft_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		  struct ib_qp_init_attr *init)
{
	struct weft_qp *qp = weft_qp_of(ib);

	weft_rdma_lock(qp->dev);
	*attr = qp->attr;
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	attr->path_mtu = ib_mtu_int_to_enum(qp->mtu);
	attr->path_mig_state = IB_MIG_MIGRATED;
	attr->sq_psn = qp->req.psn;
	attr->rq_psn = qp->resp.epsn;
	attr->sq_draining = qp->draining;
	attr->cap = qp->cap;
	weft_rdma_unlock(qp->dev);
	qp_query_init(qp, init);
	return 0;
}
