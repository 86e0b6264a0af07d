// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft run, in the virtual machine. This process becomes the launcher, which passes
 * input, output, signals and the exit code through.
 */
#include "run/run_vm.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "topology/share.h"

/**
 * struct words - the launcher's command line
 */
struct words {
	const char **word;
	size_t n;
};

/* weft's options, and the launcher's names of them. */
static const char *const launcher_options[][2] = {
	{ "mem", "--mem" }, { "rw", "--rw" }, { "timeout", "--timeout" },
	{ "flavor", "--flavor" }, { "userspace", "--userspace" },
	{ "log", "--log" }, { "progress", "--progress-file" },
};

#define LAUNCHER_OPTIONS (sizeof(launcher_options) / sizeof(*launcher_options))

/**
 * run_vm_add() - add an option for the launcher
 * @cmd: the command
 * @options: the struct run_options
 * @name: name of the option
 * @value: its value
 *
 * Return: 0 or exit code.
 */
int run_vm_add(const struct command *cmd, void *options, const char *name,
	       const char *value)
{
	struct run_options *o = options;

	if (o->vm_options + 2 > RUN_VM_OPTIONS_MAX)
		return cli_usage(cmd, "too many options");
	for (size_t i = 0; i < LAUNCHER_OPTIONS; i++)
		if (!strcmp(launcher_options[i][0], name))
			o->vm_option[o->vm_options++] = launcher_options[i][1];
	o->vm_option[o->vm_options++] = value;
	if (!strcmp(name, "flavor"))
		o->flavor = value;
	return 0;
}

/**
 * run_vm_find() - find the launcher of the virtual machine
 * @path: result
 * @err: error
 *
 * Looks at $WEFT_VM, then in the build tree, then in the installation.
 *
 * Return: 0 or negative errno.
 */
int run_vm_find(char path[PATH_MAX], struct weft_err *err)
{
	static const char *const places[] = {
		"../vm/weft-vm", "../libexec/weft/weft-vm", "weft-vm", NULL
	};

	return weft_part_find("the virtual machine", "WEFT_VM", places, path,
			      err);
}

static void add(struct words *w, const char *word)
{
	const char **more = weft_array_grow(w->word, w->n, sizeof(*more));
	struct weft_err err;

	if (!more) {
		weft_err_nomem(&err);
		cli_fail(&err);
		exit(EXIT_RUN_FAILED);
	}
	w->word = more;
	w->word[w->n++] = word;
}

static void add_option(struct words *w, const char *option, const char *value)
{
	if (!value)
		return;
	add(w, option);
	add(w, value);
}

/* The directory of a file that is written inside must be writable there. */
static void add_dir_of(struct words *w, const char *file)
{
	char *copy = strdup(file), *dir;

	dir = copy ? realpath(dirname(copy), NULL) : NULL;
	add_option(w, "--rw", dir);
	free(copy);
}

/* Each flavor of kernel needs its own module; module_find() finds the fast one's. */
static int find_module(const char *flavor, char path[PATH_MAX],
		       struct weft_err *err)
{
	char place[64];
	const char *const places[] = { place, NULL };

	snprintf(place, sizeof(place), "../module-vm-%s/kernel/weft.ko", flavor);
	if (!weft_part_find("the module", "WEFT_MODULE", places, path, err))
		return 0;
	return weft_err_set(err, WEFT_ERR_OTHER, -ENOENT,
			    "--flavor %s: no module for such a kernel: `make debug` and `make kasan` build one each, or set WEFT_MODULE",
			    flavor);
}

static void add_module(struct words *w, const char *flavor)
{
	static char setting[PATH_MAX + 16];
	char path[PATH_MAX];
	struct weft_err err;

	if (!flavor || !strcmp(flavor, "fast"))
		return;
	if (find_module(flavor, path, &err)) {
		cli_fail(&err);
		exit(EXIT_RUN_FAILED);
	}
	snprintf(setting, sizeof(setting), "WEFT_MODULE=%s", path);
	add_option(w, "--env", setting);
}

static void add_machine(struct words *w, const struct run_options *o,
			const char *launcher, const char *seed)
{
	static char port[16];

	snprintf(port, sizeof(port), "%u", o->web);
	add(w, launcher);
	add_module(w, o->flavor);
	add_option(w, "--clock", "virtual");
	add_option(w, "--seed", seed);
	if (!o->quiet)
		add(w, "--progress");
	add_option(w, "--forward", o->web ? port : NULL);
	if (o->report)
		add_dir_of(w, o->report);
	if (o->record)
		add_dir_of(w, o->record);
	if (o->junit)
		add_dir_of(w, o->junit);
	for (unsigned int i = 0; i < o->vm_options; i++)
		add(w, o->vm_option[i]);
	add(w, "--");
}

static void add_self(struct words *w, const struct run_options *o,
		     const char *self, const char *seed)
{
	static char np[16], ppn[16], interval[32], web[16];

	snprintf(np, sizeof(np), "%u", o->np);
	snprintf(ppn, sizeof(ppn), "%u", o->ppn);
	snprintf(web, sizeof(web), "%u", o->web);
	snprintf(interval, sizeof(interval), "%" PRIu64 "ps", o->interval);
	add(w, self);
	add(w, "run");
	add(w, o->up.topology.name);
	for (unsigned int i = 0; i < o->up.topology.sets; i++)
		add(w, o->up.topology.set[i]);
	add(w, "--inside");
	add_option(w, "--clock", "virtual");
	add_option(w, "--seed", seed);
	add_option(w, "--name", o->up.name);
	add_option(w, "--report", o->report);
	add_option(w, "--record", o->record);
	add_option(w, "--scenario", o->scenario);
	add_option(w, "--junit", o->junit);
	add_option(w, "--interval", o->interval ? interval : NULL);
	add_option(w, "--web", o->web ? web : NULL);
	add_option(w, "--phases", o->phases);
	add_option(w, "--ppn", ppn);
	add_option(w, "--np", o->np ? np : NULL);
	add_option(w, "--net", o->net);
	if (o->quiet)
		add(w, "--quiet");
	if (o->mpi)
		add(w, "--mpi");
	if (o->up.verbose)
		add(w, "--verbose");
	add(w, "--");
	for (char **word = o->command; *word; word++)
		add(w, *word);
}

/**
 * run_vm() - run weft run again in the virtual machine
 * @o: options of the user
 *
 * Return: exit code, if the machine could not be started.
 */
int run_vm(const struct run_options *o)
{
	char launcher[PATH_MAX], self[PATH_MAX + 8], seed[24];
	struct words w = { 0 };
	struct weft_err err;

	if (run_vm_find(launcher, &err) || weft_self_dir(self, &err)) {
		cli_fail(&err);
		return EXIT_RUN_FAILED;
	}
	strcat(self, "/weft");
	snprintf(seed, sizeof(seed), "%" PRIu64, o->seed);
	add_machine(&w, o, launcher, seed);
	add_self(&w, o, self, seed);
	add(&w, NULL);
	execv(launcher, (char **)w.word);
	weft_err_sys(&err, errno, "%s", launcher);
	cli_fail(&err);
	return EXIT_RUN_FAILED;
}
