// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A JSON value is written whole or not at all, whichever allocation fails for it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "netlink/json.h"
#include "ktap.h"

static char *link_text(void)
{
	struct weft_link link = { .id = 3 };
	json_t *o = weft_json_link(&link);
	char *text = weft_json_text(o, JSON_COMPACT);

	json_decref(o);
	return text;
}

TEST(whole)
{
	char *all = link_text(), *text = NULL;
	long n;

	EXPECT(all);
	for (n = 0; all && !text && n < 10000; n++) {
		weft_json_fail_after(n);
		text = link_text();
	}
	weft_json_fail_after(-1);
	EXPECT(n > 20);
	EXPECT(text && !strcmp(text, all));
	free(text);
	free(all);
}

/* What was lost for one value is not said of the next. */
TEST(next)
{
	char *text;

	weft_json_fail_after(5);
	EXPECT(!link_text());
	weft_json_fail_after(0);
	EXPECT(!weft_json_text(json_object(), JSON_COMPACT));
	weft_json_fail_after(-1);
	text = link_text();
	EXPECT(text);
	free(text);
}
