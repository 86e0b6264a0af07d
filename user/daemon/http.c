// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The web server: on the loopback interface, for clients with the token.
 *
 * No client can block the loop. Requests are short and have a deadline
 * (seats.c). A long answer is made and sent in pieces: the next one when the
 * kernel has taken the previous one.
 */
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/http.h>
#include <event2/http_struct.h>
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
 * @seats: its connections
 * @port: TCP port
 * @token: the token that requests must have
 */
struct http {
	struct daemon *daemon;
	struct evhttp *server;
	struct seats seats;
	uint16_t port;
	char token[WEFT_TOKEN_LEN + 1];
};

/**
 * struct stream - an answer in pieces
 * @req: its request
 * @reader: makes the pieces
 */
struct stream {
	struct evhttp_request *req;
	struct weft_record_reader *reader;
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

/* A refused request closes its connection, which frees the descriptor. */
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

static int fd_of(struct evhttp_connection *con)
{
	return bufferevent_getfd(evhttp_connection_get_bufferevent(con));
}

static void forget(struct stream *s)
{
	weft_record_reader_close(s->reader);
	free(s->reader);
	free(s);
}

/* A request without a connection is no longer libevent's: end it here. */
static void on_gone(struct evhttp_connection *con, void *ctx)
{
	struct stream *s = ctx;

	(void)con;
	if (!evhttp_request_get_connection(s->req))
		evhttp_send_reply_end(s->req);
	forget(s);
}

static void end(struct stream *s)
{
	struct evhttp_request *req = s->req;

	evhttp_connection_set_closecb(evhttp_request_get_connection(req), NULL,
				      NULL);
	forget(s);
	evhttp_send_reply_end(req);
}

/* If a piece cannot be made, the answer ends early: the client sees an error. */
static void send_next(struct evhttp_connection *con, void *ctx)
{
	struct evbuffer *piece = evbuffer_new();
	struct stream *s = ctx;
	struct weft_err err;
	char *text = NULL;

	if (!piece || weft_record_reader_next(s->reader, &text, &err) ||
	    (text && evbuffer_add(piece, text, strlen(text)))) {
		log_line("web page: out of memory");
		shutdown(fd_of(con), SHUT_RDWR);
	} else if (text) {
		evhttp_send_reply_chunk_with_cb(s->req, piece, send_next, s);
	} else {
		end(s);
	}
	free(text);
	if (piece)
		evbuffer_free(piece);
}

/* HTTP 1.0 has no chunked body: there the end of the connection ends the body. */
static void end_with_connection(struct evhttp_request *req)
{
	if (req->major == 1 && req->minor < 1)
		evhttp_remove_header(evhttp_request_get_input_headers(req),
				     "Connection");
}

static int begin(struct http *h, struct evhttp_request *req, struct page *page)
{
	struct evhttp_connection *con = evhttp_request_get_connection(req);
	struct stream *s = malloc(sizeof(*s));

	if (!s)
		return -ENOMEM;
	*s = (struct stream) { .req = req, .reader = page->reader };
	page->reader = NULL;
	seats_set(&h->seats, fd_of(con), SEAT_HEARS);
	end_with_connection(req);
	set_headers(req, page->type);
	evhttp_connection_set_closecb(con, on_gone, s);
	evhttp_send_reply_start(req, 200, NULL);
	send_next(con, s);
	return 0;
}

static int give(struct http *h, struct evhttp_request *req, struct page *page)
{
	struct evbuffer *body = evhttp_request_get_output_buffer(req);

	if (page->reader)
		return begin(h, req, page);
	set_headers(req, page->type);
	evbuffer_add(body, page->text, page->len);
	evhttp_send_reply(req, 200, NULL, NULL);
	return 0;
}

static int code_of(int error)
{
	static const struct { int error, code; } codes[] = {
		{ -ENOENT, 404 }, { -EACCES, 401 }, { -EOPNOTSUPP, 405 },
		{ -ENODATA, 409 },
	};

	for (unsigned int i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (codes[i].error == error)
			return codes[i].code;
	return 500;
}

static void answer(struct http *h, struct evhttp_request *req,
		   const struct page_request *request)
{
	struct evkeyvalq *out = evhttp_request_get_output_headers(req);
	struct page page;
	struct weft_err err;

	if (page_get(h->daemon, request, &page, &err)) {
		if (page.allow)
			evhttp_add_header(out, "Allow", page.allow);
		refuse(req, code_of(err.code), err.msg);
	} else if (give(h, req, &page)) {
		refuse(req, 500, "out of memory");
	}
	page_free(&page);
}

/* Decode a path; NULL if it is invalid, or has a zero byte, which would cut it. */
static char *decode(const char *encoded)
{
	size_t len = 0;
	char *path = evhttp_uridecode(encoded ? encoded : "", 0, &len);

	if (path && *path == '/' && strlen(path) == len)
		return path;
	free(path);
	return NULL;
}

static void answer_path(struct http *h, struct evhttp_request *req)
{
	struct evkeyvalq *in = evhttp_request_get_input_headers(req);
	const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(req);
	const char *query = uri ? evhttp_uri_get_query(uri) : NULL;
	char *path = decode(uri ? evhttp_uri_get_path(uri) : NULL);
	struct evkeyvalq words = { 0 };
	struct page_request request = {
		.path = path,
		.post = evhttp_request_get_command(req) == EVHTTP_REQ_POST,
		.trusted = weft_web_bearer_ok(
			evhttp_find_header(in, "Authorization"), h->token),
	};

	if (!path || (query && evhttp_parse_query_str(query, &words))) {
		refuse(req, 404, "the path is invalid");
	} else {
		request.after = query ? evhttp_find_header(&words, "after") :
					NULL;
		answer(h, req, &request);
	}
	if (query)
		evhttp_clear_headers(&words);
	free(path);
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
	struct http *h = ctx;

	evhttp_request_set_on_complete_cb(req, on_complete, h);
	if (weft_web_host_is_ours(evhttp_find_header(in, "Host"), h->port))
		answer_path(h, req);
	else
		refuse(req, 403, "wrong Host: expected 127.0.0.1 or localhost, with this port");
}

/* Called for each connection that is accepted. */
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
	evhttp_set_allowed_methods(h->server, EVHTTP_REQ_GET | EVHTTP_REQ_POST);
	evhttp_set_max_headers_size(h->server, HEADERS_MAX);
	evhttp_set_max_body_size(h->server, 0);
	evhttp_set_timeout(h->server, SILENCE_S);
	evhttp_set_bevcb(h->server, make_bev, h);
	evhttp_set_gencb(h->server, on_request, h);
	return bind_port(h, h->daemon->options.port, err);
}

/**
 * http_open() - start the web server
 * @d: the daemon
 * @err: error
 *
 * Return: 0 or negative errno; http_close() must be called in both cases.
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
 * http_close() - stop the web server
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
 * http_port() - port of the web server
 * @d: the daemon
 *
 * Return: the port, 0 without a web server.
 */
uint16_t http_port(const struct daemon *d)
{
	return d->http ? d->http->port : 0;
}
