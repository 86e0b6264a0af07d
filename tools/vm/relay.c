// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Main loop of the launcher: forwards input, signals and connections to the guest, and
 * waits for its end.
 */
#define _GNU_SOURCE
#include "relay.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"
#include "forward.h"
#include "machine.h"
#include "message.h"
#include "progress.h"
#include "proto.h"
#include "terminal.h"

static const int passed_on[] = {
	SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH,
};

/* Time from SIGTERM or SIGHUP until a guest that has not ended is killed, s. */
#define GRACE 10

/**
 * struct relay - state of the loop
 * @m:		the guest
 * @forward:	forwarded connections
 * @signals:	signalfd
 * @deadline:	monotonic time of the time-out, s, 0: none
 * @asked:	signal after which the guest must end, 0: none
 * @inbox:	messages of init
 * @code:	exit code from init, -1: none yet
 * @buf:	input for the guest
 * @len:	bytes in @buf
 * @off:	bytes of them that are written already
 */
struct relay {
	struct machine *m;
	struct forward *forward;
	int signals;
	double deadline;
	int asked;
	struct inbox inbox;
	int code;
	char buf[65536];
	size_t len;
	size_t off;
};

static sigset_t signal_set(void)
{
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < sizeof(passed_on) / sizeof(*passed_on); i++)
		sigaddset(&set, passed_on[i]);
	sigaddset(&set, SIGCHLD);
	return set;
}

/**
 * relay_block_signals() - block signals until relay_run() handles them
 *
 * The launcher also becomes a subreaper: when the guest's kernel ends, its processes
 * become children of the launcher, which waits for them.
 */
void relay_block_signals(void)
{
	sigset_t set = signal_set();

	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static int poll_timeout(const struct relay *r, bool soon)
{
	double left;

	if (soon)
		return FORWARD_WAIT_MS;
	if (!r->deadline)
		return -1;
	left = r->deadline - now();
	return left <= 0 ? 0 : (int)(left < 1000 ? left * 1000 + 1 : 1000000);
}

static void send_event(struct relay *r, uint32_t sig)
{
	struct vm_message m = {
		.kind = VM_SIGNAL, .len = sizeof(m.event), .event.signal = sig,
	};

	if (sig == SIGWINCH)
		terminal_size(&m.event.rows, &m.event.cols);
	/* the pipe holds thousands of events; if full, the guest is stuck */
	if (!message_write(r->m->control, &m) && errno != EPIPE)
		fail("control pipe: %s", strerror(errno));
}

/* A guest that hangs does not handle the signal: it is killed later. */
static void set_grace(struct relay *r, int sig)
{
	double end = now() + GRACE;

	if (r->asked || (r->deadline && r->deadline < end))
		return;
	r->asked = sig;
	r->deadline = end;
}

/* Return: true if the guest's kernel may have ended. */
static bool take_signal(struct relay *r)
{
	struct signalfd_siginfo info;

	if (read(r->signals, &info, sizeof(info)) != sizeof(info))
		return false;
	if (info.ssi_signo == SIGCHLD)
		return true;
	send_event(r, info.ssi_signo);
	if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGHUP)
		set_grace(r, info.ssi_signo);
	return false;
}

static void close_input(struct relay *r)
{
	close(r->m->input);
	r->m->input = -1;
}

static void take_input(struct relay *r)
{
	ssize_t n = read(0, r->buf, sizeof(r->buf));

	if (n > 0) {
		r->len = n;
		r->off = 0;
	} else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
		close_input(r);
	}
}

static void pass_input(struct relay *r)
{
	ssize_t n = write(r->m->input, r->buf + r->off, r->len - r->off);

	if (n > 0) {
		r->off += n;
		if (r->off == r->len)
			r->len = r->off = 0;
	} else if (n < 0 && errno != EINTR && errno != EAGAIN) {
		close_input(r);
	}
}

