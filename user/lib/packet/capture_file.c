// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames of a captured link as a pcapng file.
 *
 * Each direction is an interface with the name of the sending port. A frame
 * that does not fit the link type (such as a train of frames that is too long
 * for an InfiniBand packet) goes to a second interface, of Ethernet. It is
 * added with the first such frame.
 */
#include "packet/capture_file.h"

#include <stdio.h>
#include <string.h>

static int add_interface(struct weft_capture_file *cf, uint32_t dir, bool ib,
			 struct weft_err *err)
{
	const struct weft_capture_end *end = &cf->point->end[dir];
	bool beside = ib != cf->point->infiniband;
	char name[WEFT_POINT_NAME + 16];

	if (cf->has[dir][ib])
		return 0;
	snprintf(name, sizeof(name), "%s%s", end->name,
		 !beside ? "" : ib ? " (InfiniBand)" : " (Ethernet)");
	cf->has[dir][ib] = true;
	return weft_pcapng_add_interface(&cf->p, name,
					 ib ? WEFT_PCAPNG_INFINIBAND :
					 WEFT_PCAPNG_ETHERNET, end->rate,
					 &cf->interface[dir][ib], err);
}

/**
 * weft_capture_file_open() - create a capture file
 * @cf: the file
 * @path: its path, "-" for standard output
 * @point: the link, which outlives the file
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_capture_file_open(struct weft_capture_file *cf, const char *path,
			   const struct weft_capture_point *point,
			   struct weft_err *err)
{
	struct weft_err unused;

	*cf = (struct weft_capture_file) { .point = point };
	if (!strcmp(path, "-") ? weft_pcapng_start(&cf->p, stdout, err) :
				 weft_pcapng_open(&cf->p, path, err))
		return err->code;
	for (uint32_t dir = 0; dir < 2; dir++) {
		if (!add_interface(cf, dir, point->infiniband, err))
			continue;
		weft_pcapng_close(&cf->p, &unused);
		return err->code;
	}
	/* A reader at the other end of a pipe can start. */
	return weft_pcapng_flush(&cf->p, err);
}

/* Set the interface, direction and time of a frame. */
static int place(struct weft_capture_file *cf, const struct weft_capture_frame *f,
		 bool ib, struct weft_pcapng_frame *pf, struct weft_err *err)
{
	if (add_interface(cf, f->direction, ib, err))
		return err->code;
	*pf = (struct weft_pcapng_frame) {
		.interface = cf->interface[f->direction][ib],
		.dir = WEFT_PCAPNG_OUT,
		.time = f->time,
	};
	return 0;
}

static uint32_t queue_pair(const uint8_t mac[6])
{
	if (mac[0] & 1)
		return 0xffffff;
	return (uint32_t)mac[3] << 16 | (uint32_t)mac[4] << 8 | mac[5];
}

static int write_ib(struct weft_capture_file *cf,
		    const struct weft_capture_frame *f, struct weft_err *err)
{
	const struct weft_ib_packet pkt = {
		.dlid = weft_capture_lid(cf->point, f->data),
		.slid = weft_capture_lid(cf->point, f->data + 6),
		.sl = f->sl & 15,
		.vl = f->cls & 15,
		.fecn = f->flags & WEFT_FRAME_CE,
		.dest_qp = queue_pair(f->data),
		.src_qp = queue_pair(f->data + 6),
	};
	struct weft_pcapng_frame pf;

	if (place(cf, f, true, &pf, err))
		return err->code;
	return weft_pcapng_write_ib_data(&cf->p, &pf, &pkt, f->data, f->len,
					 f->length, err);
}

/* The bytes from an RDMA device are an InfiniBand packet already. */
static int write_ib_packet(struct weft_capture_file *cf,
			   const struct weft_capture_frame *f,
			   struct weft_err *err)
{
	struct weft_pcapng_frame pf;

	if (place(cf, f, true, &pf, err))
		return err->code;
	return weft_pcapng_write_ib_packet(&cf->p, &pf, f->data, f->len,
					   f->length, err);
}

static int write_data(struct weft_capture_file *cf,
		      const struct weft_capture_frame *f, struct weft_err *err)
{
	struct weft_pcapng_frame pf;

	if (cf->point->infiniband && f->flags & WEFT_FRAME_VERBS)
		return write_ib_packet(cf, f, err);
	if (cf->point->infiniband && f->len >= WEFT_ETH_HEADER &&
	    weft_frame_ib_size(f->length) <= WEFT_IB_MAX)
		return write_ib(cf, f, err);
	if (place(cf, f, false, &pf, err))
		return err->code;
	return weft_pcapng_write_data(&cf->p, &pf, f->data, f->len, f->length,
				      err);
}

/*
 * A flit can carry ack or nak and credits at once: its type is ack or nak then.
 */
static enum weft_flit_type flit_type(const struct weft_capture_control *c)
{
	if (c->type == WEFT_CONTROL_TYPE_CBFC)
		return c->is_consumed ? WEFT_FLIT_CONSUMED : WEFT_FLIT_FREED;
	if (c->flags & WEFT_FLIT_FLAG_NAK)
		return WEFT_FLIT_NAK;
	return c->flags & WEFT_FLIT_FLAG_ACK ? WEFT_FLIT_ACK : WEFT_FLIT_CREDIT;
}

static int write_flit(struct weft_capture_file *cf,
		      const struct weft_pcapng_frame *pf,
		      const struct weft_capture_control *c,
		      struct weft_err *err)
{
	const struct weft_flit flit = {
		.type = flit_type(c),
		.vc = (uint8_t)c->vl,
		.header_credits = c->hdr,
		.data_credits = c->type == WEFT_CONTROL_TYPE_CBFC ? c->credits : c->data,
		.sequence = c->seq,
	};

	return weft_pcapng_write_flit(&cf->p, pf, &flit, err);
}

static int write_control(struct weft_capture_file *cf,
			 const struct weft_capture_frame *f,
			 struct weft_err *err)
{
	const uint8_t *src = cf->point->end[f->direction].mac;
	const struct weft_capture_control *c = &f->control;
	struct weft_pcapng_frame pf;

	if (place(cf, f, c->type == WEFT_CONTROL_TYPE_CREDIT, &pf, err))
		return err->code;
	switch (c->type) {
	case WEFT_CONTROL_TYPE_PAUSE:
		return weft_pcapng_write_pause(&cf->p, &pf, src, c->quanta[0],
					       err);
	case WEFT_CONTROL_TYPE_PFC:
		return weft_pcapng_write_pfc(&cf->p, &pf, src,
					     (uint8_t)c->enable, c->quanta,
					     err);
	case WEFT_CONTROL_TYPE_CREDIT:
		return weft_pcapng_write_ib_fc(&cf->p, &pf, (uint8_t)c->op,
					       (uint8_t)c->vl,
					       (uint16_t)c->fctbs,
					       (uint16_t)c->fccl, err);
	default:
		return write_flit(cf, &pf, c, err);
	}
}

/**
 * weft_capture_file_write() - write a frame
 * @cf: the file
 * @f: the frame
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_capture_file_write(struct weft_capture_file *cf,
			    const struct weft_capture_frame *f,
			    struct weft_err *err)
{
	return f->is_control ? write_control(cf, f, err) :
			       write_data(cf, f, err);
}

/**
 * weft_capture_file_close() - close a capture file
 * @cf: the file
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_capture_file_close(struct weft_capture_file *cf, struct weft_err *err)
{
	return weft_pcapng_close(&cf->p, err);
}
