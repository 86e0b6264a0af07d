/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Congestion control management: what adapters and switches have in common.
 *
 * The management class 0x21 of the InfiniBand Architecture Specification, Annex A10.
 */
#ifndef WEFT_RDMA_AGENT_CC_MAD_H
#define WEFT_RDMA_AGENT_CC_MAD_H

#include <linux/types.h>
#include <rdma/ib_mad.h>

#include "core/types.h"

#define WEFT_CC_DATA		64		/* offset of attributes in a MAD */

#define WEFT_CC_ATTR_CLASS_INFO	cpu_to_be16(0x01)
#define WEFT_CC_ATTR_INFO		cpu_to_be16(0x11)
#define WEFT_CC_ATTR_KEY		cpu_to_be16(0x12)
#define WEFT_CC_ATTR_LOG		cpu_to_be16(0x13)
#define WEFT_CC_ATTR_SWITCH_SETTING	cpu_to_be16(0x14)
#define WEFT_CC_ATTR_PORT_SETTING	cpu_to_be16(0x15)
#define WEFT_CC_ATTR_CA_SETTING	cpu_to_be16(0x16)
#define WEFT_CC_ATTR_TABLE		cpu_to_be16(0x17)
#define WEFT_CC_ATTR_TIME		cpu_to_be16(0x18)

/**
 * struct weft_cc_key - who may set and read congestion control
 *
 * The fabric's lock protects it.
 */
struct weft_cc_key {
	/** @key: CC_Key, 0: none */
	__be64 key;
	/** @protect: CC_KeyProtectBit: a Get needs the key, too */
	bool protect;
	/** @lease: CC_KeyLeasePeriod in seconds, 0: for ever */
	u16 lease;
	/** @violations: requests with a wrong key */
	u16 violations;
	/** @leased: a wrong key started the lease */
	bool leased;
	/** @lease_end: with @leased: when @protect is cleared */
	fab_time lease_end;
};

u32 weft_cc_stamp(fab_time at);
u16 weft_cc_version(const struct ib_mad_hdr *h);
u16 weft_cc_class_info(u8 *data);
u16 weft_cc_time(u8 *data, fab_time now);
u16 weft_cc_key_info(struct weft_cc_key *k, const struct ib_mad *in, u8 *data);
bool weft_cc_key_fits(struct weft_cc_key *k, const struct ib_mad *in,
		      fab_time now);

#endif
