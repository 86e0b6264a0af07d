// SPDX-License-Identifier: GPL-2.0
/*
 * The other end of a link, as subnet management sees it: an adapter or a switch.
 */
#include "rdma/agent/far.h"

#include "rdma/agent/switch.h"
#include "rdma/dev.h"

/* The RDMA device at an endpoint, or NULL. */
static struct weft_rdma_dev *far_dev(const struct fab_port *port)
{
	const struct weft_endpoint *wep;

	if (!port->ep)
		return NULL;
	wep = container_of(port->ep, struct weft_endpoint, ep);
	if (!wep->client)
		return NULL;
	return container_of(wep->client, struct weft_rdma_dev, client);
}

/* The switch of a port, or NULL. */
static struct weft_switch *far_switch(const struct fab_port *port)
{
	return port->sw ? container_of(port->sw, struct weft_switch, sw) : NULL;
}

/*
 * Agents that are not set up have disabled nothing. They must not be set up here: that
 * would go on from switch to switch, as deep as the fabric is large.
 */
static bool far_disabled(const struct fab_port *port)
{
	const struct weft_rdma_dev *dev = far_dev(port);
	const struct weft_switch *sw = far_switch(port);
	const struct weft_agent *a = sw ? sw->agent : NULL;

	if (dev)
		return dev->sma.port.disabled;
	return a && a->ready && a->port[port->index + 1].sma.disabled;
}

/**
 * weft_far_trains() - is the link at a port up, and is its other end not disabled?
 * @port: the port
 *
 * Context: any; the fabric's lock is held.
 * Return: true if so.
 */
bool weft_far_trains(const struct fab_port *port)
{
	return port->peer && port->wire.up && port->peer->wire.up &&
	       !far_disabled(port->peer);
}

/**
 * weft_far_retrain() - a port was set to DOWN: so goes the other end of its link
 * @port: the port, whose own state is set already
 *
 * Context: any; the fabric's lock is held.
 */
void weft_far_retrain(struct fab_port *port)
{
	struct weft_rdma_dev *dev;
	struct weft_switch *sw;

	if (!port->peer)
		return;
	dev = far_dev(port->peer);
	sw = far_switch(port->peer);
	if (dev && dev->sma.managed)
		weft_sma_retrain(dev);
	else if (sw && weft_agent_of(sw))
		weft_agent_retrain(sw, port->peer->index + 1);
}
