// SPDX-License-Identifier: GPL-2.0
/*
 * Queue pairs: creation, errors, destruction.
 *
 * DOC: events
 *
 * Asynchronous events are raised under the fabric's lock, with softirqs off. The
 * handlers of the kernel's users queue the event (uverbs), print (MADs), or post a
 * request, which for them only enters a list (post.c).
 */
#include "rdma/qp.h"

#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/sched/signal.h>
#include <rdma/uverbs_ioctl.h>

#include "rdma/ud.h"

/* On a NIC, destruction is a firmware command, which takes some time. */
#define QP_LINGER	(50000 * FAB_PS_PER_NS)
#define QP_LINGER_MAX	HZ	/* jiffies, for a fabric that is dilated */
#define QP_LINGER_US	5	/* from one check to the next */
#define QP_LINGER_LOOKS	32	/* checks before the interval grows */
#define QP_LINGER_US_MAX 1000

/**
 * weft_qp_search() - look a queue pair up by a search
 * @dev: the device
 * @qpn: its number
 *
 * Context: any; the fabric's lock is held.
 * Return: the queue pair or NULL. The next weft_qp_find() finds it without a search.
 */
struct weft_qp *weft_qp_search(struct weft_rdma_dev *dev, u32 qpn)
{
	struct weft_qp *qp = xa_load(&dev->qps, qpn);

	dev->recent_qp[qpn % WEFT_RDMA_RECENT] = qp;
	return qp;
}

/**
 * weft_qp_event() - raise an asynchronous event of a queue pair
 * @qp: the queue pair, of any kind of device
 * @type: the event
 *
 * Context: any; the fabric's lock is held.
 */
void weft_qp_event(struct ib_qp *qp, enum ib_event_type type)
{
	struct ib_event ev = {
		.device = qp->device,
		.element.qp = qp,
		.event = type,
	};

	if (qp->event_handler)
		qp->event_handler(&ev, qp->qp_context);
}

/**
 * weft_qp_established() - a packet arrived for a connected queue pair in state RTR
 * @qp: the queue pair
 *
 * The first one raises IB_EVENT_COMM_EST: the peer can send.
 *
 * Context: any; the fabric's lock is held.
 */
void weft_qp_established(struct weft_qp *qp)
{
	if (qp->established)
		return;
	qp->established = true;
	weft_qp_event(&qp->ib, IB_EVENT_COMM_EST);
}

/**
 * weft_qp_drained() - all started requests are complete
 * @qp: the queue pair, in state SQD
 *
 * Context: any; the fabric's lock is held.
 */
void weft_qp_drained(struct weft_qp *qp)
{
	if (!qp->draining)
		return;
	qp->draining = false;
	if (qp->attr.en_sqd_async_notify)
		weft_qp_event(&qp->ib, IB_EVENT_SQ_DRAINED);
}

static void qp_on_cq_overrun(struct fab *fab, struct fab_event *ev)
{
	weft_qp_error(container_of(ev, struct weft_qp, cq_overrun),
		      IB_EVENT_QP_FATAL);
}

/**
 * weft_qp_cq_overrun() - a completion was lost because its queue is in error
 * @qp: the queue pair, which goes into error at this instant of fabric time, but
 * after this call
 *
 * Context: any; the fabric's lock is held.
 */
void weft_qp_cq_overrun(struct weft_qp *qp)
{
	struct fab *fab = weft_rdma_fab(qp->dev);

	if (qp->state != IB_QPS_RESET && qp->state != IB_QPS_ERR &&
	    !fab_event_pending(&qp->cq_overrun))
		fab_event_schedule(&fab->events, &qp->cq_overrun, fab->now);
}

static void qp_flushed(struct weft_qp *qp, u64 wr_id)
{
	struct ib_wc wc = {
		.wr_id = wr_id,
		.status = IB_WC_WR_FLUSH_ERR,
		.opcode = IB_WC_RECV,
		.qp = &qp->ib,
		.port_num = 1,
	};

	weft_cq_push(qp->rcq, &wc, true);
}

/**
 * weft_qp_flush_recv() - complete all posted receives with IB_WC_WR_FLUSH_ERR
 * @qp: the queue pair; nothing is done if it has an SRQ
 *
 * Context: any.
 */
