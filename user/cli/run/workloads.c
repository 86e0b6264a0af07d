// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options of commands that send workloads: --workload, --sl, --ack-timeout, --retries, and
 * how the messages are printed.
 */
#include "run/workloads.h"

#define SL_MAX		15
#define ACK_TIMEOUT	14	/* as perftest sets it: 67 ms */
#define ACK_TIMEOUT_MAX	31
#define RETRIES		7	/* the most that there can be, and what programs set */

/**
 * workloads_add() - take --workload, for CLI_EACH()
 * @cmd: the command
 * @ctx: struct workloads
 * @name: the option
 * @text: its argument
 *
 * Return: 0 or an exit code.
 */
int workloads_add(const struct command *cmd, void *ctx, const char *name, const char *text)
{
	struct workloads *w = ctx;

	(void)name;
	if (w->n == WORKLOADS_MAX)
		return cli_usage(cmd, "--workload: expected at most %u", WORKLOADS_MAX);
	w->spec[w->n++] = text;
	return 0;
}

static int number(const struct command *cmd, const char *option, const char *text,
		  unsigned int most, uint32_t *value)
{
	unsigned long long v;

	if (!text)
		return 0;
	if (cli_number(cmd, option, text, 0, most, &v))
		return EXIT_USAGE;
	*value = (uint32_t)v;
	return 0;
}

/**
 * workloads_values() - parse the options
 * @cmd: the command
 * @w: the options
 * @r: result; defaults for what is not given
 *
 * Return: 0 or an exit code.
 */
int workloads_values(const struct command *cmd, const struct workloads *w, struct reliable *r)
{
	*r = (struct reliable) { .ack_timeout = ACK_TIMEOUT, .retries = RETRIES };
	if (number(cmd, "--sl", w->sl, SL_MAX, &r->sl) ||
	    number(cmd, "--ack-timeout", w->ack_timeout, ACK_TIMEOUT_MAX, &r->ack_timeout) ||
	    number(cmd, "--retries", w->retries, RETRIES, &r->retries))
		return EXIT_USAGE;
	if (!w->n)
		return cli_usage(cmd, "--workload: expected a file, or COLLECTIVE:ALGORITHM:SIZE");
	if (w->csv && (w->json || w->summary))
		return cli_usage(cmd, "--csv: expected neither --json nor --summary");
	if (w->critical && w->summary)
		return cli_usage(cmd, "--critical: expected no --summary, which has no table");
	return 0;
}

/**
 * workloads_table() - which messages are to be listed
 * @w: the options
 *
 * Return: which.
 */
enum flow_table workloads_table(const struct workloads *w)
{
	if (w->summary)
		return FLOW_TABLE_NONE;
	return w->critical ? FLOW_TABLE_CRITICAL : FLOW_TABLE_ALL;
}

/**
 * workloads_read() - read what is to be sent; several workloads are jobs side by side
 * @w: the options, with a workload
 * @plan: the plan of the fabric
 * @work: result, empty before; to be freed even after an error
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int workloads_read(const struct workloads *w, const struct weft_plan *plan,
		   struct weft_work *work, struct weft_err *err)
{
	int ret = 0;

	if (w->n == 1)
		return weft_work_read(work, *w->spec, plan, err);
	for (unsigned int i = 0; !ret && i < w->n; i++) {
		struct weft_work job = { 0 };

		ret = weft_work_read(&job, w->spec[i], plan, err);
		if (!ret)
			ret = weft_work_add_job(work, &job, err);
		weft_work_free(&job);
	}
	return ret;
}
