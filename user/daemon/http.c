// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The web server: on the loopback interface, for those who have the token.
 *
 * Whoever has not cannot hold the loop either: requests are short, and have a time
 * to be there by, as seats.c sees to.
 */
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "daemon.h"
#include "pages.h"
#include "seats.h"

#define HEADERS_MAX	8192
#define SILENCE_S	10

/**
 * struct http - the web server
 * @daemon: the daemon
 * @server: libevent's
 * @seats: connections
 * @port: where
 * @token: what requests must have
 */
struct http {
	struct daemon *daemon;
	struct evhttp *server;
	struct seats seats;
	uint16_t port;
	char token[WEFT_TOKEN_LEN + 1];
};

static void set_headers(struct evhttp_request *req, const char *type)
{
	struct evkeyvalq *out = evhttp_request_get_output_headers(req);

	evhttp_add_header(out, "Content-Type", type);
	evhttp_add_header(out, "Cache-Control", "no-store");
	evhttp_add_header(out, "X-Content-Type-Options", "nosniff");
	evhttp_add_header(out, "Referrer-Policy", "no-referrer");
	evhttp_add_header(out, "Content-Security-Policy",
			  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; frame-ancestors 'none'");
}

/* The connection of a refused request ends: it is not worth a descriptor. */
static void refuse(struct evhttp_request *req, int code, const char *text)
{
	struct evkeyvalq *out = evhttp_request_get_output_headers(req);
	struct evbuffer *body = evhttp_request_get_output_buffer(req);

	set_headers(req, "text/plain; charset=utf-8");
	evhttp_add_header(out, "Connection", "close");
	if (code == 401)
		evhttp_add_header(out, "WWW-Authenticate", "Bearer");
	evbuffer_add_printf(body, "%s\n", text);
	evhttp_send_reply(req, code, NULL, NULL);
}

static void answer(struct http *h, struct evhttp_request *req, const char *path)
{
	struct evbuffer *body = evhttp_request_get_output_buffer(req);
	struct page page;
	struct weft_err err;

	if (page_get(h->daemon, path, &page, &err)) {
		refuse(req, err.code == -ENOENT ? 404 : 500, err.msg);
	} else {
		set_headers(req, page.type);
		evbuffer_add(body, page.text, page.len);
		evhttp_send_reply(req, 200, NULL, NULL);
	}
	free(page.text);
}

/* A cookie takes the token's place, and the address is clean of it. */
static void let_in(const struct http *h, struct evhttp_request *req)
{
	struct evkeyvalq *out = evhttp_request_get_output_headers(req);
	char cookie[160];

	snprintf(cookie, sizeof(cookie),
		 WEFT_COOKIE "=%s; Path=/; HttpOnly; SameSite=Strict",
		 h->token);
	set_headers(req, "text/plain; charset=utf-8");
	evhttp_add_header(out, "Set-Cookie", cookie);
	evhttp_add_header(out, "Location", "/");
	evhttp_send_reply(req, 303, NULL, NULL);
}

static bool has_token(const struct http *h, struct evhttp_request *req)
{
	struct evkeyvalq *in = evhttp_request_get_input_headers(req);

	return weft_guard_bearer(evhttp_find_header(in, "Authorization"),
				 h->token) ||
	       weft_guard_cookie(evhttp_find_header(in, "Cookie"), h->token);
}

/* Whether /?token= has it. */
static bool query_has_token(const struct http *h, const struct evhttp_uri *uri)
{
	const char *query = evhttp_uri_get_query(uri), *path, *token;
	struct evkeyvalq words;
	bool good;

	path = evhttp_uri_get_path(uri);
	if (!query || !path || strcmp(path, "/") ||
	    evhttp_parse_query_str(query, &words))
		return false;
	token = evhttp_find_header(&words, "token");
	good = token && weft_guard_equal(token, h->token);
	evhttp_clear_headers(&words);
	return good;
}

/* The path, NULL if it is none: one with a zero in it would be cut there. */
static char *decode(const char *encoded)
{
	size_t len = 0;
	char *path = evhttp_uridecode(encoded ? encoded : "", 0, &len);

	if (path && *path == '/' && strlen(path) == len)
		return path;
	free(path);
	return NULL;
}

static int fd_of(struct evhttp_connection *con)
{
	return bufferevent_getfd(evhttp_connection_get_bufferevent(con));
}

static void on_complete(struct evhttp_request *req, void *ctx)
{
	struct http *h = ctx;

	seats_set(&h->seats, fd_of(evhttp_request_get_connection(req)),
		  SEAT_ASKS);
}

static void on_request(struct evhttp_request *req, void *ctx)
{
	struct evkeyvalq *in = evhttp_request_get_input_headers(req);
	const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(req);
	const char *encoded = uri ? evhttp_uri_get_path(uri) : NULL;
	struct http *h = ctx;
	char *path;

	seats_set(&h->seats, fd_of(evhttp_request_get_connection(req)),
		  SEAT_HEARS);
	evhttp_request_set_on_complete_cb(req, on_complete, h);
	if (!weft_guard_host(evhttp_find_header(in, "Host"), h->port)) {
		refuse(req, 403, "wrong Host: expected 127.0.0.1 or localhost, with this port");
	} else if (uri && query_has_token(h, uri)) {
		let_in(h, req);
	} else if (!has_token(h, req)) {
		refuse(req, 401, "the token of /run/weft/http.token is missing or wrong: `weft web` prints an address with it");
	} else {
		path = decode(encoded);
		if (path)
			answer(h, req, path);
		else
			refuse(req, 404, "that is no path");
		free(path);
	}
}

/* Called for each connection that is taken. */
static struct bufferevent *make_bev(struct event_base *base, void *ctx)
{
	struct http *h = ctx;

	seats_come(&h->seats);
	return bufferevent_socket_new(base, -1, 0);
}

static int find_port(struct http *h, struct evhttp_bound_socket *bound)
{
	struct sockaddr_in at = { 0 };
	socklen_t len = sizeof(at);

	if (getsockname(evhttp_bound_socket_get_fd(bound),
			(struct sockaddr *)&at, &len))
		return -1;
	h->port = ntohs(at.sin_port);
	return 0;
}

static int bind_port(struct http *h, uint16_t port, struct weft_err *err)
{
	struct evhttp_bound_socket *bound;

	bound = evhttp_bind_socket_with_handle(h->server, "127.0.0.1", port);
	if (bound && !find_port(h, bound))
		return 0;
	weft_err_sys(err, errno, "127.0.0.1:%u: choose another port with --http",
		     port);
	return err->code;
}

static int start(struct http *h, struct weft_err *err)
{
	if (seats_open(&h->seats, h->daemon->base, err))
		return err->code;
	h->server = evhttp_new(h->daemon->base);
	if (!h->server)
		return weft_err_nomem(err);
	evhttp_set_allowed_methods(h->server, EVHTTP_REQ_GET);
	evhttp_set_max_headers_size(h->server, HEADERS_MAX);
	evhttp_set_max_body_size(h->server, 0);
	evhttp_set_timeout(h->server, SILENCE_S);
	evhttp_set_bevcb(h->server, make_bev, h);
	evhttp_set_gencb(h->server, on_request, h);
	return bind_port(h, h->daemon->options.port, err);
}

/**
 * http_open() - serve pages
 * @d: the daemon
 * @err: error
 *
 * Return: 0 or negative errno; http_close() is due in either case.
 */
int http_open(struct daemon *d, struct weft_err *err)
{
	d->http = calloc(1, sizeof(*d->http));
	if (!d->http)
		return weft_err_nomem(err);
	d->http->daemon = d;
	if (token_read(d->http->token, err))
		return err->code;
	return start(d->http, err);
}

/**
 * http_close() - serve no more pages
 * @d: the daemon
 */
void http_close(struct daemon *d)
{
	if (!d->http)
		return;
	if (d->http->server)
		evhttp_free(d->http->server);
	seats_close(&d->http->seats);
	free(d->http);
	d->http = NULL;
}

/**
 * http_port() - where pages are served
 * @d: the daemon
 *
 * Return: the port, 0 for none.
 */
uint16_t http_port(const struct daemon *d)
{
	return d->http ? d->http->port : 0;
}
