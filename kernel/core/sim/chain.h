/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists whose members point to the pointer to them, so that a member is removed in
 * constant time.
 */
#ifndef FAB_CHAIN_H
#define FAB_CHAIN_H

/**
 * fab_chain_push() - add an object at the front of a list
 * @first: the list, a pointer to its first object, or NULL
 * @x: the object
 * @next: its member that points to the next one
 * @at: its member that points to what points to it
 */
#define fab_chain_push(first, x, next, at) do {				\
	(x)->next = (first);						\
	(x)->at = &(first);						\
	if ((x)->next)							\
		(x)->next->at = &(x)->next;				\
	(first) = (x);							\
} while (0)

/**
 * fab_chain_del() - remove an object from its list
 * @x: the object
 * @next: as in fab_chain_push()
 * @at: likewise
 */
#define fab_chain_del(x, next, at) do {					\
	*(x)->at = (x)->next;						\
	if ((x)->next)							\
		(x)->next->at = (x)->at;				\
} while (0)

#endif
