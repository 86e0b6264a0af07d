// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests memory that the machine maps late, in runs of pages, or with changed permissions:
 * its content and permissions are those of any Linux.
 *
 * Prints a line with the number of errors for each test; exit code 0 if there are none.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE	4096
#define PAGES	100
#define FRESH	8192	/* pages that two programs write */

static sigjmp_buf back;

/* Memory of the program's file: private, copied on write. */
static char data[PAGES * PAGE] = { 1 };

static void caught(int sig)
{
	siglongjmp(back, sig);
}

/* Does a write, or a read, at @p cause a signal? */
static int faults(volatile char *p, int write)
{
	if (sigsetjmp(back, 1))
		return 1;
	if (write)
		*p = 9;
	else
		(void)*p;
	return 0;
}

static char *map(int pages, int flags)
{
	return mmap(NULL, (size_t)pages * PAGE, PROT_READ | PROT_WRITE,
		    flags | MAP_ANONYMOUS, -1, 0);
}

/* Write a different value to each @step-th page. */
static void fill(char *p, int step, int first)
{
	int i;

	for (i = 0; i < PAGES; i += step)
		p[i * PAGE + i] = (char)(first + i);
}

static int wrong(const char *p, int step, int first)
{
	int i, n = 0;

	for (i = 0; i < PAGES; i++)
		n += p[i * PAGE + i] != (i % step ? 0 : (char)(first + i));
	return n;
}

static int exit_code(void)
{
	int status;

	wait(&status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Private memory is copied for a child and for its child; shared memory is not. */
static int try_fork(void)
{
	char *own = map(PAGES, MAP_PRIVATE), *shared = map(PAGES, MAP_SHARED), local = 5;
	int n = 0;

	fill(own, 3, 10);
	fill(data, 1, 20);
	fill(shared, 2, 30);
	if (!fork()) {
		n = wrong(own, 3, 10) + wrong(data, 1, 20) + wrong(shared, 2, 30) +
		    (local != 5);
		fill(own, 3, 40);
		local = 6;
		if (!fork()) {
			n = wrong(own, 3, 40) + wrong(data, 1, 20) + (local != 6);
			fill(own, 3, 50);
			fill(data, 1, 50);
			fill(shared, 2, 50);
			_exit(n > 0);
		}
		n += exit_code() + wrong(own, 3, 40) + wrong(data, 1, 20) +
		     wrong(shared, 2, 50);
		_exit(n > 0);
	}
	n = exit_code() + wrong(own, 3, 10) + wrong(data, 1, 20) + wrong(shared, 2, 50) +
	    (local != 5);
	fill(own, 3, 60);
	return n + wrong(own, 3, 60);
}

/* Permissions hold for pages that were present or not, in this process and a child. */
static int rights(char *p)
{
	int i, n = 0;

	for (i = 0; i < PAGES; i++) {
		int kind = i % 4;	/* 0 writable, 1 read-only, 2 no access, 3 writable again */

		n += faults(p + i * PAGE, 0) != (kind == 2);
		n += faults(p + i * PAGE + 1, 1) != (kind == 1 || kind == 2);
	}
	return n;
}

static int try_rights(void)
{
	char *p = map(PAGES, MAP_PRIVATE);
	int i, n;

	fill(p, 3, 10);
	mprotect(p, (size_t)PAGES * PAGE, PROT_READ);
	for (i = 0; i < PAGES; i++)
		if (i % 4 != 1)
			mprotect(p + i * PAGE, PAGE,
				 i % 4 == 2 ? PROT_NONE : PROT_READ | PROT_WRITE);
	if (!fork())
		_exit(rights(p) > 0);
	n = rights(p) + exit_code() + rights(p);
	mprotect(p, (size_t)PAGES * PAGE, PROT_READ);
	return n + wrong(p, 3, 10) + !faults(p, 1);
}

/* After mremap(), content is at the new address only; new mappings are zero. */
static int try_moved(void)
{
	char *p = map(PAGES, MAP_PRIVATE), *to = map(PAGES, MAP_PRIVATE), *q;
	const size_t size = (size_t)PAGES * PAGE;
	int n;

	fill(p, 2, 10);
	q = mremap(p, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	n = (q != to) + wrong(q, 2, 10) + !faults(p, 0);
	madvise(q, size, MADV_DONTNEED);
	n += wrong(q, 1000, 0);
	fill(q, 1, 20);
	if (mmap(q, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != q)
		n++;
	return n + wrong(q, 1000, 0);
}

/* A mapping longer than its file: the rest of the last page is zero, then reads fault. */
static int try_file(void)
{
	FILE *f = tmpfile();
	char *p = map(4, MAP_PRIVATE), *q;
	int n;

	memset(p, 7, 4 * PAGE);
	fwrite(p, 1, PAGE + 10, f);
	fflush(f);
	q = mmap(p, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
		 fileno(f), 0);
	n = (q != p) + (q[PAGE + 9] != 7) + (q[PAGE + 10] != 0) + !faults(q + 2 * PAGE, 0);
	q[0] = 1;
	q[PAGE] = 2;
	rewind(f);
	n += fgetc(f) != 7;
	fclose(f);
	return n;
}

/* Two programs, of which the second gets what the first wrote: both find zeros. */
static int try_zero(void)
{
	int i, n = 0, errors = 0;
	char *p, *end;

	for (i = 0; i < 2; i++) {
		if (fork()) {
			errors += exit_code();
			continue;
		}
		p = map(FRESH, MAP_PRIVATE);
		for (end = p + (size_t)FRESH * PAGE; p < end; p += PAGE) {
			p[PAGE - 1] = 0;	/* to read gives it no page of its own */
			n += memcmp(p, p + 1, PAGE - 1) != 0;
			memset(p, 0xff, PAGE);
		}
		_exit(n > 0);
	}
	return errors;
}

int main(void)
{
	static const struct {
		const char *name;
		int (*try)(void);
	} ways[] = {
		{ "fork", try_fork }, { "rights", try_rights }, { "moved", try_moved },
		{ "file", try_file }, { "zero", try_zero },
	};
	size_t i;
	int n, sum = 0;

	signal(SIGSEGV, caught);
	signal(SIGBUS, caught);
	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		n = ways[i].try();
		printf("%s %d\n", ways[i].name, n);
		fflush(stdout);
		sum += n;
	}
	return sum > 0;
}
