/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that come with Weft: profiles and topologies.
 */
#ifndef WEFT_SHARE_H
#define WEFT_SHARE_H

#include <limits.h>

#include "base/err.h"
#include "topology/topo.h"

/**
 * struct weft_listing_entry - a file in a listing
 */
struct weft_listing_entry {
	/** @name: without suffix */
	char name[64];
	/** @path: path of the file */
	char *path;
};

/**
 * struct weft_listing - the files of a kind
 */
struct weft_listing {
	/** @n: how many */
	unsigned int n;
	/** @entry: the files, sorted by name */
	struct weft_listing_entry *entry;
};

/**
 * struct weft_share_design - a topology and the text of its file
 */
struct weft_share_design {
	/** @file: path of the file, or name of the generator */
	char *file;
	/** @text: its text, with the settings, and with the generated entries written out */
	char *text;
	/** @topo: the topology */
	struct weft_topo topo;
};

/**
 * struct weft_share_choice - a topology and settings as the user gives them
 */
struct weft_share_choice {
	/** @name: a path, or the name of a topology that comes with Weft or of a generator */
	const char *name;
	/** @set: settings "KEY=VALUE" of the file or of its generator */
	char *const *set;
	/** @sets: entries of @set */
	unsigned int sets;
};

int weft_self_dir(char dir[PATH_MAX], struct weft_err *err);
int weft_part_find(const char *part, const char *variable,
		   const char *const *places, char path[PATH_MAX],
		   struct weft_err *err);
int weft_share_find(const char *kind, const char *name, char path[PATH_MAX],
		    struct weft_err *err);
int weft_share_file(const char *kind, const char *name, char path[PATH_MAX],
		    struct weft_err *err);
int weft_share_list(const char *kind, struct weft_listing *list,
		    struct weft_err *err);
void weft_listing_free(struct weft_listing *list);
int weft_share_profile(void *ctx, const char *name, char **file, char **text,
		       size_t *len, struct weft_err *err);
int weft_share_design(const struct weft_share_choice *choice,
		      struct weft_share_design *d, struct weft_err *err);
void weft_share_design_free(struct weft_share_design *d);

#endif
