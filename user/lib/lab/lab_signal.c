// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes in the nodes of a lab: those in the network namespace of a node.
 */
#include "lab/lab_signal.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Usually a few rounds suffice, even if processes start others meanwhile. */
#define FREEZE_ROUNDS	100

static const char *node_name(json_t *node)
{
	const char *s = json_string_value(json_object_get(node, "name"));

	return s ? s : "";
}

static bool same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return !stat(a, &sa) && !stat(b, &sb) && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

static bool is_in_node(const struct weft_lab *lab, const char *node,
		       const char *pid)
{
	char path[WEFT_LAB_PATH], ns[64];

	snprintf(ns, sizeof(ns), "/proc/%.20s/ns/net", pid);
	weft_lab_path(lab, path, "nodes/%s/net", node);
	return same_file(path, ns);
}

/* Is the process in the network namespace of @node, or of any? */
static bool is_inside(const struct weft_lab *lab, const char *node,
		      const char *pid)
{
	json_t *other;
	size_t i;

	if (node)
		return is_in_node(lab, node, pid);
	json_array_foreach(json_object_get(lab->state, "nodes"), i, other)
		if (is_in_node(lab, node_name(other), pid))
			return true;
	return false;
}

/* State as in /proc/PID/stat; 'T': stopped; 'Z': the process has ended. */
static char state_of(const char *pid)
{
	char path[48], line[512] = "";
	const char *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 'Z';
	if (!fgets(line, sizeof(line), f))
		*line = '\0';
	fclose(f);
	end = strrchr(line, ')');
	return end && end[1] ? end[2] : 'Z';
}

static bool wants(const char *pid, int sig)
{
	char state;

	if (sig != SIGSTOP)
		return true;
	state = state_of(pid);
	return state != 'T' && state != 'Z';
}

/**
 * weft_lab_signal() - send a signal to the processes in a node
 * @lab: the lab
 * @node: name of the node, NULL for all nodes
 * @sig: the signal; SIGSTOP is only for processes that run; 0: only count them
 *
 * The calling process is left out.
 *
 * Return: number of processes that got the signal.
 */
unsigned int weft_lab_signal(const struct weft_lab *lab, const char *node,
			     int sig)
{
	struct dirent *entry;
	unsigned int n = 0;
	DIR *dir;
	int pid;

	dir = opendir("/proc");
	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		pid = atoi(entry->d_name);
		if (!isdigit((unsigned char)*entry->d_name) || pid == getpid())
			continue;
		if (is_inside(lab, node, entry->d_name) &&
		    wants(entry->d_name, sig) && !kill(pid, sig))
			n++;
	}
	closedir(dir);
	return n;
}

/**
 * weft_lab_freeze() - stop all processes in a node
 * @lab: the lab
 * @node: name of the node
 *
 * Processes that were started in the meantime are stopped as well. SIGCONT
 * continues them.
 */
void weft_lab_freeze(const struct weft_lab *lab, const char *node)
{
	for (unsigned int i = 0; i < FREEZE_ROUNDS; i++)
		if (!weft_lab_signal(lab, node, SIGSTOP))
			return;
}
