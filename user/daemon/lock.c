// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One daemon at a time: it holds a lock on the file with its pid while it runs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon.h"
#include "service/control.h"

/* Is the open file still the one with that name? */
static bool is_current(int fd)
{
	struct stat mine, there;

	return !fstat(fd, &mine) && !stat(WEFT_CONTROL_LOCK, &there) &&
	       mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

static int taken(int fd, struct weft_err *err)
{
	char text[16] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) < 0)
		*text = '\0';
	return weft_err_set(err, WEFT_ERR_USAGE, -EBUSY,
			    "weftd runs already (pid %d): `weft daemon stop` ends it",
			    atoi(text));
}

/* A daemon that ends removes the file before it unlocks it: then try again. */
static int open_locked(int *fd, struct weft_err *err)
{
	do {
		*fd = open(WEFT_CONTROL_LOCK, O_RDWR | O_CREAT | O_CLOEXEC,
			   0644);
		if (*fd < 0)
			return weft_err_sys(err, errno, "open %s (are you root?)",
					    WEFT_CONTROL_LOCK);
		if (flock(*fd, LOCK_EX | LOCK_NB)) {
			taken(*fd, err);
			close(*fd);
			return err->code;
		}
		if (is_current(*fd))
			return 0;
		close(*fd);
	} while (true);
}

/**
 * lock_take() - take the lock of the daemon
 * @fd: result, the locked file
 * @err: error
 *
 * Return: 0 or negative errno; -EBUSY if another daemon runs.
 */
int lock_take(int *fd, struct weft_err *err)
{
	if (mkdir(WEFT_RUN_DIR, 0755) && errno != EEXIST)
		return weft_err_sys(err, errno, "create %s (are you root?)",
				    WEFT_RUN_DIR);
	if (open_locked(fd, err))
		return err->code;
	if (ftruncate(*fd, 0) || dprintf(*fd, "%d\n", (int)getpid()) < 0) {
		weft_err_sys(err, errno, "write %s", WEFT_CONTROL_LOCK);
		lock_give(*fd);
		return err->code;
	}
	return 0;
}

/**
 * lock_give() - release the lock of the daemon
 * @fd: descriptor from lock_take()
 */
void lock_give(int fd)
{
	unlink(WEFT_CONTROL_LOCK);
	close(fd);
}
