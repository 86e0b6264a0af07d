// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft record: write the activity of a lab's links over time to a file.
 */
#include <getopt.h>
#include <string.h>

#include "base/units.h"
#include "cli.h"
#include "run/recorder.h"

static int parse_times(const struct command *cmd, const char *interval,
		       const char *duration, struct recorder_options *o)
{
	if (interval && recorder_interval(cmd, interval, &o->interval))
		return EXIT_USAGE;
	return duration ? cli_duration(cmd, "--for", duration, &o->duration) : 0;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	const char *interval = NULL, *duration = NULL, *name = NULL;
	struct recorder_options o = { 0 };
	const struct cli_option opt[] = {
		CLI_TEXT("interval", &interval), CLI_TEXT("for", &duration),
		CLI_TEXT("lab", &name), CLI_TEXT("output", &o.file),
		CLI_END,
	};
	struct weft_lab lab;
	struct weft_err err;
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	if (cli_no_words(cmd, argc, argv))
		return EXIT_USAGE;
	if (!o.file)
		return cli_usage(cmd, "expected --output FILE");
	if (parse_times(cmd, interval, duration, &o))
		return EXIT_USAGE;
	if (cli_lab(&lab, name, &err))
		return cli_fail(&err);
	ret = recorder_run(&o, &lab, &err);
	weft_lab_close(&lab);
	return ret ? cli_fail(&err) : cli_done();
}

const struct command cmd_record = {
	.name = "record",
	.run = run,
	.summary = "record to a file what the links of a lab do over time",
	.usage =
"usage: weft record --output FILE [OPTION]...\n"
"\n"
"Record a lab until Ctrl-C, or until it is removed: what was sent, held back,\n"
"marked and lost on each wire, over fabric time, with the faults and the report.\n"
"`weft report --html` makes a page of FILE; Documentation/run-file.rst explains\n"
"its keys. `weft run --record` records a whole run.\n"
"\n"
"  -o, --output FILE  the recording\n"
"      --interval T   fabric time between samples (default 100us); it doubles\n"
"                     whenever the recording is full\n"
"      --for T        end after T of fabric time\n"
"  -l, --lab LAB      the lab (default: $WEFT_LAB, or the only one)\n",
};
