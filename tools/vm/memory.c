// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file that is the guest's memory, in large pages where the host has them.
 *
 * Every process of the guest maps the memory, and each page that one of them has not
 * used yet is a fault of the host: 1 us to 13 us for 4 KiB, the same for 2 MiB. Files of
 * a tmpfs that is mounted with "huge=always" have large pages; other memory has them only
 * if an administrator changed the host's settings. To mount a file system needs a
 * privilege, which everybody has in a user namespace of their own.
 */
#define _GNU_SOURCE
#include "memory.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail.h"

/* more descriptors than the launcher has open, and an exit code */
#define FD_MAX 100

/* The mount has no place in any directory: it ends with the last of its files. */
static int mount_large(void)
{
	int fs = fsopen("tmpfs", FSOPEN_CLOEXEC), mnt = -1;

	if (fs >= 0 &&
	    !fsconfig(fs, FSCONFIG_SET_STRING, "huge", "always", 0) &&
	    !fsconfig(fs, FSCONFIG_SET_STRING, "size", "0", 0) &&
	    !fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		mnt = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	close(fs);
	return mnt;
}

/*
 * In a process of its own, as it enters other namespaces. It shares the launcher's
 * descriptors, and its exit code is the one that it has added.
 */
static void child(void)
{
	int mnt = mount_large(), fd;

	if (mnt < 0 && !unshare(CLONE_NEWUSER | CLONE_NEWNS))
		mnt = mount_large();
	fd = openat(mnt, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	close(mnt);
	_exit(fd >= 0 && fd < FD_MAX ? fd : FD_MAX);
}

static int make_large(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, 0);
	int status;

	if (!pid)
		child();
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) >= FD_MAX)
		return -1;
	return WEXITSTATUS(status);
}

/**
 * memory_make() - make a file of memory; exits on error
 *
 * Return: its descriptor, which is closed on exec.
 */
int memory_make(void)
{
	int fd = make_large();

	if (fd < 0)
		fd = memfd_create("weft-vm-memory", MFD_CLOEXEC);
	if (fd < 0)
		fail("no memory for the machine");
	return fd;
}
