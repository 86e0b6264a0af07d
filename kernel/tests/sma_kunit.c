// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the state of a port that a subnet manager sets. The unit is included, as
 * weft_rdma exports nothing.
 */
#include <kunit/test.h>

#include "rdma/agent/sma_port.c"

#define SMA_LID		0x40
#define SMA_SM_LID	7
#define SMA_MKEY	cpu_to_be64(0x1122334455667788ULL)
#define SMA_LEASE	10	/* seconds */

/**
 * struct sma_ctx - context of a test
 */
struct sma_ctx {
	/** @port: the port, of an adapter */
	struct weft_sma_port port;
	/** @link: port and link */
	struct weft_sma_link link;
	/** @data: PortInfo */
	u8 data[IB_SMP_DATA_SIZE];
	/** @changed: what the last Set changed */
	u32 changed;
};

static struct ib_port_info *sma_info(struct sma_ctx *c)
{
	return (struct ib_port_info *)c->data;
}

static void sma_get(struct sma_ctx *c)
{
	weft_sma_port_get(&c->port, &c->link, true, c->data);
}

static u16 sma_set(struct sma_ctx *c)
{
	c->changed = 0;
	return weft_sma_port_set(&c->port, &c->link, c->data, &c->changed);
}

/* PortInfo as a manager has read it, with nothing to do for the state. */
static void sma_read(struct sma_ctx *c)
{
	sma_get(c);
	sma_info(c)->linkspeed_portstate = IB_PORT_NOP;
	sma_info(c)->portphysstate_linkdown = 0;
}

static u16 sma_set_state(struct sma_ctx *c, u8 state, u8 phys)
{
	sma_read(c);
	sma_info(c)->linkspeed_portstate = state;
	sma_info(c)->portphysstate_linkdown = phys << 4;
	return sma_set(c);
}

static int sma_init(struct kunit *test)
{
	struct sma_ctx *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->link = (struct weft_sma_link) {
		.speed = IB_SPEED_NDR,
		.width = IB_WIDTH_4X,
		.port = 1,
		.phys_state = IB_PORT_PHYS_STATE_LINK_UP,
		.mtu_cap = IB_MTU_4096,
		.vl_cap = weft_sma_vl_code(8),
		.lmc_max = 7,
	};
	weft_sma_port_init(&c->port, true, &c->link);
	weft_sma_port_link(&c->port, true);
	test->priv = c;
	return 0;
}

/* A Set of what was read changes nothing, whatever the state of the port. */
static void sma_set_of_get(struct kunit *test)
{
	struct sma_ctx *c = test->priv;
	struct weft_sma_port before;

	sma_read(c);
	before = c->port;
	KUNIT_EXPECT_EQ(test, sma_set(c), 0);
	KUNIT_EXPECT_EQ(test, c->changed, 0);
	KUNIT_EXPECT_EQ(test, memcmp(&before, &c->port, sizeof(before)), 0);
}

static void sma_set_lid(struct kunit *test)
{
	struct sma_ctx *c = test->priv;

	sma_read(c);
	sma_info(c)->lid = cpu_to_be16(SMA_LID);
	sma_info(c)->mkeyprot_resv_lmc = 2;
	sma_info(c)->sm_lid = cpu_to_be16(SMA_SM_LID);
	sma_info(c)->clientrereg_resv_subnetto = 0x80 | 17;
	KUNIT_EXPECT_EQ(test, sma_set(c), 0);
	KUNIT_EXPECT_EQ(test, c->changed,
			(u32)(WEFT_SMA_NEW_LID | WEFT_SMA_NEW_SM |
			      WEFT_SMA_REREGISTER | WEFT_SMA_NEW_TIMEOUT));
	KUNIT_EXPECT_EQ(test, c->port.lid, SMA_LID);
	KUNIT_EXPECT_EQ(test, c->port.lmc, 2);
	KUNIT_EXPECT_EQ(test, c->port.sm_lid, SMA_SM_LID);
	KUNIT_EXPECT_EQ(test, c->port.subnet_timeout, 17);
}

