// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file that is the guest's memory, in large pages where the host has them.
 *
 * Every process of the guest maps the memory, and each page that one of them has not
 * used yet is a fault of the host: 1 us to 13 us for 4 KiB, the same for 2 MiB. Files of
 * a tmpfs that is mounted with "huge=always" have large pages; other memory has them only
 * if an administrator changed the host's settings. To mount a file system needs a
 * privilege, which everybody has in a user namespace of their own.
 *
 * The host clears a page before it gives it out: some 0.1 ms for 2 MiB, but 5 ms where
 * the host is a guest whose own host has taken the memory back. A thread has that done
 * ahead of the guest's use, on another CPU.
 */
#define _GNU_SOURCE
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail.h"

/* more descriptors than the launcher has open, and an exit code */
#define FD_MAX 100

#define LARGE		(2ul << 20)	/* bytes of a large page */
#define BOOT		18		/* pages, the first ones, that a boot uses */
#define AHEAD_PART	8		/* as many pages ahead as this part of those in use */
#define AHEAD_MAX	16

/**
 * struct ahead - what the thread knows; pages are numbers in the file
 * @file: the memory
 * @used: the guest writes there the offset of each large page as it begins to use it
 * @count: pages that the guest uses
 * @last: the one that it began to use last
 * @next: the next one to fill
 */
static struct ahead {
	int file;
	int used;
	uint64_t count;
	uint64_t last;
	uint64_t next;
} ahead;

/* The mount has no place in any directory: it ends with the last of its files. */
static int mount_large(void)
{
	int fs = fsopen("tmpfs", FSOPEN_CLOEXEC), mnt = -1;

	if (fs >= 0 &&
	    !fsconfig(fs, FSCONFIG_SET_STRING, "huge", "always", 0) &&
	    !fsconfig(fs, FSCONFIG_SET_STRING, "size", "0", 0) &&
	    !fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		mnt = fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOATIME);
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
	/* the guest's kernel makes it as long as its memory is */
	if (fd < 0 || ftruncate(fd, BOOT * LARGE))
		fail("no memory for the machine");
	return fd;
}

static uint64_t goal(void)
{
	uint64_t part = ahead.count / AHEAD_PART;

	return ahead.last + (part < AHEAD_MAX ? part : AHEAD_MAX);
}

/*
 * The guest uses page @n. Mostly that is the one behind the last; where it is not, memory
 * begins to be used elsewhere, and how much is not known.
 */
static void note(uint64_t n)
{
	if (n <= ahead.last || n > ahead.last + AHEAD_MAX)
		ahead.next = UINT64_MAX;
	else if (ahead.next <= n || ahead.next > n + AHEAD_MAX)
		ahead.next = n + 1;
	ahead.last = n;
	ahead.count++;
}

/* Return: false at the end of the guest. */
static bool read_used(void)
{
	uint64_t offsets[64];
	ssize_t i, n = read(ahead.used, offsets, sizeof(offsets));

	for (i = 0; i < n / (ssize_t)sizeof(*offsets); i++)
		note(offsets[i] / LARGE);
	return n > 0 || (n < 0 && errno == EINTR);
}

/* Where the file ends before the page nothing is filled. */
static void fill(uint64_t n)
{
	void *page = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			  ahead.file, n * LARGE);

	if (page != MAP_FAILED)
		munmap(page, LARGE);
}

static void *run(void *unused)
{
	struct pollfd used = { .fd = ahead.used, .events = POLLIN };

	(void)unused;
	while (ahead.next < BOOT)
		fill(ahead.next++);
	for (;;) {
		bool more = ahead.next <= goal();

		if (poll(&used, 1, more ? 0 : -1) > 0) {
			if (!read_used())
				break;
		} else if (more) {
			fill(ahead.next++);
		}
	}
	close(ahead.file);
	close(ahead.used);
	return NULL;
}

/**
 * memory_ahead() - fill the memory ahead of its use until the guest ends; exits on error
 * @file:	what memory_make() returned
 * @used:	where the guest writes the offset of each large page as it begins to use it
 *
 * Both descriptors are the thread's from now on.
 */
void memory_ahead(int file, int used)
{
	sigset_t all, before;
	pthread_t thread;
	int err;

	ahead = (struct ahead){ .file = file, .used = used };
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&thread, NULL, run, NULL);
	if (err)
		fail("thread: %s", strerror(err));
	pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
