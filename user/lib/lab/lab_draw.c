// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The drawing of a lab, stored with the lab because the topology file may change.
 */
#include "lab/lab.h"

#include "base/file.h"
#include "draw/draw.h"

#define DRAWING_PRECISION	8

static void drawing_path(const struct weft_lab *lab, char *path)
{
	weft_lab_path(lab, path, "drawing.json");
}

/**
 * weft_lab_draw() - make and store the drawing of a lab
 * @lab: the lab, up
 * @topo: its topology
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_lab_draw(const struct weft_lab *lab, const struct weft_topo *topo,
		  struct weft_err *err)
{
	struct weft_draw d = { 0 };
	char path[WEFT_LAB_PATH];
	json_t *o = NULL;
	int ret;

	drawing_path(lab, path);
	ret = weft_draw_make(&d, topo, err);
	if (!ret) {
		o = weft_draw_json(&d);
		ret = weft_file_write_json(path, 0644, o, JSON_COMPACT |
					   JSON_REAL_PRECISION(DRAWING_PRECISION), err);
	}
	json_decref(o);
	weft_draw_free(&d);
	return ret;
}

/**
 * weft_lab_drawing() - read the drawing of a lab
 * @lab: the lab
 *
 * Return: a new reference; JSON null if there is no drawing.
 */
json_t *weft_lab_drawing(const struct weft_lab *lab)
{
	char path[WEFT_LAB_PATH];
	json_t *o;

	drawing_path(lab, path);
	o = json_load_file(path, 0, NULL);
	return o ? o : json_null();
}
