// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guest's progress, once a second: as a line on the caller's terminal while there is
 * no other output, and in a file. Without a terminal, lines that become rare, and only if
 * virtual time is slow: who runs a job of CI reads what it waits for.
 *
 * The launcher reads a page that the guest's kernel writes. Reading costs the guest
 * nothing and does not change its timing. The page has words of 64 bits: virtual time in
 * ns, packets sent by hosts, and the number of updates, 0 if the kernel does not support
 * the page. The page exists with and without a terminal.
 *
 * Output of the guest to the terminal goes through a pipe, because the line has to be
 * erased before. The line is shown only if the cursor is at the begin of an empty line:
 * not behind a prompt, and not after a program has moved the cursor.
 */
#define _GNU_SOURCE
#include "progress.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cursor.h"
#include "fail.h"
#include "options.h"
#include "proto.h"
#include "terminal.h"

#define QUIET_S		2	/* seconds without output until the line appears */
#define TICK_S		1
#define SLOW		10	/* from this factor on, the line shows how much slower it is */
#define FILE_WIDTH	64

/**
 * struct progress - state of the progress
 * @page: page that the guest's kernel writes
 * @page_fd: descriptor of the page
 * @pipe: pipe for the guest's output to the terminal, -1: it writes directly
 * @terminal: descriptor of the terminal
 * @file: progress file, -1: none
 * @running: the command was started
 * @shown: the line is on the terminal
 * @begin: time when the machine was started, s
 * @ran: time when the command was started, s
 * @next: time of the next update, s
 * @line_s: real time of the next line without a terminal, s from @begin; 0: no lines
 * @cursor: the terminal's cursor after the guest's output
 */
static struct progress {
	const volatile uint64_t *page;
	int page_fd;
	int pipe[2];
	int terminal;
	int file;
	bool running;
	bool shown;
	double begin;
	double ran;
	double next;
	double line_s;
	struct cursor cursor;
} state = { .page_fd = -1, .pipe = { -1, -1 }, .file = -1 };

/**
 * struct reached - progress of the guest
 * @known: the guest's kernel has written the page
 * @fabric_ns: virtual time since the command was started, ns
 * @packets: packets sent by hosts
 */
