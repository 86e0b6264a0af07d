// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A lab is taken away, whatever there is of it.
 *
 * Each step also succeeds when there is nothing to do, so that this cleans up
 * after a `weft up` or `weft down` that was killed at any point.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/lab.h"
#include "lab/lab_signal.h"
#include "lab/lab_verbs.h"

#define POLL_US		10000
#define TERM_POLLS	100
#define KILL_POLLS	300

static const char *node_name(json_t *node)
{
	const char *s = json_string_value(json_object_get(node, "name"));

	return s ? s : "";
}

static void end_processes(const struct weft_lab *lab)
{
	unsigned int i;

	if (!weft_lab_signal(lab, NULL, SIGTERM))
		return;
	for (i = 0; i < TERM_POLLS && weft_lab_signal(lab, NULL, 0); i++)
		usleep(POLL_US);
	for (i = 0; i < KILL_POLLS && weft_lab_signal(lab, NULL, SIGKILL); i++)
		usleep(POLL_US);
}

/* 1: there is such a file; 0: there is none; else negative errno. */
static int stat_file(const char *path, struct stat *st, struct weft_err *err)
{
	if (!stat(path, st))
		return 1;
	return errno == ENOENT ? 0 : weft_err_sys(err, errno, "%s", path);
}

/* Without the module there is no fabric either. */
static int remove_fabric(const struct weft_lab *lab, struct weft_err *err)
{
	char path[WEFT_LAB_PATH];
	struct weft_fabric f;
	struct weft_nl nl;
	struct stat st;
	int ret;

	weft_lab_path(lab, path, "net");
	ret = stat_file(path, &st, err);
	if (ret <= 0)
		return ret;
	ret = weft_lab_nl(lab, &nl, err);
	if (ret)
		return ret == -ENOENT || ret == -EINVAL ? 0 : ret;
	ret = weft_fabric_find(&nl, lab->name, &f, err);
	if (!ret)
		ret = weft_fabric_del(&nl, f.id, err);
	weft_fabric_free(&f);
	weft_nl_close(&nl);
	return ret == -ENOENT ? 0 : ret;
}

/*
 * A name in /run/netns is ours if it is the node's namespace, or a file that
 * nothing was mounted on: what a killed `weft up` leaves between two steps.
 * Where that cannot be told, the lab must stay on record for another try.
 */
static int remove_netns(const struct weft_lab *lab, const char *node,
			struct weft_err *err)
{
	char path[WEFT_LAB_PATH], own[WEFT_LAB_PATH];
	struct stat st, st_own, dir;
	int found, have;

	snprintf(path, sizeof(path), "%s/%s", WEFT_NETNS_DIR, node);
	weft_lab_path(lab, own, "nodes/%s/net", node);
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

static int remove_dir(const struct weft_lab *lab, struct weft_err *err)
{
	char path[WEFT_LAB_PATH];

	weft_lab_path(lab, path, "%s", "");
	while (!umount2(path, MNT_DETACH))
		;
	if (rmdir(path) && errno != ENOENT)
		return weft_err_sys(err, errno, "remove %s", path);
	return 0;
}

/**
 * weft_lab_down() - take a lab away
 * @lab: the lab, complete or not; the lock is held
 * @err: error
 *
 * Processes in its nodes are ended.
 *
 * Return: 0 or negative errno; another try may then help.
 */
int weft_lab_down(struct weft_lab *lab, struct weft_err *err)
{
	char path[WEFT_LAB_PATH];
	json_t *node;
	size_t i;

	end_processes(lab);
	weft_lab_verbs_down(lab);
	if (remove_fabric(lab, err))
		return err->code;
	json_array_foreach(json_object_get(lab->state, "nodes"), i, node)
		if (remove_netns(lab, node_name(node), err))
			return err->code;
	if (remove_dir(lab, err))
		return err->code;
	snprintf(path, sizeof(path), "%s/%s.json", WEFT_RUN_DIR, lab->name);
	if (unlink(path) && errno != ENOENT)
		return weft_err_sys(err, errno, "remove %s", path);
	return 0;
}
