// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Joins the ends of links of a dump.
 *
 * A dump has each link twice, once at each end. Both must match, which detects a dump
 * that is truncated or damaged.
 */
#include "topology/ibnet.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int by_guid(const void *a, const void *b)
{
	const struct weft_ib_device *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return x->kind - y->kind;
}

static int by_number(const void *a, const void *b)
{
	const struct weft_ib_port *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Ports have the index of their device in reading order: map it to the sorted one. */
static int sort_devices(struct weft_ibnet *net, struct weft_err *err)
{
	unsigned int *place = calloc(net->devices + 1, sizeof(*place));

	if (!place)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i < net->devices; i++)
		net->device[i].first = i;
	if (net->devices)
		qsort(net->device, net->devices, sizeof(*net->device), by_guid);
	for (unsigned int i = 0; i < net->devices; i++) {
		place[net->device[i].first] = i;
		net->device[i].first = 0;
	}
	for (unsigned int i = 0; i < net->ports; i++)
		net->port[i].device = place[net->port[i].device];
	free(place);
	return 0;
}

static bool same_peer(const struct weft_ib_port *a,
		      const struct weft_ib_port *b)
{
	return a->kind == b->kind && a->guid == b->guid &&
	       a->peer_number == b->peer_number;
}

/* A dump with grouping may have a switch twice; both must have the same neighbours. */
static int sort_ports(struct weft_ibnet *net, const char *file,
		      struct weft_err *err)
{
	struct weft_ib_port *port = net->port, *last;
	unsigned int n = 0;

	if (net->ports)
		qsort(port, net->ports, sizeof(*port), by_number);
	for (unsigned int i = 0; i < net->ports; i++) {
		last = n ? &port[n - 1] : NULL;
		if (!last || last->device != port[i].device ||
		    last->number != port[i].number)
			port[n++] = port[i];
		else if (!same_peer(last, &port[i]))
			return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
					    "%s:%u:1: port %" PRIu32 " has another neighbour on line %u",
					    file, port[i].line, port[i].number,
					    last->line);
	}
	net->ports = n;
	return 0;
}

static void give_ports(struct weft_ibnet *net)
{
	for (unsigned int i = net->ports; i--;) {
		struct weft_ib_device *d = &net->device[net->port[i].device];

		d->first = i;
		d->n++;
	}
}

static int check_number(const struct weft_ibnet *net,
			const struct weft_ib_port *p, const char *file,
			struct weft_err *err)
{
	const struct weft_ib_device *d = &net->device[p->device];

	if (p->number <= d->ports)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "%s:%u:1: port %" PRIu32 ": the device on line %u has %" PRIu32 " ports",
			    file, p->line, p->number, d->line, d->ports);
}

static struct weft_ib_port *find_port(const struct weft_ibnet *net,
				      const struct weft_ib_device *d,
				      uint32_t number)
{
	for (unsigned int i = 0; i < d->n; i++)
		if (net->port[d->first + i].number == number)
			return &net->port[d->first + i];
	return NULL;
}

static int find_peer(struct weft_ibnet *net, struct weft_ib_port *p,
		     const char *file, struct weft_err *err)
{
	const struct weft_ib_device like = { .kind = p->kind, .guid = p->guid };
	const struct weft_ib_device *own = &net->device[p->device], *d;
	const struct weft_ib_port back = {
		.kind = own->kind, .guid = own->guid, .peer_number = p->number,
	};
	struct weft_ib_port *peer;

	d = bsearch(&like, net->device, net->devices, sizeof(*d), by_guid);
	if (!d)
		return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
				    "%s:%u:1: the dump has no device \"%c-%016" PRIx64 "\"",
				    file, p->line, p->kind, p->guid);
	peer = find_port(net, d, p->peer_number);
	if (!peer)
		return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
				    "%s:%u:1: the other end, [%" PRIu32 "] of line %u, is missing",
				    file, p->line, p->peer_number, d->line);
	if (!same_peer(peer, &back))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "%s:%u:1: the other end, line %u, is linked to another port",
				    file, p->line, peer->line);
	p->peer = (unsigned int)(peer - net->port);
	return 0;
}

/**
 * weft_ibnet_join() - sort the devices and ports, and join the ends of links
 * @net: the network, parsed
 * @file: name of the dump, for messages
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_ibnet_join(struct weft_ibnet *net, const char *file,
		    struct weft_err *err)
{
	if (sort_devices(net, err) || sort_ports(net, file, err))
		return err->code;
	give_ports(net);
	for (unsigned int i = 0; i < net->ports; i++)
		if (check_number(net, &net->port[i], file, err) ||
		    find_peer(net, &net->port[i], file, err))
			return err->code;
	return 0;
}
