// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sets that are joined: the lowest number in a set stands for it.
 */
#include "base/sets.h"

#include "ktap.h"

#define OBJECTS	64

TEST(alone)
{
	uint32_t root[OBJECTS];

	weft_sets_init(root, OBJECTS);
	for (uint32_t i = 0; i < OBJECTS; i++)
		EXPECT_EQ(weft_sets_find(root, i), i);
}

/* In whatever order, and those that are together already. */
TEST(lowest)
{
	uint32_t root[OBJECTS];

	weft_sets_init(root, OBJECTS);
	weft_sets_join(root, 9, 7);
	weft_sets_join(root, 3, 5);
	EXPECT_EQ(weft_sets_find(root, 9), 7);
	EXPECT_EQ(weft_sets_find(root, 5), 3);
	weft_sets_join(root, 5, 9);
	weft_sets_join(root, 7, 3);
	EXPECT_EQ(weft_sets_find(root, 9), 3);
	EXPECT_EQ(weft_sets_find(root, 7), 3);
	EXPECT_EQ(weft_sets_find(root, 4), 4);
}

/* The even numbers and the odd ones, from the last to the first. */
TEST(chain)
{
	uint32_t root[OBJECTS];

	weft_sets_init(root, OBJECTS);
	for (uint32_t i = OBJECTS - 1; i >= 2; i--)
		weft_sets_join(root, i, i - 2);
	for (uint32_t i = 0; i < OBJECTS; i++)
		EXPECT_EQ(weft_sets_find(root, i), i % 2);
}
