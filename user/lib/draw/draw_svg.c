// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A drawing as SVG that needs no script, font or other file.
 *
 * It has its own background, so it fits a page of any colour. Viewers that support
 * prefers-color-scheme show it dark if the user prefers that.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/units.h"
#include "base/xml_text.h"
#include "draw/draw_make.h"

#define HEADER		56.0	/* height of the title */
#define WIDTH_MIN	420.0
#define LEGEND_LINE	20.0
#define THIN		250	/* with more lines than this, lines are thinner */
#define SAMPLE		48.0	/* length of a line in the legend */
#define BASE_RATE	25e9	/* bits per second, scale of the logarithmic width of lines */

static const char style[] =
	"<style>\n"
	"text{font:11px 'DejaVu Sans',Verdana,sans-serif;fill:#1f2328;text-anchor:middle}\n"
	"text.left{text-anchor:start}\n"
	"text.title{font-size:18px;font-weight:bold;text-anchor:start}\n"
	".back{fill:#ffffff}\n"
	".node rect{fill:#f3f5f8;stroke:#6b7785}\n"
	".switch rect{fill:#d9e6f4;stroke:#2f5f98;stroke-width:1.5}\n"
	".frame rect{fill:#ffffff;stroke:#9aa5b1;stroke-dasharray:4 3}\n"
	".domain{fill:#edf7e8;stroke:#a9cf97}\n"
	".link{fill:none;stroke:#7a828c;stroke-opacity:.75}\n"
	".credit{stroke:#2673b8}\n"
	".pfc,.pause{stroke:#b86a00}\n"
	".nvlink{stroke:#4b9a2c}\n"
	".pcie{stroke:#8a56b8}\n"
	"@media(prefers-color-scheme:dark){\n"
	"text{fill:#e2e6ea}\n"
	".back{fill:#15181c}\n"
	".node rect{fill:#262c33;stroke:#8794a3}\n"
	".switch rect{fill:#1f3a57;stroke:#6ea3dc}\n"
	".frame rect{fill:#1a1e23;stroke:#5d6875}\n"
	".domain{fill:#1b281a;stroke:#40653a}\n"
	".credit{stroke:#5aa6e8}\n"
	".pfc,.pause{stroke:#e0a04a}\n"
	".nvlink{stroke:#7cc95c}\n"
	".pcie{stroke:#b98ae0}\n"
	"}\n"
	"</style>\n";

static void put_rect(struct weft_strbuf *out, const char *class,
		     const struct weft_draw_box *b, double round)
{
	weft_strbuf_add(out, "<rect");
	if (class)
		weft_strbuf_addf(out, " class=\"%s\"", class);
	weft_strbuf_addf(out, " x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%.0f\"/>",
			 b->x, b->y, b->w, b->h, round);
}

static void put_label(struct weft_strbuf *out, double x, double y,
		      const char *text)
{
	weft_strbuf_addf(out, "<text x=\"%.1f\" y=\"%.1f\">", x, y);
	weft_xml_text(out, text);
	weft_strbuf_add(out, "</text>");
}

static void put_object(struct weft_strbuf *out, const char *class,
		       const struct weft_draw_box *b, const char *name,
		       bool label)
{
	weft_strbuf_addf(out, "<g class=\"%s\" data-name=\"", class);
	weft_xml_text(out, name);
	weft_strbuf_add(out, "\"><title>");
	weft_xml_text(out, name);
	weft_strbuf_add(out, "</title>");
	put_rect(out, NULL, b, *class == 's' ? 6 : label ? 3 : 1);
	if (label)
		put_label(out, b->x + b->w / 2, b->y + b->h / 2 + 4, name);
	weft_strbuf_add(out, "</g>\n");
}

