/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What programs and an EFA device share: descriptors in mapped queues, and doorbells.
 *
 * The layout, and the numbers of operations and states, are those of the kernel's
 * drivers/infiniband/hw/efa/efa_io_defs.h and efa_io_regs_defs.h, and of rdma-core's copies.
 * All words are little-endian.
 */
#ifndef WEFT_EFA_IO_H
#define WEFT_EFA_IO_H

#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/types.h>

#define EFA_INLINE_MAX	32	/* bytes of inline data in a send descriptor */
#define EFA_SEND_SGES	2	/* buffers of a send descriptor */
#define EFA_RECV_SGES	2	/* descriptors of a receive */
#define EFA_AH_UNKNOWN	0xffff	/* no address handle of the domain is for the source */

/* efa_tx.flags: operation in bits 3-0 */
#define EFA_TX_OP	GENMASK(3, 0)
#define EFA_TX_IMM	BIT(4)
#define EFA_TX_INLINE	BIT(5)
#define EFA_TX_META	BIT(7)	/* has to be set */

/* efa_tx.more */
#define EFA_TX_FIRST	BIT(2)	/* has to be set */
#define EFA_TX_LAST	BIT(3)	/* has to be set */

/* operations */
#define EFA_OP_SEND	0
#define EFA_OP_READ	1
#define EFA_OP_WRITE	2

#define EFA_LKEY	GENMASK(23, 0)

#define EFA_RQ_DOORBELL	64	/* of a queue pair, in its page of doorbells; the other: 0 */

/**
 * struct efa_buf - memory of a process
 */
struct efa_buf {
	/** @len: bytes */
	__le32 len;
	/** @lkey: key, 24 bits; in a remote one all 32 bits of an R_Key */
	__le32 lkey;
	/** @addr: address, in two words because of their alignment */
	__le32 addr[2];
};

/* An address in two words. */
static inline u64 efa_addr(const __le32 word[2])
{
	return (u64)le32_to_cpu(word[1]) << 32 | le32_to_cpu(word[0]);
}

/**
 * struct efa_tx - a send descriptor: 64 bytes
 */
struct efa_tx {
	/** @req_id: comes back in the completion */
	__le16 req_id;
	/** @flags: EFA_TX_OP to EFA_TX_META */
	u8 flags;
	/** @more: EFA_TX_FIRST, EFA_TX_LAST, and what has no use here */
	u8 more;
	/** @dqpn: destination QP number */
	__le16 dqpn;
	/** @length: bytes of inline data, or number of buffers */
	__le16 length;
	/** @imm: immediate data */
	__le32 imm;
	/** @ah: number of the address handle */
	__le16 ah;
	/** @unused: zero */
	__le16 unused;
	/** @qkey: Q_Key */
	__le32 qkey;
	/** @unused2: zero */
	u8 unused2[12];
	union {
		/** @buf: buffers; of reads and writes the remote one, then the local one */
		struct efa_buf buf[2];
		/** @data: inline data */
		u8 data[EFA_INLINE_MAX];
	};
};

#define EFA_RX_FIRST	BIT(30)	/* of efa_rx.lkey */
#define EFA_RX_LAST	BIT(31)

/**
 * struct efa_rx - a receive descriptor: 16 bytes
 */
struct efa_rx {
	/** @addr: address */
	__le32 addr[2];
	/** @req_id: comes back in the completion */
	__le16 req_id;
	/** @len: bytes */
	__le16 len;
	/** @lkey: key, EFA_RX_FIRST, EFA_RX_LAST */
	__le32 lkey;
};

/* efa_cqe.flags */
#define EFA_CQE_PHASE	BIT(0)
#define EFA_CQE_SEND	(1 << 1)
#define EFA_CQE_RECV	(2 << 1)
#define EFA_CQE_IMM	BIT(3)

/**
 * struct efa_cqe - a completion: the first 16 bytes, of which sends use 8
 */
struct efa_cqe {
	union {
		struct {
			/** @req_id: that of the descriptor */
			__le16 req_id;
			/** @status: enum efa_status */
			u8 status;
			/** @flags: EFA_CQE_* */
			u8 flags;
			/** @qpn: QP number */
			__le16 qpn;
			/** @len: bytes received */
			__le16 len;
		};
		/** @word: all of the above, written at once when the rest is there */
		u64 word;
	};
	/** @ah: receive: address handle of the source, or EFA_AH_UNKNOWN */
	__le16 ah;
	/** @sqpn: receive: QP number of the source */
	__le16 sqpn;
	/** @imm: receive: immediate data */
	__le32 imm;
};

#define EFA_CQE_SIZE	sizeof(struct efa_cqe)
#define EFA_CQE_GID	(EFA_CQE_SIZE + 16)	/* size with the GID of an unknown source */

/**
 * enum efa_status - status of a completion
 * @EFA_OK: it is done
 * @EFA_FLUSHED: the queue pair is in error
 * @EFA_QP_ERROR: the queue pair has failed
 * @EFA_BAD_OP: no such operation
 * @EFA_BAD_AH: no such address handle in the domain
 * @EFA_BAD_LKEY: key, bounds or rights of local memory
 * @EFA_TOO_LONG: longer than a message or the queue allows
 * @EFA_NO_HOST: no NIC has the address
 * @EFA_ABORT: the other end has begun anew
 * @EFA_NO_QP: no such queue pair there, or another Q_Key
 * @EFA_RNR: there was no receive, too often
 * @EFA_SHORT: the receive was too short
 * @EFA_BAD_STATUS: key, bounds or rights of remote memory
 * @EFA_TIMEOUT: the other end does not answer
 */
enum efa_status {
	EFA_OK,
	EFA_FLUSHED,
	EFA_QP_ERROR,
	EFA_BAD_OP,
	EFA_BAD_AH,
	EFA_BAD_LKEY,
	EFA_TOO_LONG,
	EFA_NO_HOST,
	EFA_ABORT,
	EFA_NO_QP,
	EFA_RNR,
	EFA_SHORT,
	EFA_BAD_STATUS,
	EFA_TIMEOUT,
};

/* the doorbell of a completion queue */
#define EFA_DB_INDEX	GENMASK(15, 0)	/* completions taken */
#define EFA_DB_SN	GENMASK(30, 29)	/* events taken */
#define EFA_DB_ARM	BIT(31)

#endif
