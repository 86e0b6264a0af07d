// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parser of the output of ibnetdiscover.
 *
 * A device has a line "Switch", "Ca" or "Rt" with the number of ports, its identity and
 * its description. A line for each port with a link follows:
 *
 *	Switch	36 "S-0002c9020046c588"		# "leaf" base port 0 lid 2 lmc 0
 *	[1]	"H-0002c90300293e1e"[1](2c90300293e1f)		# "n1 mlx4_0" lid 6 4xQDR
 *
 *	Ca	2 "H-0002c90300293e1e"		# "n1 mlx4_0"
 *	[1](2c90300293e1f)	"S-0002c9020046c588"[1]		# lid 6 lmc 0 "leaf" lid 2 4xQDR
 *
 * Source: ibnetdiscover.c and its manual page in rdma-core. With grouping, the output
 * has lines about chassis, and may have a switch twice.
 */
#include "topology/ibnet.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define PORT_MAX	254	/* IBTA: ports of a switch */
#define NUMBER_MAX	999999999

/**
 * struct cursor - state of the parser
 * @net: the network so far
 * @file: name of the dump
 * @line: number of the line
 * @begin: first character of the line
 * @at: next character
 * @end: end of the line
 * @device: device of the ports that follow, WEFT_IB_UNKNOWN for none
 * @err: error
 */
struct cursor {
	struct weft_ibnet *net;
	const char *file;
	unsigned int line;
	const char *begin;
	const char *at;
	const char *end;
	unsigned int device;
	struct weft_err *err;
};

/* Rates without coding: 8b/10b up to QDR, 64b/66b from FDR10 on. */
static const struct weft_ib_speed speeds[WEFT_IB_SPEEDS] = {
	{ "SDR", "ib-sdr", 8000000000 },
	{ "DDR", "ib-ddr", 16000000000 },
	{ "QDR", "ib-qdr", 32000000000 },
	{ "FDR10", "ib-fdr10", 40000000000 },
	{ "FDR", "ib-fdr", 54545454545 },
	{ "EDR", "ib-edr", 100000000000 },
	{ "HDR", "ib-hdr", 200000000000 },
	{ "NDR", "ib-ndr", 400000000000 },
	{ "XDR", "ib-xdr", 800000000000 },
};

/**
 * weft_ib_speed() - look up a speed
 * @speed: its index; a faster one has a higher index
 *
 * Return: the speed; NULL for any other index, such as WEFT_IB_UNKNOWN.
 */
const struct weft_ib_speed *weft_ib_speed(uint32_t speed)
{
	return speed < WEFT_IB_SPEEDS ? &speeds[speed] : NULL;
}

static uint32_t find_speed(const char *name, size_t len)
{
	for (uint32_t i = 0; i < WEFT_IB_SPEEDS; i++)
		if (strlen(speeds[i].name) == len &&
		    !memcmp(speeds[i].name, name, len))
			return i;
	return WEFT_IB_UNKNOWN;
}

static int fail(struct cursor *c, const char *what)
{
	return weft_err_set(c->err, WEFT_ERR_USAGE, -EINVAL, "%s:%u:%u: %s",
			    c->file, c->line,
			    (unsigned int)(c->at - c->begin) + 1, what);
}

static bool peek(const struct cursor *c, char ch)
{
	return c->at < c->end && *c->at == ch;
}

static bool take(struct cursor *c, char ch)
{
	if (!peek(c, ch))
		return false;
	c->at++;
	return true;
}

static bool take_word(struct cursor *c, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n))
		return false;
	c->at += n;
	return true;
}

static void skip_blanks(struct cursor *c)
{
	while (peek(c, ' ') || peek(c, '\t'))
		c->at++;
}

static bool take_number(struct cursor *c, uint32_t *v)
{
	const char *from = c->at;

	for (*v = 0; c->at < c->end && isdigit((unsigned char)*c->at) &&
	     *v <= NUMBER_MAX / 10; c->at++)
		*v = *v * 10 + (uint32_t)(*c->at - '0');
	if (c->at > from && !(c->at < c->end && isdigit((unsigned char)*c->at)))
		return true;
	c->at = from;
	return false;
}

static bool take_hex(struct cursor *c, uint64_t *v)
{
	const char *from = c->at;

	for (*v = 0; c->at < c->end && isxdigit((unsigned char)*c->at) &&
	     c->at < from + 16; c->at++) {
		unsigned char ch = (unsigned char)*c->at;

		*v = *v << 4 | (uint64_t)(isdigit(ch) ? ch - '0' :
						 tolower(ch) - 'a' + 10);
	}
	if (c->at > from && !(c->at < c->end && isxdigit((unsigned char)*c->at)))
		return true;
	c->at = from;
	return false;
}