static void close_status(struct relay *r)
{
	close(r->m->status);
	r->m->status = -1;
}

static void take_messages(struct relay *r)
{
	const struct vm_message *m = &r->inbox.m;
	int more = 0;

	while (r->m->status >= 0 &&
	       (more = message_read(&r->inbox, r->m->status)) > 0) {
		if (m->kind == VM_BYTES)
			forward_take(r->forward, m);
		else if (m->kind == VM_START)
			progress_running();
		else if (m->kind == VM_END && m->len == sizeof(m->status))
			r->code = m->status.code;
	}
	if (more < 0)
		close_status(r);
}

static void kill_machine(struct relay *r)
{
	kill(r->m->pid, SIGKILL);
	waitpid(r->m->pid, NULL, 0);
	progress_end();
}

static int timed_out(struct relay *r)
{
	kill_machine(r);
	terminal_restore();
	if (r->asked) {
		fprintf(stderr, "weft-vm: the command did not end %d s after %s; the machine was killed\n",
			GRACE, strsignal(r->asked));
		return 128 + r->asked;
	}
	fprintf(stderr, "weft-vm: time-out, the machine was killed\n");
	return VM_EXIT_TIMEOUT;
}

/* The guest's kernel has ended: return the exit code that init sent last. */
static int finish(struct relay *r)
{
	take_messages(r);
	progress_end();
	terminal_restore();
	if (r->code >= 0)
		return r->code;
	fprintf(stderr, "weft-vm: the machine crashed; its last messages:\n");
	machine_show_log(r->m);
	return VM_EXIT_FAILED;
}

static bool machine_ended(struct relay *r)
{
	return waitpid(r->m->pid, NULL, WNOHANG) == r->m->pid;
}

/*
 * Return: -1 to continue, or the exit code.
 *
 * Input is written only if poll() reports room: the guest may read it late or never.
 */
static int step(struct relay *r)
{
	struct pollfd p[5 + FORWARD_POLLS] = {
		{ .fd = r->signals, .events = POLLIN },
		{ .fd = r->m->input >= 0 && !r->len ? 0 : -1, .events = POLLIN },
		{ .fd = r->m->input >= 0 && r->len ? r->m->input : -1, .events = POLLOUT },
		{ .fd = r->m->status, .events = POLLIN },
	};
	bool soon = forward_poll(r->forward, p + 5);
	int n;

	progress_poll(p + 4);
	n = poll(p, 5 + FORWARD_POLLS,
		 progress_timeout(poll_timeout(r, soon)));
	if (n < 0 && errno != EINTR)
		fail("poll: %s", strerror(errno));
	if (n == 0 && r->deadline && now() >= r->deadline)
		return timed_out(r);
	if (n >= 0)
		progress_serve(p + 4);
	if (n <= 0)
		return -1;
	if (p[0].revents && take_signal(r) && machine_ended(r))
		return finish(r);
	if (p[1].revents)
		take_input(r);
	if (p[2].revents)
		pass_input(r);
	if (p[3].revents)
		take_messages(r);
	forward_serve(r->forward, p + 5);
	return -1;
}

/**
 * relay_run() - serve the guest until it ends
 * @m:		the guest
 * @forward:	connections to forward
 * @timeout:	real seconds until it is killed, 0: never
 *
 * Return: exit code of the command, or one of the launcher.
 */
int relay_run(struct machine *m, struct forward *forward, double timeout)
{
	static struct relay r;
	sigset_t set = signal_set();
	int code = -1;

	r.m = m;
	r.forward = forward;
	r.code = -1;
	r.deadline = timeout ? now() + timeout : 0;
	r.signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (r.signals < 0)
		fail("signalfd: %s", strerror(errno));
	while (code < 0)
		code = step(&r);
	/* the guest's processes die with its kernel: wait for all of them */
	while (waitpid(-1, NULL, 0) > 0)
		;
	return code;
}
