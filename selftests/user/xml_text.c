// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text in XML: any bytes make a document that can be read.
 */
#include "base/xml_text.h"

#include <stdlib.h>
#include <string.h>

#include "ktap.h"

static void expect_xml(const char *text, const char *want)
{
	struct weft_strbuf out = { 0 };
	struct weft_err err;
	char *got;

	weft_xml_text(&out, text);
	EXPECT_EQ(weft_strbuf_take(&out, &got, &err), 0);
	if (strcmp(got, want))
		ktap_fail(__FILE__, __LINE__, "\"%s\": \"%s\", not \"%s\"", text,
			  got, want);
	free(got);
}

TEST(markup)
{
	expect_xml("", "");
	expect_xml("a<b>&\"c\"]]>'", "a&lt;b&gt;&amp;&quot;c&quot;]]&gt;'");
	expect_xml("a\tb\n\x01\x7f", "a?b???");
}

/* Two, three and four bytes; the first and the last of each. */
TEST(utf8)
{
	expect_xml("ü€😀", "ü€😀");
	expect_xml("\xc2\x80\xdf\xbf", "\xc2\x80\xdf\xbf");
	expect_xml("\xe0\xa0\x80\xef\xbf\xbd", "\xe0\xa0\x80\xef\xbf\xbd");
	expect_xml("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
		   "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}

/* Cut, too long for what it says, a surrogate, none at all. */
TEST(no_utf8)
{
	expect_xml("a\xc3", "a?");
	expect_xml("\xe2\x82", "??");
	expect_xml("\xe2\x82<", "??&lt;");
	expect_xml("\xc0\xaf\xe0\x80\xaf", "?????");
	expect_xml("\xed\xa0\x80", "???");
	expect_xml("\xef\xbf\xbf", "???");
	expect_xml("\xf4\x90\x80\x80\xff\x80", "??????");
}
