// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pages of the web server: metrics, labs, and the files of the web page.
 *
 * The files are those of the package and contain no secrets; a browser requests
 * them without the Authorization header. All other pages need the token. GET
 * has no side effects.
 */
#include "pages.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_text.h"
#include "requests.h"
#include "service/control.h"
#include "service/metrics.h"
#include "services.h"
#include "topology/share.h"

#define JSON_TYPE	"application/json"
#define METRICS_TYPE	"text/plain; version=0.0.4; charset=utf-8"
#define FILE_MAX_BYTES	4194304
#define LABS		"/api/labs/"

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

static int metrics(struct daemon *d, const struct page_request *request,
		   struct page *page, struct weft_err *err)
{
	struct weft_metrics m = { 0 };
	uint64_t labs = 0;
	int ret;

	(void)request;
	for (struct daemon_lab *l = d->labs; l; l = l->next, labs++)
		add_metrics(&m, l);
	weft_metrics_value(&m, "weftd_labs", "number of labs that are up", labs);
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
			    "there is no page %.60s", path);
}

static int lab_list(struct daemon *d, const struct page_request *request,
		    struct page *page, struct weft_err *err)
{
	(void)request;
	return json_page(labs_json(d), page, err);
}

/* Find the lab of "/api/labs/NAME/WHAT". */
static int lab_of(const struct daemon *d, const char *path,
		  struct daemon_lab **lab, struct weft_err *err)
{
	const char *name = path + strlen(LABS);
	char text[WEFT_OBJECT_NAME_MAX + 1];

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(name, "/"), name);
	*lab = labs_find(d, text);
	return *lab ? 0 : no_page(path, err);
}

static int lab_run(struct daemon *d, const struct page_request *request,
		   struct page *page, struct weft_err *err)
{
	struct daemon_lab *l;

	if (lab_of(d, request->path, &l, err))
		return err->code;
	page->type = JSON_TYPE;
	page->reader = calloc(1, sizeof(*page->reader));
	if (!page->reader)
		return weft_err_nomem(err);
	return record_read(l, request->after, page->reader, err);
}

static int lab_record(struct daemon *d, const struct page_request *request,
		      struct page *page, struct weft_err *err)
{
	struct daemon_lab *l;

	if (lab_of(d, request->path, &l, err) || record_begin(l, err))
		return err->code;
	return json_page(json_pack("{s:b}", "recording", 1), page, err);
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

	page->type = weft_web_file_type(name);
	if (!page->type || weft_share_file("web", name, path, err))
		return no_page(name, err);
	return read_file(path, page, err);
}

/**
 * struct route - a page that is not a file
 * @path: its path; "*" stands for the name of a lab
 * @post: the method is POST, otherwise GET
 * @get: makes the page
 */
struct route {
	const char *path;
	bool post;
	int (*get)(struct daemon *d, const struct page_request *request,
		   struct page *page, struct weft_err *err);
};

static const struct route routes[] = {
	{ "/metrics", false, metrics },
	{ "/api/labs", false, lab_list },
	{ LABS "*/record", true, lab_record },
	{ LABS "*/run", false, lab_run },
};

static const struct route *find_route(const char *path)
{
	for (size_t i = 0; i < sizeof(routes) / sizeof(*routes); i++)
		if (!fnmatch(routes[i].path, path, FNM_PATHNAME))
			return &routes[i];
	return NULL;
}

static int check_method(const struct page_request *request, bool post,
			struct page *page, struct weft_err *err)
{
	if (request->post == post)
		return 0;
	page->allow = post ? "POST" : "GET";
	return weft_err_set(err, WEFT_ERR_USAGE, -EOPNOTSUPP,
			    "%.60s accepts the method %s only", request->path,
			    page->allow);
}

/**
 * page_get() - get a page
 * @d: the daemon
 * @request: the request
 * @page: result, to be freed by page_free() even after an error
 * @err: error
 *
 * Return: 0 or negative errno; -ENOENT if there is no such page, -EACCES
 * without the token, -EOPNOTSUPP for the wrong method, -ENODATA if the lab is
 * not being recorded.
 */
int page_get(struct daemon *d, const struct page_request *request,
	     struct page *page, struct weft_err *err)
{
	const char *path = request->path;
	const struct route *route = find_route(path);

	*page = (struct page) { 0 };
	if (!request->trusted &&
	    (route || !strncmp(path, "/api/", strlen("/api/"))))
		return weft_err_set(err, WEFT_ERR_USAGE, -EACCES,
				    "expected \"Authorization: Bearer TOKEN\" with the token of %s; `weft web` prints the address of the page with it",
				    WEFT_CONTROL_TOKEN);
	if (check_method(request, route && route->post, page, err))
		return err->code;
	if (route)
		return route->get(d, request, page, err);
	return file(strcmp(path, "/") ? path + 1 : "index.html", page, err);
}

/**
 * page_free() - free a page
 * @page: the page
 */
void page_free(struct page *page)
{
	free(page->text);
	if (page->reader)
		weft_record_reader_close(page->reader);
	free(page->reader);
}
