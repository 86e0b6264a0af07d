/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests of verbs that only the kernel has.
 */
#ifndef WEFT_TESTS_VERBS_CASES_H
#define WEFT_TESTS_VERBS_CASES_H

#include "tests/verbs/pair.h"

/**
 * struct vt_pair - what a test begins with
 */
struct vt_pair {
	/** @a: the end that sends, in most tests */
	struct vt_end a;
	/** @b: the end that is accessed */
	struct vt_end b;
	/** @src: buffer of @a, one element, filled with a pattern of seed 1 */
	struct vt_buffer src;
	/** @dst: buffer of @b, empty; @src is at least as long */
	struct vt_buffer dst;
};

/**
 * struct vt_case - a test
 */
struct vt_case {
	/** @name: what holds */
	const char *name;
	/** @run: the test; returns 0 if it holds */
	int (*run)(struct vt_pair *p);
	/** @gaps: @dst has odd parts of pages, not whole ones */
	bool gaps;
	/** @large: @dst is one element of many pages */
	bool large;
	/** @uc: an unreliable connection */
	bool uc;
	/** @lossy: it holds also where packets are lost */
	bool lossy;
};

/* keys.c and order.c; they end with an empty one */
extern const struct vt_case vt_key_cases[];
extern const struct vt_case vt_order_cases[];

/* Is it so? If not, say where, and return an error. */
#define VT_CHECK(condition)						\
	vt_check(condition, __func__, __LINE__, #condition)

/* main.c */
int vt_check(bool holds, const char *where, int line, const char *what);
/* Is the next completion of the end like that? */
int vt_complete(struct vt_end *end, enum ib_wc_status status,
		enum ib_wc_opcode opcode);
uint vt_rounds(void);
/* Memory of @src or of @dst, by the local DMA key; the first element only. */
struct ib_sge vt_local(struct vt_buffer *buf, u32 len);
/* Map @dst and register it; 0 or an error. */
int vt_ready(struct vt_pair *p, int access);
/* Write @len bytes of @src to @dst at @offset, or to wherever the key leads. */
int vt_write(struct vt_pair *p, u64 offset, u32 len, u32 key);

#endif
