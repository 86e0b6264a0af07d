// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names and ranges of names.
 */
#include "base/names.h"

#include <string.h>

#include "ktap.h"

/* @want: the names with a blank between, NULL for an error */
static void expand(const char *pattern, const char *want)
{
	struct weft_names names;
	struct weft_err err;
	char got[256] = "";
	int ret;

	ret = weft_names_expand(&names, pattern, &err);
	for (size_t i = 0; !ret && i < names.n; i++) {
		strcat(got, i ? " " : "");
		strcat(got, names.name[i]);
	}
	weft_names_free(&names);
	if (!ret == !want || (want && strcmp(got, want)))
		ktap_fail(__FILE__, __LINE__, "\"%s\": %s", pattern,
			  ret ? err.msg : got);
}

TEST(ranges)
{
	expand("leaf", "leaf");
	expand("host[0-2]", "host0 host1 host2");
	expand("h[1,3-4,9]x", "h1x h3x h4x h9x");
	expand("n[08-10]", "n08 n09 n10");
	expand("r[0-1]-h[0-1]", "r0-h0 r0-h1 r1-h0 r1-h1");
	expand("[0-1]", "0 1");
}

TEST(bad_ranges)
{
	expand("host[0-]", NULL);
	expand("host[3-1]", NULL);
	expand("host[0-1", NULL);
	expand("host0-1]", NULL);
	expand("host[]", NULL);
	expand("host[a-b]", NULL);
	expand("host[0-1]]", NULL);
	expand("host[0-99999]", NULL);
	expand("host[0-999][0-99]", NULL);
	expand("host[0-99999999999]", NULL);
	expand("host[0;1]", NULL);
}

TEST(bad_names)
{
	expand("", NULL);
	expand("-a", NULL);
	expand("a-", NULL);
	expand("a.b", NULL);
	expand("a/b", NULL);
	expand("..", NULL);
	expand("a b", NULL);
	expand("abcdefghijklmnopqrstuvwxyz", NULL);
}
