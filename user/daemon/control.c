// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The control socket: each request and each reply is a line.
 *
 * No client can block the loop. A client gets one reply at a time, and its
 * requests are not read while a reply is unread. A client that is silent for
 * too long, or sends a line that is too long, is dropped.
 */
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/listener.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/json_text.h"
#include "daemon.h"
#include "requests.h"
#include "service/control.h"

#define CLIENTS_MAX	32
#define SILENCE_S	30

/**
 * struct control - the control socket
 * @listener: accepts clients
 * @clients: list of clients
 * @n: number of clients
 */
struct control {
	struct evconnlistener *listener;
	struct client *clients;
	unsigned int n;
};

/**
 * struct client - a client of the control socket
 * @daemon: the daemon
 * @next: the next client
 * @bev: its socket
 * @last: no request is answered after the current reply
 * @ended: the client has shut down its sending half
 */
struct client {
	struct daemon *daemon;
	struct client *next;
	struct bufferevent *bev;
	bool last;
	bool ended;
};

static void drop(struct client *c)
{
	struct control *control = c->daemon->control;
	struct client **at = &control->clients;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	control->n--;
	if (c->daemon->ending)
		event_base_loopexit(c->daemon->base, NULL);
	bufferevent_free(c->bev);
	free(c);
}

/* Send a reply; without memory (NULL), close the connection instead. */
static void say(struct client *c, json_t *reply)
{
	char *text = weft_json_text(reply, JSON_COMPACT);

	json_decref(reply);
	if (text) {
		bufferevent_write(c->bev, text, strlen(text));
		bufferevent_write(c->bev, "\n", 1);
		free(text);
	} else {
		c->last = true;
	}
}

static void refuse(struct client *c, const char *text)
{
	say(c, json_pack("{s:s, s:i}", "error", text, "kind",
			 WEFT_ERR_USAGE));
	c->last = true;
}

/* Answer one request; false if there is no complete one. */
static bool take_line(struct client *c)
{
	struct evbuffer *in = bufferevent_get_input(c->bev);
	size_t len;
	char *line = evbuffer_readln(in, &len, EVBUFFER_EOL_LF);

	if (!line) {
		if (evbuffer_get_length(in) >= WEFT_CONTROL_LINE)
			refuse(c, "the request is too long");
		return false;
	}
	say(c, request_answer(c->daemon, line, len));
	c->last |= c->daemon->ending;
	free(line);
	return true;
}

static size_t unread(const struct client *c)
{
	return evbuffer_get_length(bufferevent_get_output(c->bev));
}

/* Answer pending requests one by one; the next after the client read a reply. */
static void go_on(struct client *c)
{
	while (!c->last && !unread(c) && take_line(c))
		;
	if ((c->last || c->ended) && !unread(c))
		drop(c);
	else if (c->last || unread(c))
		bufferevent_disable(c->bev, EV_READ);
	else
		bufferevent_enable(c->bev, EV_READ);
}

static void on_read(struct bufferevent *bev, void *ctx)
{
	(void)bev;
	go_on(ctx);
}

static void on_written(struct bufferevent *bev, void *ctx)
{
	(void)bev;
	go_on(ctx);
}

static void on_end(struct bufferevent *bev, short what, void *ctx)
{
	struct client *c = ctx;

	(void)bev;
	c->ended = true;
	if (what & BEV_EVENT_EOF)
		go_on(c);
	else
		drop(c);
}

static bool is_allowed(evutil_socket_t fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) &&
	       (!peer.uid || peer.uid == geteuid());
}

static void watch_client(struct client *c)
{
	const struct timeval silence = { .tv_sec = SILENCE_S };

	bufferevent_setcb(c->bev, on_read, on_written, on_end, c);
	bufferevent_setwatermark(c->bev, EV_READ, 0, WEFT_CONTROL_LINE);
	bufferevent_set_timeouts(c->bev, &silence, &silence);
	bufferevent_enable(c->bev, EV_READ | EV_WRITE);
}

static void on_client(struct evconnlistener *listener, evutil_socket_t fd,
		      struct sockaddr *from, int len, void *ctx)
{
	struct client *c = calloc(1, sizeof(*c));
	struct daemon *d = ctx;

	(void)listener;
	(void)from;
	(void)len;
	if (c && is_allowed(fd) && d->control->n < 2 * CLIENTS_MAX)
		c->bev = bufferevent_socket_new(d->base, fd,
						BEV_OPT_CLOSE_ON_FREE);
	if (!c || !c->bev) {
		free(c);
		close(fd);
		return;
	}
	c->daemon = d;
	c->next = d->control->clients;
	d->control->clients = c;
	watch_client(c);
	if (d->control->n++ >= CLIENTS_MAX)
		refuse(c, "too many clients");
}

/* Remove the socket of a weftd that was killed: the lock proves that none runs. */
static int listen_at(struct daemon *d, struct weft_err *err)
{
	struct sockaddr_un at = {
		.sun_family = AF_UNIX, .sun_path = WEFT_CONTROL_SOCKET,
	};
	mode_t mask;

	unlink(WEFT_CONTROL_SOCKET);
	mask = umask(0177);
	d->control->listener = evconnlistener_new_bind(
		d->base, on_client, d,
		LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, CLIENTS_MAX,
		(struct sockaddr *)&at, sizeof(at));
	umask(mask);
	if (!d->control->listener)
		return weft_err_sys(err, errno, "listen at %s",
				    WEFT_CONTROL_SOCKET);
	return 0;
}

/**
 * control_open() - open the control socket
 * @d: the daemon, which holds its lock file
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int control_open(struct daemon *d, struct weft_err *err)
{
	d->control = calloc(1, sizeof(*d->control));
	if (!d->control)
		return weft_err_nomem(err);
	return listen_at(d, err);
}

/**
 * control_close() - close the control socket and drop its clients
 * @d: the daemon
 */
void control_close(struct daemon *d)
{
	struct client *c, *next;

	if (!d->control)
		return;
	for (c = d->control->clients; c; c = next) {
		next = c->next;
		drop(c);
	}
	if (d->control->listener) {
		unlink(WEFT_CONTROL_SOCKET);
		evconnlistener_free(d->control->listener);
	}
	free(d->control);
	d->control = NULL;
}
