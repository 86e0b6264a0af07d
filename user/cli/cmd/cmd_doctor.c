// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft doctor: what is missing on this machine, and how to get it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "lab/lab_verbs.h"
#include "netlink/nl.h"
#include "netlink/rdma.h"
#include "run/module.h"
#include "run/run_vm.h"
#include "topology/share.h"

/**
 * struct finding - one line of the diagnosis
 * @what: name of the thing
 * @found: it exists
 * @needed: without it, a part of Weft does not work
 * @note: its place or purpose
 * @fix: command that installs it, NULL if there is none
 */
struct finding {
	const char *what;
	bool found;
	bool needed;
	const char *note;
	const char *fix;
};

/**
 * struct tool - a program that Weft or its demo runs
 * @name: name of the program
 * @needed: without it, a part of Weft does not work
 * @note: its purpose
 * @fix: command that installs it
 */
struct tool {
	const char *name;
	bool needed;
	const char *note;
	const char *fix;
};

static const struct tool tools[] = {
	{ "mpirun", true, "MPI programs, the demo",
	  "apt-get install openmpi-bin libopenmpi-dev" },
	{ "mpicc", false, "builds the demo",
	  "apt-get install openmpi-bin libopenmpi-dev" },
	{ "iperf3", false, "bandwidth tests", "apt-get install iperf3" },
	{ "ip", true, "looks into nodes", "apt-get install iproute2" },
	{ "ethtool", false, "counters of NICs", "apt-get install ethtool" },
	{ "dcb", false, "priorities of NICs", "apt-get install iproute2" },
	{ "devlink", false, "switches and their buffers",
	  "apt-get install iproute2" },
	{ "tcpdump", false, "captures on NICs", "apt-get install tcpdump" },
	{ "tshark", false, "reads captures", "apt-get install tshark" },
	{ "rdma", false, "RDMA devices of nodes", "apt-get install iproute2" },
	{ "ibv_devinfo", false, "the same, as programs see them",
	  "apt-get install ibverbs-utils ibverbs-providers" },
	{ "ib_write_bw", false, "bandwidth and latency of verbs",
	  "apt-get install perftest" },
	{ "rping", false, "tests of the RDMA connection manager",
	  "apt-get install rdmacm-utils" },
	{ "ucx_perftest", false, "UCX alone", "apt-get install ucx-utils" },
	{ "ibstat", false, "ports of InfiniBand",
	  "apt-get install infiniband-diags" },
	{ "qemu-system-x86_64", false, "tests on the distribution's kernels",
	  "apt-get install qemu-system-x86" },
};

#define TOOLS (sizeof(tools) / sizeof(*tools))
#define PARTS 8

static bool in_dir(const char *dir, size_t len, const char *name, int mode)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.*s/%s", (int)len, dir, name);
	return !access(path, mode);
}

static bool in_path(const char *name)
{
	const char *path = getenv("PATH");
	size_t len;

	for (; path && *path; path += len + (path[len] == ':')) {
		len = strcspn(path, ":");
		if (in_dir(path, len, name, X_OK))
			return true;
	}
	return in_dir("/usr/sbin", 9, name, X_OK) ||
	       in_dir("/sbin", 5, name, X_OK);
}

/* Where "make modules" puts modules for the running kernel. */
#define BUILT "build/module-$(uname -r)/kernel/"

static struct finding check_kernel(void)
{
	struct finding f = { "module in the running kernel", false, false,
		"for --clock real; not needed for the virtual clock",
		"modprobe weft (from weft-dkms), or make modules && insmod " BUILT "weft.ko" };
	struct weft_err err;
	struct weft_nl nl;

	if (weft_nl_open(&nl, &err))
		return f;
	weft_nl_close(&nl);
	f.found = true;
	return f;
}

static struct finding check_vm(void)
{
	struct finding f = { "virtual machine", false, true,
			     "the virtual clock", "make" };
	char path[PATH_MAX];
	struct weft_err err;

	f.found = !run_vm_find(path, &err) && !access(path, X_OK);
	return f;
}

static struct finding check_vm_kernel(void)
{
	struct finding f = { "module for the virtual machine", false, true,
			     "the virtual clock", "make" };
	char path[PATH_MAX];
	struct weft_err err;

	f.found = !module_find(path, &err) && !access(path, R_OK);
	return f;
}

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH	59
#define PR_SYS_DISPATCH_OFF		0
#define PR_SYS_DISPATCH_ON		1
#endif

