// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of a lab's nodes in /run/netns, for `ip netns`.
 *
 * The machine has one set of these names. A lab uses the plain names of its
 * nodes if all of them are free, so that `ip netns exec host0` works as
 * expected. Otherwise all its nodes are LAB.NODE. Names of labs and nodes have
 * no dot, so LAB.NODE equals no plain name and no name of another lab. The
 * choice is in the lab's state before the first name is created.
 */
#include "lab/lab_netns.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "netlink/ns.h"

static const char *text_of(json_t *node, const char *key)
{
	const char *s = json_string_value(json_object_get(node, key));

	return s ? s : "";
}

/* An older weft wrote no such name down: all nodes had their own. */
static const char *netns_of(json_t *node)
{
	const char *s = text_of(node, "netns");

	return *s ? s : text_of(node, "name");
}

static void netns_path(char path[PATH_MAX], const char *name)
{
	snprintf(path, PATH_MAX, "%s/%s", WEFT_NETNS_DIR, name);
}

static void give_names(struct weft_lab *lab, bool qualified)
{
	json_t *node;
	size_t i;

	json_array_foreach(json_object_get(lab->state, "nodes"), i, node)
		json_object_set_new(node, "netns", qualified ?
				    json_sprintf("%s.%s", lab->name, text_of(node, "name")) :
				    json_string(text_of(node, "name")));
}

/* Find a name that exists already; NULL if all are free. */
static const char *taken(const struct weft_lab *lab)
{
	char path[PATH_MAX];
	json_t *node;
	size_t i;

	json_array_foreach(json_object_get(lab->state, "nodes"), i, node) {
		netns_path(path, text_of(node, "netns"));
		if (!access(path, F_OK))
			return text_of(node, "netns");
	}
	return NULL;
}

/**
 * weft_lab_netns_choose() - choose names for the nodes of a lab
 * @lab: the lab; its state is not written yet
 * @err: error
 *
 * Context: the lock of weft_lab_lock() is held.
 * Return: 0 or negative errno; -EEXIST if a name LAB.NODE is not free either.
 */
int weft_lab_netns_choose(struct weft_lab *lab, struct weft_err *err)
{
	const char *name;

	give_names(lab, false);
	if (!taken(lab))
		return 0;
	give_names(lab, true);
	name = taken(lab);
	if (!name)
		return 0;
	return weft_err_set(err, WEFT_ERR_USAGE, -EEXIST,
			    "there is a network namespace \"%s\" already: `ip netns del %s` removes it, or choose another --name",
			    name, name);
}

/**
 * weft_lab_netns_qualified() - does a lab use the names LAB.NODE in /run/netns?
 * @lab: the lab
 *
 * Return: false if it uses the plain names.
 */
bool weft_lab_netns_qualified(const struct weft_lab *lab)
{
	json_t *node = json_array_get(json_object_get(lab->state, "nodes"), 0);

	return strcmp(netns_of(node), text_of(node, "name"));
}

/**
 * weft_lab_netns_pin() - create the name of the caller's network namespace
 * @lab: the lab
 * @node: name of the node of the namespace
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_lab_netns_pin(const struct weft_lab *lab, const char *node,
		       struct weft_err *err)
{
	char path[PATH_MAX];

	netns_path(path, text_of(weft_lab_node(lab, node), "netns"));
	return weft_ns_pin("net", path, err);
}

/* Return 1 if the file exists, 0 if it does not, or negative errno. */
static int stat_file(const char *path, struct stat *st, struct weft_err *err)
{
	if (!stat(path, st))
		return 1;
	return errno == ENOENT ? 0 : weft_err_sys(err, errno, "%s", path);
}

/**
 * weft_lab_netns_remove() - remove the name of a node
 * @lab: the lab, complete or not
 * @node: the node, a part of the lab's state
 * @err: error
 *
 * A name belongs to the lab if it is the node's namespace, or a file without a
 * mount, which a killed `weft up` leaves between two steps. If that cannot be
 * determined, the function fails: the lab's state must remain for another try.
 *
 * Return: 0 or negative errno.
 */
int weft_lab_netns_remove(const struct weft_lab *lab, json_t *node,
			  struct weft_err *err)
{
	char path[PATH_MAX], own[WEFT_LAB_PATH];
	struct stat st, st_own, dir;
	int found, have;

	netns_path(path, netns_of(node));
	weft_lab_path(lab, own, "nodes/%s/net", text_of(node, "name"));
	found = stat_file(path, &st, err);
	have = found > 0 ? stat_file(own, &st_own, err) : 0;
	if (found <= 0 || have < 0)
		return found < 0 ? found : have;
	if (stat_file(WEFT_NETNS_DIR, &dir, err) < 0)
		return err->code;
	if (have && st.st_dev == st_own.st_dev && st.st_ino == st_own.st_ino) {
		if (umount2(path, MNT_DETACH))
			return weft_err_sys(err, errno, "unmount %s", path);
	} else if (st.st_dev != dir.st_dev) {
		return 0;
	}
	if (unlink(path) && errno != ENOENT)
		return weft_err_sys(err, errno, "remove %s", path);
	return 0;
}
