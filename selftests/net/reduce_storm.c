// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Datagrams to groups whose switches reduce, from somebody who is in none: any operation and
 * type, any chunk and length, guessed keys, with and without immediate data.
 *
 * usage: reduce_storm DATAGRAMS SEED
 *
 * By the first device. Exits with 0 once all are sent, whatever becomes of them.
 */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verbs_device.h"

#define DEPTH	32
#define BYTES	4096
#define GROUPS	4

static uint64_t state;

static uint32_t any(void)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(state >> 33);
}

static struct ibv_ah *address(struct ibv_pd *pd, uint32_t group)
{
	struct ibv_ah_attr attr = {
		.is_global = 1, .dlid = 0xfffe, .port_num = 1, .grh = { .hop_limit = 1 },
	};
	/* As linux/weft.h has it. */
	const uint32_t word[4] = { htonl(0xff120000), htonl(0x57454654), 0, htonl(group) };

	memcpy(attr.grh.dgid.raw, word, sizeof(word));
	return ibv_create_ah(pd, &attr);
}

static int post(struct ibv_qp *qp, struct ibv_mr *mr, struct ibv_ah *const *to)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)mr->addr, .lkey = mr->lkey,
		.length = any() % 4 ? any() % 32 * 8 : any() % (BYTES + 1),
	};
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1,
		.send_flags = IBV_SEND_SIGNALED,
		.opcode = any() % 8 ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND,
		/* Often the chunks that are under way, and what they might be. */
		.imm_data = htonl(any() % 2 ? any() % 4096 | 5 << 24 : any()),
		.wr.ud = {
			.ah = to[any() % (GROUPS + 1)], .remote_qpn = 0xffffff,
			.remote_qkey = any() % 2 ? any() % 16 : any(),
		},
	};

	return ibv_post_send(qp, &wr, &bad);
}

static int storm(struct ibv_qp *qp, struct ibv_mr *mr, long n)
{
	struct ibv_ah *to[GROUPS + 1];
	struct ibv_wc wc;
	long under_way = 0;

	for (int i = 0; i < GROUPS; i++)
		to[i] = address(qp->pd, (uint32_t)i);
	to[GROUPS] = address(qp->pd, any());
	for (int i = 0; i <= GROUPS; i++)
		if (!to[i])
			return -1;
	while (n || under_way) {
		if (n && under_way < DEPTH) {
			if (post(qp, mr, to))
				return -1;
			n--;
			under_way++;
		}
		if (ibv_poll_cq(qp->send_cq, 1, &wc) > 0)
			under_way--;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static uint8_t data[BYTES];
	struct ibv_device **devices = ibv_get_device_list(NULL);
	struct ibv_context *c = devices && *devices ? ibv_open_device(devices[0]) : NULL;
	struct ibv_pd *pd = c ? ibv_alloc_pd(c) : NULL;
	struct ibv_cq *cq = pd ? ibv_create_cq(c, DEPTH, NULL, NULL, 0) : NULL;
	struct ibv_mr *mr = cq ? ibv_reg_mr(pd, data, BYTES, 0) : NULL;
	struct ibv_qp *qp = mr ? datagram_qp(pd, cq, DEPTH) : NULL;

	if (argc != 3) {
		fprintf(stderr, "usage: reduce_storm DATAGRAMS SEED\n");
		return 2;
	}
	state = strtoull(argv[2], NULL, 0);
	if (!qp || storm(qp, mr, atol(argv[1]))) {
		perror("reduce_storm");
		return 1;
	}
	return 0;
}
