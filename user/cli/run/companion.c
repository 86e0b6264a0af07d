// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A child process that works beside the program of `weft run`. It starts before the
 * program and ends after it.
 */
#include "run/companion.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

/* The child is killed when its parent ends. */
static void child(companion_fn fn, const void *ctx, int ready)
{
	struct weft_err err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	exit(fn(ctx, ready, &err) ? cli_fail(&err) : 0);
}

/* Wait until the child is ready. If it ends before, it has printed its error. */
static int wait_ready(int fd, pid_t pid, const char *unable,
		      struct weft_err *err)
{
	char byte;

	if (read(fd, &byte, 1) == 1)
		return 0;
	waitpid(pid, NULL, 0);
	return weft_err_set(err, WEFT_ERR_OTHER, -EIO, "%s", unable);
}

/**
 * companion_start() - start a child, and wait until it is ready
 * @fn: runs in the child
 * @ctx: for @fn
 * @unable: error message for a child that ends before it is ready
 * @pid: result, for companion_stop()
 * @err: error
 *
 * Return: 0 when the child is ready, or negative errno.
 */
int companion_start(companion_fn fn, const void *ctx, const char *unable,
		    pid_t *pid, struct weft_err *err)
{
	int fd[2], ret;

	if (pipe2(fd, O_CLOEXEC))
		return weft_err_sys(err, errno, "pipe");
	fflush(NULL);
	*pid = fork();
	if (!*pid)
		child(fn, ctx, fd[1]);
	close(fd[1]);
	ret = *pid < 0 ? weft_err_sys(err, errno, "fork") :
			 wait_ready(fd[0], *pid, unable, err);
	close(fd[0]);
	return ret;
}

/**
 * companion_signals() - block the signals that end the work
 * @err: error
 *
 * Return: a file that is readable when one came, or negative errno.
 */
int companion_signals(struct weft_err *err)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	return fd < 0 ? weft_err_sys(err, errno, "signals") : fd;
}

/**
 * companion_ready() - tell the parent that the child is ready
 * @ready: passed to companion_fn; -1 if no parent waits
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int companion_ready(int ready, struct weft_err *err)
{
	if (ready < 0 || write(ready, "", 1) == 1)
		return 0;
	return weft_err_sys(err, errno, "parent");
}

/**
 * companion_stop() - end the child with SIGTERM, and wait for it
 * @pid: of companion_start(); 0 for none
 *
 * Return: 0, or -1 if the child failed; it has printed its error.
 */
int companion_stop(pid_t pid)
{
	int status = 0;

	if (!pid)
		return 0;
	kill(pid, SIGTERM);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status ? -1 : 0;
}
