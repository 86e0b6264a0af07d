// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Find the node of a process that the virtual machine killed for memory.
 *
 * When the kernel reports the kill, the process and its namespaces are gone.
 * But the message has the process's oom_score_adj, which children inherit. So
 * each node has its number, from 1 on, as oom_score_adj. A step of 1 adds a
 * thousandth of the memory to the size of a process, so up to
 * WEFT_OOM_NODES_MAX nodes the choice of the process to kill hardly changes.
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
 * weft_lab_oom_mark() - mark the calling process and its children with a node
 * @lab: the lab
 * @node: name of the node
 * @err: error
 *
 * Outside the virtual machine the function does nothing: memory there is not
 * Weft's.
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
 * weft_lab_oom_node() - find the node of a process
 * @lab: the lab
 * @mark: its oom_score_adj
 *
 * Return: name of the node, NULL if the process was in none or the lab has too
 * many nodes.
 */
const char *weft_lab_oom_node(const struct weft_lab *lab, long mark)
{
	json_t *nodes = json_object_get(lab->state, "nodes"), *node;

	if (mark < 1 || mark > WEFT_OOM_NODES_MAX)
		return NULL;
	node = json_array_get(nodes, (size_t)mark - 1);
	return json_string_value(json_object_get(node, "name"));
}
