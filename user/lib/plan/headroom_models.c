// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Formulas for headroom of products and simulators
 *
 * Each formula is exact: sums are fractions and are rounded only where the
 * source rounds. Published numbers without a known formula are tables, and
 * their names begin with "table". Documentation/headroom.rst has the sources.
 * The tests compare with every published number.
 */
#include "plan/headroom.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

#define KIB		1024ULL
#define MILLI		1000
#define LENGTH_MAX	100000		/* m */
#define RATE_MAX	(100 * WEFT_PS_PER_S)
#define TIME_MAX	WEFT_PS_PER_S
#define FRAME_MIN	64
#define FRAME_MAX	65536

/* SONiC's constants for Spectrum. */
#define LIGHT_MPS	198000000ULL	/* speed of light in a cable, m/s */
#define LOSSLESS_MTU	1024
#define PIPELINE	(19 * KIB)
#define QUANTUM_BYTES	64

/* Cell sizes of the drivers, bytes. */
#define MLX5_CELL	128
#define MLXSW_CELL	144

/*
 * Common denominator of the terms of Spectrum, in bytes: a multiple of 5
 * (tenths of a KiB), of 8 * 198e6 (cable), and of 1e9 (tile).
 */
#define SUM_DEN		((__uint128_t)8 * LIGHT_MPS * 1000)

/**
 * struct row - a row of a published table
 */
struct row {
	/** @rate: bit/s */
	uint64_t rate;
	/** @length: length of the cable, m */
	uint32_t length;
	/** @xoff: headroom, bytes */
	uint64_t xoff;
	/** @size: size of the buffer, bytes, 0 if it is not published */
	uint64_t size;
};

/**
 * struct model - a formula or a table
 */
struct model {
	/** @name: its name for users */
	const char *name;
	/** @source: its source */
	const char *source;
	/** @compute: computes the result, whose factor is already set */
	int (*compute)(const struct model *m, const struct weft_headroom_in *in,
		       struct weft_headroom *out, struct weft_err *err);
	/** @rows: rows of a table; the last one has rate 0 */
	const struct row *rows;
	/** @factor_num: numerator: buffer that a byte occupies in the worst case */
	uint32_t factor_num;
	/** @factor_den: denominator of @factor_num; 0: the factor is 1 */
	uint32_t factor_den;
	/** @modern: Spectrum-4 and later: reaction in quanta, delay of a tile */
	bool modern;
	/** @time: needs propagation and reaction time instead of a length */
	bool time;
};

/* Add a term of @num / @den bytes. */
static void add_term(struct weft_headroom *out, const char *what,
		     __uint128_t num, __uint128_t den)
{
	struct weft_headroom_term *t = &out->term[out->terms++];

	t->what = what;
	t->millibytes = (uint64_t)((num * MILLI + den - 1) / den);
}

static void add_time(struct weft_headroom *out, const char *what, uint64_t rate,
		     uint64_t ps)
{
	add_term(out, what, (__uint128_t)rate * ps,
		 (__uint128_t)8 * WEFT_PS_PER_S);
}

static uint64_t round_up(__uint128_t num, __uint128_t den,
			 uint64_t unit)
{
	return (uint64_t)((num + den * unit - 1) / (den * unit)) * unit;
}

static int compute_generic(const struct model *m,
			   const struct weft_headroom_in *in,
			   struct weft_headroom *out, struct weft_err *err)
{
	(void)m;
	(void)err;
	add_time(out, "on the wire, there and back", in->rate,
		 2 * in->propagation);
	add_time(out, "sent while the peer reacts", in->rate, in->react);
	add_term(out, "frame in front of the pause frame", in->reverse, 1);
	add_term(out, "pause frame with preamble and gap", WEFT_HEADROOM_PAUSE,
		 1);
	add_term(out, "frame that the sender has begun", in->mtu, 1);
	add_term(out, "frame that made the receiver decide", in->mtu, 1);
	out->unit = 1;
	out->xoff = weft_headroom_enough(in);
	out->size = out->xoff;
	return 0;
}

/*
 * Bytes that arrive while the peer reacts, in 1 / SUM_DEN bytes: 3.8 KiB at any
 * rate, or the quanta of IEEE 802.3.
 */
