// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files that come with Weft: profiles and topologies.
 *
 * The search path is $WEFT_SHARE, then the folder share beside the executable (build
 * tree), then ../share/weft (installed).
 */
#include "topology/share.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/yaml_file.h"
#include "topology/topo_generate.h"
#include "topology/topo_open.h"

/**
 * weft_self_dir() - directory of the running executable
 * @dir: result
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_self_dir(char dir[PATH_MAX], struct weft_err *err)
{
	ssize_t n = readlink("/proc/self/exe", dir, PATH_MAX - 1);

	if (n < 0)
		return weft_err_sys(err, errno, "/proc/self/exe");
	dir[n] = '\0';
	*strrchr(dir, '/') = '\0';
	return 0;
}

/**
 * weft_part_find() - find a part of Weft that the command needs
 * @part: its name, for the error
 * @variable: environment variable with its path; if set, nothing else is searched
 * @places: other paths, relative to the folder of the executable, NULL-terminated
 * @path: result
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_part_find(const char *part, const char *variable,
		   const char *const *places, char path[PATH_MAX],
		   struct weft_err *err)
{
	const char *env = getenv(variable);
	char self[PATH_MAX];

	if (env) {
		snprintf(path, PATH_MAX, "%s", env);
		return 0;
	}
	if (weft_self_dir(self, err))
		return err->code;
	for (; *places; places++)
		if (snprintf(path, PATH_MAX, "%s/%s", self, *places) <
		    PATH_MAX && !access(path, R_OK))
			return 0;
	return weft_err_set(err, WEFT_ERR_OTHER, -ENOENT,
			    "%s is missing: `make` builds it, or set %s",
			    part, variable);
}

/* Folder @i of the search path; false if there are no more. */
static bool share_dir(unsigned int i, const char *kind, char dir[PATH_MAX])
{
	const char *env = getenv("WEFT_SHARE");
	char self[PATH_MAX];
	struct weft_err err;

	if (env && !i)
		return snprintf(dir, PATH_MAX, "%s/%s", env, kind) < PATH_MAX;
	i -= !!env;
	if (i > 1 || weft_self_dir(self, &err))
		return false;
	return snprintf(dir, PATH_MAX, "%s/%s/%s", self,
			i ? "../share/weft" : "share", kind) < PATH_MAX;
}

/**
 * weft_share_find() - find a file that comes with Weft
 * @kind: "profiles" or "topologies"
 * @name: its name, with or without ".yaml"
 * @path: result
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_share_find(const char *kind, const char *name, char path[PATH_MAX],
		    struct weft_err *err)
{
	size_t len = strlen(name);
	char dir[PATH_MAX];
	const char *suffix;

	suffix = len > 5 && !strcmp(name + len - 5, ".yaml") ? "" : ".yaml";
	if (strchr(name, '/'))
		suffix = NULL;
	for (unsigned int i = 0; suffix && share_dir(i, kind, dir); i++)
		if (snprintf(path, PATH_MAX, "%s/%s%s", dir, name, suffix) <
		    PATH_MAX && !access(path, R_OK))
			return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
			    "there is no \"%.60s\": `weft %s` lists what there is",
			    name, kind);
}

/**
 * weft_share_file() - find a file that comes with Weft and is not YAML
 * @kind: its directory
 * @name: its name, with suffix
 * @path: result
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_share_file(const char *kind, const char *name, char path[PATH_MAX],
		    struct weft_err *err)
{
	char dir[PATH_MAX];

	for (unsigned int i = 0; share_dir(i, kind, dir); i++)
		if (snprintf(path, PATH_MAX, "%s/%s", dir, name) < PATH_MAX &&
		    !access(path, R_OK))
			return 0;
	return weft_err_set(err, WEFT_ERR_OTHER, -ENOENT,
			    "%s/%.60s is missing: set WEFT_SHARE", kind, name);
}

static int add_entry(struct weft_listing *list, const char *dir,
		     const char *file, struct weft_err *err)
{
	struct weft_listing_entry *e;
	size_t len = strlen(file);

	if (len < 6 || len - 5 >= sizeof(e->name) ||
	    strcmp(file + len - 5, ".yaml"))
		return 0;
	e = weft_array_grow(list->entry, list->n, sizeof(*e));
	if (!e)
		return weft_err_nomem(err);
	list->entry = e;
	e += list->n;
	memcpy(e->name, file, len - 5);
	if (asprintf(&e->path, "%s/%s", dir, file) < 0)
		return weft_err_nomem(err);
	list->n++;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct weft_listing_entry *)a)->name,
		      ((const struct weft_listing_entry *)b)->name);
}

/**
 * weft_share_list() - list the files of a kind
 * @kind: "profiles" or "topologies"
 * @list: result, to be freed by weft_listing_free() even after an error
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_share_list(const char *kind, struct weft_listing *list,
		    struct weft_err *err)
{
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *dir = NULL;
	int ret = 0;

	*list = (struct weft_listing) { 0 };
	for (unsigned int i = 0; !dir && share_dir(i, kind, path); i++)
		dir = opendir(path);
	if (!dir)
		return weft_err_set(err, WEFT_ERR_OTHER, -ENOENT,
				    "the directory of %s is missing: set WEFT_SHARE",
				    kind);
	while (!ret && (entry = readdir(dir)))
		ret = add_entry(list, path, entry->d_name, err);
	closedir(dir);
	if (list->n)
		qsort(list->entry, list->n, sizeof(*list->entry), by_name);
	return ret;
}

/**
 * weft_listing_free() - free a listing
 * @list: the listing
 */
