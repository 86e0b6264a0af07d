// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Starts the guest's kernel with the descriptors of proto.h.
 */
#define _GNU_SOURCE
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpu.h"
#include "fail.h"
#include "memory.h"
#include "options.h"
#include "progress.h"
#include "proto.h"
#include "request.h"
#include "terminal.h"

#define WORDS_MAX (VM_LIST_MAX + 35)

static char *text(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static char *text(const char *format, ...)
{
	va_list args;
	char *s;
	int n;

	va_start(args, format);
	n = vasprintf(&s, format, args);
	va_end(args);
	if (n < 0)
		fail("out of memory");
	return s;
}

/* Directory of the launcher, which also has its helper programs. */
static void own_dir(char *dir, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", dir, size - 1);
	char *slash;

	if (len < 0)
		fail("/proc/self/exe: %s", strerror(errno));
	dir[len] = '\0';
	slash = strrchr(dir, '/');
	if (slash)
		*slash = '\0';
}

static bool has_kernel(const char *dir)
{
	char *kernel = text("%s/linux", dir);
	bool found = !access(kernel, X_OK);

	free(kernel);
	return found;
}

/* Directory to which "make install" installs the kernel; NULL: there is none. */
static char *installed_dir(const char *self, const char *flavor)
{
	char *dir = text("%s/%s", self, flavor);

	if (has_kernel(dir))
		return dir;
	free(dir);
	return NULL;
}

/*
 * Directory that build.sh named when it was last called; NULL: there is none any more. To
 * call it again takes as long as the machine takes to boot.
 */
static char *made_dir(const char *self, const char *flavor)
{
	char *note = text("%s/kernel-%s", self, flavor), dir[PATH_MAX];
	FILE *f = fopen(note, "re");
	bool found = false;

	free(note);
	if (!f)
		return NULL;
	if (fgets(dir, sizeof(dir), f)) {
		dir[strcspn(dir, "\n")] = '\0';
		found = has_kernel(dir);
	}
	fclose(f);
	return found ? text("%s", dir) : NULL;
}

/* Get the directory from build.sh, which builds the kernel if there is none. */
static char *built_dir(const char *self, const char *flavor)
{
	static char dir[PATH_MAX];
	char command[PATH_MAX];
	FILE *p;

	snprintf(command, sizeof(command), "'%s/../../tools/vm/build.sh' %s",
		 self, flavor);
	p = strchr(self, '\'') ? NULL : popen(command, "re");
	if (!p || !fgets(dir, sizeof(dir), p) || pclose(p))
		fail("no kernel: give --vm-dir, or see the output of tools/vm/build.sh");
	dir[strcspn(dir, "\n")] = '\0';
	return dir;
}

static char *kernel_dir(const char *flavor)
{
	char self[PATH_MAX - 64], *dir;

	own_dir(self, sizeof(self));
	dir = installed_dir(self, flavor);
	if (!dir)
		dir = made_dir(self, flavor);
	return dir ? dir : built_dir(self, flavor);
}

static char *find_init(void)
{
	char self[PATH_MAX];
	char *init;

	own_dir(self, sizeof(self));
	init = text("%s/weft-vm-init", self);
	if (access(init, X_OK))
		fail("%s: %s", init, strerror(errno));
	return init;
}

static void build_words(char **words, const struct options *opt, const char *dir)
{
	int i, n = 0;

	words[n++] = text("%s/linux", dir);
	if (access(words[0], X_OK))
		fail("%s: %s", words[0], strerror(errno));
	words[n++] = text("mem=%s", opt->mem);
	words[n++] = text("memory_fd=%d", VM_FD_BASE + VM_FD_MEMORY);
	words[n++] = text("memory_used_fd=%d", VM_FD_BASE + VM_FD_USED);
	words[n++] = text("init=%s", find_init());
	words[n++] = text("hostfd=%d", VM_FD_BASE);
	words[n++] = "rootfstype=hostfs";
	words[n++] = "rootflags=/";
	words[n++] = "ro";
	words[n++] = "con=null";
	words[n++] = "con0=null";
	words[n++] = "uml_dir=none";
	words[n++] = "panic=-1";
	words[n++] = "noreboot";
	/* each host sees only its own devices; this cannot be changed later */
	words[n++] = "ib_core.netns_mode=0";
	/*
	 * Tables that Linux sizes by the memory, 6 MiB of it for names of files. Each 2 MiB that
	 * a boot writes to are a page that the host has to clear first.
	 */
	words[n++] = "dhash_entries=16384";
	words[n++] = "ihash_entries=8192";
	words[n++] = text("seed=%llu", opt->seed);
	if (!opt->real_clock) {
		words[n++] = "time-travel=inf-cpu";
		words[n++] = text("userspace=%s", opt->userspace);
		words[n++] = "time-travel-start=1700000000000000000";
		words[n++] = text("vclock_page=%d", VM_FD_BASE + VM_FD_PAGE);
		/*
		 * Receive buffers for management packets, of each of two queue pairs: by
		 * default 512, half a MiB for each port. Here the kernel handles a packet
		 * before the next one comes. Only those to itself come at one instant,
		 * and of them at most 128 are sent at a time.
		 */
		words[n++] = "ib_core.recv_queue_size=128";
	}
	for (i = 0; i < opt->kernel_count; i++)
		words[n++] = (char *)opt->kernel[i];
	words[n] = NULL;
}

static int open_log(const char *name)
{
	int fd;

	if (name)
		fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
	else
		fd = memfd_create("weft-vm-log", MFD_CLOEXEC);
	if (fd < 0)
		fail("%s: %s", name ? name : "log", strerror(errno));
	return fd;
}

static void make_pipe(int *ends)
{
	if (pipe2(ends, O_CLOEXEC))
		fail("pipe: %s", strerror(errno));
}

/*
 * Reading from a plain file or /dev/null never blocks, so the guest reads it directly.
 * Other input goes through a pipe of the launcher, as the guest would make the caller's
 * descriptor non-blocking.
 */
static int guest_stdin(struct machine *m)
{
	struct stat st;
	int ends[2];

	m->input = -1;
	if (fstat(0, &st))
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (S_ISREG(st.st_mode) || (S_ISCHR(st.st_mode) && !isatty(0)))
		return 0;
	make_pipe(ends);
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	m->input = ends[1];
	return ends[0];
}

/*
 * Another process may share a non-blocking descriptor. Open its file again, so that
 * neither changes the mode of the other.
 */
static int guest_output(int fd)
{
	int flags, again, piped = progress_output(fd);
	struct stat st;
	char path[32];

	if (piped >= 0)
		return piped;
	if (fstat(fd, &st))
		return open("/dev/null", O_WRONLY | O_CLOEXEC);
	flags = fcntl(fd, F_GETFL);
	if (S_ISREG(st.st_mode) || flags < 0 || !(flags & O_NONBLOCK))
		return fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return again < 0 ? fd : again;
}

static void place(const int *fds, int log)
{
	int high[VM_FD_COUNT], i;

	for (i = 0; i < VM_FD_COUNT; i++)
		high[i] = fcntl(fds[i], F_DUPFD, VM_FD_BASE + VM_FD_COUNT);
	for (i = 0; i < VM_FD_COUNT; i++) {
		dup2(high[i], VM_FD_BASE + i);
		close(high[i]);
	}
	dup2(log, 1);
	dup2(log, 2);
	dup2(open("/dev/null", O_RDONLY), 0);
}

static void pin(int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void child(char **words, const int *fds, int log, pid_t parent, int cpu)
{
	/* else each signal and each change of the process writes to what rseq() named */
	static char * const env[] = { "GLIBC_TUNABLES=glibc.pthread.rseq=0", NULL };
	const struct rlimit no_core = { 0, 0 };
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(VM_EXIT_FAILED);
	pin(cpu);
	setrlimit(RLIMIT_CORE, &no_core);
	personality(ADDR_NO_RANDOMIZE);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	place(fds, log);
	if (chdir("/"))
		_exit(VM_EXIT_FAILED);
	execve(words[0], words, env);
	dprintf(2, "%s: %s\n", words[0], strerror(errno));
	_exit(VM_EXIT_FAILED);
}

/**
 * machine_start() - boot a guest; exits on error
 * @m:		result
 * @opt:	the command line
 *
 * The host's kernel kills the guest when the launcher ends, even if that is killed.
 */
void machine_start(struct machine *m, const struct options *opt)
{
	int control[2], status[2], used[2], fds[VM_FD_COUNT];
	char *words[WORDS_MAX];
	pid_t self = getpid();
	const char *dir;
	int cpu;

	dir = opt->vm_dir ? opt->vm_dir : kernel_dir(opt->flavor);
	build_words(words, opt, dir);
	m->log = open_log(opt->log);
	make_pipe(control);
	make_pipe(status);
	make_pipe(used);
	fcntl(used[1], F_SETFL, O_NONBLOCK);
	fds[VM_FD_STDIN] = guest_stdin(m);
	fds[VM_FD_STDOUT] = guest_output(1);
	fds[VM_FD_STDERR] = guest_output(2);
	fds[VM_FD_CONTROL] = control[0];
	fds[VM_FD_STATUS] = status[1];
	fds[VM_FD_REQUEST] = request_make(opt, dir);
	fds[VM_FD_TERMINAL] = terminal_fd() < 0 ? fds[VM_FD_REQUEST] : guest_output(terminal_fd());
	fds[VM_FD_PAGE] = progress_page();
	fds[VM_FD_MEMORY] = memory_make();
	fds[VM_FD_USED] = used[1];
	cpu = cpu_claim();
	fflush(NULL);
	m->pid = fork();
	if (m->pid < 0)
		fail("fork: %s", strerror(errno));
	if (!m->pid)
		child(words, fds, m->log, self, cpu);
	progress_booted();
	close(control[0]);
	close(status[1]);
	close(fds[VM_FD_REQUEST]);
	close(used[1]);
	memory_ahead(fds[VM_FD_MEMORY], used[0]);
	if (m->input >= 0)
		close(fds[VM_FD_STDIN]);
	m->control = control[1];
	m->status = status[0];
	fcntl(m->status, F_SETFL, O_NONBLOCK);
}

/**
 * machine_show_log() - copy the end of the kernel's messages to standard error
 * @m:		the guest
 */
void machine_show_log(const struct machine *m)
{
	off_t end = lseek(m->log, 0, SEEK_END);
	off_t at = end > 8192 ? end - 8192 : 0;
	char buf[4096];
	ssize_t n;

	while ((n = pread(m->log, buf, sizeof(buf), at)) > 0) {
		fwrite(buf, 1, n, stderr);
		at += n;
	}
	fflush(stderr);
}
