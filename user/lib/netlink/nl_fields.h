/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Structs whose members are netlink attributes.
 *
 * Such a struct begins with a u32 in which bit n is set if attribute n is set. A table
 * maps each attribute to its member. The functions here use it to encode, to decode
 * and to write JSON.
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
 * struct weft_list - a list of numbers, mostly one per class
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
 * enum weft_field_kind - type of a member
 * @WEFT_FIELD_U32: uint32_t
 * @WEFT_FIELD_S32: int32_t
 * @WEFT_FIELD_U64: uint64_t
 * @WEFT_FIELD_SEED: uint64_t that is a string in JSON, so that no digit is lost
 * @WEFT_FIELD_LIST: struct weft_list, with one attribute per number
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
 * struct weft_field - an attribute and its member
 */
struct weft_field {
	/** @key: key in JSON; NULL ends a table */
	const char *key;
	/** @attr: the attribute */
	uint16_t attr;
	/** @kind: enum weft_field_kind */
	uint16_t kind;
	/** @offset: offset of the member in the struct, bytes */
	size_t offset;
	/** @words: names of the values of a uint32_t, NULL-terminated; NULL: a plain number */
	const char *const *words;
};

/* A row of a table: attribute WEFT_A_SET_ATTR and its member in struct type. */
#define WEFT_FIELD(key, set, attr, kind, type, member)			\
	{ key, WEFT_A_##set##_##attr, WEFT_FIELD_##kind,		\
	  offsetof(struct type, member), NULL }
/* The same for a number whose values have names. */
#define WEFT_FIELD_WORDS(key, set, attr, type, member, words)		\
	{ key, WEFT_A_##set##_##attr, WEFT_FIELD_U32,			\
	  offsetof(struct type, member), words }

/* The bit of an attribute in the first u32 of a struct. */
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
