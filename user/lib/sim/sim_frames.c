// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Transport frames: datagrams that fill the NIC's frames, without acknowledgements.
 *
 * A packet has the headers of UDP over IPv4: Ethernet 14, IPv4 20, UDP 8. Its payload
 * is what the NIC's MTU leaves. Packets of a message may overtake each other.
 */
#include "sim/sim_run.h"

#include <linux/weft.h>

#define FRAMES_ETHERNET	14
#define FRAMES_HEADER	28

static const char *frames_refuse(const struct weft_plan_nic *nic)
{
	const struct weft_nic *n = &nic->nic;

	if (nic->mtu <= FRAMES_HEADER)
		return "its MTU has no room for headers";
	if (n->segmentation == WEFT_SEGMENTATION_TRAIN)
		return "segmentation: train is not simulated; expected mtu";
	if (n->moderation.rx_usecs)
		return "interrupt moderation is not simulated; expected moderation: {rx-usecs: 0}";
	return NULL;
}

static void frames_nic(struct weft_sim_nic *nic)
{
	nic->mtu = nic->plan->mtu - FRAMES_HEADER;
	nic->header = FRAMES_ETHERNET + FRAMES_HEADER;
	nic->pad = 1;
}

static void frames_build(struct weft_sim_qp *qp, struct weft_sim_pkt *pkt, bool last)
{
}

static void frames_receive(struct weft_sim *sim, struct weft_sim_nic *nic,
			   struct weft_sim_pkt *pkt)
{
	weft_sim_accept(sim, pkt->message);
}

const struct weft_sim_transport weft_sim_frames = {
	.name = "frames",
	.refuse = frames_refuse,
	.nic = frames_nic,
	.build = frames_build,
	.receive = frames_receive,
};