/* "S-0002c9020046c588" */
static int take_identity(struct cursor *c, char *kind, uint64_t *guid)
{
	const char *from = c->at;

	if (take(c, '"') && c->at < c->end && strchr("SHR", *c->at)) {
		*kind = *c->at++;
		if (take(c, '-') && take_hex(c, guid) && take(c, '"'))
			return 0;
	}
	c->at = from;
	return fail(c, "expected an identity such as \"H-0002c90300293e1e\"");
}

/* [1], in a chassis followed by [ext 3] */
static int take_port(struct cursor *c, uint32_t *number)
{
	const char *from = c->at;
	uint32_t ext;

	if (!take(c, '[') || !take_number(c, number) || !take(c, ']') ||
	    !*number || *number > PORT_MAX) {
		c->at = from;
		return fail(c, "expected a port, [1] to [254]");
	}
	from = c->at;
	if (take_word(c, "[ext ") && (!take_number(c, &ext) || !take(c, ']'))) {
		c->at = from;
		return fail(c, "expected an external port such as [ext 3]");
	}
	return 0;
}

/* (2c90300293e1f): the GUID of a port, which is not used */
static int take_port_guid(struct cursor *c)
{
	uint64_t guid;

	if (!peek(c, '('))
		return 0;
	c->at++;
	if (take_hex(c, &guid) && take(c, ')'))
		return 0;
	return fail(c, "expected a GUID and a closing bracket");
}

static const char *last_quote(const struct cursor *c)
{
	for (const char *p = c->end; p > c->at; p--)
		if (p[-1] == '"')
			return p - 1;
	return NULL;
}

/* The text between the first and the last quote, which may contain quotes. */
static void take_description(struct cursor *c, char *desc)
{
	const char *first = memchr(c->at, '"', (size_t)(c->end - c->at));
	const char *last = last_quote(c);
	size_t n = 0;

	for (const char *p = first ? first + 1 : NULL;
	     p && p < last && n < WEFT_IB_DESC - 1; p++)
		desc[n++] = *p < ' ' || *p > '~' ? '?' : *p;
	desc[n] = '\0';
	if (last)
		c->at = last + 1;
}

static struct weft_ib_device *find_device(struct weft_ibnet *net, char kind,
					  uint64_t guid)
{
	for (unsigned int i = net->devices; i--;)
		if (net->device[i].guid == guid && net->device[i].kind == kind)
			return &net->device[i];
	return NULL;
}

static int add_device(struct cursor *c, const struct weft_ib_device *d)
{
	struct weft_ib_device *old = find_device(c->net, d->kind, d->guid);
	void *more;

	if (old) {
		c->device = (unsigned int)(old - c->net->device);
		return 0;
	}
	if (c->net->devices == WEFT_IB_DEVICES_MAX)
		return fail(c, "there are more devices than Weft can take");
	more = weft_array_grow(c->net->device, c->net->devices,
			       sizeof(*c->net->device));
	if (!more)
		return weft_err_nomem(c->err);
	c->net->device = more;
	c->device = c->net->devices;
	c->net->device[c->net->devices++] = *d;
	return 0;
}

/* The rest of a line "Switch", "Ca" or "Rt". */
static int read_device(struct cursor *c, char kind)
{
	struct weft_ib_device d = { .line = c->line };

	skip_blanks(c);
	if (!take_number(c, &d.ports) || !d.ports || d.ports > PORT_MAX)
		return fail(c, "expected the number of ports, 1 to 254");
	skip_blanks(c);
	if (take_identity(c, &d.kind, &d.guid))
		return c->err->code;
	if (d.kind != kind)
		return fail(c, "expected S- for a switch, H- for a channel adapter, R- for a router");
	take_description(c, d.desc);
	return add_device(c, &d);
}

static int take_lmc(struct cursor *c, struct weft_ib_port *p)
{
	uint32_t lid;

	skip_blanks(c);
	if (!take_word(c, "lid ") || !take_number(c, &lid) ||
	    !take_word(c, " lmc "))
		return 0;
	if (take_number(c, &p->lmc) && p->lmc <= 7)
		return 0;
	return fail(c, "expected an LMC of 0 to 7");
}

