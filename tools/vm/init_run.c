// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs the command until it ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init.h"

static int open_std(int fd, const struct request *rq, const char *tty)
{
	char path[32];
	int flags = fd ? O_WRONLY : O_RDONLY;

	if (rq->tty_mask & (1u << fd))
		return open(tty, O_RDWR | O_NOCTTY);
	snprintf(path, sizeof(path), "/dev/host%d", fd);
	return open(path, flags | O_NOCTTY);
}

static void run(const struct request *rq, const char *tty, int err)
{
	sigset_t none;
	int fd, i;

	setsid();
	for (i = 0; i < 3; i++) {
		fd = open_std(i, rq, tty);
		if (fd < 0 || dup2(fd, i) < 0)
			_exit(VM_EXIT_FAILED);
		if (fd > 2)
			close(fd);
		if (isatty(i))
			ioctl(i, TIOCSCTTY, 0);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvpe(rq->argv[0], rq->argv, rq->env);
	dprintf(err, "weft-vm: %s: %s\n", rq->argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/**
 * command_start() - start the command
 * @c:		result; @host is already set
 * @rq:		the request
 */
void command_start(struct command *c, const struct request *rq)
{
	char **env, tty[64] = "";
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	for (env = rq->env; *env; env++)
		if (!strncmp(*env, "PATH=", 5))
			putenv(*env);
	c->master = rq->tty_mask ? terminal_open(rq, tty, sizeof(tty)) : -1;
	c->keys = rq->tty_mask & 1;
	c->port = rq->port;
	tunnel_init(&c->tunnel, c->host[VM_FD_STATUS]);
	c->pid = fork();
	if (c->pid < 0)
		die("cannot start", rq->argv[0]);
	if (!c->pid)
		run(rq, tty, c->host[VM_FD_STDERR]);
}

/* A terminal sends SIGINT, SIGQUIT and SIGHUP to the group; others go to the process. */
static void pass_signal(const struct command *c, const struct vm_event *e)
{
	struct winsize ws = { .ws_row = e->rows, .ws_col = e->cols };

	switch (e->signal) {
	case SIGWINCH:
		if (c->master >= 0)
			ioctl(c->master, TIOCSWINSZ, &ws);
		break;
	case SIGINT:
	case SIGQUIT:
	case SIGHUP:
		kill(-c->pid, e->signal);
		break;
	default:
		kill(c->pid, e->signal);
	}
}

static void take_messages(struct command *c)
{
	const struct vm_message *m = &c->inbox.m;

	while (message_read(&c->inbox, c->host[VM_FD_CONTROL]) > 0) {
		if (m->kind == VM_SIGNAL)
			pass_signal(c, &m->event);
		else
			forward_take(c, m);
	}
}

/* Return: false at the end of input. */
static bool take_keys(const struct command *c)
{
	char buf[512];
	ssize_t n = read(c->host[VM_FD_STDIN], buf, sizeof(buf));

	if (n > 0 && write(c->master, buf, n) != n)
		return false;
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Return: true once the command has ended. */
static bool reap(const struct command *c, int *code)
{
	bool ended = false;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != c->pid)
			continue;
		ended = true;
		*code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
					      WEXITSTATUS(status);
	}
	return ended;
}

static int child_fd(void)
{
	sigset_t chld;
	int fd;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	fd = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		die("cannot wait for", "the command");
	return fd;
}

/**
 * command_wait() - serve the command until it ends
 * @c:		the command
 *
 * Return: its exit code, 128 + n if signal n ended it.
 */
int command_wait(struct command *c)
{
	struct signalfd_siginfo info;
	struct pollfd p[4 + TUNNEL_CONNS] = {
		{ .fd = child_fd(), .events = POLLIN },
		{ .fd = c->host[VM_FD_CONTROL], .events = POLLIN },
		{ .fd = c->master, .events = POLLIN },
		{ .fd = c->keys ? c->host[VM_FD_STDIN] : -1, .events = POLLIN },
	};
	int code = VM_EXIT_FAILED;

	for (;;) {
		tunnel_poll(&c->tunnel, p + 4, true);
		if (poll(p, 4 + TUNNEL_CONNS, -1) < 0 && errno != EINTR)
			die("cannot wait for", "the command");
		if (p[0].revents && read(p[0].fd, &info, sizeof(info)) < 0)
			continue;
		if (p[0].revents && reap(c, &code))
			break;
		if (p[1].revents)
			take_messages(c);
		/* after a hang-up there is no input until another process opens it */
		if (p[2].revents && !terminal_pump(c))
			p[2].fd = p[2].revents & POLLHUP ? -1 : p[2].fd;
		if (p[3].revents && !take_keys(c))
			p[3].fd = -1;
		tunnel_serve(&c->tunnel, p + 4);
	}
	while (c->master >= 0 && terminal_pump(c))
		;
	return code;
}
