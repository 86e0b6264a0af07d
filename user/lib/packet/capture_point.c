// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The place of a capture: a link and its two ends.
 */
#include "packet/capture_point.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netlink/discipline.h"
#include "netlink/link.h"
#include "netlink/switch.h"

/**
 * struct objects - the objects of a fabric
 * @nic: its NICs
 * @nics: entries of @nic
 * @sw: its switches
 * @switches: entries of @sw
 * @link: its links
 * @links: entries of @link
 */
struct objects {
	struct weft_nic *nic;
	unsigned int nics;
	struct weft_switch *sw;
	unsigned int switches;
	struct weft_link *link;
	unsigned int links;
};

static int read_objects(struct weft_nl *nl, uint32_t fabric, struct objects *o,
			struct weft_err *err)
{
	if (weft_nic_list(nl, fabric, &o->nic, &o->nics, err) ||
	    weft_switch_list(nl, fabric, &o->sw, &o->switches, err) ||
	    weft_link_list(nl, fabric, &o->link, &o->links, err))
		return err->code;
	return 0;
}

static void free_objects(struct objects *o)
{
	weft_nic_list_free(o->nic, o->nics);
	free(o->sw);
	weft_link_list_free(o->link, o->links);
}

static const struct weft_nic *end_nic(const struct objects *o,
				      const struct weft_end *end)
{
	for (unsigned int i = 0; end->is_nic && i < o->nics; i++)
		if (o->nic[i].id == end->id)
			return &o->nic[i];
	return NULL;
}

static const struct weft_switch *end_switch(const struct objects *o,
					    const struct weft_end *end)
{
	for (unsigned int i = 0; !end->is_nic && i < o->switches; i++)
		if (o->sw[i].id == end->id)
			return &o->sw[i];
	return NULL;
}

static void end_name(const struct objects *o, const struct weft_end *end,
		     char *name)
{
	const struct weft_switch *sw = end_switch(o, end);
	const struct weft_nic *nic = end_nic(o, end);

	if (nic && *nic->name)
		snprintf(name, WEFT_POINT_NAME, "%s", nic->name);
	else if (sw && *sw->name)
		snprintf(name, WEFT_POINT_NAME, "%s:%u", sw->name, end->port);
	else if (end->is_nic)
		snprintf(name, WEFT_POINT_NAME, "nic%u", end->id);
	else
		snprintf(name, WEFT_POINT_NAME, "switch%u:%u", end->id,
			 end->port);
}

/* Is @name the name of the NIC or its node, or of the port or its switch? */
static bool is_called(const char *full, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(full, name, len) &&
	       (!full[len] || full[len] == '.' || full[len] == ':');
}

static bool link_matches(const struct objects *o, const struct weft_link *link,
			 const char *name)
{
	char end[WEFT_POINT_NAME];

	if (!strcmp(link->name, name))
		return true;
	for (unsigned int i = 0; i < 2; i++) {
		end_name(o, &link->end[i], end);
		if (is_called(end, name))
			return true;
	}
	return false;
}

static const struct weft_link *find_link(const struct objects *o,
					 const char *name, struct weft_err *err)
{
	const struct weft_link *found = NULL;

	for (unsigned int i = 0; i < o->links; i++) {
		if (!link_matches(o, &o->link[i], name))
			continue;
		if (found) {
			weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				     "\"%s\" has more than one link: name a NIC (NODE.ethN) or a port (SWITCH:PORT)",
				     name);
			return NULL;
		}
		found = &o->link[i];
	}
	if (!found)
		weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
			     "no link, NIC or port is called \"%s\"", name);
	return found;
}

static bool end_infiniband(const struct objects *o, const struct weft_end *end)
{
	const struct weft_switch *sw = end_switch(o, end);
	const struct weft_nic *nic = end_nic(o, end);
	const struct weft_port_params *port = nic ? &nic->port :
					      sw ? &sw->port : NULL;

	return port && weft_port_discipline(port)->family == WEFT_INFINIBAND;
}

/* Ports of switches have no address: make a locally administered one. */
static void end_mac(const struct objects *o, const struct weft_end *end,
		    uint8_t mac[6])
{
	const uint8_t made[6] = {
		0x02, 0x00, (uint8_t)(end->id >> 8), (uint8_t)end->id,
		(uint8_t)(end->port >> 8), (uint8_t)end->port,
	};
	const struct weft_nic *nic = end_nic(o, end);

	memcpy(mac, nic ? nic->address : made, 6);
}

static void fill_point(struct weft_capture_point *p, struct objects *o,
		       const struct weft_link *link)
{
	p->link = link->id;
	for (unsigned int i = 0; i < 2; i++) {
		end_name(o, &link->end[i], p->end[i].name);
		end_mac(o, &link->end[i], p->end[i].mac);
		p->end[i].rate = link->wire[i].rate;
		/*
		 * A switch only tells the family of all its ports: prefer that
		 * of the NIC.
		 */
		if (link->end[i].is_nic || !link->end[!i].is_nic)
			p->infiniband |= end_infiniband(o, &link->end[i]);
	}
	p->nic = o->nic;
	p->nics = o->nics;
	o->nic = NULL;
	o->nics = 0;
}

static int read_fabric(struct weft_capture_point *p, struct weft_nl *nl,
		       const char *name, struct weft_err *err)
{
	struct weft_fabric f;
	int ret = weft_fabric_find(nl, name, &f, err);

	p->fabric = f.id;
	p->dilation = f.dilation;
	p->now = f.now;
	weft_fabric_free(&f);
	return ret;
}

/**
 * weft_capture_point() - find a link by name
 * @p: result, to be freed by weft_capture_point_free() even after an error
 * @lab: the lab, up
 * @name: name of a link, a NIC, a port of a switch, or a node with one NIC
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_capture_point(struct weft_capture_point *p, const struct weft_lab *lab,
		       const char *name, struct weft_err *err)
{
	const struct weft_link *link;
	struct objects o = { 0 };
	struct weft_nl nl;
	int ret;

	*p = (struct weft_capture_point) { 0 };
	ret = weft_lab_nl(lab, &nl, err);
	if (ret)
		return ret;
	ret = read_fabric(p, &nl, lab->name, err);
	if (!ret)
		ret = read_objects(&nl, p->fabric, &o, err);
	if (!ret) {
		link = find_link(&o, name, err);
		if (link)
			fill_point(p, &o, link);
		else
			ret = err->code;
	}
	free_objects(&o);
	weft_nl_close(&nl);
	return ret;
}

/**
 * weft_capture_point_free() - free the memory of a point
 * @p: the point
 */
void weft_capture_point_free(struct weft_capture_point *p)
{
	weft_nic_list_free(p->nic, p->nics);
	p->nic = NULL;
	p->nics = 0;
}

/**
 * weft_capture_lid() - LID of a NIC in captures
 * @p: the point
 * @mac: address of the NIC
 *
 * The LID is the endpoint id plus 1, since 0 is no valid LID. All multicast
 * addresses have the first multicast LID.
 *
 * Return: the LID; 0 if no NIC has the address.
 */
uint16_t weft_capture_lid(const struct weft_capture_point *p,
			  const uint8_t mac[6])
{
	if (mac[0] & 1)
		return 0xc000;
	for (unsigned int i = 0; i < p->nics; i++)
		if (!memcmp(p->nic[i].address, mac, 6))
			return (uint16_t)(p->nic[i].id + 1);
	return 0;
}
