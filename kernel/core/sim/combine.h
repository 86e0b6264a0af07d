/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arithmetic of reductions: an operation, element by element, without floating point.
 */
#ifndef FAB_COMBINE_H
#define FAB_COMBINE_H

#include "core/types.h"

/* Operations: X(NAME, name) */
#define FAB_COMBINE_OPS(X)						\
	X(SUM,	sum)							\
	X(MIN,	min)							\
	X(MAX,	max)							\
	X(LAND,	land)							\
	X(LOR,	lor)							\
	X(LXOR,	lxor)							\
	X(BAND,	band)							\
	X(BOR,	bor)							\
	X(BXOR,	bxor)

/* Types of elements, in the host's order of bytes: X(NAME, name, bytes) */
#define FAB_COMBINE_TYPES(X)						\
	X(U8,	u8,	1)						\
	X(S8,	s8,	1)						\
	X(U16,	u16,	2)						\
	X(S16,	s16,	2)						\
	X(U32,	u32,	4)						\
	X(S32,	s32,	4)						\
	X(U64,	u64,	8)						\
	X(S64,	s64,	8)						\
	X(FP16,	fp16,	2)						\
	X(BF16,	bf16,	2)						\
	X(FP32,	fp32,	4)						\
	X(FP64,	fp64,	8)

/**
 * enum fab_combine_op - what is done with two elements
 * @FAB_COMBINE_OPS: a value per row of it
 */
enum fab_combine_op {
#define X(NAME, name) FAB_COMBINE_##NAME,
	FAB_COMBINE_OPS(X)
#undef X
	FAB_COMBINE_OP_COUNT,
};

/**
 * enum fab_combine_type - type of an element
 * @FAB_COMBINE_TYPES: a value per row of it
 */
enum fab_combine_type {
#define X(NAME, name, bytes) FAB_COMBINE_##NAME,
	FAB_COMBINE_TYPES(X)
#undef X
	FAB_COMBINE_TYPE_COUNT,
};

bool fab_combine_may(u32 op, u32 type, u32 bytes);
void fab_combine(enum fab_combine_op op, enum fab_combine_type type, void *to,
		 const void *from, u32 bytes);

#endif
