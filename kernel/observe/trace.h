/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints: a packet's way through a fabric.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM weft

#if !defined(WEFT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define WEFT_TRACE_H

#include <linux/tracepoint.h>

#include "fabric/fabric.h"
#include "fabric/host.h"

u16 weft_trace_control(const struct fab_control *c, u32 *what);

#define X(NAME, name, text) TRACE_DEFINE_ENUM(FAB_DROP_##NAME);
FAB_DROPS(X)
#undef X

#define WEFT_TRACE_DROP(NAME, name, text) { FAB_DROP_##NAME, #name },
#define weft_trace_drop_name(why)					\
	__print_symbolic(why, FAB_DROPS(WEFT_TRACE_DROP)		\
			 { FAB_DROP_COUNT, "none" })

TRACE_DEFINE_ENUM(FAB_CONTROL_PAUSE);
TRACE_DEFINE_ENUM(FAB_CONTROL_PFC);
TRACE_DEFINE_ENUM(FAB_CONTROL_CREDIT);
TRACE_DEFINE_ENUM(FAB_CONTROL_FLIT);
TRACE_DEFINE_ENUM(FAB_CONTROL_RETRY);
TRACE_DEFINE_ENUM(FAB_CONTROL_CBFC);

#define weft_trace_control_name(type)					\
	__print_symbolic(type, { FAB_CONTROL_PAUSE, "pause" },		\
			 { FAB_CONTROL_PFC, "pfc" },			\
			 { FAB_CONTROL_CREDIT, "credit" },		\
			 { FAB_CONTROL_FLIT, "flit" },			\
			 { FAB_CONTROL_RETRY, "llr" },			\
			 { FAB_CONTROL_CBFC, "cbfc" })

DECLARE_EVENT_CLASS(weft_pkt,
		    TP_PROTO(const struct fab_port *port,
			     const struct fab_pkt *pkt, enum fab_drop why),
		    TP_ARGS(port, pkt, why),

	TP_STRUCT__entry(__field(u64, time)
			 __field(u64, queued)
			 __field(u32, fabric)
			 __field(int, sw)
			 __field(u32, port)
			 __field(u32, len)
			 __field(u32, dst)
			 __field(u32, flow)
			 __field(u16, segs)
			 __field(u8, cls)
			 __field(u8, flags)
			 __field(int, why)
	),

	TP_fast_assign(const struct weft_fabric *f = weft_host_fabric(port);

		       __entry->time = f->fab.now;
		       __entry->queued = port->queued;
		       __entry->fabric = f->id;
		       __entry->sw = port->sw ? port->sw->id : -1;
		       __entry->port = port->sw ? port->index : port->ep->id;
		       __entry->len = pkt->len;
		       __entry->dst = pkt->dst;
		       __entry->flow = pkt->flow_hash;
		       __entry->segs = pkt->segs;
		       __entry->cls = pkt->cls;
		       __entry->flags = pkt->flags;
		       __entry->why = why;
	),

	TP_printk("t=%llu fabric=%u switch=%d port=%u len=%u segs=%u class=%u dst=%u flow=%08x flags=%x queued=%llu",
		  __entry->time, __entry->fabric, __entry->sw, __entry->port,
		  __entry->len, __entry->segs, __entry->cls, __entry->dst,
		  __entry->flow, __entry->flags, __entry->queued)
);

/* It joined a queue of a class; switch -1: at the NIC whose id is the port. */
DEFINE_EVENT(weft_pkt, weft_enqueue,
	     TP_PROTO(const struct fab_port *port,
		      const struct fab_pkt *pkt, enum fab_drop why),
	     TP_ARGS(port, pkt, why));

/* It started on the wire. */
DEFINE_EVENT(weft_pkt, weft_transmit,
	     TP_PROTO(const struct fab_port *port,
		      const struct fab_pkt *pkt, enum fab_drop why),
	     TP_ARGS(port, pkt, why));

/* Its last bit reached the NIC. */
DEFINE_EVENT(weft_pkt, weft_deliver,
	     TP_PROTO(const struct fab_port *port,
		      const struct fab_pkt *pkt, enum fab_drop why),
	     TP_ARGS(port, pkt, why));

/* It got a congestion mark. */
DEFINE_EVENT(weft_pkt, weft_mark,
	     TP_PROTO(const struct fab_port *port,
		      const struct fab_pkt *pkt, enum fab_drop why),
	     TP_ARGS(port, pkt, why));

/* It was trimmed to its header. */
DEFINE_EVENT(weft_pkt, weft_trim,
	     TP_PROTO(const struct fab_port *port,
		      const struct fab_pkt *pkt, enum fab_drop why),
	     TP_ARGS(port, pkt, why));