struct reached {
	bool known;
	uint64_t fabric_ns;
	uint64_t packets;
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* Not if standard output is a pipe: its reader may write to the same terminal. */
static bool may_show(void)
{
	const char *term = getenv("TERM");
	struct stat st;

	if (!isatty(2) || !term || !strcmp(term, "dumb") ||
	    tcgetpgrp(2) != getpgrp())
		return false;
	return fstat(1, &st) || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

static void make_page(void)
{
	size_t size = sysconf(_SC_PAGESIZE);
	void *page;

	state.page_fd = memfd_create("weft-vm-page", MFD_CLOEXEC);
	if (state.page_fd < 0 || ftruncate(state.page_fd, size))
		fail("page: %s", strerror(errno));
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, state.page_fd, 0);
	if (page == MAP_FAILED)
		fail("page: %s", strerror(errno));
	state.page = page;
}

static void make_pipe(void)
{
	if (pipe2(state.pipe, O_CLOEXEC))
		fail("pipe: %s", strerror(errno));
	fcntl(state.pipe[0], F_SETFL, O_NONBLOCK);
	state.terminal = terminal_fd();
	cursor_init(&state.cursor);
}

/**
 * progress_start() - prepare the progress; exits on error; before machine_start()
 * @opt: the command line
 */
void progress_start(const struct options *opt)
{
	make_page();
	if (opt->progress && may_show())
		make_pipe();
	else if (opt->progress)
		state.line_s = opt->progress_line;
	if (opt->progress_file) {
		state.file = open(opt->progress_file,
				  O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (state.file < 0)
			fail("%s: %s", opt->progress_file, strerror(errno));
	}
	state.begin = now();
	state.next = state.begin + QUIET_S;
}

/**
 * progress_page() - page that the guest's kernel writes
 *
 * Return: its descriptor.
 */
int progress_page(void)
{
	return state.page_fd;
}

/**
 * progress_output() - descriptor to which the guest writes instead of one of ours
 * @fd: standard output or error
 *
 * Return: the descriptor; -1: the guest uses @fd itself.
 */
int progress_output(int fd)
{
	return isatty(fd) ? state.pipe[1] : -1;
}

/**
 * progress_booted() - close our copies of the guest's descriptors
 */
void progress_booted(void)
{
	if (state.pipe[1] >= 0)
		close(state.pipe[1]);
	state.pipe[1] = -1;
}

/**
 * progress_running() - record that the command was started
 */
void progress_running(void)
{
	state.running = true;
	state.ran = now();
}

/*
 * Words are written one by one, the number of updates before and after the others. Read
 * again if that changed.
 */
static struct reached look(void)
{
	const uint64_t start = (uint64_t)VM_START_SECOND * 1000000000;
	struct reached r = { 0 };
	uint64_t before, time;

	for (int i = 0; i < 100; i++) {
		before = state.page[2];
		time = state.page[0];
		r.packets = state.page[1];
		if (before == state.page[2])
			break;
	}
	r.known = before != 0;
	r.fabric_ns = time > start ? time - start : 0;
	return r;
}

static void write_all(const char *bytes, size_t len)
{
	struct pollfd p = { .fd = state.terminal, .events = POLLOUT };
	ssize_t n;

	while (len) {
		n = write(state.terminal, bytes, len);
		if (n > 0) {
			bytes += n;
			len -= n;
		} else if (n < 0 && errno == EAGAIN) {
			poll(&p, 1, -1);
		} else if (errno != EINTR) {
			return;
		}
	}
}

/* The text is cut to the width of the terminal, so that it has one line. */
static void show(const char *text)
{
	char line[256];
	uint16_t rows, cols;
	int n;

	terminal_size(&rows, &cols);
	if (!cols || cols > 200)
		cols = 200;
	n = snprintf(line, sizeof(line), "\r%.*s\033[K", cols - 1, text);
	write_all(line, n);
	state.shown = true;
}

static double fabric_s(const struct reached *r)
{
	return r->fabric_ns / 1e9;
}

/* `timeout 3` in a program is fabric time: show the factor if it takes much longer. */
static bool is_slow(const struct reached *r)
{
	return now() - state.ran >= SLOW * fabric_s(r);
}

static void fabric_line(const struct reached *r, unsigned int real_s, char *text,
			size_t size)
{
	if (!is_slow(r))
		snprintf(text, size, "weft: %u s, fabric time %.6f s, %" PRIu64 " packets sent",
			 real_s, fabric_s(r), r->packets);
	else
		snprintf(text, size,
			 "weft: %u s real time, fabric time %.6f s, %.0f times slower, %" PRIu64
			 " packets", real_s, fabric_s(r),
			 (now() - state.ran) / fabric_s(r), r->packets);
}

static void show_line(const struct reached *r, unsigned int real_s)
{
	char text[160];

	if (!state.running)
		snprintf(text, sizeof(text), "weft: %u s, the machine boots", real_s);
	else if (!r->known)
		snprintf(text, sizeof(text), "weft: %u s, running", real_s);
	else if (!r->fabric_ns)
		snprintf(text, sizeof(text), "weft: %u s, starting", real_s);
	else
		fabric_line(r, real_s, text, sizeof(text));
	show(text);
}

static void print_line(const struct reached *r, unsigned int real_s)
{
	char text[160];

	while (state.line_s <= real_s)
		state.line_s *= 2;
	if (!state.running || !r->known || !r->fabric_ns || !is_slow(r))
		return;
	fabric_line(r, real_s, text, sizeof(text));
	dprintf(2, "%s\n", text);
}

/* "PHASE REAL_S FABRIC_NS PACKETS", "-" for an unknown number */
static void write_file(const struct reached *r, const char *phase, double real_s)
{
	char text[FILE_WIDTH + 1], line[FILE_WIDTH + 2];

	if (r->known)
		snprintf(text, sizeof(text), "%s %.1f %" PRIu64 " %" PRIu64, phase,
			 real_s, r->fabric_ns, r->packets);
	else
		snprintf(text, sizeof(text), "%s %.1f - -", phase, real_s);
	snprintf(line, sizeof(line), "%-*s\n", FILE_WIDTH, text);
	if (pwrite(state.file, line, FILE_WIDTH + 1, 0) < 0)
		fail("progress: %s", strerror(errno));
}

static void tick(void)
{
	struct reached r = look();
	double real_s = now() - state.begin;

	if (state.file >= 0)
		write_file(&r, state.running ? "run" : "boot", real_s);
	if (state.pipe[0] >= 0 && cursor_is_free(&state.cursor))
		show_line(&r, (unsigned int)real_s);
	if (state.line_s && real_s >= state.line_s)
		print_line(&r, (unsigned int)real_s);
	state.next = now() + TICK_S;
}

static bool is_on(void)
{
	return state.file >= 0 || state.pipe[0] >= 0 || state.line_s;
}

/**
 * progress_poll() - fill the entry for poll()
 * @p: result, one entry
 */
void progress_poll(struct pollfd *p)
{
	*p = (struct pollfd) { .fd = state.pipe[0], .events = POLLIN };
}

/**
 * progress_timeout() - time-out for poll()
 * @timeout: time-out without progress, ms, -1: none
 *
 * Return: time-out with progress, ms, -1: none.
 */
int progress_timeout(int timeout)
{
	double left = state.next - now();
	int ms = left > 0 ? (int)(left * 1000) + 1 : 0;

	return is_on() && (timeout < 0 || ms < timeout) ? ms : timeout;
}

/* Return: false if there is no output at present. */
static bool pass_output(void)
{
	char buf[65536];
	ssize_t n = read(state.pipe[0], buf, sizeof(buf));

	if (n > 0) {
		progress_erase();
		write_all(buf, n);
		cursor_take(&state.cursor, buf, n);
		state.next = now() + QUIET_S;
		return true;
	}
	if (!n || (errno != EAGAIN && errno != EINTR)) {
		close(state.pipe[0]);
		state.pipe[0] = -1;
	}
	return false;
}

/**
 * progress_serve() - forward output and show progress after poll()
 * @p: the entry of progress_poll(), after poll()
 */
void progress_serve(const struct pollfd *p)
{
	if (p->revents)
		pass_output();
	if (is_on() && now() >= state.next)
		tick();
}

/**
 * progress_end() - forward the last output of a machine that has ended
 */
void progress_end(void)
{
	struct reached r;

	while (state.pipe[0] >= 0 && pass_output())
		;
	progress_erase();
	if (state.file >= 0) {
		r = look();
		write_file(&r, "end", now() - state.begin);
		close(state.file);
	}
	state.file = -1;
}

/**
 * progress_erase() - erase the line, before other output
 */
void progress_erase(void)
{
	static const char erase[] = "\r\033[K";

	if (state.shown)
		write_all(erase, sizeof(erase) - 1);
	state.shown = false;
}
