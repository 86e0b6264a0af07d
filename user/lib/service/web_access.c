// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Access to the web server: checks of a request.
 *
 * A loopback port is open to every user of the machine, and to every page in a
 * browser on it. Other users do not have the token. A page of another site,
 * whose name resolves to 127.0.0.1, is detected by the Host header.
 */
#include "service/web_access.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/**
 * weft_web_token_equal() - compare with the token in constant time
 * @given: text to compare, of any length
 * @token: the token, WEFT_TOKEN_LEN characters
 *
 * The time does not depend on the position of a wrong character, so it gives no
 * hint to guess the token.
 *
 * Return: whether both are equal.
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
 * weft_web_host_is_ours() - does the Host header name this server?
 * @host: header Host, NULL if there is none
 * @port: port of this server
 *
 * Return: whether it is 127.0.0.1 or localhost, with the port.
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
 * weft_web_bearer_ok() - does the Authorization header have the token?
 * @authorization: header Authorization, NULL if there is none
 * @token: the token
 *
 * Return: whether it has.
 */
bool weft_web_bearer_ok(const char *authorization, const char *token)
{
	if (!authorization || strncasecmp(authorization, "Bearer ", 7))
		return false;
	return weft_web_token_equal(authorization + 7, token);
}

/**
 * weft_web_file_type() - media type of a file of the web page
 * @name: its name
 *
 * Return: the media type; NULL if the name is not allowed: it has a slash,
 * another special character, a leading dot or an unknown extension.
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
