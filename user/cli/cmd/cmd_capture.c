// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft capture: the frames on a link.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "packet/capture.h"
#include "packet/capture_file.h"
#include "packet/capture_point.h"
#include "print/print_frame.h"
#include "signals.h"

#define SNAPLEN_MIN	WEFT_ETH_HEADER
#define SNAPLEN_MAX	65535
#define PS_PER_MS	1000000000ULL

/**
 * struct capture - state of a capture
 * @point: the link
 * @c: source of the frames
 * @file: file for the frames, if @to_file
 * @to_file: frames are written to a file, not printed
 * @count: number of frames wanted, 0 for all
 * @frames: number of frames so far
 * @end: fabric time of the end, UINT64_MAX for none
 */
struct capture {
	struct weft_capture_point point;
	struct weft_capture c;
	struct weft_capture_file file;
	bool to_file;
	unsigned long long count;
	unsigned long long frames;
	uint64_t end;
};

/**
 * struct options - options of the user
 * @lab: name of the lab, NULL for the only one
 * @path: file, NULL to print
 * @snaplen: bytes of each frame
 * @count: frames, 0 for all
 * @duration: ps of fabric time, 0 for no end
 */
struct options {
	const char *lab;
	const char *path;
	unsigned long long snaplen;
	unsigned long long count;
	uint64_t duration;
};

static bool is_over(const struct capture *cap)
{
	return signals_came() || cap->c.gone ||
	       (cap->count && cap->frames >= cap->count);
}

static int take_frame(const struct weft_capture_frame *f, void *ctx,
		      struct weft_err *err)
{
	struct capture *cap = ctx;

	if (is_over(cap) || f->time > cap->end)
		return 0;
	cap->frames++;
	if (cap->to_file)
		return weft_capture_file_write(&cap->file, f, err);
	print_frame(&cap->point, f);
	return 0;
}

/* Flush, so that a reader sees the frames at once. */
static int flush(struct capture *cap, struct weft_err *err)
{
	if (cap->to_file)
		return weft_pcapng_flush(&cap->file.p, err);
	return fflush(stdout) ? weft_err_sys(err, errno, "output") : 0;
}

static int loop(struct capture *cap, const struct options *opt,
		const sigset_t *mask, struct weft_err *err)
{
	uint64_t now = cli_clock_ms(), stop;
	int ret = 0;

	/* The fabric's clock is slower than the kernel's by its dilation. */
	stop = now + opt->duration / PS_PER_MS * cap->point.dilation + 1;
	while (!ret && !is_over(cap) && (!opt->duration || now < stop)) {
		int wait = opt->duration ? (int)(stop - now) : -1;

		ret = weft_capture_wait(&cap->c, wait, mask, err);
		if (ret == -EINTR)
			ret = 0;
		if (!ret)
			ret = flush(cap, err);
		now = cli_clock_ms();
	}
	return ret;
}

static void summary(const struct capture *cap)
{
	uint64_t lost = weft_capture_lost(&cap->c);

	if (cap->to_file)
		fprintf(stderr, "%llu frames captured\n", cap->frames);
	if (lost)
		fprintf(stderr, "warning: %" PRIu64 " frames were lost: the capture did not keep up\n",
			lost);
}

static int capture_link(struct capture *cap, const struct weft_lab *lab,
			const struct options *opt, struct weft_err *err)
{
	sigset_t before;
	int ret;

	signals_hold(&before);
	cap->c.fabric = cap->point.fabric;
	cap->c.link = cap->point.link;
	cap->c.fn = take_frame;
	cap->c.ctx = cap;
	ret = weft_capture_open(&cap->c, lab, (uint32_t)opt->snaplen, err);
	if (ret)
		return ret;
	fprintf(stderr, "capturing %s - %s\n", cap->point.end[0].name,
		cap->point.end[1].name);
	ret = loop(cap, opt, &before, err);
	summary(cap);
	weft_capture_close(&cap->c);
	return ret;
}

/* A pipe that nobody reads any more is a normal end. */
static int close_file(struct capture *cap, int ret, struct weft_err *err)
{
	struct weft_err closing = { 0 };

	if (!cap->to_file)
		return ret;
	if (weft_capture_file_close(&cap->file, &closing) && !ret) {
		*err = closing;
		ret = closing.code;
	}
	return ret == -EPIPE ? 0 : ret;
}

static int capture_in(const struct weft_lab *lab, const char *what,
		      const struct options *opt, struct weft_err *err)
{
	struct capture cap = {
		.to_file = opt->path,
		.count = opt->count,
		.end = UINT64_MAX,
	};
	int ret;

	ret = weft_capture_point(&cap.point, lab, what, err);
	if (!ret && opt->duration)
		cap.end = cap.point.now + opt->duration;
	if (!ret && cap.to_file)
		ret = weft_capture_file_open(&cap.file, opt->path, &cap.point,
					     err);
	if (!ret)
		ret = close_file(&cap, capture_link(&cap, lab, opt, err), err);
	weft_capture_point_free(&cap.point);
	return ret;
}

static int run_capture(const char *what, const struct options *opt)
{
	struct weft_lab lab;
	struct weft_err err;
	int ret;

	if (cli_lab(&lab, opt->lab, &err) ||
	    capture_in(&lab, what, opt, &err))
		ret = cli_fail(&err);
	else
		ret = cli_done();
	weft_lab_close(&lab);
	return ret;
}

static int set_numbers(const struct command *cmd, const char *snaplen,
		       const char *count, const char *duration,
		       struct options *opt)
{
	if (snaplen && cli_number(cmd, "--snaplen", snaplen, SNAPLEN_MIN,
				  SNAPLEN_MAX, &opt->snaplen))
		return EXIT_USAGE;
	if (count && cli_number(cmd, "--count", count, 1, UINT64_MAX, &opt->count))
		return EXIT_USAGE;
	return duration ? cli_duration(cmd, "--for", duration, &opt->duration) : 0;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	const char *snaplen = NULL, *count = NULL, *duration = NULL;
	struct options o = { .snaplen = SNAPLEN_MAX };
	const struct cli_option opt[] = {
		CLI_TEXT("lab", &o.lab), CLI_TEXT("output", &o.path),
		CLI_TEXT("snaplen", &snaplen), CLI_TEXT("count", &count),
		CLI_TEXT("for", &duration), CLI_END,
	};
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	if (set_numbers(cmd, snaplen, count, duration, &o))
		return EXIT_USAGE;
	if (argc - optind != 1)
		return cli_usage(cmd, "expected one LINK, NIC or PORT");
	return run_capture(argv[optind], &o);
}

const struct command cmd_capture = {
	.name = "capture",
	.run = run,
	.summary = "frames on a link, control frames included",
	.usage =
"usage: weft capture LINK|NIC|PORT [OPTION]...\n"
"\n"
"Show the frames on both wires of a link: packets, pauses, credits,\n"
"acknowledgements, with the fabric time of their first bit. NIC: NODE.ethN, or\n"
"NODE if it has one; PORT: SWITCH:NUMBER. It ends with Ctrl-C or with the lab.\n"
"\n"
"  -o, --output FILE  write a pcapng file for Wireshark; - for standard output\n"
"  -s, --snaplen N    bytes of each packet (default 65535)\n"
"  -c, --count N      end after N frames\n"
"      --for T        end after T of fabric time, such as 10ms\n"
"  -l, --lab LAB      the lab (default: $WEFT_LAB, or the only one)\n",
};
