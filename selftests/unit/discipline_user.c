// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The list of disciplines is there twice: in the kernel with its functions, and in user
 * space with what plans and reports need of it. Both have the same names in the same
 * order, and say the same of each.
 */
#include "core/flow/discipline.h"
#include "ktap.h"
#include "netlink/discipline.h"

static enum fab_family family_of(enum weft_family family)
{
	switch (family) {
	case WEFT_ETHERNET:
		return FAB_ETHERNET;
	case WEFT_INFINIBAND:
		return FAB_INFINIBAND;
	case WEFT_NVLINK:
		return FAB_NVLINK;
	case WEFT_PCIE:
		return FAB_PCIE;
	}
	return -1;
}

/* What the kernel calls a flow control, by its parameters and its pauses. */
static enum weft_flow_control flow_of(const struct fab_flow_control *flow)
{
	switch (flow->kind) {
	case FAB_FLOW_NONE:
		return WEFT_FLOW_NONE;
	case FAB_FLOW_PFC:
		return flow->pauses == FAB_PAUSES_LINK ? WEFT_FLOW_PAUSE :
							 WEFT_FLOW_PFC;
	case FAB_FLOW_CREDIT:
		return WEFT_FLOW_CREDIT;
	case FAB_FLOW_FLIT:
		return WEFT_FLOW_FLIT;
	case FAB_FLOW_CBFC:
		return WEFT_FLOW_CBFC;
	}
	return -1;
}

TEST(user_space_has_the_same_list)
{
	const char *names[WEFT_DISCIPLINES_MAX + 1];
	u32 i;

	weft_discipline_names(names);
	for (i = 0; names[i] && fab_discipline_name(i); i++)
		EXPECT_EQ(strcmp(names[i], fab_discipline_name(i)), 0);
	EXPECT(!names[i]);
	EXPECT(!fab_discipline_name(i));
}

TEST(user_space_says_the_same_of_each)
{
	const struct fab_discipline *ours;
	const struct weft_discipline *theirs;
	struct weft_port_params p = { 0 };
	u32 i;

	for (i = 0; fab_discipline_name(i); i++) {
		ours = fab_discipline_find(fab_discipline_name(i));
		theirs = weft_discipline(fab_discipline_name(i));
		EXPECT_EQ(family_of(theirs->family), ours->family);
		EXPECT_EQ(theirs->flow, flow_of(ours->flow));
		EXPECT_EQ(theirs->llr, ours->framing == &fab_replayed_frames);
		strcpy(p.discipline, ours->name);
		EXPECT_EQ(weft_port_pauses(&p),
			  ours->flow->pauses != FAB_PAUSES_NONE);
		EXPECT_EQ(weft_port_credits(&p), ours->flow->credits);
	}
}

/* What a NIC or a switch has for which no discipline is named. */
TEST(user_space_has_the_same_default)
{
	EXPECT_EQ(strcmp(weft_discipline("")->name, fab_drop_tail.name), 0);
}
