// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The token of the web server: a secret in a file that only its owner can read.
 *
 * It is created once and remains valid across restarts. After its file is
 * removed, the next start creates a new token.
 *
 * Random numbers in the virtual machine follow from its seed, which others may
 * know. If its ports can be reached from outside, the host passes a secret in
 * WEFT_VM_SECRET.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon.h"
#include "service/control.h"

static bool is_token(const char *text)
{
	return strlen(text) == WEFT_TOKEN_LEN &&
	       strspn(text, "0123456789abcdef") == WEFT_TOKEN_LEN;
}

static bool take_given(char token[WEFT_TOKEN_LEN + 1])
{
	const char *given = getenv("WEFT_VM_SECRET");

	if (!given || !is_token(given))
		return false;
	memcpy(token, given, WEFT_TOKEN_LEN);
	return true;
}

/* A file that others can read, or own, holds no secret. */
static bool read_old(char token[WEFT_TOKEN_LEN + 1])
{
	int fd = open(WEFT_CONTROL_TOKEN, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	ssize_t n = -1;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    !(st.st_mode & 077))
		n = read(fd, token, WEFT_TOKEN_LEN);
	close(fd);
	return n == WEFT_TOKEN_LEN && is_token(token);
}

static int make_token(char token[WEFT_TOKEN_LEN + 1], struct weft_err *err)
{
	unsigned char random[WEFT_TOKEN_LEN / 2];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return weft_err_sys(err, errno, "getrandom");
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(token + 2 * i, 3, "%02x", random[i]);
	return 0;
}

static int write_new(const char *token, struct weft_err *err)
{
	int fd, ret = 0;

	if (unlink(WEFT_CONTROL_TOKEN) && errno != ENOENT)
		return weft_err_sys(err, errno, "remove %s",
				    WEFT_CONTROL_TOKEN);
	fd = open(WEFT_CONTROL_TOKEN,
		  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, token, WEFT_TOKEN_LEN) != WEFT_TOKEN_LEN)
		ret = weft_err_sys(err, errno, "write %s", WEFT_CONTROL_TOKEN);
	if (fd >= 0)
		close(fd);
	return ret;
}

/**
 * token_read() - read the token, or create one
 * @token: result
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int token_read(char token[WEFT_TOKEN_LEN + 1], struct weft_err *err)
{
	token[WEFT_TOKEN_LEN] = '\0';
	if (take_given(token))
		return write_new(token, err);
	if (read_old(token))
		return 0;
	if (make_token(token, err))
		return err->code;
	return write_new(token, err);
}
