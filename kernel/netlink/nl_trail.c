// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: trails.
 */
#include <linux/net.h>
#include <linux/siphash.h>

#include "fabric/counters.h"
#include "fabric/fabric.h"
#include "netlink/nl.h"
#include "netlink/nl_priv.h"
#include "observe/trail.h"

#define TRAIL_SNAPLEN	128

/* Room for all attributes but the data. */
#define TRAIL_STEP_SIZE	512

static siphash_key_t trail_key;		/* hides the addresses of packets */

static struct weft_fabric *trail_fabric(struct genl_info *info)
{
	return weft_nl_fabric(genl_info_net(info), info->attrs,
			      WEFT_A_TRAIL_FABRIC, info->extack);
}

int weft_nl_trail_start_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_fabric *f = trail_fabric(info);

	if (IS_ERR(f))
		return PTR_ERR(f);
	net_get_random_once(&trail_key, sizeof(trail_key));
	return weft_trail_start(f, info->snd_portid,
				weft_nl_u32_or(info->attrs[WEFT_A_TRAIL_SNAPLEN],
					       TRAIL_SNAPLEN), info->extack);
}

int weft_nl_trail_stop_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_fabric *f = trail_fabric(info);
	int err;

	if (IS_ERR(f))
		return PTR_ERR(f);
	err = weft_trail_stop(f, info->snd_portid);
	if (err)
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[WEFT_A_TRAIL_FABRIC],
				    "this socket does not follow the fabric");
	return err;
}

static u64 trail_id(const struct fab_pkt *pkt)
{
	return siphash_1u64((unsigned long)pkt, &trail_key);
}

static int trail_put_port(struct sk_buff *skb, const struct fab_port *port)
{
	if (!port)
		return 0;
	if (port->ep)
		return nla_put_u32(skb, WEFT_A_TRAIL_PORT, port->ep->id);
	return nla_put_u32(skb, WEFT_A_TRAIL_SWITCH, port->sw->id) ?:
	       nla_put_u32(skb, WEFT_A_TRAIL_PORT, port->index);
}

/* The step at the sending NIC has the first bytes of the packet. */
static u32 trail_data_len(const struct weft_trail *t,
			  const struct weft_trail_step *s)
{
	if (s->what != WEFT_STEP_ENQUEUE || !s->port->ep)
		return 0;
	return weft_nl_frame_len(s->pkt, t->snaplen);
}

static int trail_put_enqueue(struct sk_buff *skb, const struct weft_trail *t,
			     const struct weft_trail_step *s)
{
	u32 len = trail_data_len(t, s);
	int err;

	err = weft_nl_put_u64(skb, WEFT_A_TRAIL_READY, s->pkt->at) ?:
	      weft_nl_put_u64(skb, WEFT_A_TRAIL_QUEUED, s->port->queued);
	if (err || !len)
		return err;
	return weft_nl_put_frame(skb, WEFT_A_TRAIL_DATA, s->pkt, len);
}

static int trail_put_pkt(struct sk_buff *skb, const struct fab_pkt *pkt)
{
	int err;

	err = weft_nl_put_u64(skb, WEFT_A_TRAIL_ID, trail_id(pkt)) ?:
	      nla_put_u32(skb, WEFT_A_TRAIL_LENGTH, pkt->len) ?:
	      nla_put_u32(skb, WEFT_A_TRAIL_SEGMENTS, pkt->segs) ?:
	      nla_put_u32(skb, WEFT_A_TRAIL_CLASS, pkt->cls) ?:
	      nla_put_u32(skb, WEFT_A_TRAIL_SL, pkt->sl) ?:
	      nla_put_u32(skb, WEFT_A_TRAIL_FLAGS, pkt->flags);
	if (!err && !(pkt->flags & FAB_PKT_MULTICAST))
		err = nla_put_u32(skb, WEFT_A_TRAIL_DST, pkt->dst);
	return err;
}

/* Attributes that only some steps have. */
static int trail_put_more(struct sk_buff *skb, const struct weft_trail *t,
			  const struct weft_trail_step *s)
{
	switch (s->what) {
	case WEFT_STEP_ENQUEUE:
		return trail_put_enqueue(skb, t, s);
	case WEFT_STEP_TRANSMIT:
		return weft_nl_put_u64(skb, WEFT_A_TRAIL_UNTIL,
				       s->port->busy_until);
	case WEFT_STEP_DROP:
		return nla_put_string(skb, WEFT_A_TRAIL_REASON,
				      weft_drop_name[s->why]);
	case WEFT_STEP_COPY:
		return weft_nl_put_u64(skb, WEFT_A_TRAIL_PARENT,
				       trail_id(s->parent));
	default:
		return 0;
	}
}

static int trail_put(struct sk_buff *skb, const struct weft_trail *t,
		     const struct weft_trail_step *s)
{
	const struct weft_fabric *f = t->fabric;
	int err;

	BUILD_BUG_ON((int)WEFT_STEP_REPLAY != WEFT_TRAIL_WHAT_REPLAY);
	BUILD_BUG_ON((int)WEFT_STEP_UNSTALL != WEFT_TRAIL_WHAT_UNSTALL);
	err = nla_put_u32(skb, WEFT_A_TRAIL_FABRIC, f->id) ?:
	      nla_put_u32(skb, WEFT_A_TRAIL_WHAT, s->what) ?:
	      weft_nl_put_u64(skb, WEFT_A_TRAIL_TIME, f->fab.now) ?:
	      trail_put_port(skb, s->port);
	if (!err && t->lost)
		err = weft_nl_put_u64(skb, WEFT_A_TRAIL_LOST, t->lost);
	if (err)
		return err;
	if (!s->pkt)
		return nla_put_u32(skb, WEFT_A_TRAIL_CLASS, s->cls);
	return trail_put_pkt(skb, s->pkt) ?: trail_put_more(skb, t, s);
}

/**
 * weft_nl_trail_step() - send a step to the socket of a trail
 * @t: the trail
 * @s: the step
 *
 * Context: any; the fabric's lock is held.
 * Return: 0; -ENOMEM, or the error of netlink if the socket has no room.
 */
int weft_nl_trail_step(const struct weft_trail *t,
		       const struct weft_trail_step *s)
{
	struct sk_buff *skb;
	void *hdr;
	int err;

	skb = genlmsg_new(TRAIL_STEP_SIZE + trail_data_len(t, s),
			  GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return -ENOMEM;
	hdr = weft_nl_event_put(skb, WEFT_CMD_TRAIL_STEP);
	err = hdr ? trail_put(skb, t, s) : -EMSGSIZE;
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_unicast(t->fabric->net, skb, t->portid);
}
