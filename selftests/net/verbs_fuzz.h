/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two parts of the fuzzer of verbs share: the commands, which one part
 * makes and the other brings to the kernel.
 */
#ifndef VERBS_FUZZ_H
#define VERBS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof(*(a)))
#define ARENA		(1 << 20)	/* bytes that requests are for */
#define POOL		24		/* objects of a kind */

enum kind { PD, MR, AH, CQ, SRQ, QP, KINDS };

struct object {
	uint32_t handle;
	uint32_t name;		/* key, or number of a queue pair */
	uint32_t type;		/* of a queue pair */
	uint32_t state;		/* of it, the last one that was asked for */
};

struct pool {
	struct object all[POOL];
	uint32_t num;
};

struct command {
	const char *name;
	void (*make)(void);	/* the body, which mostly makes sense */
	uint16_t number;
	uint16_t reply;		/* bytes */
	uint16_t weight;
	int8_t born, dead;	/* kind of the object that comes or goes, plus one */
};

/* The command that is being made: what is written, less the header. */
union body {
	unsigned char bytes[4096];
	uint32_t words[1024];
};

/* verbs_fuzz_make.c */
extern union body body;
extern size_t len;		/* of it */
extern struct pool pools[KINDS];
extern const struct command commands[];
extern const unsigned int num_commands;
extern char *arena;
extern uint64_t seed;		/* of the numbers from here on */
extern int gid_index;
extern unsigned char gid[16];
extern uint16_t lid;

uint64_t rnd(void);
uint32_t below(uint32_t n);
bool once_in(uint32_t n);
/* a number that a limit may be beside; one up to @max, mostly */
uint32_t number(void);
uint32_t mostly(uint32_t max);
uint32_t handle(enum kind k);

#endif
