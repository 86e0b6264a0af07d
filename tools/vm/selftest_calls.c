// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests system calls from places whose instructions the machine may replace, a thousand
 * times each:
 *   - registers, flags, the red zone below the stack pointer and vectors do not change;
 *   - after a signal, a call is restarted or not, as in Linux;
 *   - a jump to the syscall instruction works;
 *   - bytes that only look like such a place are not replaced;
 *   - an argument that is a constant may be what comes last before the call;
 *   - one place can make any call, with six arguments;
 *   - read() of the C library works with and without threads.
 * Prints a line for each; exit code 1 if there was an error. With an argument it runs only
 * the first test and prints nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "selftest_twice.h"

#define CALLS		1000
#define HANDLED_US	1000
#define WRITTEN_US	5000
#define PAGE		4096
#define PAGES		16

#define CARRY_AND_SIGN	0x81ULL
#define NAME(x)		#x
#define NUMBER(x)	NAME(x)

/* State after a call; the code of call_keeps() has the offsets. */
struct kept {
	uint64_t value;
	uint64_t rbx, rdx, r8, r12, r15, flags, zone;
	uint64_t vector[2];
};

/*
 * long call_keeps(struct kept *k) - getppid() with known values in all that must not change
 * long call_read(int fd, void *to, long bytes) - read()
 * long call_behind(long nr) - any call, by a jump to the syscall of call_read()
 * long call_decoy(uint64_t *to) - getppid(); bytes before it look like its number
 * long call_last(void) - getpgid() of a process that is not there
 * long call_last_decoy(uint64_t *old) - which signals are blocked; what comes last is longer
 *	than it looks
 */
long call_keeps(struct kept *k);
long call_read(int fd, void *to, long bytes);
long call_behind(long nr);
long call_decoy(uint64_t *to);
long call_last(void);
long call_last_decoy(uint64_t *old);

asm("	.text\n"
	"call_keeps:\n"
	"	pushq	%rbx\n"
	"	pushq	%r12\n"
	"	pushq	%r15\n"
	"	movq	%rdi, %r9\n"
	"	movq	$0x1111, %rbx\n"
	"	movq	$0x2222, %rdx\n"
	"	movq	$0x3333, %r8\n"
	"	movq	$0x4444, %r12\n"
	"	movq	$0x5555, %r15\n"
	"	movq	$0x6666, -8(%rsp)\n"
	"	movq	%rbx, %xmm7\n"
	"	movq	%r15, %xmm8\n"
	"	movb	$0x81, %ah\n"
	"	sahf\n"
	"	movl	$" NUMBER(SYS_getppid) ", %eax\n"
	"	syscall\n"
	"	movq	%rax, (%r9)\n"
	"	movq	%rbx, 8(%r9)\n"
	"	movq	%rdx, 16(%r9)\n"
	"	movq	%r8, 24(%r9)\n"
	"	movq	%r12, 32(%r9)\n"
	"	movq	%r15, 40(%r9)\n"
	"	lahf\n"
	"	movzbl	%ah, %eax\n"
	"	movq	%rax, 48(%r9)\n"
	"	movq	-8(%rsp), %rax\n"
	"	movq	%rax, 56(%r9)\n"
	"	movq	%xmm7, 64(%r9)\n"
	"	movq	%xmm8, 72(%r9)\n"
	"	movq	(%r9), %rax\n"
	"	popq	%r15\n"
	"	popq	%r12\n"
	"	popq	%rbx\n"
	"	ret\n"
	"call_read:\n"
	"	movl	$" NUMBER(SYS_read) ", %eax\n"
	"call_syscall:\n"
	"	syscall\n"
	"	ret\n"
	"call_behind:\n"
	"	movq	%rdi, %rax\n"
	"	jmp	call_syscall\n"
	"call_decoy:\n"
	"	subq	$0x100, %rsp\n"
	"	movl	$0, -0x48(%rsp)\n"
	"	movl	$" NUMBER(SYS_getppid) ", %eax\n"
	/* its last bytes are 0xb8, the offset of the operand, and the number */
	"	movl	$" NUMBER(SYS_getppid) ", -0x48(%rsp)\n"
	"	syscall\n"
	"	movl	-0x48(%rsp), %ecx\n"
	"	movq	%rcx, (%rdi)\n"
	"	addq	$0x100, %rsp\n"
	"	ret\n"
	"call_last:\n"
	"	movl	$0, %edi\n"
	"	movl	$" NUMBER(SYS_getpgid) ", %eax\n"
	"	movq	%rdi, %rsi\n"
	"	movl	$0x7ffffffe, %edi\n"
	"	syscall\n"
	"	ret\n"
	"call_last_decoy:\n"
	"	movl	$" NUMBER(SYS_rt_sigprocmask) ", %eax\n"
	"	movq	%rdi, %rdx\n"
	"	xorl	%edi, %edi\n"
	"	xorl	%esi, %esi\n"
	"	xorl	%r10d, %r10d\n"
	/* the same with another register, behind a prefix */
	"	movl	$8, %r10d\n"
	"	syscall\n"
	"	ret\n");

static volatile sig_atomic_t handled;

static void handle(int sig)
{
	(void)sig;
	handled++;
}

