// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run a command and kill it, with all that it started, at its N-th system call.
 *
 * usage: kill_at N COMMAND [ARGUMENT]...
 *
 * The call is not carried out. With N = 0, or where the command comes to its
 * end before, nothing is killed. The number of calls goes to standard error, and
 * the exit code is 137 after a kill, else the command's own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES_MAX	64
#define CALL_STOP	(SIGTRAP | 0x80)

/* Those that are traced, and whether each is inside of a call. */
static struct {
	pid_t pid;
	int inside;
} process[PROCESSES_MAX];

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static void start(char **argv)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		die("ptrace");
	raise(SIGSTOP);
	execvp(*argv, argv);
	die(*argv);
}

/* Its place in the table, a new one if need be. */
static unsigned int find(pid_t pid)
{
	unsigned int i = 0;

	while (process[i].pid && process[i].pid != pid)
		if (++i == PROCESSES_MAX) {
			errno = E2BIG;
			die("processes");
		}
	process[i].pid = pid;
	return i;
}

static void kill_all(void)
{
	for (unsigned int i = 0; i < PROCESSES_MAX && process[i].pid; i++)
		kill(process[i].pid, SIGKILL);
}

/* The signal that the process is to have when it goes on. */
static int handle_stop(pid_t pid, int status, unsigned long *calls)
{
	int sig = WSTOPSIG(status);
	unsigned int i = find(pid);

	if (sig == CALL_STOP) {
		process[i].inside = !process[i].inside;
		*calls += process[i].inside;
		return 0;
	}
	/* Its own events, and the stop that a new process begins with. */
	return sig == SIGTRAP || sig == SIGSTOP ? 0 : sig;
}

/* The exit code of the first process, once all have ended. */
static int follow(pid_t first, unsigned long at, unsigned long *calls)
{
	int status, code = 125;
	pid_t pid;

	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		if (pid == first && WIFEXITED(status))
			code = WEXITSTATUS(status);
		else if (pid == first && WIFSIGNALED(status))
			code = 128 + WTERMSIG(status);
		if (!WIFSTOPPED(status))
			continue;
		status = handle_stop(pid, status, calls);
		if (at && *calls >= at)
			kill_all();
		else
			ptrace(PTRACE_SYSCALL, pid, NULL, (long)status);
	}
	return code;
}

int main(int argc, char **argv)
{
	unsigned long calls = 0;
	int status, code;
	pid_t pid;

	if (argc < 3) {
		fputs("usage: kill_at N COMMAND [ARGUMENT]...\n", stderr);
		return 125;
	}
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid)
		start(argv + 2);
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		die("waitpid");
	if (ptrace(PTRACE_SETOPTIONS, pid, NULL,
		   PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL |
		   PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
		   PTRACE_O_TRACECLONE))
		die("ptrace");
	find(pid);
	ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
	code = follow(pid, strtoul(argv[1], NULL, 10), &calls);
	fprintf(stderr, "%lu\n", calls);
	return code;
}
