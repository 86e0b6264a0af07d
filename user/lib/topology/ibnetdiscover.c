// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Import of an InfiniBand network: from the output of ibnetdiscover to a topology file.
 */
#include "topology/ibnetdiscover.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "topology/ibnet.h"

#define LANES		4	/* of the links of a profile */

/**
 * struct link - a link of the topology
 * @a: the port at the node, or at the first of two switches
 * @b: the other port
 * @width: number of lanes
 * @speed: speed of each lane, or WEFT_IB_UNKNOWN
 */
struct link {
	const struct weft_ib_port *a;
	const struct weft_ib_port *b;
	uint32_t width;
	uint32_t speed;
};

/**
 * struct import - state of the import of a network
 * @net: the network
 * @order: devices, nodes first, then by name
 * @devices: entries of @order
 * @rank: for each device: its index in @order
 * @linked: for each device: it, or its node, has a link
 * @fastest: for each device: speed of its fastest link
 * @link: the links
 * @links: entries of @link
 * @speed: the most frequent speed of links
 * @lmc: highest LMC of all ports
 * @routers: number of routers, which are left out
 * @aggregators: number of aggregation nodes, which are left out
 * @inner: number of links from a node or switch to itself, which are left out
 * @unequal: number of links whose ends have different rates
 * @unknown: number of links of unknown speed
 */
struct import {
	struct weft_ibnet net;
	unsigned int *order;
	unsigned int devices;
	unsigned int *rank;
	bool *linked;
	uint32_t *fastest;
	struct link *link;
	unsigned int links;
	uint32_t speed;
	uint32_t lmc;
	unsigned int routers;
	unsigned int aggregators;
	unsigned int inner;
	unsigned int unequal;
	unsigned int unknown;
};

/* Leave out devices that run no programs: routers, and aggregation nodes in switches. */
static void leave_out(struct import *im)
{
	for (unsigned int i = 0; i < im->net.devices; i++) {
		struct weft_ib_device *d = &im->net.device[i];
		bool router = d->kind == 'R';

		d->out = router || (d->kind == 'H' &&
				    strstr(d->desc, "Aggregation Node"));
		im->routers += router;
		im->aggregators += d->out && !router;
	}
}

static const struct weft_ib_device *host_of(const struct import *im,
					    unsigned int device)
{
	return &im->net.device[im->net.device[device].first_of_host];
}

/* Nodes first; then by name, with numbers in it by value; then by device name. */
static int by_rank(const void *a, const void *b, void *ctx)
{
	unsigned int i = *(const unsigned int *)a, k = *(const unsigned int *)b;
	const struct import *im = ctx;
	const struct weft_ib_device *x = host_of(im, i), *y = host_of(im, k);
	int ret = x->kind - y->kind;

	if (!ret)
		ret = strverscmp(x->name, y->name);
	if (!ret)
		ret = strcmp(x->name, y->name);
	if (!ret)
		ret = strverscmp(im->net.device[i].word,
				 im->net.device[k].word);
	return ret ? ret : (i > k) - (i < k);
}

static void find_order(struct import *im)
{
	for (unsigned int i = 0; i < im->net.devices; i++)
		if (!im->net.device[i].out)
			im->order[im->devices++] = i;
	if (im->devices)
		qsort_r(im->order, im->devices, sizeof(*im->order), by_rank,
			im);
	for (unsigned int i = 0; i < im->devices; i++)
		im->rank[im->order[i]] = i;
}

static uint64_t rate_of(uint32_t speed, uint32_t width)
{
	const struct weft_ib_speed *s = weft_ib_speed(speed);

	return s ? s->rate * (width ? width : LANES) / LANES : 0;
}

/* If the ends have different rates, the link has the lower one. */
static void find_rate(struct import *im, struct link *l)
{
	uint64_t a = rate_of(l->a->speed, l->a->width);
	uint64_t b = rate_of(l->b->speed, l->b->width);
	const struct weft_ib_port *p = !a || (b && b < a) ? l->b : l->a;

	im->unequal += a && b && a != b;
	im->unknown += !a && !b;
	l->speed = p->speed;
	l->width = p->width ? p->width : LANES;
}

