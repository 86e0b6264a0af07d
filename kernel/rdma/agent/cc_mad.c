// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control management: what adapters and switches have in common.
 *
 * CC_Key: a Set needs the key; a Get needs it where CC_KeyProtectBit is set. A request
 * with a wrong key is counted and gets no answer. It starts the lease, at whose end
 * the protect bit is cleared. A request with the right key stops the lease.
 */
#include "rdma/agent/cc_mad.h"

#include <linux/math64.h>

#define CC_CLASS_VERSION	2
#define CC_RESP_TIME		18		/* 4.096 us * 2^18 */
#define CC_KEY			24		/* offset of CC_Key in a MAD */
#define CC_TICK			1024000U	/* ps of a time stamp */
#define CC_SECOND		1000000000000ULL

/**
 * struct cc_key_info - CongestionKeyInfo
 * @key: CC_Key
 * @protect: CC_KeyProtectBit, in the first bit
 * @lease: CC_KeyLeasePeriod, seconds
 * @violations: CC_KeyViolations; a Set writes it
 */
struct cc_key_info {
	__be64 key;
	__be16 protect;
	__be16 lease;
	__be16 violations;
} __packed;

/**
 * weft_cc_stamp() - a time stamp
 * @at: fabric time
 *
 * Context: any.
 * Return: units of 1.024 us.
 */
u32 weft_cc_stamp(fab_time at)
{
	return (u32)div_u64(at, CC_TICK);
}

/**
 * weft_cc_version() - check the versions of a request
 * @h: its header
 *
 * Context: any.
 * Return: 0, or the status of the response.
 */
u16 weft_cc_version(const struct ib_mad_hdr *h)
{
	return h->base_version == IB_MGMT_BASE_VERSION &&
	       h->class_version == CC_CLASS_VERSION ?
	       0 : IB_MGMT_MAD_STATUS_BAD_VERSION;
}

/**
 * weft_cc_class_info() - write ClassPortInfo
 * @data: the attribute, which is zeroed
 *
 * Context: any.
 * Return: status of the response.
 */
u16 weft_cc_class_info(u8 *data)
{
	struct ib_class_port_info *info = (void *)data;

	*info = (struct ib_class_port_info) {
		.base_version = IB_MGMT_BASE_VERSION,
		.class_version = CC_CLASS_VERSION,
		.cap_mask2_resp_time = cpu_to_be32(CC_RESP_TIME),
	};
	return 0;
}

/**
 * weft_cc_time() - write TimeStamp
 * @data: the attribute, which is zeroed
 * @now: fabric time
 *
 * Context: any.
 * Return: status of the response.
 */
u16 weft_cc_time(u8 *data, fab_time now)
{
	*(__be32 *)data = cpu_to_be32(weft_cc_stamp(now));
	return 0;
}

static __be64 cc_shown_key(const struct ib_mad *in)
{
	__be64 key;

	memcpy(&key, (const u8 *)in + CC_KEY, sizeof(key));
	return key;
}

static void cc_key_set(struct weft_cc_key *k, const struct cc_key_info *i)
{
	k->key = i->key;
	k->protect = be16_to_cpu(i->protect) >> 15;
	k->lease = be16_to_cpu(i->lease);
	k->violations = be16_to_cpu(i->violations);
	k->leased = false;
}

/**
 * weft_cc_key_info() - get or set CongestionKeyInfo
 * @k: the key
 * @in: the request, which the key allows
 * @data: the attribute; set to that of the response
 *
 * Where the key protects, it is shown only to who knows it.
 *
 * Context: any; the fabric's lock is held.
 * Return: status of the response.
 */
u16 weft_cc_key_info(struct weft_cc_key *k, const struct ib_mad *in, u8 *data)
{
	__be64 shown = cc_shown_key(in);
	struct cc_key_info *i = (void *)data;

	if (in->mad_hdr.method == IB_MGMT_METHOD_SET) {
		cc_key_set(k, i);
		shown = i->key;
	}
	i->key = !k->protect || shown == k->key ? k->key : 0;
	i->protect = cpu_to_be16(k->protect << 15);
	i->lease = cpu_to_be16(k->lease);
	i->violations = cpu_to_be16(k->violations);
	return 0;
}

/**
 * weft_cc_key_fits() - may a request be answered?
 * @k: the key
 * @in: the request
 * @now: fabric time
 *
 * Context: any; the fabric's lock is held.
 * Return: true if its key is right, or not needed.
 */
bool weft_cc_key_fits(struct weft_cc_key *k, const struct ib_mad *in,
		      fab_time now)
{
	if (k->leased && now >= k->lease_end) {
		k->protect = false;
		k->leased = false;
	}
	if (!k->key || cc_shown_key(in) == k->key) {
		k->leased = false;
		return true;
	}
	if (in->mad_hdr.method == IB_MGMT_METHOD_GET && !k->protect)
		return true;
	if (k->violations != U16_MAX)
		k->violations++;
	if (k->lease && !k->leased) {
		k->leased = true;
		k->lease_end = now + k->lease * CC_SECOND;
	}
	return false;
}
