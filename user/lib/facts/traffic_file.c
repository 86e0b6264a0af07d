// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads messages from a file, one per line: time_us,src,dst,bytes.
 *
 * Empty lines and lines that begin with "#" are ignored, and so is a first line with the
 * names of the columns. Times are in ascending order.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/units.h"
#include "base/yaml_file.h"
#include "facts/facts.h"
#include "netlink/traffic.h"

#define HEADER		"time_us,src,dst,bytes"
#define FIELDS		4
#define TIME_MAX	(1000 * WEFT_PS_PER_S)

/**
 * struct reader - state of reading a file
 * @path: its name
 * @line: number of the line
 * @field: fields of the line
 * @column: column at which each field starts, from 1
 * @last: time of the previous line, ps
 * @facts: the lab
 * @n: generators so far
 * @list: the generators, one per source
 * @err: error
 */
struct reader {
	const char *path;
	unsigned int line;
	char *field[FIELDS];
	unsigned int column[FIELDS];
	uint64_t last;
	const struct weft_facts *facts;
	unsigned int n;
	struct weft_traffic *list;
	struct weft_err *err;
};

__attribute__((format(printf, 3, 4)))
static int fail(struct reader *r, unsigned int field, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return weft_err_set(r->err, WEFT_ERR_USAGE, -EINVAL, "%s:%u:%u: %s",
			    r->path, r->line, r->column[field], text);
}

/* Split a line into its fields, without the blanks around them. */
static int split(struct reader *r, char *line)
{
	char *rest = line, *at;
	unsigned int n = 0;

	while (rest && n < FIELDS) {
		at = strsep(&rest, ",");
		at += strspn(at, " \t");
		at[strcspn(at, " \t\r")] = '\0';
		r->column[n] = (unsigned int)(at - line) + 1;
		r->field[n++] = at;
	}
	if (n == FIELDS && !rest)
		return 0;
	r->column[0] = 1;
	return fail(r, 0, "expected four fields, %s", HEADER);
}

/* Parse microseconds with up to six decimals; the result is in ps. */
static int parse_time(struct reader *r, uint64_t *ps)
{
	const char *s = r->field[0];
	uint64_t scale = WEFT_PS_PER_US;
	char *end;

	errno = 0;
	*ps = strtoull(s, &end, 10);
	if (end == s || strspn(s, "0123456789.") != strlen(s) ||
	    errno || *ps > TIME_MAX / WEFT_PS_PER_US)
		goto wrong;
	*ps *= WEFT_PS_PER_US;
	if (*end == '.') {
		for (end++; *end && *end != '.' && scale > 1; end++) {
			scale /= 10;
			*ps += scale * (uint64_t)(*end - '0');
		}
	}
	if (*end || *ps > TIME_MAX)
		goto wrong;
	return 0;

wrong:
	return fail(r, 0, "\"%.40s\": expected a time in us, up to 1e9 and with up to six places",
		    s);
}

static int parse_nic(struct reader *r, unsigned int field, uint32_t *id)
{
	unsigned int found;
	const struct weft_nic *nic = weft_traffic_nic(r->facts, r->field[field],
						      &found);

	if (!found || !*r->field[field])
		return fail(r, field, "no NIC is at \"%.60s\"", r->field[field]);
	if (found > 1)
		return fail(r, field, "\"%.60s\" is %u NICs: name one",
			    r->field[field], found);
	*id = nic->id;
	return 0;
}

static int parse_bytes(struct reader *r, uint32_t *bytes)
{
	struct weft_err ignored;
	uint64_t n;

	if (weft_parse_number(r->field[3], &n, &ignored) || !n ||
	    n > UINT32_MAX)
		return fail(r, 3, "\"%.40s\": expected a number of bytes, 1 to %u",
			    r->field[3], UINT32_MAX);
	*bytes = (uint32_t)n;
	return 0;
}

/* Find or add the generator of a source. */
static struct weft_traffic *source(struct reader *r, uint32_t id)
{
	struct weft_traffic *t;
	void *more;

	for (unsigned int i = 0; i < r->n; i++)
		if (r->list[i].nic == id)
			return &r->list[i];
	more = weft_array_grow(r->list, r->n, sizeof(*r->list));
	if (!more)
		return NULL;
	r->list = more;
	t = &r->list[r->n++];
	t->nic = id;
	return t;
}

static int add(struct reader *r, uint32_t src,
	       const struct weft_traffic_message *m)
{
	struct weft_traffic *t = source(r, src);
	void *more;

	if (!t)
		return weft_err_nomem(r->err);
	if (t->messages == WEFT_TRAFFIC_MESSAGES_MAX)
		return fail(r, 1, "\"%.60s\" has %d messages already, that is the most",
			    r->field[1], WEFT_TRAFFIC_MESSAGES_MAX);
	more = weft_array_grow(t->message, t->messages, sizeof(*t->message));
	if (!more)
		return weft_err_nomem(r->err);
	t->message = more;
	t->message[t->messages++] = *m;
	return 0;
}

static int read_line(struct reader *r, char *line)
{
	struct weft_traffic_message m = { 0 };
	uint32_t src = 0;

	if (split(r, line) || parse_time(r, &m.at) || parse_nic(r, 1, &src) ||
	    parse_nic(r, 2, &m.dst) || parse_bytes(r, &m.bytes))
		return r->err->code;
	if (m.at < r->last)
		return fail(r, 0, "the time is before that of the previous line");
	if (m.dst == src)
		return fail(r, 2, "a NIC sends nothing to itself");
	r->last = m.at;
	return add(r, src, &m);
}

static bool is_empty(const struct reader *r, const char *line)
{
	size_t len = strcspn(line, "\r");

	return !line[strspn(line, " \t\r")] || *line == '#' ||
	       (r->line == 1 && len == strlen(HEADER) &&
		!strncmp(line, HEADER, len));
}

/**
 * weft_traffic_read() - read messages from a file
 * @path: the file
 * @facts: the lab
 * @list: result, a generator per source, to be freed by weft_traffic_list_free() even
 *	after an error
 * @n: result, number of generators
 * @err: error, with line and column
 *
 * Return: 0 or negative errno.
 */
int weft_traffic_read(const char *path, const struct weft_facts *facts,
		      struct weft_traffic **list, unsigned int *n,
		      struct weft_err *err)
{
	struct reader r = { .path = path, .facts = facts, .err = err };
	char *text, *rest, *line;
	size_t len;
	int ret = weft_file_read(path, &text, &len, err);

	*list = NULL;
	*n = 0;
	if (ret)
		return ret;
	/* weft_file_read() leaves room for this byte. */
	text[len] = '\0';
	if (strlen(text) != len)
		ret = weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				   "%s: not a text file", path);
	for (rest = text; !ret && (line = strsep(&rest, "\n"));) {
		r.line++;
		if (!is_empty(&r, line))
			ret = read_line(&r, line);
	}
	free(text);
	*list = r.list;
	*n = r.n;
	if (!ret && !r.n)
		ret = weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				   "%s: no messages", path);
	return ret;
}