void weft_qp_flush_recv(struct weft_qp *qp)
{
	struct weft_rwqe_max recv;
	bool limit_reached;

	if (qp->srq)
		return;
	while (weft_rq_pop(&qp->rq, &recv.w, &limit_reached))
		qp_flushed(qp, recv.w.wr_id);
}

static void qp_forget_recv(struct weft_qp *qp)
{
	struct weft_rwqe_max recv;
	bool limit_reached;

	if (qp->srq)
		return;
	while (weft_rq_pop(&qp->rq, &recv.w, &limit_reached))
		;
}

/* Stop sending, receiving and all timers. */
static void qp_halt(struct weft_qp *qp, enum ib_qp_state state)
{
	WRITE_ONCE(qp->state, state);
	qp->draining = false;
	weft_requester_stop(qp);
	weft_responder_stop(qp);
	weft_tx_stop(&qp->tx);
	fab_event_cancel(&weft_rdma_fab(qp->dev)->events, &qp->cq_overrun);
}

/**
 * weft_qp_error() - go into the error state
 * @qp: the queue pair; nothing happens in states RESET and ERR
 * @event: event to be raised (IB_EVENT_QP_*), 0 for none
 *
 * Context: any; the fabric's lock is held. Completion handlers may run.
 */
void weft_qp_error(struct weft_qp *qp, int event)
{
	if (qp->state == IB_QPS_RESET || qp->state == IB_QPS_ERR)
		return;
	qp_halt(qp, IB_QPS_ERR);
	weft_sq_flush(qp);
	weft_qp_flush_recv(qp);
	if (event)
		weft_qp_event(&qp->ib, event);
	if (qp->srq)
		weft_qp_event(&qp->ib, IB_EVENT_QP_LAST_WQE_REACHED);
}

/**
 * weft_qp_send_error() - a request failed and is complete
 * @qp: the queue pair
 *
 * An RC queue pair goes into error. On UC and UD only the send queue stops, until
 * the user restarts it (InfiniBand Architecture 10.3.1, state SQE).
 *
 * Context: as weft_qp_error().
 */
void weft_qp_send_error(struct weft_qp *qp)
{
	if (qp->ib.qp_type == IB_QPT_RC) {
		weft_qp_error(qp, 0);
		return;
	}
	if (!weft_qp_may_post(qp) || qp->state == IB_QPS_ERR)
		return;
	WRITE_ONCE(qp->state, IB_QPS_SQE);
	qp->draining = false;
	weft_requester_stop(qp);
	weft_tx_stop(&qp->tx);
	weft_sq_flush(qp);
}

/**
 * weft_qp_reset() - go into state RESET
 * @qp: the queue pair
 *
 * Its completions stay in their queues: weft_qp_purge() has to follow.
 *
 * Context: process; the fabric's lock is held.
 */
void weft_qp_reset(struct weft_qp *qp)
{
	qp_halt(qp, IB_QPS_RESET);
	qp->established = false;
	weft_sq_unpost(qp);
	weft_sq_reset(qp);
	qp_forget_recv(qp);
}

/**
 * weft_qp_purge() - discard the completions of a queue pair that was reset
 * @qp: the queue pair
 *
 * Context: process, may sleep; without the fabric's lock, as a queue may be long.
 */
void weft_qp_purge(struct weft_qp *qp)
{
	weft_cq_purge(qp->scq, &qp->ib);
	if (qp->rcq != qp->scq)
		weft_cq_purge(qp->rcq, &qp->ib);
}

/**
 * weft_qps_error() - the NIC of a device goes: all queue pairs go into error
 * @dev: the device
 *
 * Context: any; the fabric's lock is held.
 */
void weft_qps_error(struct weft_rdma_dev *dev)
{
	struct weft_qp *qp;
	unsigned long qpn;

	xa_for_each(&dev->qps, qpn, qp)
		weft_qp_error(qp, 0);
}

static bool qp_is_special(enum ib_qp_type type)
{
	return type == IB_QPT_SMI || type == IB_QPT_GSI;
}

