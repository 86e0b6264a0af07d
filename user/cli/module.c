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
		"../module-vm/kernel/weft.ko", "../lib/weft/vm/weft.ko", NULL
	};

	return weft_part_find("the module for the virtual machine",
			      "WEFT_MODULE", places, path, err);
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