void weft_listing_free(struct weft_listing *list)
{
	for (unsigned int i = 0; i < list->n; i++)
		free(list->entry[i].path);
	free(list->entry);
	*list = (struct weft_listing) { 0 };
}

/* @name is a path, or the name of a topology that comes with Weft. */
static int find_topology(const char *name, char path[PATH_MAX],
			 struct weft_err *err)
{
	if (!access(name, F_OK)) {
		snprintf(path, PATH_MAX, "%s", name);
		return 0;
	}
	if (!weft_share_find("topologies", name, path, err))
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
			    "%.200s: no such file, and no such topology comes with Weft (`weft topologies` lists them)",
			    name);
}

/* A name with a slash is the path of a file, relative to the topology file. */
static int profile_path(const char *topology, const char *name,
			char path[PATH_MAX], struct weft_err *err)
{
	const char *slash = strrchr(topology, '/');
	int dir = slash ? (int)(slash - topology) + 1 : 0;

	if (!strchr(name, '/'))
		return weft_share_find("profiles", name, path, err);
	if (*name == '/')
		dir = 0;
	snprintf(path, PATH_MAX, "%.*s%s", dir, topology, name);
	return 0;
}

/**
 * weft_share_profile() - read a profile
 * @ctx: path of the topology file
 * @name: its name in the topology file
 * @file: result, to be freed by free()
 * @text: result, to be freed by free()
 * @len: length of @text
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_share_profile(void *ctx, const char *name, char **file, char **text,
		       size_t *len, struct weft_err *err)
{
	char path[PATH_MAX];

	if (profile_path(ctx, name, path, err))
		return err->code;
	*file = strdup(path);
	if (!*file)
		return weft_err_nomem(err);
	return weft_file_read(path, text, len, err);
}

/* Read a file; for the name of a generator, make the text of a file with it only. */
static int read_design(const char *name, char path[PATH_MAX], char **text,
		       size_t *len, struct weft_err *err)
{
	const char *profile = weft_gen_profile(name);
	int n;

	if (!find_topology(name, path, err))
		return weft_file_read(path, text, len, err);
	if (!profile)
		return err->code;
	*path = '\0';
	n = asprintf(text, "name: %s\nprofile: %s\ngenerate: {kind: %s}\n",
		     name, profile, name);
	if (n < 0)
		return weft_err_nomem(err);
	*len = (size_t)n;
	return 0;
}

static int take_design(struct weft_yaml *y, struct weft_share_design *d,
		       const char *path, struct weft_err *err)
{
	if (weft_topo_make(&d->topo, y, weft_share_profile, (void *)path,
			   err))
		return err->code;
	d->text = strndup(y->text, y->len);
	return d->text ? 0 : weft_err_nomem(err);
}

/**
 * weft_share_design() - read a topology with the user's settings
 * @choice: the topology and the settings
 * @d: result, to be freed by weft_share_design_free() even after an error
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_share_design(const struct weft_share_choice *choice,
		      struct weft_share_design *d, struct weft_err *err)
{
	struct weft_topo_source from = {
		.set = choice->set, .sets = choice->sets,
	};
	struct weft_yaml y = { 0 };
	char path[PATH_MAX] = "";
	char *text = NULL;
	int ret;

	*d = (struct weft_share_design) { 0 };
	ret = read_design(choice->name, path, &text, &from.len, err);
	from.file = *path ? path : NULL;
	from.text = text;
	if (!ret)
		ret = weft_topo_open(&y, &from, err);
	if (!ret)
		ret = take_design(&y, d, path, err);
	d->file = strdup(*path ? path : choice->name);
	if (!ret && !d->file)
		ret = weft_err_nomem(err);
	weft_yaml_close(&y);
	free(text);
	return ret;
}

/**
 * weft_share_design_free() - free a topology and its text
 * @d: the topology
 */
void weft_share_design_free(struct weft_share_design *d)
{
	weft_topo_free(&d->topo);
	free(d->text);
	free(d->file);
	d->text = NULL;
	d->file = NULL;
}
