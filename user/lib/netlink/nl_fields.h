/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Structs whose members are attributes of the same kind of names.
 *
 * A struct begins with a u32 of which bit n says that the attribute n is there.
 * A table tells where each attribute has its member, so that putting, parsing
 * and showing need no code of their own.
 */
#ifndef WEFT_NL_FIELDS_H
#define WEFT_NL_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define WEFT_LIST_MAX	16
#define WEFT_BYTES_MAX	128
#define WEFT_U16S_MAX	256

struct nl_msg;
struct nlattr;
struct nlmsghdr;

/**
 * struct weft_list - numbers, by class
 */
struct weft_list {
	/** @n: how many */
	uint32_t n;
	/** @v: the numbers */
	uint32_t v[WEFT_LIST_MAX];
};

/**
 * struct weft_bytes - a binary attribute
 */
struct weft_bytes {
	/** @n: how many */
	uint32_t n;
	/** @v: the bytes */
	uint8_t v[WEFT_BYTES_MAX];
};

/**
 * struct weft_u16s - a binary attribute of numbers of 16 bits
 */
struct weft_u16s {
	/** @n: how many */
	uint32_t n;
	/** @v: the numbers */
	uint16_t v[WEFT_U16S_MAX];
};

/**
 * enum weft_field_kind - what a member is
 * @WEFT_FIELD_U32: uint32_t
 * @WEFT_FIELD_S32: int32_t
 * @WEFT_FIELD_U64: uint64_t
 * @WEFT_FIELD_SEED: uint64_t of any size, whose digits all count
 * @WEFT_FIELD_LIST: struct weft_list, an attribute for each number
 * @WEFT_FIELD_BYTES: struct weft_bytes
 * @WEFT_FIELD_U16S: struct weft_u16s
 */
enum weft_field_kind {
	WEFT_FIELD_U32,
	WEFT_FIELD_S32,
	WEFT_FIELD_U64,
	WEFT_FIELD_SEED,
	WEFT_FIELD_LIST,
	WEFT_FIELD_BYTES,
	WEFT_FIELD_U16S,
};

/**
 * struct weft_field - where an attribute has its member
 */
struct weft_field {
	/** @key: in JSON; NULL ends a table */
	const char *key;
	/** @attr: the attribute */
	uint16_t attr;
	/** @kind: enum weft_field_kind */
	uint16_t kind;
	/** @offset: of the member */
	size_t offset;
	/** @words: what a uint32_t stands for, NULL for a number */
	const char *const *words;
};

/* A row of a table of fields: WEFT_A_SET_ATTR is member of struct type. */
#define WEFT_FIELD(key, set, attr, kind, type, member)			\
	{ key, WEFT_A_##set##_##attr, WEFT_FIELD_##kind,		\
	  offsetof(struct type, member), NULL }
/* The same for a number that has words. */
#define WEFT_FIELD_WORDS(key, set, attr, type, member, words)		\
	{ key, WEFT_A_##set##_##attr, WEFT_FIELD_U32,			\
	  offsetof(struct type, member), words }

/* The bit of an attribute in the u32 that a struct begins with. */
#define WEFT_HAS(attr)	(1U << (attr))

void weft_fields_put(struct nl_msg *msg, const struct weft_field *f,
		     const void *obj);
void weft_fields_put_nest(struct nl_msg *msg, int type,
			  const struct weft_field *f, const void *obj);
void weft_field_parse(const struct weft_field *f, void *obj,
		      struct nlattr *nla);
int weft_fields_parse_nest(const struct weft_field *f, void *obj,
			   struct nlattr *nest, struct weft_err *err);
void weft_fields_json(json_t *o, const struct weft_field *f, const void *obj);

#endif