static int keeps(void)
{
	const struct kept want = {
		.value = getppid(), .rbx = 0x1111, .rdx = 0x2222, .r8 = 0x3333,
		.r12 = 0x4444, .r15 = 0x5555, .flags = CARRY_AND_SIGN | 2,
		.zone = 0x6666, .vector = { 0x1111, 0x5555 },
	};
	struct kept k;
	int i, wrong = 0;

	for (i = 0; i < CALLS; i++) {
		memset(&k, 0, sizeof(k));
		call_keeps(&k);
		wrong += !!memcmp(&k, &want, sizeof(k));
	}
	return wrong;
}

/* A signal arrives while a call from a replaced place waits. */
static int interrupted(int flags, long want)
{
	const struct itimerval soon = { .it_value.tv_usec = HANDLED_US };
	struct sigaction act = { .sa_handler = handle, .sa_flags = flags };
	int fd[2], i, wrong = 0;
	char c = 0;

	if (pipe(fd) || sigaction(SIGALRM, &act, NULL))
		return 1;
	for (i = 0; i < CALLS; i++)
		wrong += call_read(fd[0], &c, 0) != 0;
	handled = 0;
	if (!fork()) {
		usleep(WRITTEN_US);
		_exit(write(fd[1], "x", 1) != 1);
	}
	setitimer(ITIMER_REAL, &soon, NULL);
	wrong += call_read(fd[0], &c, 1) != want;
	wrong += handled != 1 || c != (want == 1 ? 'x' : 0);
	wait(NULL);
	close(fd[0]);
	close(fd[1]);
	return wrong;
}

static int restarted(void)
{
	return interrupted(SA_RESTART, 1);
}

static int ended(void)
{
	return interrupted(0, -EINTR);
}

static int behind(void)
{
	int i, wrong = 0;

	for (i = 0; i < CALLS; i++)
		wrong += call_behind(SYS_getpid) != getpid();
	return wrong;
}

static int decoy(void)
{
	int i, wrong = 0;
	uint64_t got;

	for (i = 0; i < CALLS; i++) {
		wrong += call_decoy(&got) != getppid();
		wrong += got != SYS_getppid;
	}
	return wrong;
}

static int last(void)
{
	uint64_t old;
	int i, wrong = 0;

	for (i = 0; i < CALLS; i++) {
		wrong += call_last() != -ESRCH;
		old = ~0ULL;
		wrong += call_last_decoy(&old) != 0 || old;
	}
	return wrong;
}

/* syscall() of the C library: the caller gives the number; one argument is on the stack. */
static int any(void)
{
	char page[PAGE];
	int fd, i, wrong = 0;
	long got;

	fd = syscall(SYS_memfd_create, "pages", 0);
	for (i = 0; i < PAGES; i++) {
		memset(page, i, sizeof(page));
		wrong += write(fd, page, sizeof(page)) != sizeof(page);
	}
	for (i = 0; i < CALLS; i++) {
		got = syscall(SYS_mmap, NULL, PAGE, PROT_READ, MAP_PRIVATE, fd,
			      (long)PAGE * (i % PAGES));
		if (got == -1)
			return wrong + 1;
		wrong += *(const char *)got != i % PAGES;
		wrong += syscall(SYS_getppid) != getppid();
		wrong += syscall(SYS_munmap, got, PAGE) != 0;
		wrong += syscall(SYS_munmap, 1, PAGE) != -1 || errno != EINVAL;
	}
	return wrong + close(fd);
}

/* Send CALLS bytes through a pipe; the number of read() is 0. */
static int piped(void)
{
	unsigned char c;
	int fd[2], i, wrong;

	wrong = pipe(fd) != 0;
	for (i = 0; i < CALLS; i++) {
		c = i;
		wrong += write(fd[1], &c, 1) != 1;
		c = ~i;
		wrong += read(fd[0], &c, 1) != 1 || c != (i & 0xff);
	}
	wrong += read(-1, &c, 1) != -1 || errno != EBADF;
	return wrong + (close(fd[0]) || close(fd[1]));
}

static void *other(void *wrong)
{
	*(int *)wrong += piped();
	return NULL;
}

/* With threads, read() is a cancellation point and makes its call from another place. */
static int threads(void)
{
	int wrong = 0, others = 0;
	pthread_t thread;

	if (pthread_create(&thread, NULL, other, &others))
		return 1;
	wrong += piped();
	wrong += pthread_join(thread, NULL) != 0;
	return wrong + others;
}

static const struct {
	const char *name;
	int (*run)(void);
} all[] = {
	{ "keeps", keeps }, { "restarted", restarted }, { "ended", ended },
	{ "behind", behind }, { "decoy", decoy }, { "last", last }, { "any", any },
	{ "read", piped }, { "threads", threads },
	{ NULL, NULL },
};

static int try_all(void)
{
	int i, one, wrong = 0;

	for (i = 0; all[i].name; i++) {
		one = all[i].run();
		printf("%s %d\n", all[i].name, one);
		fflush(stdout);
		wrong += one;
	}
	return wrong;
}

int main(int argc, char **argv)
{
	(void)argv;
	return argc > 1 ? keeps() : selftest_twice(try_all);
}
