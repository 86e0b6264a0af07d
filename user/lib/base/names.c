// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of objects, and ranges of them: host[0-7].
 *
 * A pattern may hold several ranges and lists, "rack[0-1]-host[0-3,8]"; the last
 * one varies fastest. All numbers of a range have at least the width of the first,
 * leading zeros included: "n[08-10]" is n08, n09, n10.
 */
#include "base/names.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/**
 * weft_name_check() - check the name of an object
 * @name: the name
 * @err: error, with what was expected
 *
 * Names become host names and file names, so the rules are those of host names.
 *
 * Return: 0 or negative errno.
 */
int weft_name_check(const char *name, struct weft_err *err)
{
	size_t len = strlen(name), i;
	bool good = len && len <= WEFT_OBJECT_NAME_MAX && isalnum(name[0]) &&
		    isalnum(name[len - 1]);

	for (i = 0; good && i < len; i++)
		good = isalnum(name[i]) || name[i] == '-';
	if (good)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%.40s\": expected a name of 1 to %d letters, digits and inner hyphens",
			    name, WEFT_OBJECT_NAME_MAX);
}

static int range_error(const char *pattern, struct weft_err *err)
{
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%.60s\": expected a range such as host[0-7] or host[0-3,8]",
			    pattern);
}

static int too_many(const char *pattern, struct weft_err *err)
{
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "\"%.60s\": a range may hold %d names at most",
			    pattern, WEFT_RANGE_MAX);
}

static int names_add(struct weft_names *names, const char *name,
		     const char *pattern, struct weft_err *err)
{
	void *more;

	if (weft_name_check(name, err))
		return err->code;
	if (names->n == WEFT_RANGE_MAX)
		return too_many(pattern, err);
	/* The capacity is a power of two: the list is full when n is one. */
	if (!(names->n & (names->n - 1))) {
		more = realloc(names->name, (names->n ? names->n * 2 : 1) *
					    sizeof(*names->name));
		if (!more)
			return weft_err_nomem(err);
		names->name = more;
	}
	memcpy(names->name[names->n++], name, strlen(name) + 1);
	return 0;
}

/**
 * struct expand - a pattern that is being expanded
 * @names: result
 * @pattern: the whole pattern, for messages
 * @err: error
 */
struct expand {
	struct weft_names *names;
	const char *pattern;
	struct weft_err *err;
};

static int expand_rest(struct expand *x, const char *done, const char *rest);

/* Parse a number of one to six digits; @width is the number of digits. */
static bool parse_index(const char **s, unsigned int *value, int *width)
{
	*value = 0;
	for (*width = 0; isdigit(**s) && *width < 7; (*s)++, (*width)++)
		*value = *value * 10 + (unsigned int)(**s - '0');
	return *width > 0 && *width < 7;
}

static int expand_run(struct expand *x, const char *done, const char *rest,
		      unsigned int range[2], int width)
{
	char name[128];
	int ret = 0;

	if (range[1] - range[0] >= WEFT_RANGE_MAX)
		return too_many(x->pattern, x->err);
	for (unsigned int i = range[0]; !ret && i <= range[1]; i++) {
		if (snprintf(name, sizeof(name), "%s%0*u", done, width, i) >=
		    (int)sizeof(name))
			return range_error(x->pattern, x->err);
		ret = expand_rest(x, name, rest);
	}
	return ret;
}

/* Expand a range from behind its opening bracket on: "0-3,8]". */
static int expand_range(struct expand *x, const char *done, const char *s)
{
	const char *rest = strchr(s, ']');
	unsigned int range[2];
	int width, ignored, ret;

	if (!rest)
		return range_error(x->pattern, x->err);
	do {
		if (!parse_index(&s, &range[0], &width))
			return range_error(x->pattern, x->err);
		range[1] = range[0];
		if (*s == '-' && (s++, !parse_index(&s, &range[1], &ignored)))
			return range_error(x->pattern, x->err);
		if (range[1] < range[0] || !strchr(",]", *s) || !*s)
			return range_error(x->pattern, x->err);
		ret = expand_run(x, done, rest + 1, range, width);
		if (ret)
			return ret;
	} while (*s++ == ',');
	return 0;
}

static int expand_rest(struct expand *x, const char *done, const char *rest)
{
	size_t plain = strcspn(rest, "[]");
	char name[128];

	if (snprintf(name, sizeof(name), "%s%.*s", done, (int)plain, rest) >=
	    (int)sizeof(name))
		return range_error(x->pattern, x->err);
	if (rest[plain] == ']')
		return range_error(x->pattern, x->err);
	if (rest[plain] == '[')
		return expand_range(x, name, rest + plain + 1);
	return names_add(x->names, name, x->pattern, x->err);
}

/**
 * weft_names_expand() - list the names that a pattern stands for
 * @names: result, to be freed by weft_names_free() even after an error
 * @pattern: a name with any number of ranges in brackets
 * @err: error, with what was expected
 *
 * Return: 0 or negative errno.
 */
int weft_names_expand(struct weft_names *names, const char *pattern,
		      struct weft_err *err)
{
	struct expand x = { names, pattern, err };

	*names = (struct weft_names) { 0 };
	return expand_rest(&x, "", pattern);
}

/**
 * weft_names_free() - free a list of names
 * @names: the list
 */
void weft_names_free(struct weft_names *names)
{
	free(names->name);
	*names = (struct weft_names) { 0 };
}