/* 4xEDR; question marks stand for an unknown width or speed. */
static int take_speed(struct cursor *c, struct weft_ib_port *p)
{
	const char *from;

	if (take_word(c, "??")) {
		p->width = 0;
	} else if (!take_number(c, &p->width) || !take(c, 'x') || !p->width ||
		   p->width > 12) {
		return fail(c, "expected width and speed such as 4xEDR");
	}
	if (take_word(c, "???"))
		return 0;
	for (from = c->at; c->at < c->end && isalnum((unsigned char)*c->at);)
		c->at++;
	p->speed = find_speed(from, (size_t)(c->at - from));
	if (p->speed != WEFT_IB_UNKNOWN)
		return 0;
	c->at = from;
	return fail(c, "expected a speed: SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR");
}

/* The comment of a port: LMC, description of the other end, width and speed. */
static int read_comment(struct cursor *c, struct weft_ib_port *p)
{
	const char *quote;
	uint32_t lid;

	if (!take(c, '#'))
		return fail(c, "expected # and the description of the other end");
	if (take_lmc(c, p))
		return c->err->code;
	quote = last_quote(c);
	if (!quote)
		return fail(c, "expected a description in quotes");
	c->at = quote + 1;
	skip_blanks(c);
	if (!take_word(c, "lid ") || !take_number(c, &lid))
		return fail(c, "expected \"lid\" and a number");
	skip_blanks(c);
	return take_speed(c, p);
}

static int add_port(struct cursor *c, const struct weft_ib_port *p)
{
	void *more;

	if (c->net->ports == WEFT_IB_PORTS_MAX)
		return fail(c, "there are more ports than Weft can take");
	more = weft_array_grow(c->net->port, c->net->ports,
			       sizeof(*c->net->port));
	if (!more)
		return weft_err_nomem(c->err);
	c->net->port = more;
	c->net->port[c->net->ports++] = *p;
	return 0;
}

static int read_port(struct cursor *c)
{
	struct weft_ib_port p = {
		.device = c->device, .line = c->line, .speed = WEFT_IB_UNKNOWN,
	};

	if (c->device == WEFT_IB_UNKNOWN)
		return fail(c, "a port before any Switch, Ca or Rt");
	if (take_port(c, &p.number) || take_port_guid(c))
		return c->err->code;
	skip_blanks(c);
	if (take_identity(c, &p.kind, &p.guid) || take_port(c, &p.peer_number))
		return c->err->code;
	skip_blanks(c);
	if (take_port_guid(c))
		return c->err->code;
	skip_blanks(c);
	if (read_comment(c, &p))
		return c->err->code;
	return add_port(c, &p);
}

/* Lines that are not used. */
static bool is_other(struct cursor *c)
{
	static const char *const words[] = {
		"#", "vendid=", "devid=", "sysimgguid=", "switchguid=",
		"caguid=", "rtguid=", "Chassis ", "Non-Chassis Nodes",
		"Hostname: ",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (take_word(c, words[i]))
			return true;
	return c->at == c->end;
}

static int read_line(struct cursor *c)
{
	if (take_word(c, "Switch\t") || take_word(c, "Switch "))
		return read_device(c, 'S');
	if (take_word(c, "Ca\t") || take_word(c, "Ca "))
		return read_device(c, 'H');
	if (take_word(c, "Rt\t") || take_word(c, "Rt "))
		return read_device(c, 'R');
	if (peek(c, '['))
		return read_port(c);
	if (is_other(c))
		return 0;
	return fail(c, "expected Switch, Ca, Rt, a port such as [1], or a comment");
}

/**
 * weft_ibnet_parse() - parse a dump
 * @net: result, to be freed by weft_ibnet_free() even after an error
 * @file: its name, for messages
 * @text: its content
 * @len: length of @text
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_ibnet_parse(struct weft_ibnet *net, const char *file, const char *text,
		     size_t len, struct weft_err *err)
{
	struct cursor c = {
		.net = net, .file = file, .device = WEFT_IB_UNKNOWN,
		.err = err,
	};
	const char *end = text + len, *next;

	*net = (struct weft_ibnet) { 0 };
	for (; text < end; text = next) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));

		next = eol ? eol + 1 : end;
		c.end = eol ? eol : end;
		c.begin = c.at = text;
		c.line++;
		while (c.end > text && isspace((unsigned char)c.end[-1]))
			c.end--;
		if (read_line(&c))
			return err->code;
	}
	return 0;
}

/**
 * weft_ibnet_free() - free a network
 * @net: the network
 */
void weft_ibnet_free(struct weft_ibnet *net)
{
	free(net->device);
	free(net->port);
	*net = (struct weft_ibnet) { 0 };
}
