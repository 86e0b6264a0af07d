// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line of weft-vm.
 */
#include "options.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* as build.sh has them */
#define FLAVORS "fast|debug|kasan"

static const char usage_text[] =
"usage: weft-vm [OPTION]... -- COMMAND [ARG]...\n"
"\n"
"Run COMMAND as root of a small Linux machine with a clock of its own.\n"
"\n"
"  --clock virtual|real  infinitely fast CPU, time passes only while all wait\n"
"                        (default); or the host's clock\n"
"  --seed N              seed of all random numbers in the machine (default 1)\n"
"  --flavor " FLAVORS "\n"
"                        which kernel (default fast)\n"
"  --vm-dir DIR          directory of the kernel (default: what build.sh makes)\n"
"  --userspace inside|ptrace\n"
"                        how the machine runs processes: with its kernel inside\n"
"                        them (default, or $WEFT_USERSPACE), or from outside by\n"
"                        ptrace, which is slower; also if the host lacks support\n"
"  --mem SIZE            memory, such as 2G (default 4G); used only as touched\n"
"  --dir DIR             working directory, writable (default: the present one)\n"
"  --rw DIR              a further writable directory\n"
"  --env NAME=VALUE      set a variable for COMMAND\n"
"  --kernel WORD         add WORD to the kernel's command line\n"
"  --forward PORT        connections to 127.0.0.1:PORT go to the same port inside\n"
"  --timeout SECONDS     kill the machine after that much real time, exit 124\n"
"  --progress            show the progress while there is no other output, if\n"
"                        standard error is a terminal; if not, see next\n"
"  --progress-line SECONDS\n"
"                        with --progress and no terminal: a line after SECONDS\n"
"                        of real time, and whenever they have doubled, if\n"
"                        virtual time is ten times slower (default 60)\n"
"  --progress-file FILE  write it to FILE each second: boot, run or end; real\n"
"                        seconds, ns of virtual time, packets sent by hosts\n"
"  --log FILE            write the kernel's messages to FILE\n"
"  --help                this text\n"
"\n"
"Exit code: that of COMMAND, 128+n if signal n ended it; 124 time-out,\n"
"125 the machine failed, 126 COMMAND cannot be run, 127 COMMAND not found.\n";

enum option_id {
	OPT_CLOCK = 256, OPT_SEED, OPT_FLAVOR, OPT_VM_DIR, OPT_MEM, OPT_DIR,
	OPT_RW, OPT_USERSPACE, OPT_ENV, OPT_KERNEL, OPT_FORWARD, OPT_TIMEOUT, OPT_PROGRESS,
	OPT_PROGRESS_LINE, OPT_PROGRESS_FILE, OPT_LOG, OPT_HELP,
};

static const struct option long_options[] = {
	{ "clock", required_argument, NULL, OPT_CLOCK },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "flavor", required_argument, NULL, OPT_FLAVOR },
	{ "vm-dir", required_argument, NULL, OPT_VM_DIR },
	{ "userspace", required_argument, NULL, OPT_USERSPACE },
	{ "mem", required_argument, NULL, OPT_MEM },
	{ "dir", required_argument, NULL, OPT_DIR },
	{ "rw", required_argument, NULL, OPT_RW },
	{ "env", required_argument, NULL, OPT_ENV },
	{ "kernel", required_argument, NULL, OPT_KERNEL },
	{ "forward", required_argument, NULL, OPT_FORWARD },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "progress", no_argument, NULL, OPT_PROGRESS },
	{ "progress-line", required_argument, NULL, OPT_PROGRESS_LINE },
	{ "progress-file", required_argument, NULL, OPT_PROGRESS_FILE },
	{ "log", required_argument, NULL, OPT_LOG },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};

static void add(const char **list, int *count, const char *what)
{
	if (*count == VM_LIST_MAX)
		fail("more than %d of one option: \"%s\"", VM_LIST_MAX, what);
	list[(*count)++] = what;
}

static bool parse_clock(const char *arg)
{
	if (strcmp(arg, "virtual") && strcmp(arg, "real"))
		fail("--clock %s: must be virtual or real", arg);
	return !strcmp(arg, "real");
}

/* Return: @arg if it is a word of FLAVORS; exits if not */
static const char *parse_flavor(const char *arg)
{
	const char *word = FLAVORS;
	size_t len;

	for (; *word; word += len + (word[len] == '|')) {
		len = strcspn(word, "|");
		if (strlen(arg) == len && !strncmp(arg, word, len))
			return arg;
	}
	fail("--flavor %s: must be one of " FLAVORS, arg);
}

