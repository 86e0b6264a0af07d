// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Distributions as SVG that needs no script, font or other file: plots side by side.
 *
 * A curve is a staircase: at each value it rises by that value's share. One of many values
 * has as many steps as there are pixels to see them. The axis is logarithmic, unless the
 * largest value is less than eight times the smallest.
 */
#include "draw/draw_cdf.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/xml_text.h"

#define WIDTH		420.0	/* of the area of a plot */
#define HEIGHT		260.0
#define LEFT		60.0	/* around it */
#define RIGHT		20.0
#define TOP		60.0
#define BELOW		50.0
#define LINE		20.0	/* of the legend */
#define STEPS		600U	/* of a curve */
#define LOG_FROM	8.0
#define TICKS		5.0	/* of an axis that is not logarithmic, about */
#define COLOURS		6U

static const char style[] =
	"<style>\n"
	"text{font:11px 'DejaVu Sans',Verdana,sans-serif;fill:#1f2328;text-anchor:middle}\n"
	"text.left{text-anchor:start}\n"
	"text.right{text-anchor:end}\n"
	"text.title{font-size:18px;font-weight:bold;text-anchor:start}\n"
	".back{fill:#ffffff}\n"
	".grid{stroke:#d5dae0;fill:none}\n"
	".curve{fill:none;stroke-width:2}\n"
	".c0{stroke:#2673b8}.c1{stroke:#b86a00}.c2{stroke:#4b9a2c}\n"
	".c3{stroke:#8a56b8}.c4{stroke:#b83a4b}.c5{stroke:#5d6875}\n"
	"@media(prefers-color-scheme:dark){\n"
	"text{fill:#e2e6ea}\n"
	".back{fill:#15181c}\n"
	".grid{stroke:#333a42}\n"
	".c0{stroke:#5aa6e8}.c1{stroke:#e0a04a}.c2{stroke:#7cc95c}\n"
	".c3{stroke:#b98ae0}.c4{stroke:#e87a88}.c5{stroke:#9aa5b1}\n"
	"}\n"
	"</style>\n";

/**
 * struct axis - the axis of values
 * @log: it is logarithmic
 * @from: its left end, or the logarithm of it
 * @to: its right end
 * @step: from a tick to the next
 */
struct axis {
	bool log;
	double from;
	double to;
	double step;
};

/* 1, 2 or 5 times a power of ten, at least @least. */
static double round_step(double least)
{
	double ten = pow(10, floor(log10(least)));

	if (least <= ten)
		return ten;
	return least <= 2 * ten ? 2 * ten : least <= 5 * ten ? 5 * ten : 10 * ten;
}

static struct axis axis_of(const struct weft_cdf *p)
{
	double least = p->curve[0].value[0], most = least;
	struct axis a = { .step = 1 };

	for (unsigned int i = 0; i < p->curves; i++) {
		least = fmin(least, p->curve[i].value[0]);
		most = fmax(most, p->curve[i].value[p->curve[i].n - 1]);
	}
	a.log = most >= LOG_FROM * least;
	if (a.log) {
		a.from = floor(log10(least));
		a.to = ceil(log10(most));
		return a;
	}
	a.step = round_step(fmax((most - least) / TICKS, most / 1000));
	a.from = floor(least / a.step) * a.step;
	a.to = (floor(most / a.step) + 1) * a.step;
	return a;
}

static double x_of(const struct axis *a, double value)
{
	double at = a->log ? log10(value) : value;

	return LEFT + (at - a->from) / (a->to - a->from) * WIDTH;
}

static double y_of(double share)
{
	return TOP + (1 - share) * HEIGHT;
}

static void put_text(struct weft_strbuf *out, const char *class, double x, double y,
		     const char *text)
{
	weft_strbuf_addf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
	weft_xml_text(out, text);
	weft_strbuf_add(out, "</text>\n");
}

