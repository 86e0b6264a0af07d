// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who may see the web page: what a request must have with it.
 *
 * A loopback port is open to every user of the machine, and to every page that
 * a browser there has open. The first lack the token; a page of another site that
 * had its name resolve to 127.0.0.1 gives itself away by the name it asks for.
 */
#include "service/web_access.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/**
 * weft_web_token_equal() - is it the token?
 * @given: what was given, of any length
 * @token: the token, WEFT_TOKEN_LEN characters
 *
 * It takes as long for a wrong character at the beginning as for one at the end:
 * the time tells nothing of where a guess goes wrong.
 *
 * Return: whether it is.
 */
bool weft_web_token_equal(const char *given, const char *token)
{
	volatile unsigned char differ = 0;

	if (strlen(given) != WEFT_TOKEN_LEN)
		return false;
	for (unsigned int i = 0; i < WEFT_TOKEN_LEN; i++)
		differ |= (unsigned char)given[i] ^ (unsigned char)token[i];
	return !differ;
}

/**
 * weft_web_host_is_ours() - is it us who were asked?
 * @host: header Host, NULL if there is none
 * @port: our port
 *
 * Return: whether the name is that of the loopback interface.
 */
bool weft_web_host_is_ours(const char *host, uint16_t port)
{
	static const char *const names[] = { "127.0.0.1", "localhost" };
	char ours[32];

	for (unsigned int i = 0; host && i < 2; i++) {
		snprintf(ours, sizeof(ours), "%s:%u", names[i], port);
		if (!strcasecmp(host, ours))
			return true;
	}
	return false;
}

/**
 * weft_web_bearer_ok() - is the token in the header?
 * @authorization: header Authorization, NULL if there is none
 * @token: the token
 *
 * Return: whether it is.
 */
bool weft_web_bearer_ok(const char *authorization, const char *token)
{
	if (!authorization || strncasecmp(authorization, "Bearer ", 7))
		return false;
	return weft_web_token_equal(authorization + 7, token);
}

/**
 * weft_web_file_type() - the media type of a file of the page
 * @name: its name
 *
 * Return: NULL if that cannot be one: those have neither slashes nor a dot in
 * front.
 */
const char *weft_web_file_type(const char *name)
{
	static const char *const types[][2] = {
		{ ".html", "text/html; charset=utf-8" },
		{ ".js", "text/javascript; charset=utf-8" },
		{ ".css", "text/css; charset=utf-8" },
		{ ".svg", "image/svg+xml" },
	};
	size_t len = strlen(name);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) &&
		    !strchr("-_.", name[i]))
			return NULL;
	if (*name == '.')
		return NULL;
	for (unsigned int i = 0; i < sizeof(types) / sizeof(*types); i++) {
		size_t n = strlen(types[i][0]);

		if (len > n && !strcmp(name + len - n, types[i][0]))
			return types[i][1];
	}
	return NULL;
}
