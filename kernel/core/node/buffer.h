/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packet buffer of a switch or of a NIC's receive side, accounted at ingress.
 */
#ifndef FAB_BUFFER_H
#define FAB_BUFFER_H

#include "core/pkt.h"
#include "core/types.h"

#define FAB_ALPHA_MIN		(-20)
#define FAB_ALPHA_MAX		20
#define FAB_BUFFER_MAX		BIT_ULL(40)	/* bytes */

/**
 * struct fab_account_params - limits of one class of one ingress port
 *
 * A packet takes room from @reserve first, then from the shared part up to a
 * threshold, then, if the class is lossless, from @headroom.
 */
struct fab_account_params {
	/** @reserve: bytes that only this class can take */
	u32 reserve;
	/** @headroom: bytes for packets that arrive after the pause was decided */
	u32 headroom;
	/** @xon: the class resumes this many bytes below its threshold */
	u32 xon;
	/** @dynamic: the threshold is 2^@alpha times the free shared bytes */
	bool dynamic;
	/** @alpha: exponent, FAB_ALPHA_MIN to FAB_ALPHA_MAX */
	s8 alpha;
	/** @threshold: bytes of the shared part, unless @dynamic */
	u64 threshold;
};

/**
 * struct fab_buffer_params - size of the buffer
 */
struct fab_buffer_params {
	/**
	 * @per_port: bytes that packets of one ingress port may hold; with
	 * @accounts: of the shared part
	 */
	u64 per_port;
	/** @accounts: keep accounts per class, by @cls */
	bool accounts;
	/** @total: bytes in all, reserves and headrooms included */
	u64 total;
	/** @cls: limits of each class, the same at every port at first */
	struct fab_account_params cls[FAB_CLASSES_MAX];
};

/**
 * struct fab_buffer - its occupancy
 *
 * What a packet uses is in the first 64 bytes.
 */
struct fab_buffer {
	/** @used: bytes held; the sum of fab_port.held over the ports */
	u64 used;
	/** @peak: most bytes ever held */
	u64 peak;
	/** @shared: bytes held in the shared part, all accounts */
	u64 shared;
	/** @limit: bytes that it may hold: the total, or @cap */
	u64 limit;
	/** @pool: bytes of the shared part: what @fixed leaves of @limit */
	u64 pool;
	/** @own_shares: some port has, or had, a limit of its own */
	bool own_shares;
	/** @p: parameters */
	struct fab_buffer_params p;
	/** @port: ports that share it */
	struct fab_port *port;
	/** @ports: how many */
	u32 ports;
	/** @cap: limit by a fault; U64_MAX without */
	u64 cap;
	/** @fixed: bytes of reserves and headrooms */
	u64 fixed;
	/** @shrunk: bytes held at the last change of limits, which may exceed them */
	u64 shrunk;
};

/**
 * struct fab_account - occupancy of one class of one ingress port
 */
struct fab_account {
	/** @p: its limits */
	struct fab_account_params p;
	/** @reserved: bytes held in its reserve */
	u32 reserved;
	/** @headroom: bytes held in its headroom */
	u32 headroom;
	/** @shared: bytes held in the shared part */
	u64 shared;
	/** @peak: most bytes ever held */
	u64 peak;
};

/**
 * fab_account_held() - bytes that a class of an ingress port holds
 * @a: its account
 *
 * Return: bytes.
 */
static inline u64 fab_account_held(const struct fab_account *a)
{
	return a->shared + a->reserved + a->headroom;
}

/**
 * fab_buffer_threshold_with() - threshold of a class while so much of the shared part is held
 * @b: the buffer, with accounts
 * @a: account of the class
 * @shared: bytes held in the shared part, all accounts
 *
 * Return: bytes.
 */
static inline u64 fab_buffer_threshold_with(const struct fab_buffer *b,
					    const struct fab_account *a, u64 shared)
{
	u64 room;

	if (!a->p.dynamic)
		return a->p.threshold;
	room = b->pool > shared ? b->pool - shared : 0;
	return a->p.alpha < 0 ? room >> -a->p.alpha : room << a->p.alpha;
}

/**
 * fab_buffer_threshold() - present threshold of a class in the shared part
 * @b: the buffer, with accounts
 * @a: account of the class
 *
 * Return: bytes.
 */
static inline u64 fab_buffer_threshold(const struct fab_buffer *b,
				       const struct fab_account *a)
{
	return fab_buffer_threshold_with(b, a, b->shared);
}

/**
 * fab_buffer_over() - must the sender of a class stop?
 * @b: the buffer
 * @a: account of the class at the port that it sends to
 *
 * Return: true if it has reached its threshold; false without accounts.
 */
static inline bool fab_buffer_over(const struct fab_buffer *b,
				   const struct fab_account *a)
{
	if (unlikely(a->headroom))
		return true;
	return a->shared && a->shared >= fab_buffer_threshold(b, a);
}

void fab_buffer_init(struct fab_buffer *b, const struct fab_buffer_params *p,
		     struct fab_port *port, u32 ports);
int fab_buffer_params_check(const struct fab_buffer_params *p, u32 ports,
			    u32 classes);
int fab_buffer_resize(struct fab_buffer *b, u64 total, u64 per_port);
int fab_buffer_limit(struct fab_buffer *b, struct fab_port *port, u32 cls,
		     const struct fab_account_params *p);
void fab_buffer_share(struct fab_buffer *b, struct fab_port *port, u64 bytes);
void fab_buffer_cap(struct fab_buffer *b, u64 cap);
void fab_buffer_forget(struct fab_buffer *b);
enum fab_drop fab_buffer_admit(struct fab_buffer *b, struct fab_port *in,
			       const struct fab_pkt *pkt);
void fab_buffer_free(struct fab_buffer *b, struct fab_port *in, u32 cls,
		     u32 bytes);
void fab_buffer_release(struct fab_buffer *b, struct fab_port *in,
			const struct fab_pkt *pkt);
bool fab_buffer_under(const struct fab_buffer *b, const struct fab_account *a);

#endif
