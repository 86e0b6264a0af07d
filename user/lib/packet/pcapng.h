/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captures in the pcapng format, with time in units of 100 ps.
 */
#ifndef WEFT_PCAPNG_H
#define WEFT_PCAPNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "packet/frames.h"

/**
 * enum weft_pcapng_kind - kind of frames of an interface
 * @WEFT_PCAPNG_ETHERNET: Ethernet frames without FCS, as from a NIC
 * @WEFT_PCAPNG_ETHERNET_FCS: Ethernet frames with padding and FCS, as on the wire
 * @WEFT_PCAPNG_INFINIBAND: InfiniBand packets and flow control, in ERF records
 */
enum weft_pcapng_kind {
	WEFT_PCAPNG_ETHERNET,
	WEFT_PCAPNG_ETHERNET_FCS,
	WEFT_PCAPNG_INFINIBAND,
};

/**
 * enum weft_pcapng_dir - direction of a frame; numbers of pcapng
 * @WEFT_PCAPNG_DIR_NONE: not specified
 * @WEFT_PCAPNG_IN: received
 * @WEFT_PCAPNG_OUT: sent
 */
enum weft_pcapng_dir {
	WEFT_PCAPNG_DIR_NONE,
	WEFT_PCAPNG_IN,
	WEFT_PCAPNG_OUT,
};

/**
 * struct weft_pcapng - a capture that is being written
 */
struct weft_pcapng {
	/** @file: output file */
	FILE *file;
	/** @own: the file is closed with the capture */
	bool own;
	/** @interfaces: entries of @kind */
	uint32_t interfaces;
	/** @kind: kind of each interface */
	enum weft_pcapng_kind *kind;
	/** @block: the block under construction */
	uint8_t *block;
	/** @len: bytes of @block so far */
	size_t len;
	/** @size: allocated bytes of @block */
	size_t size;
	/** @nomem: an allocation failed; the block is incomplete */
	bool nomem;
};

/**
 * struct weft_pcapng_frame - metadata of a frame
 */
struct weft_pcapng_frame {
	/** @interface: number from weft_pcapng_add_interface() */
	uint32_t interface;
	/** @dir: its direction */
	enum weft_pcapng_dir dir;
	/** @time: fabric time, ps */
	uint64_t time;
	/** @comment: for people, NULL for none */
	const char *comment;
};

int weft_pcapng_open(struct weft_pcapng *p, const char *path,
		     struct weft_err *err);
int weft_pcapng_start(struct weft_pcapng *p, FILE *file, struct weft_err *err);
int weft_pcapng_flush(struct weft_pcapng *p, struct weft_err *err);
int weft_pcapng_close(struct weft_pcapng *p, struct weft_err *err);

int weft_pcapng_add_interface(struct weft_pcapng *p, const char *name,
			      enum weft_pcapng_kind kind, uint64_t rate,
			      uint32_t *id, struct weft_err *err);

int weft_pcapng_write_data(struct weft_pcapng *p,
			   const struct weft_pcapng_frame *f, const void *eth,
			   size_t len, size_t wire_len, struct weft_err *err);
int weft_pcapng_write_pause(struct weft_pcapng *p,
			    const struct weft_pcapng_frame *f,
			    const uint8_t src[6], uint16_t quanta,
			    struct weft_err *err);
int weft_pcapng_write_pfc(struct weft_pcapng *p,
			  const struct weft_pcapng_frame *f,
			  const uint8_t src[6], uint8_t enable,
			  const uint16_t quanta[WEFT_PFC_CLASSES],
			  struct weft_err *err);
int weft_pcapng_write_flit(struct weft_pcapng *p,
			   const struct weft_pcapng_frame *f,
			   const struct weft_flit *flit, struct weft_err *err);
int weft_pcapng_write_ib_fc(struct weft_pcapng *p,
			    const struct weft_pcapng_frame *f, uint8_t op,
			    uint8_t vl, uint16_t fctbs, uint16_t fccl,
			    struct weft_err *err);
int weft_pcapng_write_ib_data(struct weft_pcapng *p,
			      const struct weft_pcapng_frame *f,
			      const struct weft_ib_packet *pkt, const void *eth,
			      size_t len, size_t wire_len,
			      struct weft_err *err);
int weft_pcapng_write_ib_packet(struct weft_pcapng *p,
				const struct weft_pcapng_frame *f,
				const void *packet, size_t len, size_t wire_len,
				struct weft_err *err);

#endif
