// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Filters of packets: SRC>DST[:PROTOCOL[/PORT]].
 */
#include "packet/flow.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "netlink/discipline.h"
#include "packet/capture.h"

/* Is @name the name of the NIC, or of its node? */
static bool is_called(const struct weft_nic *nic, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(nic->name, name, len) &&
	       (!nic->name[len] || nic->name[len] == '.');
}

static int check_end(const struct weft_flow *f, const char *name,
		     struct weft_err *err)
{
	if (!*name)
		return 0;
	for (unsigned int i = 0; i < f->facts->nics; i++)
		if (is_called(&f->facts->nic[i], name))
			return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
			    "no node or NIC is called \"%s\"", name);
}

static int copy_name(char *to, const char *from, size_t len,
		     struct weft_err *err)
{
	if (len >= WEFT_NAME_SIZE)
		return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
				    "no node or NIC is called \"%.*s\"",
				    (int)len, from);
	memcpy(to, from, len);
	to[len] = '\0';
	return 0;
}

static int parse_kind(struct weft_flow *f, const char *name, size_t len,
		      struct weft_err *err)
{
	for (int k = WEFT_HEADERS_ARP; k <= WEFT_HEADERS_VERBS; k++) {
		const char *known =
			weft_headers_kind_name((enum weft_headers_kind)k);

		if (strlen(known) == len && !strncmp(known, name, len)) {
			f->has_kind = true;
			f->kind = (enum weft_headers_kind)k;
			return 0;
		}
	}
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "protocol \"%.*s\": expected tcp, udp, icmp, ip, arp or verbs",
			    (int)len, name);
}

static int parse_port(struct weft_flow *f, const char *text,
		      struct weft_err *err)
{
	uint64_t most = f->kind == WEFT_HEADERS_VERBS ? 0xffffff : 0xffff, n;

	if (f->kind < WEFT_HEADERS_TCP)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "port \"%s\": only tcp and udp have ports, and verbs queue pairs",
				    text);
	if (weft_parse_number(text, &n, err) || n > most)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "port \"%s\": expected a number up to %u",
				    text, (unsigned int)most);
	f->has_port = true;
	f->port = (uint32_t)n;
	return 0;
}

/**
 * weft_flow_parse() - parse a filter of packets
 * @f: result
 * @text: SRC>DST[:PROTOCOL[/PORT]]; SRC and DST may be empty
 * @facts: the lab; it must outlive @f
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_flow_parse(struct weft_flow *f, const char *text,
		    const struct weft_facts *facts, struct weft_err *err)
{
	const char *to = strchr(text, '>'), *kind, *port;
	size_t len;

	*f = (struct weft_flow) { .facts = facts };
	if (!to)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "flow \"%s\": expected SRC>DST[:PROTOCOL[/PORT]]",
				    text);
	len = strcspn(to + 1, ":");
	if (copy_name(f->src, text, (size_t)(to - text), err) ||
	    copy_name(f->dst, to + 1, len, err) ||
	    check_end(f, f->src, err) || check_end(f, f->dst, err))
		return err->code;
	if (!to[1 + len])
		return 0;
	kind = to + 1 + len + 1;
	port = strchr(kind, '/');
	if (parse_kind(f, kind, port ? (size_t)(port - kind) : strlen(kind),
		       err))
		return err->code;
	return port ? parse_port(f, port + 1, err) : 0;
}

static bool is_nic(const struct weft_flow *f, const char *name, uint32_t id)
{
	const struct weft_nic *nic = weft_nic_find(f->facts->nic, f->facts->nics, id);

	return !*name || (nic && is_called(nic, name));
}

/**
 * weft_flow_headers() - parse the headers of a packet
 * @facts: the lab
 * @j: the packet
 * @h: result
 */
void weft_flow_headers(const struct weft_facts *facts,
		       const struct weft_journey *j, struct weft_headers *h)
{
	const struct weft_nic *nic = weft_nic_find(facts->nic, facts->nics, j->source.port);
	bool is_lrh = j->flags & WEFT_FRAME_VERBS && nic &&
		      weft_port_discipline(&nic->port)->family ==
		      WEFT_INFINIBAND;

	weft_headers_parse(h, j->data, j->len, is_lrh);
}

static bool has_port(const struct weft_flow *f, const struct weft_headers *h)
{
	if (h->kind == WEFT_HEADERS_VERBS)
		return h->qp == f->port;
	return h->sport == f->port || h->dport == f->port;
}

/**
 * weft_flow_sets_out() - does a packet match when its source sends it?
 * @f: the flow
 * @j: the packet
 *
 * Return: whether it matches. The destination of a multicast packet is not
 * known yet: weft_flow_ends() checks it.
 */
bool weft_flow_sets_out(const struct weft_flow *f,
			const struct weft_journey *j)
{
	struct weft_headers h;

	if (!is_nic(f, f->src, j->source.port))
		return false;
	if (!(j->flags & WEFT_FRAME_MULTICAST) && !is_nic(f, f->dst, j->dst))
		return false;
	if (!f->has_kind)
		return true;
	weft_flow_headers(f->facts, j, &h);
	return h.kind == f->kind && (!f->has_port || has_port(f, &h));
}

/**
 * weft_flow_ends() - does a packet match that was delivered or lost?
 * @f: the flow
 * @j: the packet, for which weft_flow_sets_out() was true
 *
 * Return: whether it matches; multicast copies that other NICs received do not.
 */
bool weft_flow_ends(const struct weft_flow *f, const struct weft_journey *j)
{
	return !(j->flags & WEFT_FRAME_MULTICAST) ||
	       j->fate != WEFT_FATE_DELIVERED ||
	       is_nic(f, f->dst, j->where.port);
}
