// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Networks with pauses, for tests.
 */
#include "ktap.h"
#include "pfcnet.h"

/* The hook has no argument that leads to the test. */
static struct {
	struct net *net;
	struct fab_host_ops ops;
	struct pfcnet_note note[PFCNET_LOG];
	u32 n;
} noted;

/**
 * pfcnet_port() - parameters of a port whose classes are all lossless
 * @classes: classes
 * @react: reaction time to a pause
 *
 * Return: the parameters.
 */
struct fab_port_params pfcnet_port(u32 classes, fab_time react)
{
	struct fab_port_params p = net_port(classes, 65536);

	p.disc = &fab_pfc;
	p.react = react;
	p.flow.pfc.enable = BIT(classes) - 1;
	p.flow.pfc.quanta = U16_MAX;
	return p;
}

static void buffer_fill(struct fab_buffer_params *b, u32 classes, u64 xoff,
			u32 headroom)
{
	u32 i;

	b->total = 1 << 30;
	b->per_port = b->total;
	b->accounts = true;
	for (i = 0; i < classes; i++) {
		b->cls[i].threshold = xoff;
		b->cls[i].headroom = headroom;
	}
}

/**
 * pfcnet_switch() - a store-and-forward switch with round robin and static thresholds
 * @ports: its ports
 * @classes: classes
 * @xoff: threshold of each class of each port
 * @headroom: headroom of each
 *
 * Return: the parameters; no reserve, no xon offset, no latency.
 */
struct fab_switch_params pfcnet_switch(u32 ports, u32 classes, u64 xoff,
				       u32 headroom)
{
	struct fab_switch_params p = net_switch_params(ports);

	p.port = pfcnet_port(classes, 0);
	p.forward = FAB_STORE_FORWARD;
	p.arbiter = FAB_ARBITER_ROUND_ROBIN;
	buffer_fill(&p.buffer, classes, xoff, headroom);
	return p;
}

/**
 * pfcnet_host() - an endpoint that pauses when its host is slow
 * @classes: classes
 * @xoff: threshold of each class
 * @headroom: headroom of each
 *
 * Return: the parameters.
 */
struct fab_endpoint_params pfcnet_host(u32 classes, u64 xoff, u32 headroom)
{
	struct fab_endpoint_params p = { .port = pfcnet_port(classes, 0) };

	buffer_fill(&p.buffer, classes, xoff, headroom);
	return p;
}

static void note(struct fab_port *port, u8 cls, enum fab_notice what)
{
	struct pfcnet_note one = {
		.port = port, .cls = cls, .what = what,
		.at = noted.net->fab.now,
	};

	EXPECT(noted.n < PFCNET_LOG);
	if (noted.n < PFCNET_LOG)
		noted.note[noted.n++] = one;
}

/**
 * pfcnet_log() - start an empty log of a network's notices
 * @net: the network
 */
void pfcnet_log(struct net *net)
{
	noted.net = net;
	noted.n = 0;
	noted.ops = *net->fab.host;
	noted.ops.notice = note;
	net->fab.host = &noted.ops;
}

/**
 * pfcnet_log_end() - stop the log; its entries stay
 */
void pfcnet_log_end(void)
{
	noted.ops.notice = NULL;
}

static bool note_is(const struct pfcnet_note *n, const struct fab_port *port,
		    u8 cls, enum fab_notice what)
{
	return n->port == port && n->cls == cls && n->what == what;
}

/**
 * pfcnet_notes() - number of logged notices
 * @port: port of the notice
 * @cls: its class
 * @what: its kind
 *
 * Return: the number.
 */
u32 pfcnet_notes(const struct fab_port *port, u8 cls, enum fab_notice what)
{
	u32 i, n = 0;

	for (i = 0; i < noted.n; i++)
		n += note_is(&noted.note[i], port, cls, what);
	return n;
}

/**
 * pfcnet_at() - time of a logged notice
 * @port: port of the notice
 * @cls: its class
 * @what: its kind
 * @nth: its number among those, from 0
 *
 * Return: its fabric time, FAB_NEVER if there is none.
 */
fab_time pfcnet_at(const struct fab_port *port, u8 cls, enum fab_notice what,
		   u32 nth)
{
	u32 i;

	for (i = 0; i < noted.n; i++)
		if (note_is(&noted.note[i], port, cls, what) && !nth--)
			return noted.note[i].at;
	return FAB_NEVER;
}

/**
 * pfcnet_hold() - apply a pause to a port, without a frame
 * @net: the network
 * @port: the port
 * @cls: class that is paused
 * @quanta: duration; 0 resumes
 */
void pfcnet_hold(struct net *net, struct fab_port *port, u8 cls, u16 quanta)
{
	struct fab_control c = {
		.type = FAB_CONTROL_PFC,
		.pause.enable = BIT(cls),
	};

	c.pause.quanta[cls] = quanta;
	port->flow->on_control(&net->fab, port, &c);
}

/**
 * pfcnet_check() - check the invariants once, and that nothing was dropped
 * @net: the network
 */
void pfcnet_check(struct net *net)
{
	EXPECT_NULL_STR(fab_check(&net->fab));
	EXPECT_EQ(net->fab.c.packets_dropped, 0);
}

/**
 * pfcnet_wrong() - expect that fab_check() detects a broken value
 * @line: line of the test
 * @file: its file
 * @got: result of fab_check(), which may be NULL
 * @want: the expected text
 */
void pfcnet_wrong(int line, const char *file, const char *got, const char *want)
{
	if (!got || strcmp(got, want))
		ktap_fail(file, line, "said \"%s\", want \"%s\"",
			  got ? got : "nothing", want);
}