/* It starts on the wire again, after an error. */
DEFINE_EVENT(weft_pkt, weft_replay,
	     TP_PROTO(const struct fab_port *port,
		      const struct fab_pkt *pkt, enum fab_drop why),
	     TP_ARGS(port, pkt, why));

/* It was lost. */
DEFINE_EVENT_PRINT(weft_pkt, weft_drop,
		   TP_PROTO(const struct fab_port *port,
			    const struct fab_pkt *pkt, enum fab_drop why),
		   TP_ARGS(port, pkt, why),

	TP_printk("t=%llu fabric=%u switch=%d port=%u len=%u segs=%u class=%u dst=%u flow=%08x flags=%x reason=%s",
		  __entry->time, __entry->fabric, __entry->sw, __entry->port,
		  __entry->len, __entry->segs, __entry->cls, __entry->dst,
		  __entry->flow, __entry->flags,
		  weft_trace_drop_name(__entry->why))
);

DECLARE_EVENT_CLASS(weft_class,
		    TP_PROTO(const struct fab_port *port, u8 cls),
		    TP_ARGS(port, cls),

	TP_STRUCT__entry(__field(u64, time)
			 __field(u64, queued)
			 __field(u32, fabric)
			 __field(int, sw)
			 __field(u32, port)
			 __field(u8, cls)
	),

	TP_fast_assign(const struct weft_fabric *f = weft_host_fabric(port);

		       __entry->time = f->fab.now;
		       __entry->queued = port->cls[cls].bytes;
		       __entry->fabric = f->id;
		       __entry->sw = port->sw ? port->sw->id : -1;
		       __entry->port = port->sw ? port->index : port->ep->id;
		       __entry->cls = cls;
	),

	TP_printk("t=%llu fabric=%u switch=%d port=%u class=%u queued=%llu",
		  __entry->time, __entry->fabric, __entry->sw, __entry->port,
		  __entry->cls, __entry->queued)
);

/* A pause frame of the peer stops the class. */
DEFINE_EVENT(weft_class, weft_pause,
	     TP_PROTO(const struct fab_port *port, u8 cls),
	     TP_ARGS(port, cls));

/* The pause is over. */
DEFINE_EVENT(weft_class, weft_resume,
	     TP_PROTO(const struct fab_port *port, u8 cls),
	     TP_ARGS(port, cls));

/* The class has a packet, but no credit for it. */
DEFINE_EVENT(weft_class, weft_stall,
	     TP_PROTO(const struct fab_port *port, u8 cls),
	     TP_ARGS(port, cls));

/* It sends again. */
DEFINE_EVENT(weft_class, weft_unstall,
	     TP_PROTO(const struct fab_port *port, u8 cls),
	     TP_ARGS(port, cls));

/* The watchdog found a pause storm. */
DEFINE_EVENT(weft_class, weft_watchdog,
	     TP_PROTO(const struct fab_port *port, u8 cls),
	     TP_ARGS(port, cls));

/* It found the storm over. */
DEFINE_EVENT(weft_class, weft_restore,
	     TP_PROTO(const struct fab_port *port, u8 cls),
	     TP_ARGS(port, cls));

/*
 * A control frame starts on the wire. Its flags and numbers depend on the type:
 * enabled classes and quanta of a pause; VL, FCTBS and FCCL of credit, with the
 * op as flags; VC, sequence, header and data credits of a flit.
 */
TRACE_EVENT(weft_control,
	    TP_PROTO(const struct fab_port *port, const struct fab_control *c),
	    TP_ARGS(port, c),

	TP_STRUCT__entry(__field(u64, time)
			 __field(u64, at)
			 __field(u32, fabric)
			 __field(int, sw)
			 __field(u32, port)
			 __field(u8, type)
			 __field(u16, flags)
			 __array(u32, what, FAB_CONTROL_QUANTA)
	),

	TP_fast_assign(const struct weft_fabric *f = weft_host_fabric(port);

		       __entry->time = f->fab.now;
		       __entry->at = c->at;
		       __entry->fabric = f->id;
		       __entry->sw = port->sw ? port->sw->id : -1;
		       __entry->port = port->sw ? port->index : port->ep->id;
		       __entry->type = c->type;
		       __entry->flags = weft_trace_control(c, __entry->what);
	),

	TP_printk("t=%llu fabric=%u switch=%d port=%u %s flags=%x %s acts=%llu",
		  __entry->time, __entry->fabric, __entry->sw, __entry->port,
		  weft_trace_control_name(__entry->type), __entry->flags,
		  __print_array(__entry->what, FAB_CONTROL_QUANTA, sizeof(u32)),
		  __entry->at)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH observe
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