static void add_link(struct import *im, const struct weft_ib_port *p)
{
	const struct weft_ib_port *peer = &im->net.port[p->peer];
	bool first = im->rank[p->device] < im->rank[peer->device];
	struct link *l = &im->link[im->links++];

	*l = (struct link) { .a = first ? p : peer, .b = first ? peer : p };
	find_rate(im, l);
	for (unsigned int i = 0; i < 2; i++) {
		unsigned int d = i ? peer->device : p->device;

		im->linked[host_of(im, d) - im->net.device] = true;
		if (rate_of(l->speed, LANES) > rate_of(im->fastest[d], LANES))
			im->fastest[d] = l->speed;
	}
}

static void find_links(struct import *im)
{
	for (unsigned int i = 0; i < im->net.ports; i++) {
		const struct weft_ib_port *p = &im->net.port[i];
		unsigned int peer = im->net.port[p->peer].device;

		if (p->lmc > im->lmc)
			im->lmc = p->lmc;
		if (p->peer < i || im->net.device[p->device].out ||
		    im->net.device[peer].out)
			continue;
		if (host_of(im, p->device) == host_of(im, peer))
			im->inner++;
		else
			add_link(im, p);
	}
}

static int by_first_end(const void *a, const void *b, void *ctx)
{
	const struct link *x = a, *y = b;
	const struct import *im = ctx;
	unsigned int i = im->rank[x->a->device], k = im->rank[y->a->device];

	if (i != k)
		return i < k ? -1 : 1;
	return (x->a->number > y->a->number) - (x->a->number < y->a->number);
}

/* The file's profile is of the most frequent speed; of equally frequent ones the fastest. */
static void find_speed(struct import *im)
{
	unsigned int n[WEFT_IB_SPEEDS] = { 0 };

	im->speed = WEFT_IB_UNKNOWN;
	for (unsigned int i = 0; i < im->links; i++)
		if (weft_ib_speed(im->link[i].speed))
			n[im->link[i].speed]++;
	for (uint32_t s = 0; weft_ib_speed(s); s++)
		if (n[s] && (im->speed == WEFT_IB_UNKNOWN ||
			     n[s] >= n[im->speed]))
			im->speed = s;
}

static int get_memory(struct import *im, struct weft_err *err)
{
	size_t n = (size_t)im->net.devices + 1;

	im->order = calloc(n, sizeof(*im->order));
	im->rank = calloc(n, sizeof(*im->rank));
	im->linked = calloc(n, sizeof(*im->linked));
	im->fastest = calloc(n, sizeof(*im->fastest));
	im->link = calloc((size_t)im->net.ports + 1, sizeof(*im->link));
	if (!im->order || !im->rank || !im->linked || !im->fastest || !im->link)
		return weft_err_nomem(err);
	for (size_t i = 0; i < n; i++)
		im->fastest[i] = WEFT_IB_UNKNOWN;
	return 0;
}

static int find_all(struct import *im, const char *file, struct weft_err *err)
{
	leave_out(im);
	if (weft_ibnet_names(&im->net, err) || get_memory(im, err))
		return err->code;
	find_order(im);
	find_links(im);
	if (im->links)
		qsort_r(im->link, im->links, sizeof(*im->link), by_first_end,
			im);
	find_speed(im);
	if (!im->links || host_of(im, im->link[0].a->device)->kind != 'H')
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "%s: there is no channel adapter with a link: expected the output of ibnetdiscover",
				    file);
	if (im->speed != WEFT_IB_UNKNOWN)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			    "%s: no link has a speed", file);
}

static void put_note(struct weft_strbuf *out, unsigned int n, const char *what)
{
	if (n)
		weft_strbuf_addf(out, "# %u %s\n", n, what);
}

static void put_head(struct weft_strbuf *out, const struct import *im,
		     const char *name)
{
	weft_strbuf_add(out, "# Imported from the output of ibnetdiscover.\n");
	put_note(out, im->routers, "routers are left out.");
	put_note(out, im->aggregators, "aggregation nodes of switches are left out.");
	put_note(out, im->inner, "links from a device to itself are left out.");
	put_note(out, im->unequal, "links have ends with different rates: the lower rate is used.");
	put_note(out, im->unknown, "links have no speed: the most frequent speed is used.");
	weft_strbuf_addf(out, "name: %s\ndescription: imported from an InfiniBand network\nprofile: %s\n",
			 name, weft_ib_speed(im->speed)->profile);
	if (im->lmc)
		weft_strbuf_addf(out, "switch: {lmc: %" PRIu32 "}\n", im->lmc);
}

