// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Remove a lab, complete or not.
 *
 * Each step succeeds if there is nothing to do. So a removal also cleans up
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
#include <unistd.h>

#include "lab/lab.h"
#include "lab/lab_ipoib.h"
#include "lab/lab_netns.h"
#include "lab/lab_signal.h"
#include "lab/lab_verbs.h"

#define POLL_US		10000
#define TERM_POLLS	100
#define KILL_POLLS	300

/**
 * weft_lab_end() - end the processes in the nodes of a lab
 * @lab: the lab, complete or not
 *
 * They get SIGTERM, and SIGKILL a second later.
 */
void weft_lab_end(const struct weft_lab *lab)
{
	unsigned int i;

	if (!weft_lab_signal(lab, NULL, SIGTERM))
		return;
	for (i = 0; i < TERM_POLLS && weft_lab_signal(lab, NULL, 0); i++)
		usleep(POLL_US);
	for (i = 0; i < KILL_POLLS && weft_lab_signal(lab, NULL, SIGKILL); i++)
		usleep(POLL_US);
}

/* Without the module there is no fabric, which is no error. */
static int remove_fabric(const struct weft_lab *lab, struct weft_err *err)
{
	char path[WEFT_LAB_PATH];
	struct weft_fabric f;
	struct weft_nl nl;
	int ret;

	weft_lab_path(lab, path, "net");
	if (access(path, F_OK))
		return errno == ENOENT ? 0 : weft_err_sys(err, errno, "%s", path);
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
 * weft_lab_down() - remove a lab
 * @lab: the lab, complete or not
 * @err: error
 *
 * Processes in its nodes are terminated.
 *
 * Context: the lock of weft_lab_lock() is held.
 * Return: 0 or negative errno; after an error the function may be called again.
 */
int weft_lab_down(struct weft_lab *lab, struct weft_err *err)
{
	char path[WEFT_LAB_PATH];
	json_t *node;
	size_t i;

	weft_lab_end(lab);
	weft_lab_ipoib_down(lab);
	weft_lab_verbs_down(lab);
	if (remove_fabric(lab, err))
		return err->code;
	json_array_foreach(json_object_get(lab->state, "nodes"), i, node)
		if (weft_lab_netns_remove(lab, node, err))
			return err->code;
	if (remove_dir(lab, err))
		return err->code;
	snprintf(path, sizeof(path), "%s/%s.json", WEFT_RUN_DIR, lab->name);
	if (unlink(path) && errno != ENOENT)
		return weft_err_sys(err, errno, "remove %s", path);
	return 0;
}