static const char *parse_userspace(const char *arg, const char *from)
{
	if (strcmp(arg, "inside") && strcmp(arg, "ptrace"))
		fail("%s%s: must be inside or ptrace", from, arg);
	return arg;
}

static unsigned long long parse_seed(const char *arg)
{
	unsigned long long seed;
	char *end;

	seed = strtoull(arg, &end, 0);
	if (!isdigit((unsigned char)*arg) || *end)
		fail("--seed %s: must be a number", arg);
	return seed;
}

static unsigned int parse_port(const char *arg)
{
	unsigned long port;
	char *end;

	port = strtoul(arg, &end, 10);
	if (!isdigit((unsigned char)*arg) || *end || !port || port > 65535)
		fail("--forward %s: must be a port, 1 to 65535", arg);
	return port;
}

static double parse_seconds(const char *option, const char *arg)
{
	double seconds;
	char *end;

	seconds = strtod(arg, &end);
	if (end == arg || *end || !(seconds > 0 && seconds < 1e7))
		fail("%s %s: must be a number of seconds above 0", option, arg);
	return seconds;
}

static const char *parse_mem(const char *arg)
{
	unsigned long long size;
	char *end;

	size = strtoull(arg, &end, 10);
	if (!isdigit((unsigned char)*arg) || !*end || !strchr("MmGg", *end) || end[1])
		fail("--mem %s: must be a number followed by M or G", arg);
	if (size << (strchr("Gg", *end) ? 30 : 20) < 128ULL << 20)
		fail("--mem %s: must be at least 128M", arg);
	return arg;
}

static const char *parse_env(const char *arg)
{
	if (*arg == '=' || !strchr(arg, '='))
		fail("--env %s: must be NAME=VALUE", arg);
	return arg;
}

static void help(void)
{
	fputs(usage_text, stdout);
	exit(fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS);
}

static void take_list(struct options *opt, int id, const char *arg)
{
	if (id == OPT_RW)
		add(opt->rw, &opt->rw_count, arg);
	else if (id == OPT_ENV)
		add(opt->env, &opt->env_count, parse_env(arg));
	else
		add(opt->kernel, &opt->kernel_count, arg);
}

static void take(struct options *opt, int id, const char *arg)
{
	switch (id) {
	case OPT_CLOCK:
		opt->real_clock = parse_clock(arg);
		break;
	case OPT_SEED:
		opt->seed = parse_seed(arg);
		break;
	case OPT_FLAVOR:
		opt->flavor = parse_flavor(arg);
		break;
	case OPT_VM_DIR:
		opt->vm_dir = arg;
		break;
	case OPT_USERSPACE:
		opt->userspace = parse_userspace(arg, "--userspace ");
		break;
	case OPT_MEM:
		opt->mem = parse_mem(arg);
		break;
	case OPT_DIR:
		opt->dir = arg;
		break;
	case OPT_FORWARD:
		opt->port = parse_port(arg);
		break;
	case OPT_TIMEOUT:
		opt->timeout = parse_seconds("--timeout", arg);
		break;
	case OPT_PROGRESS:
		opt->progress = true;
		break;
	case OPT_PROGRESS_LINE:
		opt->progress_line = parse_seconds("--progress-line", arg);
		break;
	case OPT_PROGRESS_FILE:
		opt->progress_file = arg;
		break;
	case OPT_LOG:
		opt->log = arg;
		break;
	case OPT_HELP:
		help();
		break;
	default:
		take_list(opt, id, arg);
	}
}

/**
 * options_parse() - parse the command line; exits if it is wrong
 * @opt:	result
 * @argc:	number of words
 * @argv:	the words
 */
void options_parse(struct options *opt, int argc, char **argv)
{
	const char *userspace = getenv("WEFT_USERSPACE");
	int id;

	*opt = (struct options) {
		.flavor = "fast", .seed = 1, .mem = "4G", .userspace = "inside",
		.progress_line = 60,
	};
	if (userspace && *userspace)
		opt->userspace = parse_userspace(userspace, "WEFT_USERSPACE=");
	while ((id = getopt_long(argc, argv, "+", long_options, NULL)) != -1) {
		if (id == '?')
			fail("see weft-vm --help");
		take(opt, id, optarg);
	}
	if (optind == argc)
		fail("no command given; see weft-vm --help");
	opt->command = argv + optind;
}
