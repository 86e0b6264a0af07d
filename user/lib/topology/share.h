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
 * struct weft_listing_entry - a file
 */
struct weft_listing_entry {
	/** @name: without suffix */
	char name[64];
	/** @path: of the file */
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
	/** @file: where the text comes from, or the name of the generator */
	char *file;
	/** @text: the file, with settings in it and without a generator */
	char *text;
	/** @topo: the topology */
	struct weft_topo topo;
};

/**
 * struct weft_share_choice - a topology as the user names it
 */
struct weft_share_choice {
	/** @name: a path, the name of one that comes with Weft, or a generator */
	const char *name;
	/** @set: "KEY=VALUE" of the generator or of the file */
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
