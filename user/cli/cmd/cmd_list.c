// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft profiles, weft topologies: the ones that come with Weft.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "topology/share.h"

/* Read the line "description: ..." of a file, without quotes. It is for people only. */
static void read_description(const char *path, char *buf, size_t len)
{
	FILE *f = fopen(path, "re");
	char line[256];

	*buf = '\0';
	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "description: ", 13))
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(buf, len, "%s", line + 13);
		break;
	}
	if (f)
		fclose(f);
}

static int print_list(const struct weft_listing *list, bool json)
{
	json_t *all = json_array(), *o;
	char text[256];

	for (unsigned int i = 0; i < list->n; i++) {
		const struct weft_listing_entry *e = &list->entry[i];

		read_description(e->path, text, sizeof(text));
		o = json_pack("{s:s, s:s, s:s}", "name", e->name,
			      "description", text, "path", e->path);
		json_array_append_new(all, o);
		if (!json)
			printf("%-20s %s\n", e->name, text);
	}
	if (json)
		return cli_json(all);
	json_decref(all);
	return cli_done();
}

static int run(const struct command *cmd, int argc, char **argv)
{
	bool json = false;
	const struct cli_option opt[] = {
		CLI_FLAG("json", &json), CLI_END,
	};
	struct weft_listing list;
	struct weft_err err;
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	ret = cli_no_words(cmd, argc, argv);
	if (ret)
		return ret;
	if (weft_share_list(cmd->name, &list, &err))
		ret = cli_fail(&err);
	else
		ret = print_list(&list, json);
	weft_listing_free(&list);
	return ret;
}

const struct command cmd_profiles = {
	.name = "profiles",
	.run = run,
	.summary = "list the profiles that come with Weft",
	.usage =
"usage: weft profiles [OPTION]...\n"
"\n"
"List the profiles that a topology can name.\n"
"\n"
"  -j, --json    as JSON; keys never change\n"
"  -p, --pretty  JSON with indents\n",
};

const struct command cmd_topologies = {
	.name = "topologies",
	.run = run,
	.summary = "list the topologies that come with Weft",
	.usage =
"usage: weft topologies [OPTION]...\n"
"\n"
"List the topologies that come with Weft; `weft run` and `weft up` take their\n"
"names.\n"
"\n"
"  -j, --json    as JSON; keys never change\n"
"  -p, --pretty  JSON with indents\n",
};
