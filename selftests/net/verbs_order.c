// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a connection of "ordering: any" shows a program.
 *
 * usage: verbs_order			the names of the tests, one a line
 *        verbs_order NODE NODE N	run test number N, from 0 on
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "verbs_nodes.h"

#define MESSAGE	262144

/* The library asks its provider, and this one knows of no order. */
static void test_query(void)
{
	connect_nodes(&MANNER);
	WANT(!ibv_query_qp_data_in_order(here.end.qp, IBV_WR_RDMA_WRITE, 0));
	WANT(!ibv_query_qp_data_in_order(there.end.qp, IBV_WR_SEND, 0));
	disconnect();
}

/* Is a later packet's last byte there while an earlier one's is not? */
static bool has_gap(uint32_t mtu)
{
	bool missing = false;
	uint32_t at;

	for (at = mtu - 1; at < MESSAGE; at += mtu) {
		if (there.buf[at] && missing)
			return true;
		missing |= !there.buf[at];
	}
	return false;
}

/* A write is placed as its packets come; when it completes all are there. */
static void write_and_look(bool any)
{
	struct manner m = MANNER;
	bool seen = false;
	struct ibv_wc wc;

	m.mtu = here.port.active_mtu;
	connect_nodes(&m);
	memset(here.buf, 1, MESSAGE);
	memset(there.buf, 0, MESSAGE);
	WANT(!request(IBV_WR_RDMA_WRITE, 7, 0, MESSAGE, 0));
	while (!ibv_poll_cq(here.end.scq, 1, &wc)) {
		seen |= has_gap(128 << m.mtu);
		usleep(1);
	}
	WANT(!wc.status && wc.wr_id == 7);
	WANT(!memcmp(here.buf, there.buf, MESSAGE));
	WANT(seen == any);
	disconnect();
}

static void test_any(void)
{
	write_and_look(true);
}

static void test_strict(void)
{
	write_and_look(false);
}

/* One end is strict, the other is not: the first request is refused. */
static void test_refused(void)
{
	connect_nodes(&MANNER);
	WANT(!request(IBV_WR_RDMA_WRITE, 1, 0, 5000, 0));
	WANT(next(here.end.scq).status == IBV_WC_REM_INV_REQ_ERR);
	WANT(event_of(&there) == IBV_EVENT_QP_REQ_ERR);
	disconnect();
}

static const struct test tests[] = {
	{ "any: the library says so", test_query },
	{ "any: later bytes come before earlier ones", test_any },
	{ "strict: no byte comes before an earlier one", test_strict },
	{ "strict and any refuse one another", test_refused },
};

int main(int argc, char **argv)
{
	return run_test(argc, argv, open_nodes, tests,
			sizeof(tests) / sizeof(*tests));
}
