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

/**
 * struct spaces - network namespaces
 * @v: file of each, in the order of by_file()
 * @n: number
 */
struct spaces {
	struct stat *v;
	size_t n;
};

static int by_file(const void *pa, const void *pb)
{
	const struct stat *a = pa, *b = pb;

	if (a->st_dev != b->st_dev)
		return a->st_dev < b->st_dev ? -1 : 1;
	return a->st_ino < b->st_ino ? -1 : a->st_ino > b->st_ino;
}

static const char *node_name(const json_t *node)
{
	const char *s = json_string_value(json_object_get(node, "name"));

	return s ? s : "";
}

/* A node that is being made, or has been removed, has none. */
static void add_space(struct spaces *s, const struct weft_lab *lab, const char *node)
{
	char path[WEFT_LAB_PATH];

	weft_lab_path(lab, path, "nodes/%s/net", node);
	s->n += !stat(path, &s->v[s->n]);
}

/*
 * Look the namespaces up once, as there may be a thousand nodes and processes each.
 *
 * @node: NULL for all nodes
 * Return: false without memory.
 */
static bool find_spaces(struct spaces *s, const struct weft_lab *lab, const char *node)
{
	json_t *nodes = json_object_get(lab->state, "nodes"), *each;
	size_t i;

	s->n = 0;
	s->v = calloc(json_array_size(nodes) + 1, sizeof(*s->v));
	if (!s->v)
		return false;
	if (node)
		add_space(s, lab, node);
	else
		json_array_foreach(nodes, i, each)
			add_space(s, lab, node_name(each));
	qsort(s->v, s->n, sizeof(*s->v), by_file);
	return true;
}

static bool is_inside(const struct spaces *s, const char *pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%.20s/ns/net", pid);
	return !stat(path, &st) && bsearch(&st, s->v, s->n, sizeof(*s->v), by_file);
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
	struct spaces s;
	DIR *dir;
	int pid;

	if (!find_spaces(&s, lab, node))
		return 0;
	dir = opendir("/proc");
	while (dir && (entry = readdir(dir))) {
		pid = atoi(entry->d_name);
		if (!isdigit((unsigned char)*entry->d_name) || pid == getpid())
			continue;
		if (is_inside(&s, entry->d_name) &&
		    wants(entry->d_name, sig) && !kill(pid, sig))
			n++;
	}
	if (dir)
		closedir(dir);
	free(s.v);
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
