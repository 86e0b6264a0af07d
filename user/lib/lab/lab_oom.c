// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which node a process was in that the virtual machine killed for memory.
 *
 * When the kernel says so, the process is gone, and its namespaces with it. But the
 * message has its oom_score_adj, which programs inherit: so that of a node is its
 * number, from 1. Each makes a process look larger by a thousandth of the memory,
 * which for WEFT_OOM_NODES_MAX nodes decides nothing between small and large.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lab/lab.h"

#define MARK_FILE	"/proc/self/oom_score_adj"
#define WEFT_OOM_NODES_MAX	64

static int write_mark(size_t mark, struct weft_err *err)
{
	int fd = open(MARK_FILE, O_WRONLY | O_CLOEXEC), ret = 0;
	char text[24];

	if (fd < 0)
		return weft_err_sys(err, errno, MARK_FILE);
	snprintf(text, sizeof(text), "%zu", mark);
	if (write(fd, text, strlen(text)) < 0)
		ret = weft_err_sys(err, errno, MARK_FILE);
	close(fd);
	return ret;
}

/**
 * weft_lab_oom_mark() - the calling process and its children are of a node
 * @lab: the lab
 * @node: name of the node
 * @err: error
 *
 * Only in the virtual machine, whose memory is Weft's to give.
 *
 * Return: 0 or negative errno.
 */
int weft_lab_oom_mark(const struct weft_lab *lab, const char *node,
		      struct weft_err *err)
{
	json_t *other;
	size_t i;

	if (access(WEFT_VCLOCK_FILE, F_OK))
		return 0;
	json_array_foreach(json_object_get(lab->state, "nodes"), i, other) {
		const char *s = json_string_value(json_object_get(other, "name"));

		if (s && !strcmp(s, node))
			return i < WEFT_OOM_NODES_MAX ? write_mark(i + 1, err) : 0;
	}
	return 0;
}

/**
 * weft_lab_oom_node() - the node of a process
 * @lab: the lab
 * @mark: its oom_score_adj
 *
 * Return: name of the node, NULL if the process was in none or the lab has too many.
 */
const char *weft_lab_oom_node(const struct weft_lab *lab, long mark)
{
	json_t *nodes = json_object_get(lab->state, "nodes"), *node;

	if (mark < 1 || mark > WEFT_OOM_NODES_MAX)
		return NULL;
	node = json_array_get(nodes, (size_t)mark - 1);
	return json_string_value(json_object_get(node, "name"));
}
