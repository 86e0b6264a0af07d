// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files that are written as a whole.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_text.h"
#include "netlink/json.h"
#include "ktap.h"

static void check(const char *path, mode_t mode, const char *want)
{
	char got[64] = "";
	struct stat st;
	FILE *f = fopen(path, "r");

	EXPECT(f);
	if (!f)
		return;
	EXPECT_EQ(fread(got, 1, sizeof(got) - 1, f), strlen(want));
	EXPECT(!strcmp(got, want));
	fclose(f);
	EXPECT(!stat(path, &st) && (st.st_mode & 07777) == mode);
}

TEST(written)
{
	char path[] = "/tmp/weft-file-XXXXXX";
	struct weft_strbuf s = { 0 };
	struct weft_err err = { 0 };
	json_t *v = json_pack("{s:i}", "a", 1);
	mode_t mask = umask(077);
	int fd = mkstemp(path);

	EXPECT(fd >= 0);
	weft_strbuf_addf(&s, "%d lines\n%s\n", 2, "second");
	EXPECT(!weft_file_write(path, 0755, &s, &err));
	EXPECT(!s.text);
	check(path, 0755, "2 lines\nsecond\n");
	EXPECT(!weft_file_write_json(path, 0644, v, JSON_COMPACT, &err));
	check(path, 0644, "{\"a\":1}\n");
	umask(mask);
	json_decref(v);
	close(fd);
	unlink(path);
}

/* What the file system has no room for is an error, and the file is named. */
TEST(full)
{
	struct weft_strbuf s = { 0 };
	struct weft_err err = { 0 };

	weft_strbuf_add(&s, "x");
	EXPECT_EQ(weft_file_write("/dev/full", 0644, &s, &err), -ENOSPC);
	EXPECT(!strcmp(err.msg, "write /dev/full: No space left on device"));
	EXPECT_EQ(weft_file_write_json("/dev/full", 0, json_true(), JSON_ENCODE_ANY, &err),
		  -ENOSPC);
	EXPECT_EQ(weft_file_write_json("/dev/null", 0, NULL, 0, &err), -ENOMEM);
}

/* A value that lost a part for lack of memory, such as a lab's state, is not written. */
TEST(no_memory)
{
	char path[] = "/tmp/weft-file-XXXXXX", got[4096] = "", *all;
	struct weft_link link = { .id = 3 };
	int fd = mkstemp(path), ret = -ENOMEM;
	json_t *o = weft_json_link(&link);
	struct weft_err err = { 0 };
	long n;

	EXPECT(fd >= 0);
	all = weft_json_text(o, JSON_INDENT(2));
	json_decref(o);
	EXPECT(all && strlen(all) + 1 < sizeof(got));
	for (n = 0; ret && n < 10000; n++) {
		weft_json_fail_after(n);
		o = weft_json_link(&link);
		ret = weft_file_write_json(path, 0644, o, JSON_INDENT(2), &err);
		json_decref(o);
		EXPECT(!ret || ret == -ENOMEM);
		EXPECT(!ret || lseek(fd, 0, SEEK_END) == 0);
	}
	weft_json_fail_after(-1);
	EXPECT(n > 20 && !ret);
	EXPECT_EQ(pread(fd, got, sizeof(got) - 1, 0), strlen(all) + 1);
	EXPECT(!strncmp(got, all, strlen(all)));
	free(all);
	close(fd);
	unlink(path);
}
