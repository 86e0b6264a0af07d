/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Networks with pauses, for tests: parameters, a log of notices, injection.
 */
#ifndef PFCNET_H
#define PFCNET_H

#include "core/flow/pfc.h"
#include "net.h"

#define PFCNET_LOG	4096

/**
 * struct pfcnet_note - one call of the notice hook
 * @port: the port
 * @cls: the class
 * @what: kind of the notice
 * @at: its fabric time
 */
struct pfcnet_note {
	const struct fab_port *port;
	u8 cls;
	enum fab_notice what;
	fab_time at;
};

struct fab_port_params pfcnet_port(u32 classes, fab_time react);
struct fab_switch_params pfcnet_switch(u32 ports, u32 classes, u64 xoff,
				       u32 headroom);
struct fab_endpoint_params pfcnet_host(u32 classes, u64 xoff, u32 headroom);

void pfcnet_log(struct net *net);
void pfcnet_log_end(void);
u32 pfcnet_notes(const struct fab_port *port, u8 cls, enum fab_notice what);
fab_time pfcnet_at(const struct fab_port *port, u8 cls, enum fab_notice what,
		   u32 nth);
void pfcnet_hold(struct net *net, struct fab_port *port, u8 cls, u16 quanta);
void pfcnet_check(struct net *net);
void pfcnet_wrong(int line, const char *file, const char *got,
		  const char *want);

/* Break a value of @net, expect the message @want, restore the value. */
#define PFCNET_BREAK(lvalue, value, want) do {				\
		__typeof__(lvalue) kept_ = (lvalue);			\
									\
		EXPECT_NULL_STR(fab_check(&net->fab));			\
		(lvalue) = (value);					\
		pfcnet_wrong(__LINE__, __FILE__, fab_check(&net->fab),	\
			     want);					\
		(lvalue) = kept_;					\
		EXPECT_NULL_STR(fab_check(&net->fab));			\
	} while (0)

#endif
