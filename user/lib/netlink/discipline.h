/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disciplines of links: the flow control and the family of each.
 *
 * The kernel's table is in core/flow/discipline.c, which describes the choices. Other
 * code of user space uses this table and compares no names of disciplines.
 */
#ifndef WEFT_DISCIPLINE_H
#define WEFT_DISCIPLINE_H

#include <stdbool.h>

#include "netlink/port_params.h"

/**
 * enum weft_flow_control - flow control of a link
 * @WEFT_FLOW_NONE: none: a full buffer drops
 * @WEFT_FLOW_PAUSE: 802.3x, all classes are paused together
 * @WEFT_FLOW_PFC: 802.1Qbb, each class is paused separately
 * @WEFT_FLOW_CREDIT: credits of blocks, per VL
 * @WEFT_FLOW_FLIT: credits of headers and data, per VC
 * @WEFT_FLOW_CBFC: credits of Ultra Ethernet, per VC
 */
enum weft_flow_control {
	WEFT_FLOW_NONE,
	WEFT_FLOW_PAUSE,
	WEFT_FLOW_PFC,
	WEFT_FLOW_CREDIT,
	WEFT_FLOW_FLIT,
	WEFT_FLOW_CBFC,
};

/**
 * enum weft_family - kind of network of a link; the lower value is preferred for a peer
 * @WEFT_NVLINK: between accelerators, without verbs
 * @WEFT_PCIE: inside a host, without verbs
 * @WEFT_INFINIBAND: LIDs, verbs of InfiniBand
 * @WEFT_ETHERNET: MAC addresses, verbs of RoCE
 */
enum weft_family {
	WEFT_NVLINK,
	WEFT_PCIE,
	WEFT_INFINIBAND,
	WEFT_ETHERNET,
};

/**
 * struct weft_discipline - one discipline
 */
struct weft_discipline {
	/** @name: its name in topology files */
	const char *name;
	/** @flow: its flow control */
	enum weft_flow_control flow;
	/** @family: its family */
	enum weft_family family;
	/** @llr: Ethernet that sends frames with errors once more */
	bool llr;
};

#define WEFT_DISCIPLINES_MAX	8

const struct weft_discipline *weft_discipline(const char *name);
void weft_discipline_names(const char *names[WEFT_DISCIPLINES_MAX + 1]);

/**
 * weft_port_discipline() - discipline of a port
 * @p: its parameters
 *
 * Return: the discipline; the kernel's default if the parameters have none.
 */
static inline const struct weft_discipline *
weft_port_discipline(const struct weft_port_params *p)
{
	return weft_discipline(p->discipline);
}

/**
 * weft_port_pauses() - can a port pause the far end of its link?
 * @p: its parameters
 *
 * Return: true if it can.
 */
static inline bool weft_port_pauses(const struct weft_port_params *p)
{
	enum weft_flow_control flow = weft_port_discipline(p)->flow;

	return flow == WEFT_FLOW_PAUSE || flow == WEFT_FLOW_PFC;
}

/**
 * weft_port_credits() - does a port have receive buffers and grant credits for them?
 * @p: its parameters
 *
 * Return: true if it does.
 */
static inline bool weft_port_credits(const struct weft_port_params *p)
{
	enum weft_flow_control flow = weft_port_discipline(p)->flow;

	return flow == WEFT_FLOW_CREDIT || flow == WEFT_FLOW_FLIT ||
	       flow == WEFT_FLOW_CBFC;
}

/**
 * weft_family_verbs() - can links of a family carry RDMA traffic?
 * @family: the family
 *
 * Return: true if they can.
 */
static inline bool weft_family_verbs(enum weft_family family)
{
	return family == WEFT_ETHERNET || family == WEFT_INFINIBAND;
}

#endif
