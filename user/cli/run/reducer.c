// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The aggregation manager beside the program of `weft run --net sharp` or nvls.
 */
#include "run/reducer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "cli.h"
#include "run/companion.h"
#include "sharp/manager.h"

/**
 * struct work - what the child gets
 * @lab: the lab
 * @store: switches of NVLink reduce
 */
struct work {
	const struct weft_lab *lab;
	bool store;
};

static int serve(struct weft_sharp *s, int signals, struct weft_err *err)
{
	bool stopped = false;

	while (!stopped)
		if (weft_sharp_step(s, signals, &stopped, err))
			fprintf(stderr, "warning: aggregation manager: %s\n", err->msg);
	return s->gone ? 0 : weft_sharp_save(s, err);
}

/* Signals of the terminal are for the program. */
static int manage(const void *ctx, int ready, struct weft_err *err)
{
	const struct work *w = ctx;
	struct weft_sharp s;
	int signals, ret;

	setpgid(0, 0);
	/* a connection is a file */
	weft_lift_files(0);
	signals = companion_signals(err);
	if (signals < 0)
		return err->code;
	ret = weft_sharp_open(&s, w->lab, w->store, err);
	if (!ret)
		ret = companion_ready(ready, err);
	if (!ret)
		ret = serve(&s, signals, err);
	weft_sharp_close(&s);
	close(signals);
	return ret;
}

/**
 * reducer_start() - start a child that makes trees for processes, if the network wants it
 * @lab: the lab, up
 * @net: the network of the program, or NULL
 * @pid: result, for reducer_stop(); 0 for none
 * @err: error
 *
 * Return: 0 once processes can connect, or negative errno.
 */
int reducer_start(const struct weft_lab *lab, const char *net, pid_t *pid,
		  struct weft_err *err)
{
	struct work w = { .lab = lab };

	if (!net)
		net = getenv("WEFT_NET");
	*pid = 0;
	if (!net || (strcmp(net, "sharp") && strcmp(net, "nvls")))
		return 0;
	w.store = !strcmp(net, "nvls");
	return companion_start(manage, &w, "the aggregation manager did not start", pid, err);
}

/**
 * reducer_stop() - end the child, which writes down what there was
 * @pid: of reducer_start(); 0 for none
 *
 * Return: 0, or -1 if the child failed; it has printed its error.
 */
int reducer_stop(pid_t pid)
{
	return companion_stop(pid);
}
