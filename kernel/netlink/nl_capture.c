// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: captures.
 */
#include <linux/rtnetlink.h>

#include "fabric/fabric.h"
#include "fabric/hwpkt.h"
#include "fabric/link.h"
#include "netdev/pkt.h"
#include "netlink/nl.h"
#include "netlink/nl_priv.h"
#include "observe/capture.h"

#define CAPTURE_SNAPLEN		65535
#define CAPTURE_DATA_MAX	(U16_MAX - NLA_HDRLEN)	/* of one attribute */

/* Room for all attributes but the data. */
#define CAPTURE_FRAME_SIZE	512

/* The link that a request refers to. */
static const struct weft_nl_objects capture_links = {
	.name = "link",
	.offset = offsetof(struct weft_fabric, links),
	.fabric = WEFT_A_CAPTURE_FABRIC,
	.id = WEFT_A_CAPTURE_LINK,
};

int weft_nl_capture_start_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_link *link = weft_nl_object_of(&capture_links, info);
	u32 snaplen = CAPTURE_SNAPLEN;

	if (IS_ERR(link))
		return PTR_ERR(link);
	if (info->attrs[WEFT_A_CAPTURE_SNAPLEN])
		snaplen = nla_get_u32(info->attrs[WEFT_A_CAPTURE_SNAPLEN]);
	return weft_capture_start(link, info->snd_portid, snaplen,
				  info->extack);
}

int weft_nl_capture_stop_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_link *link = weft_nl_object_of(&capture_links, info);
	int err;

	if (IS_ERR(link))
		return PTR_ERR(link);
	err = weft_capture_stop(link, info->snd_portid);
	if (err)
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[WEFT_A_CAPTURE_LINK],
				    "this socket does not capture the link");
	return err;
}

static int capture_put_pause(struct sk_buff *skb,
			     const struct fab_control_pause *p, u32 n)
{
	u32 i;

	if (nla_put_u32(skb, WEFT_A_CONTROL_ENABLE, p->enable))
		return -EMSGSIZE;
	for (i = 0; i < n; i++)
		if (nla_put_u32(skb, WEFT_A_CONTROL_QUANTA, p->quanta[i]))
			return -EMSGSIZE;
	return 0;
}

static int capture_put_credit(struct sk_buff *skb,
			      const struct fab_control_credit *c)
{
	return nla_put_u32(skb, WEFT_A_CONTROL_OP, c->op) ?:
	       nla_put_u32(skb, WEFT_A_CONTROL_VL, c->vl) ?:
	       nla_put_u32(skb, WEFT_A_CONTROL_FCTBS, c->fctbs) ?:
	       nla_put_u32(skb, WEFT_A_CONTROL_FCCL, c->fccl);
}

static int capture_put_flit(struct sk_buff *skb,
			    const struct fab_control_flit *fl)
{
	return nla_put_u32(skb, WEFT_A_CONTROL_VL, fl->vc) ?:
	       nla_put_u32(skb, WEFT_A_CONTROL_FLAGS, fl->retry.flags) ?:
	       nla_put_u32(skb, WEFT_A_CONTROL_SEQ, fl->retry.seq) ?:
	       nla_put_u32(skb, WEFT_A_CONTROL_HDR, fl->hdr) ?:
	       nla_put_u32(skb, WEFT_A_CONTROL_DATA, fl->data);
}

static int capture_put_content(struct sk_buff *skb, const struct fab_control *c)
{
	switch (c->type) {
	case FAB_CONTROL_PAUSE:
		return capture_put_pause(skb, &c->pause, 1);
	case FAB_CONTROL_PFC:
		return capture_put_pause(skb, &c->pause, FAB_CONTROL_QUANTA);
	case FAB_CONTROL_CREDIT:
		return capture_put_credit(skb, &c->credit);
	case FAB_CONTROL_FLIT:
		return capture_put_flit(skb, &c->flit);
	case FAB_CONTROL_RETRY:
		return nla_put_u32(skb, WEFT_A_CONTROL_FLAGS, c->retry.flags) ?:
		       nla_put_u32(skb, WEFT_A_CONTROL_SEQ, c->retry.seq);
	case FAB_CONTROL_CBFC:
		return nla_put_u32(skb, WEFT_A_CONTROL_VL, c->cbfc.vc) ?:
		       nla_put_u32(skb, c->cbfc.consumed ? WEFT_A_CONTROL_CONSUMED :
							  WEFT_A_CONTROL_FREED,
				   c->cbfc.count);
	}
	return -EINVAL;
}

static int capture_put_control(struct sk_buff *skb, const struct fab_control *c)
{
	struct nlattr *nest = nla_nest_start(skb, WEFT_A_CAPTURE_CONTROL);
	int err;

	BUILD_BUG_ON((int)FAB_CONTROL_PAUSE != WEFT_CONTROL_TYPE_PAUSE);
	BUILD_BUG_ON((int)FAB_CONTROL_PFC != WEFT_CONTROL_TYPE_PFC);
	BUILD_BUG_ON((int)FAB_CONTROL_CREDIT != WEFT_CONTROL_TYPE_CREDIT);
	BUILD_BUG_ON((int)FAB_CONTROL_FLIT != WEFT_CONTROL_TYPE_FLIT);
	BUILD_BUG_ON((int)FAB_CONTROL_RETRY != WEFT_CONTROL_TYPE_LLR);
	BUILD_BUG_ON((int)FAB_CONTROL_CBFC != WEFT_CONTROL_TYPE_CBFC);
	if (!nest)
		return -EMSGSIZE;
	err = nla_put_u32(skb, WEFT_A_CONTROL_TYPE, c->type) ?:
	      capture_put_content(skb, c);
	nla_nest_end(skb, nest);
	return err;
}

