// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control management: the agent of a channel adapter.
 *
 * DOC: theory of operation
 *
 * The management class 0x21 (InfiniBand Architecture Specification, Annex A10), for
 * ibccquery, ibccconfig and opensm with congestion_control. Attributes of a channel
 * adapter: ClassPortInfo, CongestionInfo, CongestionKeyInfo, CongestionLog,
 * CACongestionSetting, CongestionControlTable and TimeStamp. Layouts are those of
 * libibmad, which ibccquery prints them with.
 *
 * The table, and increase, minimum and timer of each service level, are those that a
 * profile sets as nic.verbs.ibcc. A CACongestionSetting with an empty Control_Map
 * turns the reaction to notifications off, any other turns it on. A
 * CongestionControlTable has 64 entries per attribute, and the modifier is the number
 * of the block. A request with a bad value changes nothing.
 *
 * The CC_Key is that of cc_mad.c.
 *
 * A queue pair whose index reaches the Trigger_Threshold of its service level makes
 * an entry in the congestion log, which has room for the last 13.
 *
 * Not modelled: an index common to a service level (port_control 1, refused), the
 * trap of a wrong CC_Key, and the agent on RoCE.
 */
#include "rdma/agent/cc_agent.h"

#include <linux/math64.h>
#include <rdma/ib_mad.h>

#include "rdma/dev.h"
#include "rdma/qp.h"

#define CC_LOG			32		/* offset of CongestionLog in a MAD */
#define CC_TICK			1024000U	/* ps of CCTI_Timer */
#define CC_BLOCK		64		/* entries of the table in an attribute */
#define CC_LOG_CA		2		/* LogType */

#define CC_BAD_FIELD	IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE
#define CC_BAD_METHOD	IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB

/**
 * struct cc_ca_entry - a service level of CACongestionSetting
 * @timer: CCTI_Timer, units of 1.024 us
 * @increase: CCTI_Increase
 * @trigger: Trigger_Threshold
 * @min: CCTI_Min
 * @reserved: 0
 */
struct cc_ca_entry {
	__be16 timer;
	u8 increase;
	u8 trigger;
	u8 min;
	u8 reserved[3];
};

/**
 * struct cc_ca_setting - CACongestionSetting
 * @port_control: 0: an index per queue pair
 * @map: Control_Map
 * @entry: by service level
 */
struct cc_ca_setting {
	__be16 port_control;
	__be16 map;
	struct cc_ca_entry entry[FAB_IBCC_SLS];
};

/**
 * struct cc_table - a block of CongestionControlTable
 * @limit: CCTI_Limit
 * @reserved: 0
 * @entry: shift in the upper two bits, multiplier below
 */
struct cc_table {
	__be16 limit;
	__be16 reserved;
	__be16 entry[CC_BLOCK];
};

/**
 * struct cc_log_entry - an entry of a channel adapter's CongestionLog
 * @qpn: local queue pair in the upper 24 bits, then SL and service type
 * @remote: remote queue pair in the upper 24 bits
 * @lid: local LID
 * @remote_lid: remote LID
 * @at: time stamp
 */
struct cc_log_entry {
	__be32 qpn;
	__be32 remote;
	__be16 lid;
	__be16 remote_lid;
	__be32 at;
};

/**
 * struct cc_log - CongestionLog of a channel adapter
 * @type: CC_LOG_CA
 * @flags: 0
 * @events: events since the log was read last
 * @sls: bit per service level that has one
 * @reserved: 0
 * @now: time stamp of this answer
 * @entry: the last events, oldest first
 */
struct cc_log {
	u8 type;
	u8 flags;
	__be16 events;
	__be16 sls;
	__be16 reserved;
	__be32 now;
	struct cc_log_entry entry[WEFT_CC_LOG_ENTRIES];
};

static struct weft_verbs_params *cc_params(struct weft_rdma_dev *dev)
{
	return &dev->client.wep->verbs.p;
}

/* CongestionInfo says nothing of an adapter; ControlTableCap counts blocks. */
static u16 cc_info(u8 *data)
{
	data[2] = FAB_CCT_MAX / CC_BLOCK;
	return 0;
}