/* If there are many lines, all are thinner, so that they stay distinct. */
static double width_of(const struct weft_draw *d,
		       const struct weft_draw_line *l)
{
	double rate = (double)l->rate * l->n, thin = 1;

	if (d->lines > THIN)
		thin = fmax(0.25, sqrt((double)THIN / d->lines));
	return thin * fmin(8, 0.7 + 0.4 * log2(1 + rate / BASE_RATE));
}

static void put_line(struct weft_strbuf *out, const struct weft_draw *d,
		     const struct weft_draw_line *l)
{
	char rate[32];

	weft_format_rate(rate, sizeof(rate), l->rate);
	weft_strbuf_addf(out, "<path class=\"link %s\" stroke-width=\"%.2f\" d=\"M%.1f %.1f",
			 l->discipline, width_of(d, l), l->x[0], l->y[0]);
	if (l->curved)
		weft_strbuf_addf(out, "Q%.1f %.1f %.1f %.1f", l->x[1], l->y[1], l->x[2],
				 l->y[2]);
	else
		weft_strbuf_addf(out, "L%.1f %.1f", l->x[2], l->y[2]);
	weft_strbuf_add(out, "\"><title>");
	for (unsigned int i = 0; i < l->n; i++) {
		weft_xml_text(out, d->topo->link[d->link[l->first + i]].name);
		weft_strbuf_addf(out, ": %s %s\n", rate, l->discipline);
	}
	weft_strbuf_add(out, "</title></path>\n");
}

static void put_frame(struct weft_strbuf *out, const struct weft_draw *d,
		      const struct weft_draw_unit *u)
{
	char text[DRAW_LABEL];

	weft_strbuf_add(out, "<g class=\"frame\">");
	put_rect(out, NULL, &u->box, 4);
	weft_draw_label(d, u, text);
	put_label(out, u->box.x + u->box.w / 2, u->box.y + 13, text);
	weft_strbuf_add(out, "</g>\n");
}

static void put_objects(struct weft_strbuf *out, const struct weft_draw *d)
{
	const struct weft_topo *t = d->topo;

	for (unsigned int i = 0; i < d->domains; i++) {
		put_rect(out, "domain", &d->domain[i], 8);
		weft_strbuf_add(out, "\n");
	}
	for (unsigned int i = 0; i < d->lines; i++)
		put_line(out, d, &d->line[i]);
	for (unsigned int i = t->switches; i < d->units; i++)
		if (d->unit[i].n > 1)
			put_frame(out, d, &d->unit[i]);
	for (unsigned int i = 0; i < t->switches; i++)
		put_object(out, "switch", &d->unit[i].box, t->sw[i].sw.name,
			   true);
	for (unsigned int i = 0; i < t->nodes; i++)
		put_object(out, "node", &d->node[i], t->node[i].name,
			   !d->dots ||
			   d->unit[d->unit_of[t->switches + i]].n == 1);
}

static bool same_kind(const struct weft_draw_line *a,
		      const struct weft_draw_line *b)
{
	return a->rate == b->rate && a->n == b->n &&
	       !strcmp(a->discipline, b->discipline);
}

static int by_kind(const void *a, const void *b)
{
	const struct weft_draw_line *x = *(const struct weft_draw_line *const *)a;
	const struct weft_draw_line *y = *(const struct weft_draw_line *const *)b;
	int ret = strcmp(x->discipline, y->discipline);

	if (ret)
		return ret;
	if (x->rate != y->rate)
		return x->rate < y->rate ? -1 : 1;
	return (x->n > y->n) - (x->n < y->n);
}

/* The first line of each kind. */
static unsigned int find_kinds(const struct weft_draw *d,
			       const struct weft_draw_line **kind)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < d->lines; i++)
		kind[i] = &d->line[i];
	qsort(kind, d->lines, sizeof(*kind), by_kind);
	for (unsigned int i = 0; i < d->lines; i++)
		if (!n || !same_kind(kind[n - 1], kind[i]))
			kind[n++] = kind[i];
	return n;
}