/* INIT, ARMED, ACTIVE, and back by DOWN; no state is skipped. */
static void sma_states(struct kunit *test)
{
	struct sma_ctx *c = test->priv;

	KUNIT_EXPECT_EQ(test, c->port.state, IB_PORT_INIT);
	KUNIT_EXPECT_NE(test, sma_set_state(c, IB_PORT_ACTIVE, 0), 0);
	KUNIT_EXPECT_NE(test, sma_set_state(c, IB_PORT_INIT, 0), 0);
	KUNIT_EXPECT_EQ(test, sma_set_state(c, IB_PORT_ARMED, 0), 0);
	KUNIT_EXPECT_EQ(test, c->port.state, IB_PORT_ARMED);
	KUNIT_EXPECT_EQ(test, sma_set_state(c, IB_PORT_ACTIVE, 0), 0);
	KUNIT_EXPECT_EQ(test, c->changed, (u32)WEFT_SMA_NEW_STATE);
	KUNIT_EXPECT_EQ(test, sma_set_state(c, IB_PORT_ACTIVE, 0), 0);
	KUNIT_EXPECT_EQ(test, c->changed, 0);
	KUNIT_EXPECT_NE(test, sma_set_state(c, IB_PORT_ARMED, 0), 0);
	KUNIT_EXPECT_EQ(test, sma_set_state(c, IB_PORT_DOWN, 0), 0);
	KUNIT_EXPECT_EQ(test, c->changed,
			(u32)(WEFT_SMA_NEW_STATE | WEFT_SMA_WENT_DOWN));
	KUNIT_EXPECT_EQ(test, c->port.state, IB_PORT_INIT);
}

static void sma_disable(struct kunit *test)
{
	struct sma_ctx *c = test->priv;

	KUNIT_EXPECT_NE(test, sma_set_state(c, IB_PORT_ARMED,
					    IB_PORT_PHYS_STATE_DISABLED), 0);
	KUNIT_EXPECT_EQ(test, sma_set_state(c, IB_PORT_DOWN,
					    IB_PORT_PHYS_STATE_DISABLED), 0);
	KUNIT_EXPECT_EQ(test, c->port.state, IB_PORT_DOWN);
	KUNIT_EXPECT_FALSE(test, weft_sma_port_link(&c->port, true));
	KUNIT_EXPECT_EQ(test, sma_set_state(c, IB_PORT_DOWN,
					    IB_PORT_PHYS_STATE_POLLING), 0);
	KUNIT_EXPECT_EQ(test, c->changed,
			(u32)(WEFT_SMA_NEW_STATE | WEFT_SMA_WENT_DOWN));
	KUNIT_EXPECT_TRUE(test, weft_sma_port_link(&c->port, true));
	KUNIT_EXPECT_EQ(test, c->port.state, IB_PORT_INIT);
}

/**
 * struct sma_bad - a Set that is refused
 */
struct sma_bad {
	/** @name: what is wrong */
	const char *name;
	/** @at: offset of the byte in PortInfo */
	u8 at;
	/** @value: its value */
	u8 value;
};

#define SMA_AT(member)	offsetof(struct ib_port_info, member)

static const struct sma_bad sma_bads[] = {
	{ "LID of a group", SMA_AT(lid), 0xc0 },
	{ "LID of a manager's group", SMA_AT(sm_lid), 0xc0 },
	{ "LMC without aligned LID", SMA_AT(mkeyprot_resv_lmc), 7 },
	{ "MTU 0", SMA_AT(neighbormtu_mastersmsl), 0 },
	{ "MTU above the capability", SMA_AT(neighbormtu_mastersmsl), 6 << 4 },
	{ "more VLs than there are", SMA_AT(operationalvl_pei_peo_fpi_fpo), 5 << 4 },
	{ "a width that there is not", SMA_AT(link_width_enabled), 0x20 },
	{ "a speed that there is not", SMA_AT(linkspeedactive_enabled), 8 },
	{ "an extended speed that there is not", PORT_EXT_ENABLED, 16 },
	{ "state 5", SMA_AT(linkspeed_portstate), 5 },
	{ "physical state 4", SMA_AT(portphysstate_linkdown), 4 << 4 },
	{ "default of a link that is down", SMA_AT(portphysstate_linkdown), 3 },
};

