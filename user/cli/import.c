// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Import of topologies from other programs.
 */
#include "import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli.h"
#include "topology/ibnetdiscover.h"

#define DUMP_MAX	(64 << 20)

/* Read a stream to its end; NULL with an error. */
static char *read_stream(FILE *f, const char *name, size_t *len,
			 struct weft_err *err)
{
	char *text;
	int ret = weft_stream_read(f, DUMP_MAX, &text, len);

	if (!ret)
		return text;
	if (ret == -EFBIG)
		weft_err_set(err, WEFT_ERR_USAGE, ret, "%s: larger than 64 MiB", name);
	else
		weft_err_sys(err, -ret, "%s", name);
	if (ret != -ENOMEM)
		err->kind = WEFT_ERR_USAGE;
	return NULL;
}

static char *read_dump(const char *path, size_t *len, struct weft_err *err)
{
	char *text;
	FILE *f;

	if (!strcmp(path, "-"))
		return read_stream(stdin, "standard input", len, err);
	f = fopen(path, "re");
	if (!f) {
		weft_err_sys(err, errno, "%s", path);
		err->kind = WEFT_ERR_USAGE;
		return NULL;
	}
	text = read_stream(f, path, len, err);
	fclose(f);
	return text;
}

/**
 * import_print() - convert the output of ibnetdiscover to a topology file, and print it
 * @path: the file, "-" for standard input
 *
 * Return: exit code.
 */
int import_print(const char *path)
{
	char *text, *yaml = NULL;
	struct weft_err err;
	size_t len;

	text = read_dump(path, &len, &err);
	if (!text)
		return cli_fail(&err);
	weft_ibnetdiscover(strcmp(path, "-") ? path : "standard input", text,
			   len, NULL, &yaml, &err);
	free(text);
	if (!yaml)
		return cli_fail(&err);
	fputs(yaml, stdout);
	free(yaml);
	return cli_done();
}