static void cc_log_put(struct cc_log_entry *to, const struct weft_cc_event *e)
{
	to->qpn = cpu_to_be32(e->qpn << 8 | e->sl << 4 | e->service);
	to->remote = cpu_to_be32(e->remote_qpn << 8);
	to->lid = cpu_to_be16(e->lid);
	to->remote_lid = cpu_to_be16(e->remote_lid);
	to->at = cpu_to_be32(weft_cc_stamp(e->at));
}

/* Reading the log starts the count of events anew; the entries stay. */
static u16 cc_log(struct weft_cc_agent *a, u8 *data, fab_time now)
{
	struct cc_log *log = (void *)data;
	u32 i, n = 0;

	log->type = CC_LOG_CA;
	log->events = cpu_to_be16(a->events);
	log->sls = cpu_to_be16(a->sls);
	log->now = cpu_to_be32(weft_cc_stamp(now));
	for (i = 0; i < WEFT_CC_LOG_ENTRIES; i++) {
		const struct weft_cc_event *e;

		e = &a->log[(a->next + i) % WEFT_CC_LOG_ENTRIES];
		if (e->qpn)
			cc_log_put(&log->entry[n++], e);
	}
	a->events = 0;
	a->sls = 0;
	return 0;
}

static u16 cc_setting_set(struct weft_rdma_dev *dev, const struct cc_ca_setting *s)
{
	struct weft_verbs_params *v = cc_params(dev);
	struct fab_ibcc_params p = v->ibcc;
	u32 sl;

	if (s->port_control)
		return CC_BAD_FIELD;
	p.map = be16_to_cpu(s->map);
	for (sl = 0; sl < FAB_IBCC_SLS; sl++) {
		p.sl[sl].timer = be16_to_cpu(s->entry[sl].timer) * (fab_time)CC_TICK;
		p.sl[sl].increase = s->entry[sl].increase;
		p.sl[sl].min = s->entry[sl].min;
	}
	if (fab_ibcc_params_check(&p))
		return CC_BAD_FIELD;
	for (sl = 0; sl < FAB_IBCC_SLS; sl++)
		dev->cc_agent.trigger[sl] = s->entry[sl].trigger;
	v->ibcc = p;
	v->cc = p.map ? WEFT_CC_IBCC : WEFT_CC_NONE;
	return 0;
}

static u16 cc_setting(struct weft_rdma_dev *dev, u8 method, u8 *data)
{
	const struct fab_ibcc_params *p = &cc_params(dev)->ibcc;
	struct cc_ca_setting *s = (void *)data;
	u32 sl;
	u16 err;

	BUILD_BUG_ON(sizeof(struct cc_ca_entry) != 8);
	if (method == IB_MGMT_METHOD_SET) {
		err = cc_setting_set(dev, s);
		if (err)
			return err;
	}
	s->port_control = 0;
	s->map = cpu_to_be16(cc_params(dev)->cc == WEFT_CC_IBCC ? p->map : 0);
	for (sl = 0; sl < FAB_IBCC_SLS; sl++) {
		u64 timer = div_u64(p->sl[sl].timer + CC_TICK / 2, CC_TICK);

		s->entry[sl] = (struct cc_ca_entry) {
			.timer = cpu_to_be16(min_t(u64, timer, U16_MAX)),
			.increase = min_t(u16, p->sl[sl].increase, U8_MAX),
			.trigger = dev->cc_agent.trigger[sl],
			.min = p->sl[sl].min,
		};
	}
	return 0;
}

static u16 cc_table_set(struct fab_ibcc_params *params, u32 block,
			const struct cc_table *t)
{
	struct fab_ibcc_params p = *params;
	u32 i;

	p.limit = be16_to_cpu(t->limit);
	for (i = 0; i < CC_BLOCK; i++)
		p.cct[block * CC_BLOCK + i] = be16_to_cpu(t->entry[i]);
	if (fab_ibcc_params_check(&p))
		return CC_BAD_FIELD;
	*params = p;
	return 0;
}