static int spectrum_peer(const struct model *m,
			 const struct weft_headroom_in *in,
			 __uint128_t *num, struct weft_err *err)
{
	uint32_t quanta = weft_headroom_quanta(in->rate);
	char rate[32];

	*num = SUM_DEN * 38 * KIB / 10;
	if (!m->modern)
		return 0;
	if (!quanta)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "%s at %s: IEEE 802.3 has a reaction time for 10, 25, 40, 50, 100, 200, 400 and 800Gbps",
				    m->name,
				    weft_format_rate(rate, sizeof(rate),
						     in->rate));
	*num = SUM_DEN * quanta * QUANTUM_BYTES;
	return 0;
}

/*
 * Buffer for the pipeline when the class resumes; with 8 lanes twice, less 1 KiB.
 */
static void spectrum_sizes(const struct weft_headroom_in *in,
			   struct weft_headroom *out)
{
	out->xon = PIPELINE;
	out->size = out->xoff;
	if (in->lanes == 8) {
		out->xon = 2 * PIPELINE - KIB;
		out->size += in->mtu;
	}
	out->size = round_up(out->size + out->xon, 1, KIB);
}

static int compute_spectrum(const struct model *m,
			    const struct weft_headroom_in *in,
			    struct weft_headroom *out, struct weft_err *err)
{
	__uint128_t mtu = SUM_DEN * in->mtu;
	__uint128_t cable = (__uint128_t)2000 * in->length *
				  in->rate;
	__uint128_t phy = SUM_DEN * 8 * KIB / 10;
	__uint128_t tile = 0, peer, sum;

	if (spectrum_peer(m, in, &peer, err))
		return err->code;
	add_term(out, "lossless frame", LOSSLESS_MTU, 1);
	out->plain_terms = out->terms;
	add_term(out, "largest frame of the port", mtu, SUM_DEN);
	add_term(out, "on the cable, there and back", cable, SUM_DEN);
	add_term(out, "MAC and PHY", phy, SUM_DEN);
	add_term(out, "sent while the peer reacts", peer, SUM_DEN);
	if (m->modern) {
		/* 120 ns */
		tile = (__uint128_t)in->rate * 15 * (SUM_DEN / 1000000000);
		add_term(out, "tile, 120 ns", tile, SUM_DEN);
	}
	sum = m->factor_num * (mtu + cable + phy + peer + tile) +
	      (__uint128_t)LOSSLESS_MTU * m->factor_den * SUM_DEN;
	out->unit = KIB;
	out->xoff = round_up(sum, (__uint128_t)m->factor_den * SUM_DEN,
			     KIB);
	spectrum_sizes(in, out);
	return 0;
}

/* mlx5/core/en/port_buffer.c; its divisions round down. */
static int compute_mlx5(const struct model *m,
			const struct weft_headroom_in *in,
			struct weft_headroom *out, struct weft_err *err)
{
	uint64_t mbps = in->rate / 1000000, cable, mtu;

	(void)m;
	(void)err;
	if (mbps < 40000)
		mbps = 40000;
	cable = (301 + 216 * (uint64_t)in->length / 100) * mbps / 1000;
	mtu = 272 * (uint64_t)in->mtu / 100;
	add_term(out, "(301 + 2.16 * length) * Gbps", cable, 1);
	add_term(out, "2.72 * MTU", mtu, 1);
	out->unit = 1;
	out->xoff = cable + mtu;
	out->xon = (uint64_t)in->mtu + MLX5_CELL;
	out->size = out->xoff + out->xon;
	return 0;
}

/* mlxsw/spectrum_buffers.c: whole cells; everything twice with 8 lanes. */
static int compute_mlxsw(const struct model *m,
			 const struct weft_headroom_in *in,
			 struct weft_headroom *out, struct weft_err *err)
{
	unsigned int twice = in->lanes == 8 ? 2 : 1;
	__uint128_t bits = (__uint128_t)in->rate *
				 (2 * in->propagation + in->react);
	uint64_t delay, mtu;

