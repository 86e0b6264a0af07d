/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disciplines of links: what each chooses.
 *
 * The kernel's list is in core/flow/discipline.c, which says what the choices
 * are. User space asks this table and knows no discipline by name.
 */
#ifndef WEFT_DISCIPLINE_H
#define WEFT_DISCIPLINE_H

#include <stdbool.h>

#include "netlink/port_params.h"

/**
 * enum weft_flow_control - how a class is kept from overrunning the far end
 * @WEFT_FLOW_NONE: a full buffer drops
 * @WEFT_FLOW_PAUSE: 802.3x, all classes stop together
 * @WEFT_FLOW_PFC: 802.1Qbb, each class stops by itself
 * @WEFT_FLOW_CREDIT: credits of blocks, per VL
 * @WEFT_FLOW_FLIT: credits of headers and data, per VC
 */
enum weft_flow_control {
	WEFT_FLOW_NONE,
	WEFT_FLOW_PAUSE,
	WEFT_FLOW_PFC,
	WEFT_FLOW_CREDIT,
	WEFT_FLOW_FLIT,
};

/**
 * enum weft_family - what runs over a link; the better one of two first
 * @WEFT_NVLINK: between accelerators, without verbs
 * @WEFT_PCIE: inside a host, without verbs
 * @WEFT_INFINIBAND: LIDs, InfiniBand's verbs
 * @WEFT_ETHERNET: addresses of NICs, RoCE
 */
enum weft_family {
	WEFT_NVLINK,
	WEFT_PCIE,
	WEFT_INFINIBAND,
	WEFT_ETHERNET,
};

/**
 * struct weft_discipline - one row
 */
struct weft_discipline {
	/** @name: what users write */
	const char *name;
	/** @flow: its flow control */
	enum weft_flow_control flow;
	/** @family: what runs over the link */
	enum weft_family family;
};

#define WEFT_DISCIPLINES_MAX	8

const struct weft_discipline *weft_discipline(const char *name);
void weft_discipline_names(const char *names[WEFT_DISCIPLINES_MAX + 1]);

/**
 * weft_port_discipline() - what a port has chosen
 * @p: its parameters
 *
 * Return: the discipline, that of the kernel where none is named.
 */
static inline const struct weft_discipline *
weft_port_discipline(const struct weft_port_params *p)
{
	return weft_discipline(p->discipline);
}

/**
 * weft_port_pauses() - can the far end of a port be told to stop?
 * @p: its parameters
 *
 * Return: whether it can.
 */
static inline bool weft_port_pauses(const struct weft_port_params *p)
{
	enum weft_flow_control flow = weft_port_discipline(p)->flow;

	return flow == WEFT_FLOW_PAUSE || flow == WEFT_FLOW_PFC;
}

/**
 * weft_port_credits() - does a port grant credits, and have their buffers?
 * @p: its parameters
 *
 * Return: whether it does.
 */
static inline bool weft_port_credits(const struct weft_port_params *p)
{
	enum weft_flow_control flow = weft_port_discipline(p)->flow;

	return flow == WEFT_FLOW_CREDIT || flow == WEFT_FLOW_FLIT;
}

/**
 * weft_family_verbs() - do RDMA devices run over a link of a family?
 * @family: the family
 *
 * Return: whether they do.
 */
static inline bool weft_family_verbs(enum weft_family family)
{
	return family == WEFT_ETHERNET || family == WEFT_INFINIBAND;
}

#endif
