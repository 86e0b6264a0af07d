// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints: a packet's way through a fabric.
 */
#define CREATE_TRACE_POINTS
#include "observe/trace.h"

/**
 * weft_trace_control() - numbers of a control frame
 * @c: the frame
 * @what: set to FAB_CONTROL_QUANTA numbers, as in the tracepoint weft_control
 *
 * Context: any.
 * Return: flags, enabled classes or op of the frame.
 */
u16 weft_trace_control(const struct fab_control *c, u32 *what)
{
	int i;

	memset(what, 0, FAB_CONTROL_QUANTA * sizeof(*what));
	switch (c->type) {
	case FAB_CONTROL_PAUSE:
	case FAB_CONTROL_PFC:
		for (i = 0; i < FAB_CONTROL_QUANTA; i++)
			what[i] = c->pause.quanta[i];
		return c->pause.enable;
	case FAB_CONTROL_CREDIT:
		what[0] = c->credit.vl;
		what[1] = c->credit.fctbs;
		what[2] = c->credit.fccl;
		return c->credit.op;
	case FAB_CONTROL_FLIT:
		what[0] = c->flit.vc;
		what[1] = c->flit.retry.seq;
		what[2] = c->flit.hdr;
		what[3] = c->flit.data;
		return c->flit.retry.flags;
	case FAB_CONTROL_RETRY:
		what[0] = c->retry.seq;
		return c->retry.flags;
	case FAB_CONTROL_CBFC:
		what[0] = c->cbfc.vc;
		what[1] = c->cbfc.count;
		return c->cbfc.consumed;
	}
	return 0;
}
