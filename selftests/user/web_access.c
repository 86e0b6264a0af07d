// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a request to the web server must have with it.
 */
#include "service/web_access.h"

#include <string.h>

#include "ktap.h"

#define TOKEN "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

TEST(token)
{
	char other[] = TOKEN;

	EXPECT(weft_web_token_equal(TOKEN, TOKEN));
	EXPECT(!weft_web_token_equal("", TOKEN));
	EXPECT(!weft_web_token_equal(TOKEN "0", TOKEN));
	for (unsigned int i = 0; i < WEFT_TOKEN_LEN; i++) {
		other[i] ^= 1;
		EXPECT(!weft_web_token_equal(other, TOKEN));
		other[i] ^= 1;
	}
	other[WEFT_TOKEN_LEN - 1] = '\0';
	EXPECT(!weft_web_token_equal(other, TOKEN));
}

TEST(host)
{
	EXPECT(weft_web_host_is_ours("127.0.0.1:9468", 9468));
	EXPECT(weft_web_host_is_ours("LocalHost:9468", 9468));
	EXPECT(!weft_web_host_is_ours(NULL, 9468));
	EXPECT(!weft_web_host_is_ours("", 9468));
	EXPECT(!weft_web_host_is_ours("127.0.0.1", 9468));
	EXPECT(!weft_web_host_is_ours("127.0.0.1:94680", 9468));
	EXPECT(!weft_web_host_is_ours("127.0.0.1:9469", 9468));
	EXPECT(!weft_web_host_is_ours("127.0.0.1.example:9468", 9468));
	EXPECT(!weft_web_host_is_ours("example:9468", 9468));
}

TEST(bearer)
{
	EXPECT(weft_web_bearer_ok("Bearer " TOKEN, TOKEN));
	EXPECT(weft_web_bearer_ok("bearer " TOKEN, TOKEN));
	EXPECT(!weft_web_bearer_ok(NULL, TOKEN));
	EXPECT(!weft_web_bearer_ok("Bearer", TOKEN));
	EXPECT(!weft_web_bearer_ok("Bearer ", TOKEN));
	EXPECT(!weft_web_bearer_ok(TOKEN, TOKEN));
	EXPECT(!weft_web_bearer_ok("Basic " TOKEN, TOKEN));
	EXPECT(!weft_web_bearer_ok("Bearer " TOKEN " ", TOKEN));
}

static void expect_type(const char *name, const char *want)
{
	const char *got = weft_web_file_type(name);

	if (!got != !want || (want && strncmp(got, want, strlen(want))))
		ktap_fail(__FILE__, __LINE__, "\"%s\": %s", name,
			  got ? got : "none");
}

TEST(files)
{
	expect_type("index.html", "text/html");
	expect_type("app.js", "text/javascript");
	expect_type("a-b_c.css", "text/css");
	expect_type("x.svg", "image/svg+xml");
	expect_type("", NULL);
	expect_type(".html", NULL);
	expect_type(".x.html", NULL);
	expect_type("..", NULL);
	expect_type("../x.html", NULL);
	expect_type("a/x.html", NULL);
	expect_type("x.yaml", NULL);
	expect_type("html", NULL);
	expect_type("x.html\n", NULL);
}
