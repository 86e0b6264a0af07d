// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes that the virtual machine killed for lack of memory. The messages of its kernel
 * are the only source.
 */
#include "facts/killed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORD_MAX	8192

/**
 * weft_killed_parse() - parse a message of the kernel
 * @k: the process is added, if the message is about a killed process
 * @lab: the lab, for the names of its nodes
 * @text: "... Killed process PID (NAME) total-vm:... oom_score_adj:N"
 *
 * The pid is ignored: with it, equal runs would differ.
 */
void weft_killed_parse(struct weft_killed *k, const struct weft_lab *lab,
		       const char *text)
{
	const char *begin = strstr(text, "Out of memory: Killed process ");
	const char *end = begin ? strstr(begin, ") total-vm:") : NULL;
	const char *mark = end ? strstr(end, "oom_score_adj:") : NULL;
	const char *node;

	begin = begin ? strchr(begin, '(') : NULL;
	if (!begin || !mark || k->n++ >= WEFT_KILLED_MAX)
		return;
	node = weft_lab_oom_node(lab, strtol(mark + 14, NULL, 10));
	snprintf(k->what[k->n - 1], sizeof(k->what[0]), "%.*s%s%s",
		 (int)(end - begin - 1), begin + 1, node ? " of " : "",
		 node ? node : "");
}

/**
 * weft_killed_read() - find the killed processes in the messages of the kernel
 * @k: result; empty outside the virtual machine, the only kernel with a single lab
 * @lab: the lab
 */
void weft_killed_read(struct weft_killed *k, const struct weft_lab *lab)
{
	char record[RECORD_MAX + 1];
	ssize_t n;
	int fd;

	*k = (struct weft_killed) { 0 };
	if (access(WEFT_VCLOCK_FILE, F_OK))
		return;
	fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	/* EPIPE: older messages have been overwritten */
	while ((n = read(fd, record, RECORD_MAX)) > 0 || (n < 0 && errno == EPIPE)) {
		record[n > 0 ? n : 0] = '\0';
		weft_killed_parse(k, lab, record);
	}
	close(fd);
}

/**
 * weft_killed_text() - describe the killed processes
 * @k: the processes, at least one
 * @text: result
 * @size: size of @text, bytes
 */
void weft_killed_text(const struct weft_killed *k, char *text, size_t size)
{
	unsigned int listed = k->n < WEFT_KILLED_MAX ? k->n : WEFT_KILLED_MAX;
	size_t n = (size_t)snprintf(text, size, "the virtual machine ran out of memory and killed ");

	for (unsigned int i = 0; i < listed && n < size; i++)
		n += (size_t)snprintf(text + n, size - n, "%s%s", i ? ", " : "", k->what[i]);
	if (k->n > listed && n < size)
		n += (size_t)snprintf(text + n, size - n, " and %u more", k->n - listed);
	if (n < size)
		snprintf(text + n, size - n, ": --mem gives it more (default 4G)");
}
