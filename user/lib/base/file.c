// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files that are read or written as a whole.
 *
 * A full file system can fail any write() and also close(), so each result is checked.
 */
#include "base/file.h"
#include "base/json_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_ROOM	32768	/* bytes; doubled before the first read */

static int write_all(int fd, const char *text)
{
	size_t len = strlen(text);
	ssize_t n = 0;

	for (; len && n >= 0; text += n, len -= (size_t)n)
		n = write(fd, text, len);
	return n < 0 ? -1 : 0;
}

static int write_text(const char *path, mode_t mode, const char *text,
		      struct weft_err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode ? mode : 0666);
	int why = 0;

	if (fd < 0)
		return weft_err_sys(err, errno, "write %s", path);
	if (write_all(fd, text) || (mode && fchmod(fd, mode)))
		why = errno;
	if (close(fd) && !why)
		why = errno;
	return why ? weft_err_sys(err, why, "write %s", path) : 0;
}

/**
 * weft_file_write() - create a file, or replace its content
 * @path: the file
 * @mode: its permissions, without regard to the umask; 0: 0666 less the umask
 * @text: the content; empty afterwards
 * @err: error
 *
 * Return: 0 or negative errno; after an error the file may have part of the content.
 */
int weft_file_write(const char *path, mode_t mode, struct weft_strbuf *text,
		    struct weft_err *err)
{
	char *whole;
	int ret = weft_strbuf_take(text, &whole, err);

	if (!ret)
		ret = write_text(path, mode, whole, err);
	free(whole);
	return ret;
}

/**
 * weft_file_write_json() - write a JSON value to a file
 * @path: the file, created or replaced
 * @mode: its permissions, as in weft_file_write()
 * @value: the value; NULL counts as "no memory"
 * @flags: flags of json_dumps()
 * @err: error
 *
 * Return: 0 or negative errno; after an error the file may have part of the value.
 */
int weft_file_write_json(const char *path, mode_t mode, const json_t *value,
			 size_t flags, struct weft_err *err)
{
	char *text = weft_json_text(value, flags);
	struct weft_strbuf s = { 0 };

	if (!text)
		return weft_err_nomem(err);
	weft_strbuf_addf(&s, "%s\n", text);
	free(text);
	return weft_file_write(path, mode, &s, err);
}

/**
 * weft_stream_read() - read a stream to its end
 * @f: the stream
 * @max: bytes that are too many, at least 2
 * @text: result, with a '\0' behind it; NULL after an error, else to be freed
 * @len: result, bytes without the '\0'
 *
 * Return: 0, -EFBIG, -ENOMEM, or the negative errno of the stream.
 */
int weft_stream_read(FILE *f, size_t max, char **text, size_t *len)
{
	size_t room = READ_ROOM;
	char *more;
	int ret;

	*text = NULL;
	*len = 0;
	do {
		room = room < max / 2 ? 2 * room : max;
		ret = -ENOMEM;
		more = realloc(*text, room);
		if (!more)
			break;
		*text = more;
		errno = 0;
		*len += fread(*text + *len, 1, room - *len, f);
		ret = ferror(f) ? -errno : 0;
		if (!ret && *len == max)
			ret = -EFBIG;
	} while (!ret && *len == room);
	if (!ret) {
		(*text)[*len] = '\0';
		return 0;
	}
	free(*text);
	*text = NULL;
	return ret;
}
