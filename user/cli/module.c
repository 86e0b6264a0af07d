// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel module, inside the virtual machine.
 */
#include "module.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "share.h"

/**
 * module_find() - find the module for the virtual machine's kernel
 * @path: result
 * @err: error
 *
 * $WEFT_MODULE, then where the build tree has it, then where it is installed.
 *
 * Return: 0 or negative errno.
 */
int module_find(char path[PATH_MAX], struct weft_err *err)
{
	static const char *const places[] = {
		"../module-vm/kernel/weft.ko", "../lib/weft/vm/weft.ko",
	};
	const char *env = getenv("WEFT_MODULE");
	char self[PATH_MAX];

	if (env) {
		snprintf(path, PATH_MAX, "%s", env);
		return 0;
	}
	if (weft_self_dir(self, err))
		return err->code;
	for (unsigned int i = 0; i < 2; i++)
		if (snprintf(path, PATH_MAX, "%s/%s", self, places[i]) <
		    PATH_MAX && !access(path, R_OK))
			return 0;
	return weft_err_set(err, WEFT_ERR_OTHER, -ENOENT,
			    "the module for the virtual machine is missing: `make` builds it, or set WEFT_MODULE");
}

/**
 * module_load() - load the module, unless it is there
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int module_load(struct weft_err *err)
{
	char path[PATH_MAX];
	int fd, ret = 0;

	if (!access("/sys/module/weft", F_OK))
		return 0;
	if (module_find(path, err))
		return err->code;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return weft_err_sys(err, errno, "%s", path);
	if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST) {
		ret = weft_err_sys(err, errno, "load %s", path);
		err->kind = WEFT_ERR_KERNEL;
	}
	close(fd);
	return ret;
}