/*
 * A switch gets the profile of its fastest link. If that is not the file's profile, the
 * switch does not inherit from the file's groups, so the LMC is repeated. A NIC inherits
 * from its link.
 */
static void put_device(struct weft_strbuf *out, const struct import *im,
		       unsigned int device)
{
	const struct weft_ib_device *d = &im->net.device[device];
	const struct weft_ib_speed *s = weft_ib_speed(im->fastest[device]);

	weft_strbuf_addf(out, "  - {name: %s", d->name);
	if (d->kind == 'S' && s && im->fastest[device] != im->speed) {
		weft_strbuf_addf(out, ", profile: %s", s->profile);
		if (im->lmc)
			weft_strbuf_addf(out, ", lmc: %" PRIu32, im->lmc);
	}
	weft_strbuf_addf(out, "}  # %016" PRIx64 " %s\n", d->guid, d->desc);
}

static void put_devices(struct weft_strbuf *out, const struct import *im,
			const char *key, char kind)
{
	bool any = false;

	for (unsigned int i = 0; i < im->devices; i++) {
		unsigned int d = im->order[i];

		if (im->net.device[d].kind != kind || !im->linked[d])
			continue;
		if (!any)
			weft_strbuf_addf(out, "%s:\n", key);
		any = true;
		put_device(out, im, d);
	}
}

static void put_link(struct weft_strbuf *out, const struct import *im,
		     const struct link *l)
{
	bool known = l->speed != WEFT_IB_UNKNOWN;

	weft_strbuf_addf(out, "  - {ends: [%s, %s]", host_of(im, l->a->device)->name,
			 host_of(im, l->b->device)->name);
	if (known && l->speed != im->speed)
		weft_strbuf_addf(out, ", profile: %s", weft_ib_speed(l->speed)->profile);
	if (known && l->width != LANES)
		weft_strbuf_addf(out, ", rate: %" PRIu64 "bps",
				 rate_of(l->speed, l->width));
	weft_strbuf_add(out, "}\n");
}

static int put_all(const struct import *im, const char *name, char **yaml,
		   struct weft_err *err)
{
	struct weft_strbuf out = { 0 };

	put_head(&out, im, name);
	put_devices(&out, im, "nodes", 'H');
	put_devices(&out, im, "switches", 'S');
	weft_strbuf_add(&out, "links:\n");
	for (unsigned int i = 0; i < im->links; i++)
		put_link(&out, im, &im->link[i]);
	return weft_strbuf_take(&out, yaml, err);
}

/**
 * weft_ibnetdiscover() - make a topology file from the output of ibnetdiscover
 * @file: name of the dump, for messages
 * @text: its content
 * @len: length of @text
 * @name: name of the topology, NULL for "imported"
 * @yaml: result, to be freed by free(); NULL on error
 * @err: error, with line and column if it is in the dump
 *
 * Each port of the channel adapters of a host is a NIC of one node, ordered by the names
 * of the adapters and the numbers of the ports. Routers, aggregation nodes and links from
 * a device to itself are left out; comments in the file say how many.
 *
 * Return: 0 or negative errno.
 */
int weft_ibnetdiscover(const char *file, const char *text, size_t len,
		       const char *name, char **yaml, struct weft_err *err)
{
	struct import im = { 0 };
	int ret;

	*yaml = NULL;
	if (!name)
		name = "imported";
	ret = weft_name_check(name, err);
	if (!ret)
		ret = weft_ibnet_parse(&im.net, file, text, len, err);
	if (!ret)
		ret = weft_ibnet_join(&im.net, file, err);
	if (!ret)
		ret = find_all(&im, file, err);
	if (!ret)
		ret = put_all(&im, name, yaml, err);
	weft_ibnet_free(&im.net);
	free(im.order);
	free(im.rank);
	free(im.linked);
	free(im.fastest);
	free(im.link);
	return ret;
}
