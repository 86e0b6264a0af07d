// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guest's file systems.
 *
 * The root is the host's, read-only. Directories where programs expect to write have an
 * overlay in memory, which is lost with the machine. The working directory, and the
 * directories of --rw, are the host's and writable.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init.h"

/* directory of the upper layers; the tmpfs on /run hides it */
#define LAYERS "/run"
#define MODULES "/lib/modules"

static void mount_or_die(const char *type, const char *dir, const char *data)
{
	if (mount(type, dir, type, 0, data))
		die("cannot mount", dir);
}

/**
 * mount_basics() - mount /dev and the kernel's file systems
 */
void mount_basics(void)
{
	if (mount("devtmpfs", "/dev", "devtmpfs", 0, NULL) && errno != EBUSY)
		_exit(1);
	mkdir("/dev/pts", 0755);
	mkdir("/dev/shm", 01777);
	mkdir("/dev/mqueue", 01777);
	mount("devpts", "/dev/pts", "devpts", 0, "mode=620,ptmxmode=666");
	mount("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777,size=100%");
	mount("mqueue", "/dev/mqueue", "mqueue", 0, NULL);
	if (symlink("/proc/self/fd", "/dev/fd") ||
	    symlink("/proc/self/fd/0", "/dev/stdin") ||
	    symlink("/proc/self/fd/1", "/dev/stdout") ||
	    symlink("/proc/self/fd/2", "/dev/stderr"))
		_exit(1);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	mount("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, NULL);
}

static void make_dirs(const char *path)
{
	char part[PATH_MAX];
	size_t i;

	for (i = 1; path[i - 1]; i++) {
		if (path[i] && path[i] != '/')
			continue;
		snprintf(part, sizeof(part), "%.*s", (int)i, path);
		if (mkdir(part, 0755) && errno != EEXIST && errno != EROFS)
			die("cannot make", part);
	}
}

/* Mount an overlay on @dir, or an empty tmpfs if the host's one is not readable. */
static void mount_layer(const char *dir, int n)
{
	char data[PATH_MAX + 128], upper[64], work[64];
	struct stat st;

	if (stat(dir, &st))
		return;
	if (access(dir, R_OK | X_OK)) {
		mount_or_die("tmpfs", dir, "mode=755");
		return;
	}
	snprintf(upper, sizeof(upper), LAYERS "/%d", n);
	snprintf(work, sizeof(work), LAYERS "/%d.work", n);
	if (mkdir(upper, 0755) || mkdir(work, 0755) ||
	    chmod(upper, st.st_mode & 07777))
		die("cannot make a layer for", dir);
	snprintf(data, sizeof(data), "lowerdir=%s,upperdir=%s,workdir=%s",
		 dir, upper, work);
	mount_or_die("overlay", dir, data);
}

static void mount_writable(const char *dir)
{
	if (!strcmp(dir, "/"))
		return;
	make_dirs(dir);
	mount_or_die("hostfs", dir, dir);
}

static const char *home(const struct request *rq)
{
	char **env;

	for (env = rq->env; *env; env++)
		if (!strncmp(*env, "HOME=/", 6) && (*env)[6])
			return *env + 5;
	return NULL;
}

/*
 * The modules of the guest's kernel are where modprobe looks for them. A host without any
 * kernel may lack the directory; then there is one in a layer.
 */
static void mount_modules(const char *from, int n)
{
	if (access(MODULES, F_OK)) {
		mount_layer("/lib", n);
		make_dirs(MODULES);
	}
	mount_or_die("hostfs", MODULES, from);
}

static void name_in_hosts(void)
{
	int fd = open("/etc/hosts", O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd < 0)
		return;
	dprintf(fd, "\n127.0.1.1 weft\n");
	close(fd);
}

/**
 * mount_files() - mount overlays and writable directories; enter the working directory
 * @rq:		the request
 */
void mount_files(const struct request *rq)
{
	static const char *const layered[] = { "/tmp", "/var", "/etc", "/root" };
	const char *own = home(rq);
	size_t i;
	int n = 0;

	mount_or_die("tmpfs", LAYERS, "mode=755,size=100%");
	for (i = 0; i < sizeof(layered) / sizeof(*layered); i++)
		mount_layer(layered[i], n++);
	if (own && strncmp(own, "/root", 5) && strncmp(own, "/tmp", 4) &&
	    strncmp(own, "/var", 4))
		mount_layer(own, n++);
	if (rq->modules)
		mount_modules(rq->modules, n);
	mount_or_die("tmpfs", "/run", "mode=755,size=100%");
	if (mkdir("/run/lock", 01777) || mkdir("/run/netns", 0755))
		die("cannot fill", "/run");
	name_in_hosts();
	for (i = 0; i < (size_t)rq->rw_count; i++)
		mount_writable(rq->rw[i]);
	mount_writable(rq->cwd);
	if (chdir(rq->cwd))
		die("cannot go to", rq->cwd);
}
