// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recording as one web page: the page of the web view with its scripts, its style and
 * the run included. It needs no network and no other file.
 */
#include "view/page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/strbuf.h"
#include "base/yaml_file.h"
#include "netlink/json.h"
#include "topology/share.h"

/* Lines of the page that refer to another file. */
static const char style_line[] = "<link rel=\"stylesheet\" href=\"";
static const char script_line[] = "<script src=\"";

/**
 * struct page - state of writing a page
 * @out: the text so far
 * @run: the run, NULL after it was written
 * @err: error
 */
struct page {
	struct weft_strbuf out;
	json_t *run;
	struct weft_err *err;
};

static int read_part(const char *name, char **text, struct weft_err *err)
{
	char path[PATH_MAX], *bytes = NULL;
	size_t len;

	if (weft_share_file("web", name, path, err) ||
	    weft_file_read(path, &bytes, &len, err))
		return err->code;
	*text = strndup(bytes, len);
	free(bytes);
	return *text ? 0 : weft_err_nomem(err);
}

static int put_part(struct page *p, const char *name, const char *element)
{
	char *text = NULL;
	int ret = read_part(name, &text, p->err);

	if (!ret)
		weft_strbuf_addf(&p->out, "<%s>\n%s</%s>\n", element, text,
				 element);
	free(text);
	return ret;
}

/* "<" could end a script element, so it is written as an escape of JSON. */
static void put_escaped(struct weft_strbuf *out, char *json)
{
	char *piece;

	while ((piece = strsep(&json, "<"))) {
		weft_strbuf_add(out, piece);
		if (json)
			weft_strbuf_add(out, "\\u003c");
	}
}

/* Write the run once, before the first script. */
static int put_run(struct page *p)
{
	char *text;

	if (!p->run)
		return 0;
	text = weft_json_text(p->run, JSON_COMPACT | JSON_REAL_PRECISION(8));
	p->run = NULL;
	if (!text)
		return weft_err_nomem(p->err);
	weft_strbuf_add(&p->out,
			"<script type=\"application/json\" id=\"run\">");
	put_escaped(&p->out, text);
	weft_strbuf_add(&p->out, "</script>\n");
	free(text);
	return 0;
}

/* Take the name up to the quote after @before; false if @line does not start with it. */
static bool names_part(const char *line, const char *before, char name[64])
{
	size_t len = strlen(before), n;

	if (strncmp(line, before, len))
		return false;
	n = strcspn(line + len, "\"");
	snprintf(name, 64, "%.*s", (int)n, line + len);
	return true;
}

static int put_line(struct page *p, const char *line)
{
	char name[64];

	if (names_part(line, style_line, name))
		return put_part(p, name, "style");
	if (names_part(line, script_line, name))
		return put_run(p) ? p->err->code : put_part(p, name, "script");
	weft_strbuf_addf(&p->out, "%s\n", line);
	return 0;
}

static int put_page(struct page *p)
{
	char *text = NULL, *line, *rest;
	int ret = read_part("index.html", &text, p->err);

	rest = text;
	while (!ret && (line = strsep(&rest, "\n")) && (rest || *line))
		ret = put_line(p, line);
	free(text);
	return ret;
}

/**
 * weft_page_html() - make a page from a recording
 * @run: the run file
 * @html: result, to be freed by free()
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_page_html(json_t *run, char **html, struct weft_err *err)
{
	struct page p = { .run = run, .err = err };

	*html = NULL;
	if (!put_page(&p))
		return weft_strbuf_take(&p.out, html, err);
	free(p.out.text);
	return err->code;
}

static bool is_run(json_t *o)
{
	static const char *const lists[] = {
		"time_ps", "wires", "switches", "faults", "events",
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		if (!json_is_array(json_object_get(o, lists[i])))
			return false;
	return json_integer_value(json_object_get(o, "weft_run")) ==
	       WEFT_JSON_VERSION;
}

/**
 * weft_run_load() - read a run file
 * @path: the file
 * @err: error
 *
 * Return: a new reference, NULL with an error.
 */
json_t *weft_run_load(const char *path, struct weft_err *err)
{
	FILE *f = fopen(path, "re");
	json_error_t why;
	json_t *o;

	if (!f) {
		weft_err_sys(err, errno, "%.200s", path);
		err->kind = WEFT_ERR_USAGE;
		return NULL;
	}
	o = json_loadf(f, 0, &why);
	fclose(f);
	if (!o) {
		weft_err_set(err, WEFT_ERR_USAGE, -EINVAL, "%.200s:%d:%d: %s",
			     path, why.line, why.column, why.text);
	} else if (!is_run(o)) {
		json_decref(o);
		o = NULL;
		weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
			     "%.200s: not a recording: `weft run --record` and `weft record` make them",
			     path);
	}
	return o;
}
