// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The place of a process in a group: its queue pair, and memory for chunks.
 *
 * A chunk is a datagram to the GID of the group, with immediate data (linux/weft.h). The
 * result comes back as one. There are as many receives as chunks may be under way, so none is
 * lost for want of one.
 */
#include "station.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <linux/weft.h>

#define PORT		1
#define MTU_MAX		4096U
#define EACH		64U	/* chunks from one whose completion is asked for to the next */

static struct ibv_context *open_device(const char *name)
{
	struct ibv_context *context = NULL;
	struct ibv_device **list;
	int n;

	list = ibv_get_device_list(&n);
	for (int i = 0; list && i < n && !context; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	return context;
}

/**
 * station_open() - open the device
 * @s: result, to be closed by station_close() even after an error
 * @device: its name
 * @payload: set to the longest payload of its port, bytes
 *
 * Return: 0 or negative errno.
 */
int station_open(struct station *s, const char *device, uint32_t *payload)
{
	struct ibv_port_attr attr;

	*s = (struct station) { .context = open_device(device) };
	if (!s->context)
		return -ENODEV;
	/* That of NVLink is armed: it carries nothing else. */
	if (ibv_query_port(s->context, PORT, &attr) || attr.state < IBV_PORT_ARMED)
		return -ENETDOWN;
	*payload = 128U << attr.active_mtu;
	if (*payload > MTU_MAX)
		*payload = MTU_MAX;
	return 0;
}

static int make_queues(struct station *s)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_UD,
		.cap = {
			.max_send_wr = s->slots + EACH, .max_recv_wr = s->slots,
			.max_send_sge = 1, .max_recv_sge = 1,
		},
	};

	s->channel = ibv_create_comp_channel(s->context);
	s->pd = ibv_alloc_pd(s->context);
	if (!s->channel || !s->pd)
		return -errno;
	/* Who waits for an event waits in poll(). */
	if (fcntl(s->channel->fd, F_SETFL, O_NONBLOCK))
		return -errno;
	s->sent = ibv_create_cq(s->context, (int)(s->slots + EACH), NULL, NULL, 0);
	s->results = ibv_create_cq(s->context, (int)s->slots, NULL, s->channel, 0);
	if (!s->sent || !s->results)
		return -errno;
	attr.send_cq = s->sent;
	attr.recv_cq = s->results;
	s->qp = ibv_create_qp(s->pd, &attr);
	return s->qp ? 0 : -errno;
}

static int raise_state(struct station *s)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = PORT, .qkey = s->qkey,
	};

	if (ibv_modify_qp(s->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  IBV_QP_QKEY))
		return -errno;
	attr.qp_state = IBV_QPS_RTR;
	if (ibv_modify_qp(s->qp, &attr, IBV_QP_STATE))
		return -errno;
	attr.qp_state = IBV_QPS_RTS;
	return ibv_modify_qp(s->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN) ? -errno : 0;
}

static int enter_group(struct station *s, uint32_t group)
{
	const uint32_t word[4] = {
		htonl(WEFT_REDUCE_MGID_0), htonl(WEFT_REDUCE_MGID_1), 0, htonl(group),
	};
	struct ibv_ah_attr attr = {
		.is_global = 1, .dlid = WEFT_REDUCE_LID, .port_num = PORT,
		.grh = { .hop_limit = 1 },
	};

	memcpy(s->mgid.raw, word, sizeof(s->mgid.raw));
	attr.grh.dgid = s->mgid;
	s->ah = ibv_create_ah(s->pd, &attr);
	if (!s->ah)
		return -errno;
	if (ibv_attach_mcast(s->qp, &s->mgid, WEFT_REDUCE_LID))
		return -errno;
	s->attached = 1;
	return 0;
}

/**
 * station_join() - make the queue pair of a group
 * @s: the station, open
 * @group: number of the group
 * @qkey: its Q_Key
 * @slots: chunks that may be under way
 *
 * Return: 0 or negative errno.
 */
int station_join(struct station *s, uint32_t group, uint32_t qkey, uint32_t slots)
{
	int ret;

	s->qkey = qkey;
	s->slots = slots;
	ret = make_queues(s);
	if (!ret)
		ret = raise_state(s);
	return ret ? ret : enter_group(s, group);
}

static uint32_t receive_bytes(const struct station *s)
{
	return STATION_GRH + s->payload;
}

static uint8_t *receive_slot(struct station *s, uint32_t slot)
{
	return s->memory + (size_t)s->slots * s->payload + (size_t)slot * receive_bytes(s);
}

/**
 * station_release() - give the memory of a result back
 * @s: the station
 * @slot: of the result
 *
 * Return: 0 or negative errno.
 */
int station_release(struct station *s, uint32_t slot)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)receive_slot(s, slot), .length = receive_bytes(s),
		.lkey = s->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = slot, .sg_list = &sge, .num_sge = 1 }, *bad;

	return -ibv_post_recv(s->qp, &wr, &bad);
}