static u32 capture_frame_len(const struct fab_pkt *pkt)
{
	const struct weft_hwpkt *c;

	if (!(pkt->flags & FAB_PKT_HW))
		return weft_pkt_skb(pkt)->len;
	c = weft_hwpkt_of(pkt);
	return c->ops->length(c);
}

/* The memory of a trimmed packet still has the whole frame. */
static u32 capture_len(const struct fab_pkt *pkt)
{
	u32 len = capture_frame_len(pkt);

	return pkt->flags & FAB_PKT_TRIMMED ? min(len, pkt->len) : len;
}

/**
 * weft_nl_frame_len() - number of bytes of a packet's frame in a message
 * @pkt: the packet
 * @snaplen: maximum number of bytes
 *
 * Context: any; the fabric's lock is held.
 * Return: bytes.
 */
u32 weft_nl_frame_len(const struct fab_pkt *pkt, u32 snaplen)
{
	return min3(capture_len(pkt), snaplen, (u32)CAPTURE_DATA_MAX);
}

/**
 * weft_nl_put_frame() - put the first bytes of a packet's frame
 * @skb: the message
 * @attr: the attribute
 * @pkt: the packet
 * @len: number of bytes, from weft_nl_frame_len()
 *
 * Context: any; the fabric's lock is held.
 * Return: 0 or a negative error.
 */
int weft_nl_put_frame(struct sk_buff *skb, int attr, const struct fab_pkt *pkt,
		      u32 len)
{
	struct nlattr *nla = nla_reserve(skb, attr, len);

	if (!nla)
		return -EMSGSIZE;
	if (pkt->flags & FAB_PKT_HW) {
		weft_hwpkt_of(pkt)->ops->frame(weft_hwpkt_of(pkt),
					       nla_data(nla), len);
		return 0;
	}
	return skb_copy_bits(weft_pkt_skb(pkt), 0, nla_data(nla), len);
}

static int capture_put_pkt(struct sk_buff *skb, const struct weft_capture *c,
			   const struct fab_pkt *pkt)
{
	int err;

	err = nla_put_u32(skb, WEFT_A_CAPTURE_LENGTH, capture_len(pkt)) ?:
	      nla_put_u32(skb, WEFT_A_CAPTURE_CLASS, pkt->cls) ?:
	      nla_put_u32(skb, WEFT_A_CAPTURE_SL, pkt->sl) ?:
	      nla_put_u32(skb, WEFT_A_CAPTURE_FLAGS, pkt->flags);
	if (!err && !(pkt->flags & FAB_PKT_MULTICAST))
		err = nla_put_u32(skb, WEFT_A_CAPTURE_DST, pkt->dst);
	return err ?: weft_nl_put_frame(skb, WEFT_A_CAPTURE_DATA, pkt,
					weft_nl_frame_len(pkt, c->snaplen));
}

static int capture_put_where(struct sk_buff *skb, const struct weft_capture *c,
			     u32 dir)
{
	const struct weft_fabric *f = c->link->fabric;
	int err;

	err = nla_put_u32(skb, WEFT_A_CAPTURE_FABRIC, f->id) ?:
	      nla_put_u32(skb, WEFT_A_CAPTURE_LINK, c->link->id) ?:
	      nla_put_u32(skb, WEFT_A_CAPTURE_DIRECTION, dir) ?:
	      weft_nl_put_u64(skb, WEFT_A_CAPTURE_TIME, f->fab.now);
	if (!err && c->lost)
		err = weft_nl_put_u64(skb, WEFT_A_CAPTURE_LOST, c->lost);
	return err;
}

/**
 * weft_nl_capture_frame() - send a frame to a capture's socket
 * @c: the capture
 * @dir: the wire that carries the frame, enum weft_direction
 * @pkt: a packet, or NULL
 * @control: a control frame, if @pkt is NULL
 *
 * Context: any; the fabric's lock is held.
 * Return: 0; -ENOMEM; or an error of netlink, if the socket takes no more messages.
 */
int weft_nl_capture_frame(const struct weft_capture *c, u32 dir,
			  const struct fab_pkt *pkt,
			  const struct fab_control *control)
{
	struct sk_buff *skb;
	void *hdr;
	int err;

	skb = genlmsg_new(CAPTURE_FRAME_SIZE +
			  (pkt ? weft_nl_frame_len(pkt, c->snaplen) : 0),
			  GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return -ENOMEM;
	hdr = weft_nl_event_put(skb, WEFT_CMD_CAPTURE_FRAME);
	err = hdr ? capture_put_where(skb, c, dir) : -EMSGSIZE;
	if (!err)
		err = pkt ? capture_put_pkt(skb, c, pkt) :
			    capture_put_control(skb, control);
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_unicast(c->link->fabric->net, skb, c->portid);
}
