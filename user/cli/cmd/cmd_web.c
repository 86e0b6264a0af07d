// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft web: the address of the web page.
 */

#include "cli.h"
#include "run/web.h"

static int run(const struct command *cmd, int argc, char **argv)
{
	bool json = false;
	const struct cli_option opt[] = {
		CLI_FLAG("json", &json), CLI_END,
	};
	struct weft_err err;
	char url[WEB_ADDRESS_LEN];
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	ret = cli_no_words(cmd, argc, argv);
	if (ret)
		return ret;
	if (web_address(url, &err))
		return cli_fail(&err);
	if (json)
		return cli_json(json_pack("{s:s}", "url", url));
	puts(url);
	return cli_done();
}

const struct command cmd_web = {
	.name = "web",
	.run = run,
	.summary = "the address of the web page",
	.usage =
"usage: weft web [OPTION]...\n"
"\n"
"Print the address of weftd's web page, with its access token. Everybody who\n"
"knows the address can see all labs. To revoke it, remove /run/weft/http.token\n"
"and restart weftd.\n"
"\n"
"  -j, --json    as JSON; keys never change\n"
"  -p, --pretty  JSON with indents\n",
};