static int qp_check_type(const struct weft_rdma_dev *dev,
			 const struct ib_qp_init_attr *attr, bool user)
{
	if (attr->create_flags || attr->rwq_ind_tbl)
		return -EOPNOTSUPP;
	if (dev->stores && attr->qp_type != IB_QPT_UD)
		return -EOPNOTSUPP;
	switch (attr->qp_type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
	case IB_QPT_UD:
		return 0;
	case IB_QPT_SMI:
	case IB_QPT_GSI:
		return user || attr->port_num != 1 ? -EINVAL : 0;
	default:
		return -EOPNOTSUPP;
	}
}

static int qp_check_cap(const struct ib_qp_init_attr *attr)
{
	const struct ib_qp_cap *cap = &attr->cap;

	if (!attr->send_cq || !attr->recv_cq)
		return -EINVAL;
	if (cap->max_send_wr > WEFT_RDMA_WR_MAX ||
	    cap->max_send_sge > WEFT_RDMA_SGE_MAX ||
	    cap->max_inline_data > WEFT_RDMA_INLINE_MAX)
		return -EINVAL;
	if (attr->srq)
		return 0;
	if (cap->max_recv_wr > WEFT_RDMA_WR_MAX ||
	    cap->max_recv_sge > WEFT_RDMA_SGE_MAX)
		return -EINVAL;
	return 0;
}

/* Set what is constant, and what needs a value before the first use. */
static void qp_init(struct weft_qp *qp, const struct ib_qp_init_attr *attr,
		    struct ib_udata *udata)
{
	qp->dev = weft_rdma_dev_of(qp->ib.device);
	if (udata)
		qp->user = rdma_udata_to_drv_context(udata,
						     struct weft_ucontext, ib);
	qp->state = IB_QPS_RESET;
	qp->sig_all = attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->transport = attr->qp_type == IB_QPT_RC ? IB_OPCODE_RC :
			attr->qp_type == IB_QPT_UC ? IB_OPCODE_UC : IB_OPCODE_UD;
	qp->scq = weft_cq_of(attr->send_cq);
	qp->rcq = weft_cq_of(attr->recv_cq);
	qp->srq = attr->srq ? weft_srq_of(attr->srq) : NULL;
	fab_event_init(&qp->cq_overrun, qp_on_cq_overrun);
	mutex_init(&qp->post_mutex);
	mutex_init(&qp->modify_mutex);
	INIT_LIST_HEAD(&qp->posts);
	INIT_LIST_HEAD(&qp->posts_node);
}

static int qp_alloc_queues(struct weft_qp *qp, struct ib_qp_cap *cap)
{
	int err;

	if (qp->srq) {
		cap->max_recv_wr = 0;
		cap->max_recv_sge = 0;
	} else {
		err = weft_rq_init(&qp->rq, cap->max_recv_wr,
				   cap->max_recv_sge);
		if (err)
			return err;
	}
	qp->sq = weft_sq_alloc(qp, cap);
	if (qp->sq)
		return 0;
	if (!qp->srq)
		weft_rq_free(&qp->rq);
	return -ENOMEM;
}

/* QP numbers are not reused soon, and are the same in each run. */
static int qp_assign_number(struct weft_qp *qp)
{
	struct xa_limit limit = XA_LIMIT(2, WEFT_RDMA_QPN_MAX);
	struct weft_rdma_dev *dev = qp->dev;
	int err;

	if (qp_is_special(qp->ib.qp_type)) {
		qp->ib.qp_num = qp->ib.qp_type == IB_QPT_GSI;
		return xa_insert(&dev->qps, qp->ib.qp_num, qp, GFP_ATOMIC);
	}
	err = xa_alloc_cyclic(&dev->qps, &qp->ib.qp_num, qp, limit,
			      &dev->next_qpn, GFP_ATOMIC);
	return min(err, 0);
}

/* Make it visible to packets; the fabric's lock is held. */
static int qp_publish(struct weft_qp *qp)
{
	if (!qp->dev->client.wep)
		return -ENODEV;
	weft_requester_init(qp);
	weft_responder_init(qp);
	weft_port_qp_init(qp);
	weft_cc_init(qp);
	return qp_assign_number(qp);
}

