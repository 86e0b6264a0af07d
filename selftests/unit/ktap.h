/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tiny test harness: functions register themselves, results come as KTAP.
 */
#ifndef KTAP_H
#define KTAP_H

#include <stdio.h>

/**
 * struct ktap_test - one test
 */
struct ktap_test {
	/** @suite: its file */
	const char *suite;
	/** @name: its name */
	const char *name;
	/** @fn: the test */
	void (*fn)(void);
	/** @next: test registered before it */
	struct ktap_test *next;
};

void ktap_register(struct ktap_test *test);
void ktap_fail(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#define TEST(test_name)							\
static void test_##test_name(void);					\
static struct ktap_test ktap_##test_name = {				\
	.suite = __FILE__, .name = #test_name, .fn = test_##test_name,	\
};									\
__attribute__((constructor)) static void reg_##test_name(void)		\
{									\
	ktap_register(&ktap_##test_name);				\
}									\
static void test_##test_name(void)

#define EXPECT(cond)							\
	do {								\
		if (!(cond))						\
			ktap_fail(__FILE__, __LINE__, "%s", #cond);	\
	} while (0)

#define EXPECT_EQ(got, want)						\
	do {								\
		unsigned long long got_ = (got), want_ = (want);	\
									\
		if (got_ != want_)					\
			ktap_fail(__FILE__, __LINE__,			\
				  "%s is %llu, want %s = %llu", #got,	\
				  got_, #want, want_);			\
	} while (0)

/* |got - want| <= by, all of them numbers that fit a double exactly */
#define EXPECT_NEAR(got, want, by)					\
	do {								\
		double got_ = (got), want_ = (want), by_ = (by);	\
									\
		if (!(got_ >= want_ - by_ && got_ <= want_ + by_))	\
			ktap_fail(__FILE__, __LINE__,			\
				  "%s is %.9g, want %s = %.9g +- %.3g",	\
				  #got, got_, #want, want_, by_);	\
	} while (0)

#define EXPECT_NULL_STR(str)						\
	do {								\
		const char *str_ = (str);				\
									\
		if (str_)						\
			ktap_fail(__FILE__, __LINE__, "%s: %s", #str, str_); \
	} while (0)

#endif