static void sma_bad_desc(const struct sma_bad *b, char *desc)
{
	strscpy(desc, b->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(sma_bad, sma_bads, sma_bad_desc);

/* One bad field: nothing of the rest is set. */
static void sma_refuses(struct kunit *test)
{
	const struct sma_bad *b = test->param_value;
	struct sma_ctx *c = test->priv;
	struct weft_sma_port before;

	sma_read(c);
	before = c->port;
	sma_info(c)->lid = cpu_to_be16(SMA_LID | 1);
	sma_info(c)->vl_high_limit = 9;
	c->data[b->at] = b->value;
	KUNIT_EXPECT_EQ(test, sma_set(c),
			IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE);
	KUNIT_EXPECT_EQ(test, c->changed, 0);
	KUNIT_EXPECT_EQ(test, memcmp(&before, &c->port, sizeof(before)), 0);
}

static void sma_protect(struct sma_ctx *c, u8 prot, u16 lease)
{
	sma_read(c);
	sma_info(c)->mkey = SMA_MKEY;
	sma_info(c)->mkeyprot_resv_lmc = prot << 6;
	sma_info(c)->mkey_lease_period = cpu_to_be16(lease);
	sma_set(c);
}

static bool sma_ask(struct sma_ctx *c, u8 method, __be64 mkey, fab_time now)
{
	const struct ib_smp smp = { .method = method, .mkey = mkey };

	return weft_sma_port_mkey(&c->port, &smp, now);
}

static void sma_mkey(struct kunit *test)
{
	struct sma_ctx *c = test->priv;
	u8 prot;

	for (prot = 0; prot < 4; prot++) {
		sma_protect(c, prot, 0);
		c->port.mkey_violations = 0;
		KUNIT_EXPECT_TRUE(test, sma_ask(c, IB_MGMT_METHOD_SET,
						SMA_MKEY, 0));
		KUNIT_EXPECT_FALSE(test, sma_ask(c, IB_MGMT_METHOD_SET, 0, 0));
		KUNIT_EXPECT_EQ(test, c->port.mkey_violations, 1);
		KUNIT_EXPECT_EQ(test, sma_ask(c, IB_MGMT_METHOD_GET, 0, 0),
				prot < 2);
		KUNIT_EXPECT_EQ(test, c->port.mkey_violations,
				prot < 2 ? 1 : 2);
	}
}

/* The protection ends one lease after the first violation, not before. */
static void sma_lease(struct kunit *test)
{
	const fab_time start = FAB_PS_PER_S, end = start + SMA_LEASE * FAB_PS_PER_S;
	struct sma_ctx *c = test->priv;

	sma_protect(c, 3, SMA_LEASE);
	KUNIT_EXPECT_FALSE(test, sma_ask(c, IB_MGMT_METHOD_GET, 0, start));
	KUNIT_EXPECT_FALSE(test, sma_ask(c, IB_MGMT_METHOD_GET, 0, end - 1));
	KUNIT_EXPECT_TRUE(test, sma_ask(c, IB_MGMT_METHOD_GET, 0, end));
	KUNIT_EXPECT_EQ(test, c->port.mkey_prot, 0);
	KUNIT_EXPECT_TRUE(test, c->port.mkey == SMA_MKEY);

	sma_protect(c, 3, SMA_LEASE);
	KUNIT_EXPECT_FALSE(test, sma_ask(c, IB_MGMT_METHOD_GET, 0, start));
	KUNIT_EXPECT_TRUE(test, sma_ask(c, IB_MGMT_METHOD_GET, SMA_MKEY, start));
	KUNIT_EXPECT_FALSE(test, sma_ask(c, IB_MGMT_METHOD_GET, 0, end));
}

static void sma_pkeys(struct kunit *test)
{
	struct sma_ctx *c = test->priv;
	__be16 table[WEFT_SMA_PKEYS] = {
		cpu_to_be16(0x7fff), cpu_to_be16(0x8001), 0, cpu_to_be16(0x0002),
	};

	KUNIT_EXPECT_EQ(test, weft_sma_pkey_find(&c->port, 0x7fff), 0);
	KUNIT_EXPECT_EQ(test, weft_sma_pkeys_set(&c->port, (u8 *)table, 0,
						 &c->changed), 0);
	KUNIT_EXPECT_EQ(test, c->changed, (u32)WEFT_SMA_NEW_PKEYS);
	KUNIT_EXPECT_NE(test, weft_sma_pkeys_set(&c->port, (u8 *)table, 1,
						 &c->changed), 0);
	/* limited to full, full to both, limited to limited, nobody to 0 */
	KUNIT_EXPECT_EQ(test, weft_sma_pkey_find(&c->port, 0xffff), 0);
	KUNIT_EXPECT_LT(test, weft_sma_pkey_find(&c->port, 0x7fff), 0);
	KUNIT_EXPECT_EQ(test, weft_sma_pkey_find(&c->port, 0x0001), 1);
	KUNIT_EXPECT_EQ(test, weft_sma_pkey_find(&c->port, 0x8001), 1);
	KUNIT_EXPECT_EQ(test, weft_sma_pkey_find(&c->port, 0x8002), 3);
	KUNIT_EXPECT_LT(test, weft_sma_pkey_find(&c->port, 0x8000), 0);
	KUNIT_EXPECT_LT(test, weft_sma_pkey_find(&c->port, 0x8003), 0);
}

static struct kunit_case sma_cases[] = {
	KUNIT_CASE(sma_set_of_get),
	KUNIT_CASE(sma_set_lid),
	KUNIT_CASE(sma_states),
	KUNIT_CASE(sma_disable),
	KUNIT_CASE_PARAM(sma_refuses, sma_bad_gen_params),
	KUNIT_CASE(sma_mkey),
	KUNIT_CASE(sma_lease),
	KUNIT_CASE(sma_pkeys),
	{}
};

static struct kunit_suite sma_suite = {
	.name = "weft_sma_port",
	.init = sma_init,
	.test_cases = sma_cases,
};

kunit_test_suite(sma_suite);
