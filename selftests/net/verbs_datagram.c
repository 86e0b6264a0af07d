// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One datagram of 256 bytes, as long as those of management, to any queue pair.
 *
 * usage: verbs_datagram LID QPN Q_KEY
 *
 * By the first device. Exits with 0 once it is sent, whatever becomes of it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "verbs_device.h"

#define BYTES	256

static int send_one(struct ibv_qp *qp, struct ibv_mr *mr, uint16_t lid,
		    uint32_t qpn, uint32_t qkey)
{
	struct ibv_ah_attr to = { .dlid = lid, .port_num = 1 };
	struct ibv_sge sge = {
		.addr = (uintptr_t)mr->addr, .length = BYTES, .lkey = mr->lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { .remote_qpn = qpn, .remote_qkey = qkey },
	};
	struct ibv_wc wc;

	wr.wr.ud.ah = ibv_create_ah(qp->pd, &to);
	if (!wr.wr.ud.ah || ibv_post_send(qp, &wr, &bad))
		return -1;
	while (!ibv_poll_cq(qp->send_cq, 1, &wc))
		;
	return wc.status == IBV_WC_SUCCESS ? 0 : -1;
}

int main(int argc, char **argv)
{
	static uint8_t mad[BYTES];
	struct ibv_device **devices = ibv_get_device_list(NULL);
	struct ibv_context *c = devices ? ibv_open_device(devices[0]) : NULL;
	struct ibv_pd *pd = c ? ibv_alloc_pd(c) : NULL;
	struct ibv_cq *cq = pd ? ibv_create_cq(c, 2, NULL, NULL, 0) : NULL;
	struct ibv_mr *mr = cq ? ibv_reg_mr(pd, mad, BYTES, 0) : NULL;
	struct ibv_qp *qp = mr ? datagram_qp(pd, cq, 1) : NULL;

	if (argc != 4) {
		fprintf(stderr, "usage: verbs_datagram LID QPN Q_KEY\n");
		return 2;
	}
	if (!qp || send_one(qp, mr, (uint16_t)strtoul(argv[1], NULL, 0),
			    (uint32_t)strtoul(argv[2], NULL, 0),
			    (uint32_t)strtoul(argv[3], NULL, 0))) {
		perror("verbs_datagram");
		return 1;
	}
	return 0;
}
