// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the web server has: metrics, labs, and the files of the page.
 */
#include "pages.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_text.h"
#include "parts.h"
#include "requests.h"
#include "service/metrics.h"
#include "topology/share.h"

#define JSON_TYPE	"application/json"
#define METRICS_TYPE	"text/plain; version=0.0.4; charset=utf-8"
#define FILE_MAX_BYTES	4194304

static void add_metrics(struct weft_metrics *m, struct daemon_lab *l)
{
	struct weft_facts facts;
	struct weft_err err;

	if (weft_facts_read(&facts, &l->lab, &err))
		weft_metrics_lost(m, l->lab.name);
	else
		weft_metrics_lab(m, &facts);
	weft_facts_free(&facts);
}

static int metrics(struct daemon *d, struct page *page, struct weft_err *err)
{
	struct weft_metrics m = { 0 };
	uint64_t labs = 0;
	int ret;

	for (struct daemon_lab *l = d->labs; l; l = l->next, labs++)
		add_metrics(&m, l);
	weft_metrics_value(&m, "weftd_labs", "labs that weftd knows", labs);
	ret = weft_metrics_take(&m, &page->text, err);
	if (!ret)
		page->len = strlen(page->text);
	page->type = METRICS_TYPE;
	return ret;
}

static int json_page(json_t *value, struct page *page, struct weft_err *err)
{
	page->text = weft_json_text(value, JSON_COMPACT);
	json_decref(value);
	if (!page->text)
		return weft_err_nomem(err);
	page->len = strlen(page->text);
	page->type = JSON_TYPE;
	return 0;
}

static int no_page(const char *path, struct weft_err *err)
{
	return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
			    "there is nothing at %.60s", path);
}

/* "NAME/run" */
static int lab_page(struct daemon *d, const char *path, struct page *page,
		    struct weft_err *err)
{
	size_t len = strcspn(path, "/");
	struct daemon_lab *l;
	char name[64] = "";
	json_t *run;

	if (len < sizeof(name))
		memcpy(name, path, len);
	l = labs_find(d, name);
	if (!l || strcmp(path + len, "/run"))
		return no_page(path, err);
	run = record_run(l, err);
	return run ? json_page(run, page, err) : err->code;
}

static int read_file(const char *path, struct page *page, struct weft_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;
	struct stat st;

	if (fd < 0)
		return weft_err_sys(err, errno, "%s", path);
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    st.st_size <= FILE_MAX_BYTES)
		page->text = malloc((size_t)st.st_size + 1);
	if (page->text)
		n = read(fd, page->text, (size_t)st.st_size);
	close(fd);
	if (n < 0)
		return weft_err_set(err, WEFT_ERR_OTHER, -EIO,
				    "%s cannot be read", path);
	page->len = (size_t)n;
	return 0;
}

static int file(const char *name, struct page *page, struct weft_err *err)
{
	char path[PATH_MAX];

	page->type = weft_guard_file_type(name);
	if (!page->type || weft_share_file("web", name, path, err))
		return no_page(name, err);
	return read_file(path, page, err);
}

/**
 * page_get() - get a page
 * @d: the daemon
 * @path: of the request, decoded, without what is behind a question mark
 * @page: result; @text is to be freed, even after an error
 * @err: error
 *
 * Return: 0 or negative errno; -ENOENT if there is none.
 */
int page_get(struct daemon *d, const char *path, struct page *page,
	     struct weft_err *err)
{
	*page = (struct page) { 0 };
	if (!strcmp(path, "/metrics"))
		return metrics(d, page, err);
	if (!strcmp(path, "/api/labs"))
		return json_page(labs_json(d), page, err);
	if (!strncmp(path, "/api/labs/", 10))
		return lab_page(d, path + 10, page, err);
	return file(strcmp(path, "/") ? path + 1 : "index.html", page, err);
}
