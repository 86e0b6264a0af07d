// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs in nodes.
 */
#include "run/node_exec.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "cli.h"
#include "lab/lab_mpi.h"
#include "lab/lab_net.h"
#include "topology/share.h"

/* Let programs in a node find `weft exec` and `weft rsh`. */
static int add_self_to_path(struct weft_err *err)
{
	const char *old = getenv("PATH");
	char dir[PATH_MAX], *path;

	if (weft_self_dir(dir, err))
		return err->code;
	if (!old)
		old = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	if (asprintf(&path, "%s:%s", old, dir) < 0)
		return weft_err_nomem(err);
	setenv("PATH", path, 1);
	free(path);
	return 0;
}

/**
 * node_exec() - replace this process by a program in a node
 * @lab: the lab, up
 * @node: name of the node
 * @how: options
 * @argv: the program
 *
 * Return: exit code, if the program could not be started.
 */
int node_exec(const struct weft_lab *lab, const char *node,
	      const struct node_exec_options *how, char **argv)
{
	struct weft_err err;

	if (weft_lab_mpi(lab, how->slots, &err) || add_self_to_path(&err) ||
	    weft_lab_enter(lab, node, &err) ||
	    weft_lab_net(lab, node, how->net, &err) ||
	    weft_lab_oom_mark(lab, node, &err)) {
		cli_fail(&err);
		return EXIT_RUN_FAILED;
	}
	weft_lift_memlock();
	execvp(argv[0], argv);
	weft_err_sys(&err, errno, "%s", argv[0]);
	cli_fail(&err);
	return err.code == -ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}
