// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Client of the control socket of weftd.
 */
#include "base/json_text.h"
#include "service/control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* Longest wait for the daemon; after that it is taken for hung. */
#define PATIENCE_S	60

static int no_daemon(int errnum, struct weft_err *err)
{
	if (errnum == ENOENT || errnum == ECONNREFUSED)
		return weft_err_set(err, WEFT_ERR_OTHER, -ENOENT,
				    "weftd does not run: `weft daemon start` starts it");
	return weft_err_sys(err, errnum, "%s", WEFT_CONTROL_SOCKET);
}

static int reach(int *fd, struct weft_err *err)
{
	struct sockaddr_un to = {
		.sun_family = AF_UNIX, .sun_path = WEFT_CONTROL_SOCKET,
	};
	struct timeval patience = { .tv_sec = PATIENCE_S };

	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd < 0)
		return weft_err_sys(err, errno, "socket");
	setsockopt(*fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(*fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (!connect(*fd, (struct sockaddr *)&to, sizeof(to)))
		return 0;
	no_daemon(errno, err);
	close(*fd);
	return err->code;
}

static int send_line(int fd, const json_t *request, struct weft_err *err)
{
	char *text = weft_json_text(request, JSON_COMPACT);
	size_t len = text ? strlen(text) : 0;
	ssize_t n = 0;

	if (!text)
		return weft_err_nomem(err);
	/* The newline replaces the terminating zero. */
	text[len++] = '\n';
	for (size_t sent = 0; n >= 0 && sent < len; sent += (size_t)n)
		n = send(fd, text + sent, len - sent, MSG_NOSIGNAL);
	free(text);
	return n < 0 ? weft_err_sys(err, errno, "send to weftd") : 0;
}

static int receive(int fd, json_t **reply, struct weft_err *err)
{
	json_error_t why;

	*reply = json_loadfd(fd, JSON_DISABLE_EOF_CHECK, &why);
	if (*reply)
		return 0;
	return weft_err_set(err, WEFT_ERR_OTHER, -EIO,
			    "weftd sent no reply: `weft daemon status` says whether it runs");
}

/**
 * weft_control_reply() - get the error of a reply
 * @reply: the reply
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_control_reply(json_t *reply, struct weft_err *err)
{
	const char *text = json_string_value(json_object_get(reply, "error"));
	json_int_t kind = json_integer_value(json_object_get(reply, "kind"));

	if (!text)
		return 0;
	if (kind < WEFT_ERR_USAGE || kind > WEFT_ERR_OTHER)
		kind = WEFT_ERR_OTHER;
	return weft_err_set(err, (enum weft_err_kind)kind, -EPROTO, "%s", text);
}

/**
 * weft_control_call() - send a request to weftd and wait for the reply
 * @request: {"do": WHAT, ...}; this function consumes the reference; NULL means
 * that there was no memory for it
 * @reply: result, a new reference; NULL after an error
 * @err: error, also that of the reply
 *
 * Return: 0 or negative errno; -ENOENT if no weftd runs, -EPROTO if it refused.
 */
int weft_control_call(json_t *request, json_t **reply, struct weft_err *err)
{
	int fd, ret;

	*reply = NULL;
	if (!request)
		return weft_err_nomem(err);
	ret = reach(&fd, err);
	if (!ret) {
		ret = send_line(fd, request, err);
		if (!ret)
			ret = receive(fd, reply, err);
		if (!ret)
			ret = weft_control_reply(*reply, err);
		close(fd);
	}
	json_decref(request);
	if (ret) {
		json_decref(*reply);
		*reply = NULL;
	}
	return ret;
}