	(void)m;
	(void)err;
	/* dcb passes the delay to the driver in whole bit times. */
	bits = (bits + WEFT_PS_PER_S - 1) / WEFT_PS_PER_S;
	delay = 2ULL * twice * round_up((bits + 7) / 8, 1, MLXSW_CELL);
	mtu = twice * round_up(in->mtu, 1, MLXSW_CELL);
	add_term(out, "twice the delay, in cells", delay, 1);
	add_term(out, "largest frame, in cells", mtu, 1);
	out->unit = 1;
	out->xoff = delay + mtu;
	out->xon = 2 * mtu;
	out->size = out->xoff + out->xon;
	return 0;
}

/* ns-3 of HPCC, scratch/third.cc: 3 times the bytes on the wire, one way. */
static int compute_hpcc(const struct model *m,
			const struct weft_headroom_in *in,
			struct weft_headroom *out, struct weft_err *err)
{
	__uint128_t bits = (__uint128_t)in->rate * in->propagation;
	__uint128_t bytes = 3 * (bits / 8 / WEFT_PS_PER_S);

	(void)m;
	(void)err;
	add_term(out, "3 * what is on the wire one way", bytes, 1);
	out->unit = 1;
	out->xoff = (uint64_t)bytes;
	out->size = out->xoff;
	return 0;
}

static int no_row(const struct model *m, struct weft_err *err)
{
	char list[256] = "", rate[32];
	size_t n = 0;

	for (const struct row *r = m->rows; r->rate && n < sizeof(list); r++)
		n += (size_t)snprintf(list + n, sizeof(list) - n,
				      "%s%s at %" PRIu32 "m", n ? ", " : "",
				      weft_format_rate(rate, sizeof(rate),
						       r->rate), r->length);
	return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
			    "%s is a table and has only %s", m->name, list);
}

static int compute_table(const struct model *m,
			 const struct weft_headroom_in *in,
			 struct weft_headroom *out, struct weft_err *err)
{
	const struct row *r = m->rows;

	while (r->rate && (r->rate != in->rate || r->length != in->length))
		r++;
	if (!r->rate)
		return no_row(m, err);
	add_term(out, "as published", r->xoff, 1);
	out->xoff = r->xoff;
	out->size = r->size;
	return 0;
}

static const struct row rows_th[] = {
	{ 100000000000, 5, 165568, 0 }, { 100000000000, 40, 177632, 0 },
	{ 100000000000, 300, 268736, 0 }, { 0, 0, 0, 0 },
};

static const struct row rows_th2[] = {
	{ 100000000000, 5, 54080, 0 }, { 100000000000, 40, 59696, 0 },
	{ 100000000000, 300, 101088, 0 }, { 0, 0, 0, 0 },
};

static const struct row rows_th5[] = {
	{ 800000000000, 5, 724662, 8636 }, { 0, 0, 0, 0 },
};

#define SONIC	"SONiC, buffer_headroom_mellanox.lua and pg_profile_lookup.ini"
#define TABLE	"SONiC, pg_profile_lookup.ini; no formula is published"

