// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of nodes and switches, from the descriptions of the devices.
 *
 * The Linux kernel and rdma-ndd describe a channel adapter as "HOST DEVICE", so adapters
 * with the same first word are in one host. If two of them also have the same second
 * word, the description is the name of a product, and they are separate hosts. Managed
 * switches have the description "MF0;HOST:MODEL/U1".
 */
#include "topology/ibnet.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The second of two words, if it ends in a digit: "n1 mlx5_0", "n1 HCA-2"; else "". */
static const char *device_word(const char *desc)
{
	const char *blank = strchr(desc, ' ');
	size_t n = strlen(desc);

	if (!blank || blank == desc || strchr(blank + 1, ' ') ||
	    !isalpha((unsigned char)blank[1]) ||
	    !isdigit((unsigned char)desc[n - 1]))
		return "";
	return blank + 1;
}

static size_t host_len(const struct weft_ib_device *d)
{
	return strcspn(d->desc, " ");
}

/* By host, then by device name, then by GUID. */
static int by_host(const void *a, const void *b, void *ctx)
{
	const struct weft_ibnet *net = ctx;
	const struct weft_ib_device *x = &net->device[*(const unsigned int *)a];
	const struct weft_ib_device *y = &net->device[*(const unsigned int *)b];
	size_t nx = host_len(x), ny = host_len(y);
	int ret = memcmp(x->desc, y->desc, nx < ny ? nx : ny);

	if (!ret && nx != ny)
		ret = nx < ny ? -1 : 1;
	if (!ret)
		ret = strverscmp(x->word, y->word);
	if (!ret)
		ret = strcmp(x->word, y->word);
	return ret ? ret : (x > y) - (x < y);
}

static bool same_host(const struct weft_ib_device *x,
		      const struct weft_ib_device *y)
{
	return host_len(x) == host_len(y) &&
	       !memcmp(x->desc, y->desc, host_len(x));
}

/* Group @order, sorted by by_host(), by host; not if two of a host have the same word. */
static void give_hosts(struct weft_ibnet *net, const unsigned int *order,
		       unsigned int n)
{
	unsigned int end;
	bool twice;

	for (unsigned int i = 0; i < n; i = end) {
		twice = false;
		for (end = i + 1; end < n; end++) {
			const struct weft_ib_device *d = &net->device[order[end]];

			if (!same_host(&net->device[order[i]], d))
				break;
			twice |= !strcmp(net->device[order[end - 1]].word,
					 d->word);
		}
		for (unsigned int k = i; k < end; k++) {
			if (!twice)
				net->device[order[k]].first_of_host = order[i];
			else
				net->device[order[k]].word = "";
		}
	}
}

static int find_hosts(struct weft_ibnet *net, struct weft_err *err)
{
	unsigned int *order = calloc(net->devices + 1, sizeof(*order)), n = 0;

	if (!order)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i < net->devices; i++) {
		struct weft_ib_device *d = &net->device[i];

		d->first_of_host = i;
		d->word = d->kind == 'H' ? device_word(d->desc) : "";
		if (!d->out && *d->word)
			order[n++] = i;
	}
	if (n)
		qsort_r(order, n, sizeof(*order), by_host, net);
	give_hosts(net, order, n);
	free(order);
	return 0;
}

/* The wanted name: leaf1 for "MF0;leaf1:MQM8700/U1"; a host without its domain. */
static const char *wanted(const struct weft_ib_device *d, size_t *len)
{
	const char *desc = d->desc, *semi = strchr(desc, ';');

	*len = strlen(desc);
	if (d->kind == 'S' && semi && strchr(semi, ':')) {
		*len = strcspn(semi + 1, ":");
		return semi + 1;
	}
	if (d->kind == 'H' && *d->word)
		*len = host_len(d);
	if (d->kind == 'H')
		for (size_t i = 1; i < *len; i++)
			if (desc[i] == '.')
				*len = i;
	return desc;
}

/* Only letters, digits and inner hyphens; a long name is cut at the end of a word. */
static void make_name(const struct weft_ib_device *d, char *name)
{
	size_t len, n = 0, word = 0;
	const char *text = wanted(d, &len);

	for (size_t i = 0; i < len && n <= WEFT_OBJECT_NAME_MAX; i++) {
		if (isalnum((unsigned char)text[i])) {
			name[n++] = text[i];
		} else if (n && name[n - 1] != '-') {
			word = n;
			name[n++] = '-';
		}
	}
	if (n > WEFT_OBJECT_NAME_MAX)
		n = word ? word : WEFT_OBJECT_NAME_MAX;
	while (n && name[n - 1] == '-')
		n--;
	name[n] = '\0';
	if (!n)
		strcpy(name, d->kind == 'S' ? "switch" : "node");
}

static bool is_taken(const struct weft_ibnet *net, const unsigned int *order,
		     unsigned int n, const char *name)
{
	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(net->device[order[i]].name, name))
			return true;
	return false;
}

/* name-2, name-3, ...; the name is cut if it would be too long. */
static void number_name(char *name, const char *like, unsigned int number)
{
	char tail[16];
	int keep;

	snprintf(tail, sizeof(tail), "-%u", number);
	keep = WEFT_OBJECT_NAME_MAX - (int)strlen(tail);
	while (keep > 1 && (int)strlen(like) >= keep && like[keep - 1] == '-')
		keep--;
	snprintf(name, WEFT_OBJECT_NAME_MAX + 1, "%.*s%s", keep, like, tail);
}

static int by_name(const void *a, const void *b, void *ctx)
{
	const struct weft_ibnet *net = ctx;
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;
	int ret = strcmp(net->device[x].name, net->device[y].name);

	return ret ? ret : (x > y) - (x < y);
}

/* @order is by name, so each number is tried once. */
static void tell_apart(struct weft_ibnet *net, const unsigned int *order,
		       unsigned int n)
{
	char like[WEFT_OBJECT_NAME_MAX + 1] = "", name[sizeof(like)];
	unsigned int number = 1;

	for (unsigned int i = 0; i < n; i++) {
		struct weft_ib_device *d = &net->device[order[i]];

		if (strcmp(like, d->name)) {
			strcpy(like, d->name);
			number = 1;
			if (!is_taken(net, order, i, like))
				continue;
		}
		do
			number_name(name, like, ++number);
		while (is_taken(net, order, n, name));
		strcpy(d->name, name);
	}
}

/**
 * weft_ibnet_names() - find the hosts, and names of hosts and switches
 * @net: the network, with @out set of each device
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_ibnet_names(struct weft_ibnet *net, struct weft_err *err)
{
	unsigned int *order, n = 0;

	if (find_hosts(net, err))
		return err->code;
	order = calloc(net->devices + 1, sizeof(*order));
	if (!order)
		return weft_err_nomem(err);
	for (unsigned int i = 0; i < net->devices; i++) {
		if (net->device[i].out || net->device[i].first_of_host != i)
			continue;
		make_name(&net->device[i], net->device[i].name);
		order[n++] = i;
	}
	if (n)
		qsort_r(order, n, sizeof(*order), by_name, net);
	tell_apart(net, order, n);
	free(order);
	return 0;
}
