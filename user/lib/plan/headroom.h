/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Headroom: buffer of a lossless class for packets that arrive after its pause.
 */
#ifndef WEFT_HEADROOM_H
#define WEFT_HEADROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Bytes of a pause frame on the wire: 64, preamble 8 and gap 12. */
#define WEFT_HEADROOM_PAUSE	84
#define WEFT_HEADROOM_TERMS	8

/**
 * enum weft_headroom_model - formulas for headroom
 * @WEFT_HEADROOM_GENERIC: most bytes that can arrive, from the rules of the
 * wire alone
 * @WEFT_HEADROOM_SPECTRUM_1: NVIDIA in SONiC, cells of 96 bytes
 * @WEFT_HEADROOM_SPECTRUM_2: as Spectrum-1, cells of 144 bytes
 * @WEFT_HEADROOM_SPECTRUM_3: as Spectrum-2
 * @WEFT_HEADROOM_SPECTRUM_4: cells of 192 bytes, reaction in quanta, delay of a
 * tile
 * @WEFT_HEADROOM_SPECTRUM_5: as Spectrum-4
 * @WEFT_HEADROOM_MLX5: Linux' driver of ConnectX NICs
 * @WEFT_HEADROOM_MLXSW: Linux' driver of Spectrum switches
 * @WEFT_HEADROOM_HPCC: the ns-3 simulation of HPCC
 * @WEFT_HEADROOM_TABLE_TH: SONiC's table for Broadcom Tomahawk, no formula
 * @WEFT_HEADROOM_TABLE_TH2: SONiC's table for Broadcom Tomahawk 2, no formula
 * @WEFT_HEADROOM_TABLE_TH5: SONiC's table for Broadcom Tomahawk 5, no formula
 * @__WEFT_HEADROOM_MAX: number of formulas
 */
enum weft_headroom_model {
	WEFT_HEADROOM_GENERIC,
	WEFT_HEADROOM_SPECTRUM_1,
	WEFT_HEADROOM_SPECTRUM_2,
	WEFT_HEADROOM_SPECTRUM_3,
	WEFT_HEADROOM_SPECTRUM_4,
	WEFT_HEADROOM_SPECTRUM_5,
	WEFT_HEADROOM_MLX5,
	WEFT_HEADROOM_MLXSW,
	WEFT_HEADROOM_HPCC,
	WEFT_HEADROOM_TABLE_TH,
	WEFT_HEADROOM_TABLE_TH2,
	WEFT_HEADROOM_TABLE_TH5,
	__WEFT_HEADROOM_MAX
};

/**
 * struct weft_headroom_in - parameters of a link and of the class on it
 */
struct weft_headroom_in {
	/** @rate: bit/s, from 1 */
	uint64_t rate;
	/** @length: length of the cable, m; Spectrum, mlx5 and the tables */
	uint32_t length;
	/**
	 * @lanes: lanes of the port; formulas differ between 8 and any other
	 * number
	 */
	uint32_t lanes;
	/** @propagation: one-way delay of the cable, ps; generic, mlxsw and HPCC */
	uint64_t propagation;
	/**
	 * @react: from the pause frame's end to the last frame's start, ps;
	 * generic and mlxsw
	 */
	uint64_t react;
	/** @mtu: largest frame of the class, bytes */
	uint32_t mtu;
	/**
	 * @reverse: largest frame that can be in front of the pause frame on
	 * the reverse wire, of any class, bytes; generic
	 */
	uint32_t reverse;
};

/**
 * struct weft_headroom_term - a term of the sum, for people
 */
struct weft_headroom_term {
	/** @what: its meaning */
	const char *what;
	/** @millibytes: its value in thousandths of a byte, rounded up */
	uint64_t millibytes;
};

/**
 * struct weft_headroom - the result
 *
 * @xoff is the sum of the first @plain_terms terms, plus @factor_num /
 * @factor_den times the sum of the other terms, rounded up to a multiple of
 * @unit.
 */
struct weft_headroom {
	/**
	 * @xoff: headroom: bytes for packets that arrive after the decision to
	 * pause
	 */
	uint64_t xoff;
	/**
	 * @xon: bytes below the headroom that bridge the time until a resumed peer sends
	 */
	uint64_t xon;
	/**
	 * @size: size of the whole buffer, bytes; 0: the source does not have it
	 */
	uint64_t size;
	/**
	 * @unit: unit to which @xoff is rounded up, bytes; 0: a value of a table
	 */
	uint32_t unit;
	/** @factor_num: numerator: buffer that a byte occupies in the worst case */
	uint32_t factor_num;
	/** @factor_den: denominator of @factor_num */
	uint32_t factor_den;
	/** @plain_terms: number of first terms without the factor */
	unsigned int plain_terms;
	/** @terms: entries of @term */
	unsigned int terms;
	/** @term: the terms of @xoff */
	struct weft_headroom_term term[WEFT_HEADROOM_TERMS];
};

int weft_headroom(enum weft_headroom_model model,
		  const struct weft_headroom_in *in, struct weft_headroom *out,
		  struct weft_err *err);

uint64_t weft_headroom_enough(const struct weft_headroom_in *in);
uint64_t weft_headroom_least(const struct weft_headroom_in *in);
const char *weft_headroom_explain(char *buf, size_t len,
				  const struct weft_headroom_in *in);

uint64_t weft_headroom_propagation(uint32_t length);
uint32_t weft_headroom_quanta(uint64_t rate);
uint64_t weft_headroom_react(uint64_t rate);

const char *weft_headroom_name(enum weft_headroom_model model);
const char *weft_headroom_source(enum weft_headroom_model model);
bool weft_headroom_uses_time(enum weft_headroom_model model);
int weft_headroom_parse(const char *text, enum weft_headroom_model *model,
			struct weft_err *err);

#endif
