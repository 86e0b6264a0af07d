// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Structs whose members are netlink attributes.
 */
#include "netlink/nl_fields.h"

#include <errno.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

#include "netlink/json.h"

static bool has(const void *obj, const struct weft_field *f)
{
	return *(const uint32_t *)obj & WEFT_HAS(f->attr);
}

static void put_list(struct nl_msg *msg, int attr, const struct weft_list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		nla_put_u32(msg, attr, l->v[i]);
}

static void put_one(struct nl_msg *msg, const struct weft_field *f,
		    const void *obj)
{
	const void *at = (const char *)obj + f->offset;
	const struct weft_bytes *bytes = at;
	const struct weft_u16s *u16s = at;

	switch (f->kind) {
	case WEFT_FIELD_U32:
		nla_put_u32(msg, f->attr, *(const uint32_t *)at);
		break;
	case WEFT_FIELD_S32:
		nla_put_s32(msg, f->attr, *(const int32_t *)at);
		break;
	case WEFT_FIELD_U64:
	case WEFT_FIELD_SEED:
		nla_put_u64(msg, f->attr, *(const uint64_t *)at);
		break;
	case WEFT_FIELD_LIST:
		put_list(msg, f->attr, at);
		break;
	case WEFT_FIELD_BYTES:
		nla_put(msg, f->attr, (int)bytes->n, bytes->v);
		break;
	case WEFT_FIELD_U16S:
		nla_put(msg, f->attr, (int)(2 * u16s->n), u16s->v);
		break;
	}
}

/**
 * weft_fields_put() - encode the members that are set
 * @msg: request
 * @f: table of the struct
 * @obj: the struct
 */
void weft_fields_put(struct nl_msg *msg, const struct weft_field *f,
		     const void *obj)
{
	for (; f->key; f++)
		if (has(obj, f))
			put_one(msg, f, obj);
}

/**
 * weft_fields_put_nest() - encode the members that are set, in a nest
 * @msg: request
 * @type: attribute of the nest; omitted if no member is set
 * @f: table of the struct
 * @obj: the struct
 */
void weft_fields_put_nest(struct nl_msg *msg, int type,
			  const struct weft_field *f, const void *obj)
{
	struct nlattr *nest;

	if (!*(const uint32_t *)obj)
		return;
	nest = nla_nest_start(msg, type | NLA_F_NESTED);
	if (!nest)
		return;
	weft_fields_put(msg, f, obj);
	nla_nest_end(msg, nest);
}

static void parse_list(struct weft_list *l, struct nlattr *nla)
{
	if (l->n < WEFT_LIST_MAX)
		l->v[l->n++] = nla_get_u32(nla);
}

static void parse_bytes(struct weft_bytes *b, struct nlattr *nla)
{
	b->n = (uint32_t)nla_len(nla);
	if (b->n > WEFT_BYTES_MAX)
		b->n = WEFT_BYTES_MAX;
	memcpy(b->v, nla_data(nla), b->n);
}

static void parse_u16s(struct weft_u16s *u, struct nlattr *nla)
{
	u->n = (uint32_t)nla_len(nla) / 2;
	if (u->n > WEFT_U16S_MAX)
		u->n = WEFT_U16S_MAX;
	memcpy(u->v, nla_data(nla), u->n * sizeof(*u->v));
}

static bool is_u64(const struct weft_field *f)
{
	return f->kind == WEFT_FIELD_U64 || f->kind == WEFT_FIELD_SEED;
}

static int length_of(const struct weft_field *f)
{
	if (f->kind == WEFT_FIELD_BYTES || f->kind == WEFT_FIELD_U16S)
		return 0;
	return is_u64(f) ? 8 : 4;
}

/**
 * weft_field_parse() - decode an attribute
 * @f: table of the struct
 * @obj: the struct
 * @nla: the attribute; ignored if the table does not have it or if it is too short
 */
void weft_field_parse(const struct weft_field *f, void *obj,
		      struct nlattr *nla)
{
	void *at;

	while (f->key && f->attr != nla_type(nla))
		f++;
	if (!f->key || nla_len(nla) < length_of(f))
		return;
	at = (char *)obj + f->offset;
	*(uint32_t *)obj |= WEFT_HAS(f->attr);
	if (is_u64(f))
		*(uint64_t *)at = nla_get_u64(nla);
	else if (f->kind == WEFT_FIELD_LIST)
		parse_list(at, nla);
	else if (f->kind == WEFT_FIELD_BYTES)
		parse_bytes(at, nla);
	else if (f->kind == WEFT_FIELD_U16S)
		parse_u16s(at, nla);
	else
		*(uint32_t *)at = nla_get_u32(nla);
}

/**
 * weft_fields_parse_nest() - decode the attributes in a nest
 * @f: table of the struct
 * @obj: the struct, zeroed by the caller
 * @nest: the nest
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_fields_parse_nest(const struct weft_field *f, void *obj,
			   struct nlattr *nest, struct weft_err *err)
{
	struct nlattr *nla;
	int rem;

	nla_for_each_nested(nla, nest, rem)
		weft_field_parse(f, obj, nla);
	if (rem)
		return weft_err_set(err, WEFT_ERR_OTHER, -EBADMSG,
				    "a reply of the kernel is malformed");
	return 0;
}

static json_t *list_json(const struct weft_list *l)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < l->n; i++)
		json_array_append_new(a, json_integer(l->v[i]));
	return a;
}

static json_t *bytes_json(const struct weft_bytes *b)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < b->n; i++)
		json_array_append_new(a, json_integer(b->v[i]));
	return a;
}

static json_t *u16s_json(const struct weft_u16s *u)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < u->n; i++)
		json_array_append_new(a, json_integer(u->v[i]));
	return a;
}

static json_t *word_json(const struct weft_field *f, uint32_t v)
{
	for (uint32_t i = 0; f->words && f->words[i]; i++)
		if (i == v)
			return json_string(f->words[i]);
	/* A newer kernel may have values without a name here. */
	return f->words ? json_sprintf("%u", v) : json_integer(v);
}

static json_t *one_json(const struct weft_field *f, const void *obj)
{
	const void *at = (const char *)obj + f->offset;

	switch (f->kind) {
	case WEFT_FIELD_S32:
		return json_integer(*(const int32_t *)at);
	case WEFT_FIELD_U64:
		return weft_json_u64(*(const uint64_t *)at);
	case WEFT_FIELD_SEED:
		return weft_json_seed(*(const uint64_t *)at);
	case WEFT_FIELD_LIST:
		return list_json(at);
	case WEFT_FIELD_BYTES:
		return bytes_json(at);
	case WEFT_FIELD_U16S:
		return u16s_json(at);
	default:
		return word_json(f, *(const uint32_t *)at);
	}
}

/**
 * weft_fields_json() - add the members that are set to a JSON object
 * @o: the JSON object
 * @f: table of the struct
 * @obj: the struct
 */
void weft_fields_json(json_t *o, const struct weft_field *f, const void *obj)
{
	for (; f->key; f++)
		if (has(obj, f))
			json_object_set_new(o, f->key, one_json(f, obj));
}
