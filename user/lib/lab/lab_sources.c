// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sources of a lab: copies of its topology file and profiles, since the
 * files may change.
 *
 * Planning is pure, so the topology file and the profiles that it names suffice
 * to compute the plan again.
 */
#include "lab/lab_sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/yaml_file.h"
#include "topology/share.h"

/**
 * struct reading - state of the reading of files
 * @path: path of the topology file
 * @profiles: the profiles read so far
 */
struct reading {
	const char *path;
	json_t *profiles;
};

static int keep(json_t *o, const char *key, const char *file, const char *text,
		size_t len, struct weft_err *err)
{
	json_t *one = json_pack("{s:s, s:s%}", "file", file, "text", text, len);

	if (one && !json_object_set_new(o, key, one))
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EILSEQ,
			    "%s: expected text in UTF-8", file);
}

static int read_profile(void *ctx, const char *name, char **file, char **text,
			size_t *len, struct weft_err *err)
{
	struct reading *r = ctx;
	int ret;

	ret = weft_share_profile((void *)r->path, name, file, text, len, err);
	return ret ? ret : keep(r->profiles, name, *file, *text, *len, err);
}

static int keep_all(struct reading *r, const char *text, json_t *sources,
		    struct weft_err *err)
{
	struct weft_topo topo = { 0 };
	size_t len = strlen(text);
	int ret;

	ret = weft_topo_parse(&topo, r->path, text, len, read_profile, r, err);
	if (!ret)
		ret = keep(sources, "topology", r->path, text, len, err);
	weft_topo_free(&topo);
	return ret;
}

/**
 * weft_lab_sources_make() - collect a topology and the profiles that it names
 * @file: path of the topology; paths of profiles are relative to it
 * @text: text of the topology
 * @err: error
 *
 * Return: a new reference, NULL on error.
 */
json_t *weft_lab_sources_make(const char *file, const char *text, struct weft_err *err)
{
	json_t *sources = json_object();
	struct reading r = { .path = file, .profiles = json_object() };

	if (json_object_set_new(sources, "profiles", r.profiles))
		weft_err_nomem(err);
	else if (!keep_all(&r, text, sources, err))
		return sources;
	json_decref(sources);
	return NULL;
}

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static int find_profile(void *ctx, const char *name, char **file, char **text,
			size_t *len, struct weft_err *err)
{
	const json_t *one = json_object_get(ctx, name);

	*file = strdup(text_of(one, "file"));
	*text = strdup(text_of(one, "text"));
	if (!*file || !*text)
		return weft_err_nomem(err);
	*len = strlen(*text);
	return 0;
}

/**
 * weft_lab_sources_topo() - parse the topology of a lab again
 * @sources: sources of the lab
 * @topo: result, to be freed by weft_topo_free() even after an error
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_lab_sources_topo(const json_t *sources, struct weft_topo *topo,
			  struct weft_err *err)
{
	const json_t *o = json_object_get(sources, "topology");
	const char *text = text_of(o, "text");

	return weft_topo_parse(topo, text_of(o, "file"), text, strlen(text),
			       find_profile, json_object_get(sources, "profiles"),
			       err);
}

static void sources_path(const struct weft_lab *lab, char *path)
{
	weft_lab_path(lab, path, "kept.json");
}

/**
 * weft_lab_sources_save() - store the sources of a lab
 * @lab: the lab, whose directory exists; without @lab->sources nothing is stored
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_lab_sources_save(const struct weft_lab *lab, struct weft_err *err)
{
	char path[WEFT_LAB_PATH];

	if (!lab->sources)
		return 0;
	sources_path(lab, path);
	return weft_file_write_json(path, 0644, lab->sources, JSON_COMPACT, err);
}

/**
 * weft_lab_sources_load() - read the sources of a lab
 * @lab: the lab, up
 * @err: error
 *
 * Return: a new reference, NULL on error.
 */
json_t *weft_lab_sources_load(const struct weft_lab *lab, struct weft_err *err)
{
	char path[WEFT_LAB_PATH];
	json_error_t why;
	json_t *sources;

	sources_path(lab, path);
	sources = json_load_file(path, 0, &why);
	if (!sources)
		weft_err_set(err, WEFT_ERR_OTHER, -EIO, "%s: %s", path,
			     why.text);
	return sources;
}

/**
 * weft_lab_plan() - plan a lab again, from the files of which it was made
 * @lab: the lab, up
 * @topo: result: its topology, zeroed before, to be freed even after an error
 * @plan: result: its plan, the same
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_lab_plan(const struct weft_lab *lab, struct weft_topo *topo, struct weft_plan *plan,
		  struct weft_err *err)
{
	json_t *sources = weft_lab_sources_load(lab, err);
	int ret;

	if (!sources)
		return err->code;
	ret = weft_lab_sources_topo(sources, topo, err);
	if (!ret)
		ret = weft_plan_make(plan, topo, err);
	json_decref(sources);
	return ret;
}
