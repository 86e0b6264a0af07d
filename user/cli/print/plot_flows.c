// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages of a simulation as a picture: the distributions of their times and slowdowns, by
 * job if there are several, else by size.
 */
#include "print/plot_flows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "base/units.h"
#include "draw/draw_cdf.h"
#include "print/print_flows.h"

static void label_time(char *buf, size_t len, double ps)
{
	weft_format_time(buf, len, (uint64_t)(ps + 0.5));
}

static void label_slowdown(char *buf, size_t len, double slowdown)
{
	snprintf(buf, len, "%.4g", slowdown);
}

/**
 * struct group - messages that share a curve
 * @name: what they are
 * @time: their times, ps
 * @slowdown: their slowdowns
 * @n: how many
 */
struct group {
	char name[32];
	double *time;
	double *slowdown;
	unsigned int n;
};

static size_t groups_of(const struct weft_work *w)
{
	return w->jobs ? w->jobs : FLOW_BINS;
}

static size_t group_of(const struct weft_work *w, const struct weft_message *m)
{
	return w->jobs ? m->job : flow_bin(m->bytes);
}

/* Take the values of each group, in ascending order. They share two arrays. */
static void fill(const struct weft_work *w, struct group *g, double *time, double *slowdown)
{
	for (unsigned int i = 0; i < w->messages; i++)
		if (flow_has_ended(&w->message[i]))
			g[group_of(w, &w->message[i])].n++;
	for (size_t k = 0; k < groups_of(w); k++) {
		g[k].time = time;
		g[k].slowdown = slowdown;
		time += g[k].n;
		slowdown += g[k].n;
		g[k].n = 0;
	}
	for (unsigned int i = 0; i < w->messages; i++) {
		const struct weft_message *m = &w->message[i];
		struct group *of = &g[group_of(w, m)];

		if (!flow_has_ended(m))
			continue;
		of->time[of->n] = (double)(m->end - m->start);
		of->slowdown[of->n++] = flow_slowdown(m);
	}
	for (size_t k = 0; k < groups_of(w); k++) {
		qsort(g[k].time, g[k].n, sizeof(*g[k].time), flow_by_value);
		qsort(g[k].slowdown, g[k].n, sizeof(*g[k].slowdown), flow_by_value);
	}
}

static int draw(struct weft_strbuf *out, const char *title, struct group *g, size_t groups,
		struct weft_err *err)
{
	struct weft_cdf_curve *time = calloc(groups, sizeof(*time));
	struct weft_cdf_curve *slow = calloc(groups, sizeof(*slow));
	unsigned int n = 0;
	int ret = 0;

	for (size_t k = 0; time && slow && k < groups; k++) {
		if (!g[k].n)
			continue;
		time[n] = (struct weft_cdf_curve) { g[k].name, g[k].n, g[k].time };
		slow[n++] = (struct weft_cdf_curve) { g[k].name, g[k].n, g[k].slowdown };
	}
	const struct weft_cdf plot[] = {
		{ "time of a message", label_time, n, time },
		{ "slowdown: its time / its time alone", label_slowdown, n, slow },
	};

	if (!time || !slow)
		ret = weft_err_nomem(err);
	else if (!n)
		ret = weft_err_set(err, WEFT_ERR_USAGE, -ENODATA,
				   "no message has ended: there is nothing to plot");
	else
		weft_draw_cdf(out, title, plot, 2);
	free(time);
	free(slow);
	return ret;
}

static void name_groups(const struct weft_work *w, struct group *g)
{
	for (size_t k = 0; k < groups_of(w); k++)
		if (w->jobs)
			snprintf(g[k].name, sizeof(g[k].name), "job %zu", k + 1);
		else
			snprintf(g[k].name, sizeof(g[k].name), "%s", flow_bin_name(k));
}

/**
 * plot_flows() - write the distributions of times and slowdowns as SVG
 * @path: the file
 * @title: above them
 * @work: the workload, after the simulation
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int plot_flows(const char *path, const char *title, const struct weft_work *work,
	       struct weft_err *err)
{
	struct group *g = calloc(groups_of(work), sizeof(*g));
	double *time = calloc(work->messages + 1, sizeof(*time));
	double *slowdown = calloc(work->messages + 1, sizeof(*slowdown));
	struct weft_strbuf out = { 0 };
	int ret;

	if (g && time && slowdown) {
		name_groups(work, g);
		fill(work, g, time, slowdown);
		ret = draw(&out, title, g, groups_of(work), err);
	} else {
		ret = weft_err_nomem(err);
	}
	if (!ret)
		ret = weft_file_write(path, 0, &out, err);
	free(g);
	free(time);
	free(slowdown);
	return ret;
}
