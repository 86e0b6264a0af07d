// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft mark: start a phase, from a node.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

#define END_LINE	"-\n"	/* ends a phase and begins none */

static int open_marks(struct weft_err *err)
{
	int fd = open(WEFT_MARKS_FILE, O_WRONLY | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == ENOENT)
		return weft_err_set(err, WEFT_ERR_KERNEL, -ENOENT,
				    "there is no %s: the module of weft is not loaded",
				    WEFT_MARKS_FILE);
	return weft_err_sys(err, errno, "%s", WEFT_MARKS_FILE);
}

static int explain(int errnum, const char *name, struct weft_err *err)
{
	if (errnum == ENODEV)
		return weft_err_set(err, WEFT_ERR_USAGE, -ENODEV,
				    "this is no node, as it has no NIC in a fabric: `weft exec NODE -- weft mark %.40s`",
				    name);
	if (errnum == EINVAL)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "\"%.40s\": a name has up to 31 letters, digits and . _ : + -, the first one a letter or digit",
				    name);
	return weft_err_sys(err, errnum, "%s", WEFT_MARKS_FILE);
}

/* The fabric time of the mark is the time of the write. */
static int mark(const char *name, const char *line, struct weft_err *err)
{
	int fd = open_marks(err);
	int ret = 0;

	if (fd < 0)
		return err->code;
	if (write(fd, line, strlen(line)) < 0)
		ret = explain(errno, name, err);
	close(fd);
	return ret;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	bool end = false;
	const struct cli_option opt[] = {
		CLI_FLAG("end", &end), CLI_END,
	};
	struct weft_err err;
	char line[64];
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	if (argc - optind != !end)
		return cli_usage(cmd, "expected a PHASE, or --end");
	if (end)
		return mark("--end", END_LINE, &err) ? cli_fail(&err) : 0;
	/*
	 * The kernel must see a single line. A name that is too long is cut here, but it
	 * is still too long, so the kernel refuses it.
	 */
	if (strpbrk(argv[optind], "\n \t") || !strcmp(argv[optind], "-")) {
		explain(EINVAL, argv[optind], &err);
		return cli_fail(&err);
	}
	snprintf(line, sizeof(line), "%s\n", argv[optind]);
	return mark(argv[optind], line, &err) ? cli_fail(&err) : 0;
}

const struct command cmd_mark = {
	.name = "mark",
	.run = run,
	.summary = "say, from a node, which phase of the report begins",
	.usage =
"usage: weft mark PHASE\n"
"       weft mark --end\n"
"\n"
"In a node, end the phase of the last mark and begin PHASE. The report has the\n"
"same figures of each phase as of the whole run. A mark with the name of the\n"
"current phase changes nothing, so all ranks of a program may make it. Programs\n"
"can write a line to the file $WEFT_MARKS instead; \"-\" is --end.\n"
"\n"
"      --end  end the phase of the last mark, and begin none\n",
};