/* All addresses are exempt, so that nothing is dispatched during the test. */
static struct finding check_inside(void)
{
	struct finding f = { "processes without ptrace", false, false,
		"a virtual machine that is several times faster",
		"a kernel from 5.11 on with CONFIG_GENERIC_ENTRY" };

#if defined(__x86_64__)
	f.found = !prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0,
			 1UL << 47, 0);
	prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0);
#endif
	return f;
}

/* It is in the directory of the other module. */
static struct finding check_vm_verbs(void)
{
	struct finding f = { "verbs for the virtual machine", false, false,
		"RDMA devices on the virtual clock",
		"make, with a kernel of the virtual machine that has INFINIBAND" };
	char path[PATH_MAX], dir[PATH_MAX];
	struct weft_err err;
	char *slash;

	if (module_find(path, &err))
		return f;
	slash = strrchr(path, '/');
	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - path) : 0,
		 path);
	f.found = in_dir(dir, strlen(dir), "weft_rdma.ko", R_OK);
	return f;
}

static struct finding check_verbs(void)
{
	return (struct finding) {
		"verbs in the running kernel", weft_verbs_loaded(), false,
		"RDMA devices for --clock real; not needed for the virtual clock",
		"modprobe weft_rdma (from weft-dkms), or modprobe ib_uverbs && insmod " BUILT "weft_rdma.ko"
	};
}

/* The mode cannot be changed while there are namespaces, and each node is one. */
static struct finding check_exclusive(void)
{
	struct finding f = { "RDMA namespaces are exclusive", false, false,
		"each node sees its own RDMA devices only",
		"rdma system set netns exclusive, or ib_core.netns_mode=0 at boot" };
	struct weft_err err;
	struct weft_nl nl;

	if (weft_nl_open_rdma(&nl, &err))
		return f;
	if (weft_rdma_exclusive(&nl, &f.found, &err))
		f.found = false;
	weft_nl_close(&nl);
	return f;
}

static struct finding check_share(void)
{
	struct finding f = { "profiles and topologies", false, true,
			     "what topologies are made of", "make" };
	struct weft_listing list;
	struct weft_err err;

	f.found = !weft_share_list("profiles", &list, &err) && list.n;
	weft_listing_free(&list);
	return f;
}

static struct finding check_tool(const struct tool *t)
{
	return (struct finding) {
		t->name, in_path(t->name), t->needed, t->note, t->fix
	};
}

static void print_finding(const struct finding *f)
{
	const char *state = f->found ? "ok" : f->needed ? "MISSING" : "missing";

	printf("%-8s %-32s %s\n", state, f->what, f->note);
	if (!f->found)
		printf("%-8s   get it: %s\n", "", f->fix);
}

static json_t *finding_json(const struct finding *f)
{
	return json_pack("{s:s, s:b, s:b, s:s, s:s}", "what", f->what,
			 "found", f->found, "needed", f->needed, "note",
			 f->note, "fix", f->fix);
}

static int diagnose(bool json)
{
	struct finding f[PARTS + TOOLS] = {
		check_share(), check_vm(), check_vm_kernel(), check_vm_verbs(),
		check_inside(), check_kernel(), check_verbs(), check_exclusive(),
	};
	json_t *all = json_array();
	bool healthy = true;
	int ret;

	for (size_t i = 0; i < TOOLS; i++)
		f[PARTS + i] = check_tool(&tools[i]);
	for (size_t i = 0; i < PARTS + TOOLS; i++) {
		healthy &= f[i].found || !f[i].needed;
		json_array_append_new(all, finding_json(&f[i]));
		if (!json)
			print_finding(&f[i]);
	}
	if (json) {
		ret = cli_json(json_pack("{s:b, s:o}", "healthy", healthy,
					 "findings", all));
	} else {
		json_decref(all);
		ret = cli_done();
	}
	return ret ? ret : healthy ? 0 : EXIT_USAGE;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	bool json = false;
	const struct cli_option opt[] = {
		CLI_FLAG("json", &json), CLI_END,
	};
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	ret = cli_no_words(cmd, argc, argv);
	if (ret)
		return ret;
	return diagnose(json);
}

const struct command cmd_doctor = {
	.name = "doctor",
	.run = run,
	.summary = "what is missing on this machine, and how to get it",
	.usage =
"usage: weft doctor [OPTION]...\n"
"\n"
"Check for everything that Weft needs, and print for each missing thing the\n"
"command that installs it. The exit code is 1 if something required is missing.\n"
"\n"
"  -j, --json    as JSON; keys never change\n"
"  -p, --pretty  JSON with indents\n",
};
