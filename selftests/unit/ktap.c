// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The harness's main: runs all tests, or those whose name contains argv[1], or
 * for an argv[1] of "2/4" the second quarter of them.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ktap.h"

#define KTAP_LINES_MAX	10	/* messages of one test */

static struct {
	struct ktap_test *tests;
	unsigned int n;
	unsigned int failures;
} ktap;

/**
 * ktap_register() - add a test
 * @test: the test
 */
void ktap_register(struct ktap_test *test)
{
	test->next = ktap.tests;
	ktap.tests = test;
	ktap.n++;
}

/**
 * ktap_fail() - mark the running test as failed, and say why
 * @file: where
 * @line: where
 * @fmt: why, in the manner of printf
 */
void ktap_fail(const char *file, int line, const char *fmt, ...)
{
	va_list args;

	if (ktap.failures++ >= KTAP_LINES_MAX)
		return;
	printf("# %s:%d: ", file, line);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
}

static int ktap_order(const void *a, const void *b)
{
	const struct ktap_test *const *x = a, *const *y = b;
	int order = strcmp((*x)->suite, (*y)->suite);

	return order ? order : strcmp((*x)->name, (*y)->name);
}

static unsigned int ktap_collect(struct ktap_test **list, const char *filter)
{
	struct ktap_test *test;
	unsigned int n = 0;

	for (test = ktap.tests; test; test = test->next) {
		if (filter && !strstr(test->name, filter) &&
		    !strstr(test->suite, filter))
			continue;
		list[n++] = test;
	}
	qsort(list, n, sizeof(*list), ktap_order);
	return n;
}

/*
 * Keep each @parts-th test, from the @part-th one on. So neighbours, which are similar
 * and take similar time, are spread over the parts.
 */
static unsigned int ktap_share(struct ktap_test **list, unsigned int n,
			       unsigned int part, unsigned int parts)
{
	unsigned int kept = 0, i;

	for (i = part - 1; i < n; i += parts)
		list[kept++] = list[i];
	return kept;
}

static unsigned int ktap_chosen(struct ktap_test **list, const char *arg)
{
	unsigned int part, parts;
	char end;

	if (!arg || sscanf(arg, "%u/%u%c", &part, &parts, &end) != 2 ||
	    !part || part > parts)
		return ktap_collect(list, arg);
	return ktap_share(list, ktap_collect(list, NULL), part, parts);
}

static unsigned int ktap_run(const struct ktap_test *test, unsigned int number)
{
	int len = strcspn(test->suite, ".");

	ktap.failures = 0;
	test->fn();
	printf("%sok %u %.*s.%s\n", ktap.failures ? "not " : "", number, len,
	       test->suite, test->name);
	fflush(stdout);
	return !!ktap.failures;
}

int main(int argc, char **argv)
{
	struct ktap_test **list = calloc(ktap.n + 1, sizeof(*list));
	unsigned int n, failed = 0, i;

	if (!list)
		abort();
	n = ktap_chosen(list, argc > 1 ? argv[1] : NULL);
	printf("KTAP version 1\n1..%u\n", n);
	for (i = 0; i < n; i++)
		failed += ktap_run(list[i], i + 1);
	printf("# Totals: pass:%u fail:%u xfail:0 xpass:0 skip:0 error:0\n",
	       n - failed, failed);
	free(list);
	return failed ? 1 : 0;
}