/**
 * weft_create_qp() - create a queue pair
 * @ib: the queue pair, zeroed, with type and protection domain
 * @attr: its attributes; set to the granted capabilities
 * @udata: udata of the process, NULL for the kernel's own
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL for capabilities beyond the limits; -EOPNOTSUPP for types
 * and features that are not supported; -EBUSY for a second QP0 or QP1; -ENODEV if
 * the NIC is gone; -ENOMEM, also beyond the device's max_qp.
 */
int weft_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *attr,
		   struct ib_udata *udata)
{
	struct weft_qp *qp = weft_qp_of(ib);
	struct ib_port_attr port = {};
	int err;

	err = qp_check_type(weft_rdma_dev_of(ib->device), attr, udata);
	if (!err)
		err = qp_check_cap(attr);
	if (!err)
		err = weft_rdma_query_port(ib->device, 1, &port);
	if (err)
		return err;
	qp_init(qp, attr, udata);
	qp->mtu = ib_mtu_enum_to_int(port.active_mtu);
	err = weft_rdma_get_object(qp->dev, WEFT_RDMA_QPS);
	if (err)
		return err;
	err = qp_alloc_queues(qp, &attr->cap);
	if (err)
		goto err_give;
	qp->cap = attr->cap;
	weft_rdma_lock(qp->dev);
	err = qp_publish(qp);
	if (err)
		weft_sq_put(qp->sq);
	weft_rdma_unlock(qp->dev);
	if (!err)
		return 0;
	if (!qp->srq)
		weft_rq_free(&qp->rq);
err_give:
	weft_rdma_put_object(qp->dev, WEFT_RDMA_QPS);
	return err;
}

static bool qp_busy(struct weft_qp *qp, fab_time *now)
{
	bool busy;

	weft_rdma_lock(qp->dev);
	busy = qp->state == IB_QPS_RTS && qp->sq->tail != qp->sq->head;
	*now = weft_rdma_fab(qp->dev)->now;
	weft_rdma_unlock(qp->dev);
	return busy;
}

/*
 * A program may post a message and destroy its queue pair at once. Hardware has
 * sent the message by the time it executes the destruction. There is no wait if
 * the process is being killed, and a limit for a fabric that is very slow.
 */
static void qp_linger(struct weft_qp *qp)
{
	unsigned long end = jiffies + QP_LINGER_MAX;
	u32 looks = 0, us = QP_LINGER_US;
	fab_time now, begin;

	if (!qp_busy(qp, &begin))
		return;
	do {
		if ((current->flags & PF_EXITING) ||
		    fatal_signal_pending(current) || time_after(jiffies, end))
			return;
		usleep_range(us, us + 1);
		if (++looks > QP_LINGER_LOOKS)
			us = min_t(u32, 2 * us, QP_LINGER_US_MAX);
	} while (qp_busy(qp, &now) && now - begin < QP_LINGER);
}

/**
 * weft_destroy_qp() - destroy a queue pair
 * @ib: the queue pair
 * @udata: unused
 *
 * All references to it go under the fabric's lock: timers, the port's transmit
 * queues, its number. Packets on their way refer to its number or to its send
 * queue. ib_core refuses to destroy a member of a multicast group.
 *
 * Context: process, may sleep.
 * Return: 0.
 */
int weft_destroy_qp(struct ib_qp *ib, struct ib_udata *udata)
{
	struct weft_qp *qp = weft_qp_of(ib);

	if (qp->user)
		qp_linger(qp);
	weft_rdma_lock(qp->dev);
	weft_qp_reset(qp);
	xa_erase(&qp->dev->qps, ib->qp_num);
	qp->dev->recent_qp[ib->qp_num % WEFT_RDMA_RECENT] = NULL;
	qp->sq->qp = NULL;
	qp->sq->dev = NULL;
	weft_sq_put(qp->sq);
	weft_rdma_unlock(qp->dev);
	weft_qp_purge(qp);
	weft_window_free(qp);
	if (!qp->srq)
		weft_rq_free(&qp->rq);
	weft_rdma_put_object(qp->dev, WEFT_RDMA_QPS);
	return 0;
}
