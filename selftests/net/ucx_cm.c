// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A connection of UCX by address: the server waits at it, the client connects and sends a
 * message. The server prints it and sends it back; the client closes the connection.
 *
 * usage: ucx_cm ADDRESS PORT [MESSAGE]
 *
 * With a message this is the client.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>

#define TAG	7
#define SIZE	256

/** enum state - of a connection */
enum state {
	AT_WORK,
	DONE,
	CLOSED,
};

static void die(const char *what, ucs_status_t status)
{
	fprintf(stderr, "%s: %s\n", what, ucs_status_string(status));
	exit(1);
}

static void must(const char *what, ucs_status_t status)
{
	if (status != UCS_OK)
		die(what, status);
}

static ucp_worker_h make_worker(void)
{
	const ucp_params_t params = {
		.field_mask = UCP_PARAM_FIELD_FEATURES,
		.features = UCP_FEATURE_TAG,
	};
	const ucp_worker_params_t single = {
		.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
		.thread_mode = UCS_THREAD_MODE_SINGLE,
	};
	ucp_context_h context;
	ucp_worker_h worker;

	must("context", ucp_init(&params, NULL, &context));
	must("worker", ucp_worker_create(context, &single, &worker));
	return worker;
}

/* Make progress until a request is complete. */
static void wait_for(ucp_worker_h worker, const char *what, void *request)
{
	ucs_status_t status = UCS_PTR_STATUS(request);

	if (!request)
		return;
	if (UCS_PTR_IS_ERR(request))
		die(what, status);
	do {
		ucp_worker_progress(worker);
		status = ucp_request_check_status(request);
	} while (status == UCS_INPROGRESS);
	ucp_request_free(request);
	must(what, status);
}

/* The far end closes when all is done, which is an error to UCX. */
static void broken(void *arg, ucp_ep_h ep, ucs_status_t status)
{
	enum state *state = arg;

	(void)ep;
	if (*state == AT_WORK)
		die("connection", status);
	*state = CLOSED;
}

static void send_text(ucp_worker_h worker, ucp_ep_h ep, const char *text)
{
	const ucp_request_param_t none = { 0 };

	wait_for(worker, "send", ucp_tag_send_nbx(ep, text, strlen(text), TAG,
						  &none));
	wait_for(worker, "flush", ucp_ep_flush_nbx(ep, &none));
}

static void receive_text(ucp_worker_h worker, char text[SIZE])
{
	const ucp_request_param_t none = { 0 };

	memset(text, 0, SIZE);
	wait_for(worker, "receive", ucp_tag_recv_nbx(worker, text, SIZE - 1, TAG,
						     ~0ULL, &none));
}

static void take_request(ucp_conn_request_h request, void *arg)
{
	*(ucp_conn_request_h *)arg = request;
}

static ucp_conn_request_h await_request(ucp_worker_h worker,
					const struct sockaddr_in *at)
{
	ucp_conn_request_h request = NULL;
	const ucp_listener_params_t params = {
		.field_mask = UCP_LISTENER_PARAM_FIELD_SOCK_ADDR |
			      UCP_LISTENER_PARAM_FIELD_CONN_HANDLER,
		.sockaddr = { (const struct sockaddr *)at, sizeof(*at) },
		.conn_handler = { take_request, &request },
	};
	ucp_listener_h listener;

	must("listen", ucp_listener_create(worker, &params, &listener));
	while (!request)
		ucp_worker_progress(worker);
	return request;
}

static void serve(ucp_worker_h worker, const struct sockaddr_in *at)
{
	enum state state = AT_WORK;
	ucp_ep_params_t params = {
		.field_mask = UCP_EP_PARAM_FIELD_CONN_REQUEST |
			      UCP_EP_PARAM_FIELD_ERR_HANDLER |
			      UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE,
		.err_mode = UCP_ERR_HANDLING_MODE_PEER,
		.err_handler = { broken, &state },
	};
	char text[SIZE];
	ucp_ep_h ep;

	params.conn_request = await_request(worker, at);
	must("accept", ucp_ep_create(worker, &params, &ep));
	receive_text(worker, text);
	puts(text);
	state = DONE;
	send_text(worker, ep, text);
	while (state != CLOSED)
		ucp_worker_progress(worker);
}

static void send_to(ucp_worker_h worker, const struct sockaddr_in *at,
		    const char *text)
{
	enum state state = AT_WORK;
	const ucp_ep_params_t params = {
		.field_mask = UCP_EP_PARAM_FIELD_FLAGS |
			      UCP_EP_PARAM_FIELD_SOCK_ADDR |
			      UCP_EP_PARAM_FIELD_ERR_HANDLER |
			      UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE,
		.flags = UCP_EP_PARAMS_FLAGS_CLIENT_SERVER,
		.sockaddr = { (const struct sockaddr *)at, sizeof(*at) },
		.err_mode = UCP_ERR_HANDLING_MODE_PEER,
		.err_handler = { broken, &state },
	};
	const ucp_request_param_t none = { 0 };
	char answer[SIZE];
	ucp_ep_h ep;

	must("endpoint", ucp_ep_create(worker, &params, &ep));
	send_text(worker, ep, text);
	receive_text(worker, answer);
	ucp_ep_print_info(ep, stdout);
	state = DONE;
	wait_for(worker, "close", ucp_ep_close_nbx(ep, &none));
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	ucp_worker_h worker;

	if (argc < 3 || inet_pton(AF_INET, argv[1], &at.sin_addr) != 1) {
		fputs("usage: ucx_cm ADDRESS PORT [MESSAGE]\n", stderr);
		return 1;
	}
	at.sin_port = htons((uint16_t)atoi(argv[2]));
	worker = make_worker();
	if (argc > 3)
		send_to(worker, &at, argv[3]);
	else
		serve(worker, &at);
	return fflush(stdout) ? 1 : 0;
}
