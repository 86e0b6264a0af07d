// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Distributions as SVG. An area has 420 * 260 pixels behind 60 on the left and above. A value
 * v is at 60 + 420 (v - from) / (to - from), or the same of its logarithm; a share s at
 * 60 + 260 (1 - s).
 */
#include "draw/draw_cdf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ktap.h"

static void label(char *buf, size_t len, double value)
{
	snprintf(buf, len, "<%g>", value);
}

/* The picture of one curve, to be freed. */
static char *picture(double *value, unsigned int n)
{
	const struct weft_cdf_curve curve = { "a & b", n, value };
	const struct weft_cdf plot = { "axis", label, 1, &curve };
	struct weft_strbuf out = { 0 };
	struct weft_err err = { 0 };
	char *text;

	weft_draw_cdf(&out, "t", &plot, 1);
	EXPECT_EQ(weft_strbuf_take(&out, &text, &err), 0);
	return text;
}

static void expect_curve(double *value, unsigned int n, const char *tick, const char *path)
{
	char *text = picture(value, n);

	if (!strstr(text, path) || !strstr(text, tick))
		ktap_fail(__FILE__, __LINE__, "expected \"%s\" and \"%s\" in %s", tick, path, text);
	EXPECT(strstr(text, "data-name=\"a &amp; b\""));
	free(text);
}

TEST(cdf_linear)
{
	double value[] = { 1, 2, 4 }, same[] = { 5, 5 };

	expect_curve(value, 3, "y=\"338.0\">&lt;5&gt;<",
		     " d=\"M60.0 320.0H60.0V233.3H165.0V146.7H375.0V60.0\"");
	/* All are alike: a hundredth is left between 5 and the end. */
	expect_curve(same, 2, ">&lt;5.005&gt;<", " d=\"M60.0 320.0H60.0V190.0H60.0V60.0\"");
}

TEST(cdf_logarithmic)
{
	double value[] = { 1, 1000 };

	expect_curve(value, 2, ">&lt;100&gt;<", " d=\"M60.0 320.0H60.0V190.0H480.0V60.0\"");
}

/* No more steps than pixels; the last one is the largest value. */
TEST(cdf_many)
{
	static double value[6000];
	unsigned int steps = 0;
	char *text, *path;

	for (unsigned int i = 0; i < 6000; i++)
		value[i] = i + 1;
	text = picture(value, 6000);
	EXPECT(strstr(text, "data-n=\"6000\" data-least=\"1\" data-most=\"6000\""));
	path = strstr(text, "data-most");
	EXPECT(path);
	for (char *at = path; at && *at != '>'; at++)
		steps += *at == 'H';
	EXPECT_EQ(steps, 600);
	free(text);
}
