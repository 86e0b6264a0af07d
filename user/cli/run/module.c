// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel modules inside the virtual machine.
 */
#include "run/module.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "topology/share.h"

/**
 * module_find() - find the module for the virtual machine's kernel
 * @path: result
 * @err: error
 *
 * Looks at $WEFT_MODULE, then in the build tree, then in the installation.
 *
 * Return: 0 or negative errno.
 */
int module_find(char path[PATH_MAX], struct weft_err *err)
{
	static const char *const places[] = {
		"../module-vm/kernel/weft.ko", "../lib/weft/vm/weft.ko", NULL
	};

	return weft_part_find("the module for the virtual machine",
			      "WEFT_MODULE", places, path, err);
}

static bool loaded(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/module/%s", name);
	return !access(path, F_OK);
}

static int load_file(const char *path, struct weft_err *err)
{
	int ret = 0, fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return weft_err_sys(err, errno, "%s", path);
	if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST) {
		ret = weft_err_sys(err, errno, "load %s", path);
		err->kind = WEFT_ERR_KERNEL;
	}
	close(fd);
	return ret;
}

/*
 * The module for verbs is in the same directory. A build for a kernel without RDMA has
 * none.
 */
static int load_verbs(const char *module, struct weft_err *err)
{
	const char *slash = strrchr(module, '/');
	char path[PATH_MAX + 16];

	if (loaded("weft_rdma") || !loaded("ib_core"))
		return 0;
	snprintf(path, sizeof(path), "%.*sweft_rdma.ko",
		 slash ? (int)(slash - module) + 1 : 0, module);
	return access(path, F_OK) ? 0 : load_file(path, err);
}

/**
 * module_load() - load the modules that are not loaded
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int module_load(struct weft_err *err)
{
	char path[PATH_MAX];
	int ret;

	if (loaded("weft") && loaded("weft_rdma"))
		return 0;
	if (module_find(path, err))
		return loaded("weft") ? 0 : err->code;
	ret = loaded("weft") ? 0 : load_file(path, err);
	return ret ? ret : load_verbs(path, err);
}