static u16 cc_table(struct weft_rdma_dev *dev, const struct ib_mad_hdr *h, u8 *data)
{
	struct fab_ibcc_params *p = &cc_params(dev)->ibcc;
	u32 block = be32_to_cpu(h->attr_mod), i;
	struct cc_table *t = (void *)data;
	u16 err;

	if (block >= FAB_CCT_MAX / CC_BLOCK)
		return CC_BAD_FIELD;
	if (h->method == IB_MGMT_METHOD_SET) {
		err = cc_table_set(p, block, t);
		if (err)
			return err;
	}
	t->limit = cpu_to_be16(p->limit);
	t->reserved = 0;
	for (i = 0; i < CC_BLOCK; i++)
		t->entry[i] = cpu_to_be16(p->cct[block * CC_BLOCK + i]);
	return 0;
}

/* The attributes that only tell are zeroed before, as they have reserved fields. */
static u16 cc_attr(struct weft_rdma_dev *dev, const struct ib_mad *in,
		   struct ib_mad *out)
{
	const struct ib_mad_hdr *h = &in->mad_hdr;
	u8 *data = (u8 *)out + WEFT_CC_DATA, *log = (u8 *)out + CC_LOG;
	fab_time now = weft_rdma_fab(dev)->now;

	if (h->attr_id == WEFT_CC_ATTR_KEY)
		return weft_cc_key_info(&dev->cc_agent.key, in, data);
	if (h->attr_id == WEFT_CC_ATTR_CA_SETTING)
		return cc_setting(dev, h->method, data);
	if (h->attr_id == WEFT_CC_ATTR_TABLE)
		return cc_table(dev, h, data);
	if (h->method != IB_MGMT_METHOD_GET)
		return CC_BAD_METHOD;
	memset(log, 0, sizeof(*out) - CC_LOG);
	switch (h->attr_id) {
	case WEFT_CC_ATTR_CLASS_INFO:
		return weft_cc_class_info(data);
	case WEFT_CC_ATTR_INFO:
		return cc_info(data);
	case WEFT_CC_ATTR_LOG:
		return cc_log(&dev->cc_agent, log, now);
	case WEFT_CC_ATTR_TIME:
		return weft_cc_time(data, now);
	default:
		return CC_BAD_METHOD;
	}
}

/**
 * weft_cc_agent_answer() - answer a request of congestion control management
 * @dev: the device, InfiniBand
 * @out: a copy of the request; set to the response, except its header
 *
 * Context: process; takes the fabric's lock.
 * Return: status of the response; -EACCES if there is none: the key was wrong, or
 * the NIC is gone.
 */
int weft_cc_agent_answer(struct weft_rdma_dev *dev, struct ib_mad *out)
{
	const struct ib_mad in = *out;
	int status = -EACCES;

	weft_rdma_lock(dev);
	if (!dev->client.wep ||
	    !weft_cc_key_fits(&dev->cc_agent.key, &in, weft_rdma_fab(dev)->now))
		goto out;
	status = weft_cc_version(&in.mad_hdr) ?: cc_attr(dev, &in, out);
out:
	weft_rdma_unlock(dev);
	return status;
}

static u8 cc_service(const struct weft_qp *qp)
{
	switch (qp->ib.qp_type) {
	case IB_QPT_RC:
		return 0;
	case IB_QPT_UC:
		return 1;
	default:
		return 3;
	}
}

/**
 * weft_cc_agent_log() - log a flow whose index has risen to the threshold
 * @qp: queue pair whose index rose just now
 *
 * Context: any; the fabric's lock is held, the NIC is there.
 */
void weft_cc_agent_log(struct weft_qp *qp)
{
	struct weft_cc_agent *a = &qp->dev->cc_agent;
	u8 sl = qp->cc.ibcc.sl, trigger = a->trigger[sl];

	if (!trigger || qp->cc.ibcc.index < trigger)
		return;
	a->log[a->next] = (struct weft_cc_event) {
		.qpn = qp->ib.qp_num,
		.remote_qpn = qp->attr.dest_qp_num,
		.lid = qp->dev->sma.port.lid,
		.remote_lid = qp->path.dlid,
		.sl = sl,
		.service = cc_service(qp),
		.at = weft_rdma_fab(qp->dev)->now,
	};
	a->next = (a->next + 1) % WEFT_CC_LOG_ENTRIES;
	if (a->events != U16_MAX)
		a->events++;
	a->sls |= BIT(sl);
}