/**
 * station_start() - be ready to receive
 * @s: the station, joined
 * @payload: bytes of a chunk
 *
 * Return: 0 or negative errno.
 */
int station_start(struct station *s, uint32_t payload)
{
	size_t bytes;
	int ret = 0;

	s->payload = payload;
	bytes = (size_t)s->slots * (payload + receive_bytes(s));
	s->memory = calloc(1, bytes);
	if (!s->memory)
		return -ENOMEM;
	s->mr = ibv_reg_mr(s->pd, s->memory, bytes, IBV_ACCESS_LOCAL_WRITE);
	if (!s->mr)
		return -errno;
	for (uint32_t i = 0; !ret && i < s->slots; i++)
		ret = station_release(s, i);
	return ret;
}

/**
 * station_slot() - memory of a chunk that will be sent
 * @s: the station
 * @chunk: number of the chunk
 *
 * Return: room for station.payload bytes.
 */
uint8_t *station_slot(struct station *s, uint32_t chunk)
{
	return s->memory + (size_t)(chunk % s->slots) * s->payload;
}

/*
 * A completion stands for all before it. Of what is that long ago there are results, so
 * this does not wait.
 */
static int reap(struct station *s)
{
	struct ibv_wc wc;
	int n;

	while (s->pending >= s->slots + EACH) {
		n = ibv_poll_cq(s->sent, 1, &wc);
		if (n < 0)
			return -EIO;
		if (n && wc.status)
			return -EIO;
		if (n)
			s->pending -= EACH;
	}
	return 0;
}

/**
 * station_send() - send a chunk
 * @s: the station
 * @chunk: its number, whose memory has the payload
 * @imm: immediate data
 * @bytes: bytes of the payload
 *
 * Return: 0 or negative errno.
 */
int station_send(struct station *s, uint32_t chunk, uint32_t imm, uint32_t bytes)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)station_slot(s, chunk), .length = bytes,
		.lkey = s->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = bytes ? 1 : 0, .opcode = IBV_WR_SEND_WITH_IMM,
		.imm_data = htonl(imm),
		.wr.ud = { .ah = s->ah, .remote_qpn = 0xffffff, .remote_qkey = s->qkey },
	}, *bad;
	int ret = reap(s);

	if (ret)
		return ret;
	s->pending++;
	if (!(++s->posted % EACH))
		wr.send_flags = IBV_SEND_SIGNALED;
	return -ibv_post_send(s->qp, &wr, &bad);
}

/**
 * station_receive() - take results that are there
 * @s: the station
 * @r: set to them; each has to be released
 * @max: entries of @r, at most 64
 *
 * Return: how many; negative errno if one came with an error.
 */
int station_receive(struct station *s, struct result *r, int max)
{
	struct ibv_wc wc[64];
	int n = ibv_poll_cq(s->results, max < 64 ? max : 64, wc);

	for (int i = 0; i < n; i++) {
		if (wc[i].status || !(wc[i].wc_flags & IBV_WC_WITH_IMM))
			return -EIO;
		r[i] = (struct result) {
			.imm = ntohl(wc[i].imm_data), .bytes = wc[i].byte_len - STATION_GRH,
			.data = receive_slot(s, (uint32_t)wc[i].wr_id) + STATION_GRH,
			.slot = (uint32_t)wc[i].wr_id,
		};
	}
	return n < 0 ? -EIO : n;
}

/**
 * station_arm() - say that results are wanted on the channel
 * @s: the station; results that are there already are not told
 *
 * Return: 0 or negative errno.
 */
int station_arm(struct station *s)
{
	return -ibv_req_notify_cq(s->results, 0);
}

/**
 * station_disarm() - take what the channel has told
 * @s: the station
 */
void station_disarm(struct station *s)
{
	struct ibv_cq *cq;
	void *context;

	while (!ibv_get_cq_event(s->channel, &cq, &context))
		ibv_ack_cq_events(cq, 1);
}

/**
 * station_close() - leave the group, and close the device
 * @s: the station
 */
void station_close(struct station *s)
{
	if (s->attached)
		ibv_detach_mcast(s->qp, &s->mgid, WEFT_REDUCE_LID);
	if (s->ah)
		ibv_destroy_ah(s->ah);
	if (s->qp)
		ibv_destroy_qp(s->qp);
	if (s->results)
		ibv_destroy_cq(s->results);
	if (s->sent)
		ibv_destroy_cq(s->sent);
	if (s->channel)
		ibv_destroy_comp_channel(s->channel);
	if (s->mr)
		ibv_dereg_mr(s->mr);
	if (s->pd)
		ibv_dealloc_pd(s->pd);
	if (s->context)
		ibv_close_device(s->context);
	free(s->memory);
	*s = (struct station) { 0 };
}
