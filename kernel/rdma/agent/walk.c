// SPDX-License-Identifier: GPL-2.0
/*
 * Directed routes through a switch.
 *
 * DOC: theory of operation
 *
 * A subnet manager reaches devices before there are LIDs. Its datagram names the
 * egress port at each device on the way (InitialPath), from entry 1 on. HopPointer
 * is the present entry, HopCount the last one. Each device notes the port that the
 * datagram came in by (ReturnPath), and the response takes these ports backwards,
 * with the D bit of the status set (IBTA 14.2.2).
 *
 * The directed part may begin at a switch that the datagram reached by its LID:
 * then HopPointer is 0, and DrSLID is the LID of the sender. It may also end at a
 * switch from which the datagram goes on to the LID DrDLID. The permissive LID in
 * either field stands for no such part. A switch is at the border of both parts, so
 * only switches have to join them. The device with the LID DrDLID finds HopPointer one
 * beyond the count, and its response goes to the LID of the switch at the border.
 *
 * The clauses are C14-9 for requests and C14-13 for responses. What they do not
 * allow is discarded: an entry that is no port, a pointer beyond the count + 1, a
 * pointer at the count + 1 of a request without DrDLID, a count beyond 63. So a route
 * in a circle ends by itself.
 */
#include "rdma/agent/walk.h"

#include <rdma/ib_smi.h>

static const struct weft_walk walk_drop = { .to = WEFT_WALK_DROP };

/* Out of a port, which has to exist; port 0 is the switch itself. */
static struct weft_walk walk_port(u8 port, u8 ports)
{
	struct weft_walk w = { .to = WEFT_WALK_PORT, .port = port };

	return port && port <= ports ? w : walk_drop;
}

/* To the LID where a directed route ends, or begins. */
static struct weft_walk walk_lid(__be16 lid)
{
	struct weft_walk w = { .to = WEFT_WALK_LID, .lid = be16_to_cpu(lid) };

	return w;
}

/* A request; the port that it came in by is noted in ReturnPath. */
static struct weft_walk walk_out(struct ib_smp *smp, u8 in, u8 ports)
{
	const struct weft_walk here = { .to = WEFT_WALK_HERE };
	u8 hop = smp->hop_ptr;

	if (hop == smp->hop_cnt + 1 && smp->dr_dlid != IB_LID_PERMISSIVE)
		return here;
	if (hop > smp->hop_cnt)
		return walk_drop;
	if (hop)
		smp->return_path[hop] = in;
	smp->hop_ptr++;
	if (hop < smp->hop_cnt)
		return walk_port(smp->initial_path[smp->hop_ptr], ports);
	return smp->dr_dlid == IB_LID_PERMISSIVE ?
	       here : walk_lid(smp->dr_dlid);
}

/* A response. */
static struct weft_walk walk_back(struct ib_smp *smp, u8 ports)
{
	if (!smp->hop_ptr || smp->hop_ptr > smp->hop_cnt + 1)
		return walk_drop;
	smp->hop_ptr--;
	if (smp->hop_ptr)
		return walk_port(smp->return_path[smp->hop_ptr], ports);
	/* It is for the manager at this switch, which has none. */
	if (smp->dr_slid == IB_LID_PERMISSIVE)
		return walk_drop;
	return walk_lid(smp->dr_slid);
}

/**
 * weft_walk_arrive() - take a step of a directed route
 * @smp: the datagram; its pointer and its return path are set for the next device
 * @in: port of the switch that it came in by
 * @ports: number of ports of the switch
 *
 * Context: any.
 * Return: the step.
 */
struct weft_walk weft_walk_arrive(struct ib_smp *smp, u8 in, u8 ports)
{
	if (smp->hop_cnt >= IB_SMP_MAX_PATH_HOPS)
		return walk_drop;
	if (smp->status & IB_SMP_DIRECTION)
		return walk_back(smp, ports);
	return walk_out(smp, in, ports);
}

/**
 * weft_walk_reply() - take the first step of a response
 * @smp: the response to a request that was WEFT_WALK_HERE; its D bit is set
 * @ports: number of ports of the switch
 *
 * Context: any.
 * Return: the step.
 */
struct weft_walk weft_walk_reply(struct ib_smp *smp, u8 ports)
{
	const struct weft_walk back = { .to = WEFT_WALK_BACK };

	smp->status |= IB_SMP_DIRECTION;
	/* The request came on by this switch's LID. */
	if (smp->dr_dlid != IB_LID_PERMISSIVE)
		return back;
	return walk_back(smp, ports);
}