static const struct model models[__WEFT_HEADROOM_MAX] = {
	[WEFT_HEADROOM_GENERIC] = { .name = "generic", .time = true,
		.source = "rules of the wire", .compute = compute_generic },
	/* Worst case: a frame of 97 bytes, a cell and a byte, occupies 2 cells. */
	[WEFT_HEADROOM_SPECTRUM_1] = { .name = "spectrum-1", .source = SONIC,
		.compute = compute_spectrum, .factor_num = 2 * 96,
		.factor_den = 96 + 1 },
	/* Worst case: a frame of 64 bytes occupies a cell. */
	[WEFT_HEADROOM_SPECTRUM_2] = { .name = "spectrum-2", .source = SONIC,
		.compute = compute_spectrum, .factor_num = 144,
		.factor_den = 64 },
	[WEFT_HEADROOM_SPECTRUM_3] = { .name = "spectrum-3", .source = SONIC,
		.compute = compute_spectrum, .factor_num = 144,
		.factor_den = 64 },
	[WEFT_HEADROOM_SPECTRUM_4] = { .name = "spectrum-4", .source = SONIC,
		.compute = compute_spectrum, .factor_num = 192,
		.factor_den = 64, .modern = true },
	[WEFT_HEADROOM_SPECTRUM_5] = { .name = "spectrum-5", .source = SONIC,
		.compute = compute_spectrum, .factor_num = 192,
		.factor_den = 64, .modern = true },
	[WEFT_HEADROOM_MLX5] = { .name = "mlx5", .compute = compute_mlx5,
		.source = "Linux 6.12, mlx5/core/en/port_buffer.c" },
	[WEFT_HEADROOM_MLXSW] = { .name = "mlxsw", .compute = compute_mlxsw,
		.source = "Linux 6.12, mlxsw/spectrum_buffers.c",
		.time = true },
	[WEFT_HEADROOM_HPCC] = { .name = "hpcc", .compute = compute_hpcc,
		.source = "HPCC's ns-3, scratch/third.cc", .time = true },
	[WEFT_HEADROOM_TABLE_TH] = { .name = "table-th", .source = TABLE,
		.compute = compute_table, .rows = rows_th },
	[WEFT_HEADROOM_TABLE_TH2] = { .name = "table-th2", .source = TABLE,
		.compute = compute_table, .rows = rows_th2 },
	[WEFT_HEADROOM_TABLE_TH5] = { .name = "table-th5", .source = TABLE,
		.compute = compute_table, .rows = rows_th5 },
};

static int check_in(const struct weft_headroom_in *in, struct weft_err *err)
{
	const char *what = NULL;

	if (!in->rate || in->rate > RATE_MAX)
		what = "rate: expected 1bps to 100Tbps";
	else if (in->length > LENGTH_MAX)
		what = "length: expected up to 100000 m";
	else if (in->propagation > TIME_MAX || in->react > TIME_MAX)
		what = "propagation and reaction: expected up to 1s";
	else if (in->mtu < FRAME_MIN || in->mtu > FRAME_MAX)
		what = "MTU: expected 64 to 65536 bytes";
	else if (in->reverse > FRAME_MAX)
		what = "reverse frame: expected up to 65536 bytes";
	if (!what)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -ERANGE, "%s", what);
}

/**
 * weft_headroom() - compute headroom
 * @model: the formula
 * @in: the link and the class
 * @out: result
 * @err: error
 *
 * Return: 0; -ERANGE if @in is out of range; -EINVAL or -ENOENT if the formula has
 * no result for it.
 */
int weft_headroom(enum weft_headroom_model model,
		  const struct weft_headroom_in *in, struct weft_headroom *out,
		  struct weft_err *err)
{
	const struct model *m = &models[model];

	*out = (struct weft_headroom) {
		.factor_num = m->factor_den ? m->factor_num : 1,
		.factor_den = m->factor_den ? m->factor_den : 1,
	};
	if (check_in(in, err))
		return err->code;
	return m->compute(m, in, out, err);
}

/**
 * weft_headroom_name() - name of a model
 * @model: the model
 *
 * Return: such as "spectrum-3".
 */
const char *weft_headroom_name(enum weft_headroom_model model)
{
	return models[model].name;
}

/**
 * weft_headroom_source() - source of a model
 * @model: the model
 *
 * Return: a text for people.
 */
const char *weft_headroom_source(enum weft_headroom_model model)
{
	return models[model].source;
}

/**
 * weft_headroom_uses_time() - does a model need times instead of a length?
 * @model: the model
 *
 * Return: true if it needs propagation and reaction time, false if it needs the
 * length of the cable.
 */
bool weft_headroom_uses_time(enum weft_headroom_model model)
{
	return models[model].time;
}

/**
 * weft_headroom_parse() - parse the name of a model
 * @text: the name
 * @model: result
 * @err: error, with the names of all models
 *
 * Return: 0 or negative errno.
 */
int weft_headroom_parse(const char *text, enum weft_headroom_model *model,
			struct weft_err *err)
{
	char list[256] = "";
	size_t n = 0;

	for (unsigned int i = 0; i < __WEFT_HEADROOM_MAX; i++) {
		if (!strcmp(text, models[i].name)) {
			*model = i;
			return 0;
		}
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s",
				      i ? ", " : "", models[i].name);
	}
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%.40s\": expected %s", text, list);
}
