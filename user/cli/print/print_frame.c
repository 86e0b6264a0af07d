// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A captured frame in one line.
 */
#include "print/print_frame.h"

#include <inttypes.h>
#include <stdio.h>

#define PS_PER_S	1000000000000ULL

static void print_pfc(const struct weft_capture_control *c)
{
	fputs("pfc", stdout);
	for (unsigned int i = 0; i < WEFT_PFC_CLASSES; i++)
		if (c->enable & 1u << i)
			printf(" %u:%u", i, c->quanta[i]);
}

static void print_flit(const struct weft_capture_control *c)
{
	printf("flit vc %u%s", c->vl,
	       c->flags & WEFT_FLIT_FLAG_INIT ? " init" : "");
	if (c->flags & WEFT_FLIT_FLAG_ACK)
		printf(" ack %u", c->seq);
	if (c->flags & WEFT_FLIT_FLAG_NAK)
		printf(" nak %u", c->seq);
	printf(" header %u data %u", c->hdr, c->data);
}

static void print_llr(const struct weft_capture_control *c)
{
	if (c->flags & WEFT_FLIT_FLAG_ACK)
		printf("llr ack %u", c->seq);
	if (c->flags & WEFT_FLIT_FLAG_NAK)
		printf("llr nak %u", c->seq);
}

static void print_control(const struct weft_capture_control *c)
{
	switch (c->type) {
	case WEFT_CONTROL_TYPE_PAUSE:
		printf("pause %u", c->quanta[0]);
		break;
	case WEFT_CONTROL_TYPE_PFC:
		print_pfc(c);
		break;
	case WEFT_CONTROL_TYPE_CREDIT:
		printf("credit%s vl %u fctbs %u fccl %u",
		       c->op ? " init" : "", c->vl, c->fctbs, c->fccl);
		break;
	case WEFT_CONTROL_TYPE_LLR:
		print_llr(c);
		break;
	case WEFT_CONTROL_TYPE_CBFC:
		printf("cbfc vc %u %s %u", c->vl, c->is_consumed ? "consumed" : "freed",
		       c->credits);
		break;
	default:
		print_flit(c);
	}
}

static void print_packet(const struct weft_capture_frame *f)
{
	printf("packet %u class %u sl %u", f->length, f->cls, f->sl);
	if (f->flags & WEFT_FRAME_MULTICAST)
		fputs(" to all", stdout);
	else
		printf(" to %u", f->dst);
	if (f->flags & WEFT_FRAME_CE)
		fputs(" marked", stdout);
	if (f->flags & WEFT_FRAME_CORRUPT)
		fputs(" corrupt", stdout);
	if (f->flags & WEFT_FRAME_TRIMMED)
		fputs(" trimmed", stdout);
}

/**
 * print_frame() - print a frame
 * @point: the link
 * @f: the frame
 */
void print_frame(const struct weft_capture_point *point,
		 const struct weft_capture_frame *f)
{
	printf("%" PRIu64 ".%012" PRIu64 " %s > %s ",
	       (uint64_t)(f->time / PS_PER_S), (uint64_t)(f->time % PS_PER_S),
	       point->end[f->direction].name, point->end[!f->direction].name);
	if (f->is_control)
		print_control(&f->control);
	else
		print_packet(f);
	putchar('\n');
}