static void put_axes(struct weft_strbuf *out, const struct weft_cdf *p, const struct axis *a)
{
	unsigned int ticks = (unsigned int)lround((a->to - a->from) / a->step);
	char text[64];

	for (unsigned int i = 0; i <= ticks; i++) {
		double at = a->from + i * a->step, value = a->log ? pow(10, at) : at;
		double x = x_of(a, value);

		weft_strbuf_addf(out, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", x, TOP,
				 TOP + HEIGHT);
		p->label(text, sizeof(text), value);
		put_text(out, "tick", x, TOP + HEIGHT + 18, text);
	}
	for (unsigned int i = 0; i <= 4; i++) {
		weft_strbuf_addf(out, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", LEFT,
				 y_of(i / 4.0), LEFT + WIDTH);
		weft_strbuf_addf(out, "<text class=\"right\" x=\"%.1f\" y=\"%.1f\">%u %%</text>\n",
				 LEFT - 8, y_of(i / 4.0) + 4, i * 25);
	}
	put_text(out, "tick", LEFT + WIDTH / 2, TOP + HEIGHT + 38, p->axis);
}

static void put_curve(struct weft_strbuf *out, const struct axis *a,
		      const struct weft_cdf_curve *c, unsigned int number)
{
	unsigned int steps = c->n < STEPS ? c->n : STEPS;

	weft_strbuf_addf(out, "<path class=\"curve c%u\" data-name=\"", number % COLOURS);
	weft_xml_text(out, c->name);
	weft_strbuf_addf(out, "\" data-n=\"%u\" data-least=\"%.17g\" data-most=\"%.17g\"", c->n,
			 c->value[0], c->value[c->n - 1]);
	weft_strbuf_addf(out, " d=\"M%.1f %.1f", x_of(a, c->value[0]), y_of(0));
	for (unsigned int i = 1; i <= steps; i++) {
		/* The least value that so large a share does not exceed. */
		size_t rank = ((size_t)i * c->n + steps - 1) / steps;

		weft_strbuf_addf(out, "H%.1fV%.1f", x_of(a, c->value[rank - 1]),
				 y_of((double)rank / c->n));
	}
	weft_strbuf_add(out, "\"/>\n");
}

static void put_legend(struct weft_strbuf *out, const struct weft_cdf_curve *c,
		       unsigned int number)
{
	double y = TOP + HEIGHT + BELOW + number * LINE;

	weft_strbuf_addf(out, "<path class=\"curve c%u\" d=\"M%.1f %.1fh24\"/>", number % COLOURS,
			 LEFT, y);
	weft_strbuf_addf(out, "<text class=\"left\" x=\"%.1f\" y=\"%.1f\">", LEFT + 32, y + 4);
	weft_xml_text(out, c->name);
	weft_strbuf_addf(out, " (%u)</text>\n", c->n);
}

static void put_plot(struct weft_strbuf *out, const struct weft_cdf *p)
{
	struct axis a = axis_of(p);

	put_axes(out, p, &a);
	for (unsigned int i = 0; i < p->curves; i++) {
		put_curve(out, &a, &p->curve[i], i);
		put_legend(out, &p->curve[i], i);
	}
}

/**
 * weft_draw_cdf() - write distributions as SVG
 * @out: it is added to this
 * @title: above them
 * @plot: the plots, from left to right
 * @plots: how many
 */
void weft_draw_cdf(struct weft_strbuf *out, const char *title, const struct weft_cdf *plot,
		   unsigned int plots)
{
	double each = LEFT + WIDTH + RIGHT, height = TOP + HEIGHT + BELOW;
	unsigned int lines = 0;

	for (unsigned int i = 0; i < plots; i++)
		lines = plot[i].curves > lines ? plot[i].curves : lines;
	height += lines * LINE;
	weft_strbuf_addf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\"",
			 plots * each, height);
	weft_strbuf_addf(out, " width=\"%.0f\" height=\"%.0f\">\n<title>", plots * each, height);
	weft_xml_text(out, title);
	weft_strbuf_addf(out, "</title>\n%s", style);
	weft_strbuf_add(out, "<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n");
	put_text(out, "title", RIGHT, 34, title);
	for (unsigned int i = 0; i < plots; i++) {
		weft_strbuf_addf(out, "<g transform=\"translate(%.1f 0)\">\n", i * each);
		put_plot(out, &plot[i]);
		weft_strbuf_add(out, "</g>\n");
	}
	weft_strbuf_add(out, "</svg>\n");
}