static void put_kind(struct weft_strbuf *out, const struct weft_draw *d,
		     const struct weft_draw_line *l, double y)
{
	char rate[32];

	weft_format_rate(rate, sizeof(rate), l->rate);
	weft_strbuf_addf(out, "<path class=\"link %s\" stroke-width=\"%.2f\" d=\"M%.1f %.1fh%.1f\"/>",
			 l->discipline, width_of(d, l), DRAW_MARGIN, y, SAMPLE);
	weft_strbuf_addf(out, "<text class=\"left\" x=\"%.1f\" y=\"%.1f\">",
			 DRAW_MARGIN + SAMPLE + 12, y + 4);
	if (l->n > 1)
		weft_strbuf_addf(out, "%u links of ", l->n);
	weft_strbuf_addf(out, "%s, %s</text>\n", rate, l->discipline);
}

static void put_legend(struct weft_strbuf *out, const struct weft_draw *d,
		       const struct weft_draw_line *const *kind, unsigned int n)
{
	weft_strbuf_add(out, "<g class=\"legend\">\n");
	for (unsigned int i = 0; i < n; i++)
		put_kind(out, d, kind[i], d->height + i * LEGEND_LINE);
	weft_strbuf_addf(out, "<text class=\"left\" x=\"%.1f\" y=\"%.1f\">", DRAW_MARGIN,
			 d->height + n * LEGEND_LINE + 4);
	if (d->units < d->topo->switches + d->topo->nodes)
		weft_strbuf_add(out, "Nodes with the same neighbours share a frame and its lines.");
	weft_strbuf_add(out, "</text>\n</g>\n");
}

static void put_count(struct weft_strbuf *out, unsigned int n, const char *one,
		      const char *many)
{
	weft_strbuf_addf(out, "%u %s", n, n == 1 ? one : many);
}

static void put_header(struct weft_strbuf *out, const struct weft_draw *d,
		       double height)
{
	const struct weft_topo *t = d->topo;
	double width = fmax(d->width, WIDTH_MIN);

	weft_strbuf_addf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n<title>",
			 width, height, width, height);
	weft_xml_text(out, t->name);
	weft_strbuf_addf(out, "</title>\n%s<rect class=\"back\" width=\"100%%\" height=\"100%%\"/>\n",
			 style);
	weft_strbuf_addf(out, "<text class=\"title\" x=\"%.1f\" y=\"34\">", DRAW_MARGIN);
	weft_xml_text(out, t->name);
	weft_strbuf_addf(out, "</text>\n<text class=\"left\" x=\"%.1f\" y=\"52\">",
			 DRAW_MARGIN);
	put_count(out, t->nodes, "node, ", "nodes, ");
	put_count(out, t->switches, "switch, ", "switches, ");
	put_count(out, t->links, "link", "links");
	weft_strbuf_addf(out, "</text>\n<g transform=\"translate(%.1f %.1f)\">\n",
			 fmax(0, (WIDTH_MIN - d->width) / 2), HEADER);
}

/**
 * weft_draw_svg() - write a drawing as SVG
 * @d: the drawing
 * @text: result, to be freed by free()
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_draw_svg(const struct weft_draw *d, char **text, struct weft_err *err)
{
	const struct weft_draw_line **kind;
	struct weft_strbuf out = { 0 };
	unsigned int kinds;

	*text = NULL;
	kind = calloc(d->lines + 1, sizeof(*kind));
	if (!kind)
		return weft_err_nomem(err);
	kinds = find_kinds(d, kind);
	put_header(&out, d, HEADER + d->height + LEGEND_LINE * (kinds + 1));
	put_objects(&out, d);
	weft_strbuf_add(&out, "</g>\n");
	weft_strbuf_addf(&out, "<g transform=\"translate(0 %.1f)\">\n", HEADER);
	put_legend(&out, d, kind, kinds);
	weft_strbuf_add(&out, "</g>\n</svg>\n");
	free(kind);
	return weft_strbuf_take(&out, text, err);
}
