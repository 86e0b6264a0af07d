/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A workload: messages between nodes, and what each waits for.
 */
#ifndef WEFT_WORKLOAD_H
#define WEFT_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "plan/plan.h"

#define WEFT_MESSAGE_MAX	(1ULL << 40)	/* bytes */
#define WEFT_MESSAGES_MAX	10000000U
#define WEFT_WORK_TIME_MAX	1000000000000000ULL	/* ps: 1000 s */
#define WEFT_NOT_YET		UINT64_MAX

/**
 * struct weft_message - one message
 *
 * It starts @delay after the last of those that it waits for has ended, and not
 * before @at + @delay. It ends when the receiver has all of it. One from a node to
 * itself has no bytes and stands for work there: it ends when it starts. With @group
 * it is what the node brings to a reduction in switches, and ends when the node has the
 * result.
 */
struct weft_message {
	/** @from: node that sends */
	uint32_t from;
	/** @to: node that receives */
	uint32_t to;
	/** @bytes: its length */
	uint64_t bytes;
	/** @at: it does not wait for less than this fabric time, ps */
	uint64_t at;
	/** @delay: computing before it is sent, ps */
	uint64_t delay;
	/** @group: number of the group that reduces; 0: none does */
	uint32_t group;
	/** @store: with @group: a node for each chunk gets the result and stores it to all */
	bool store;
	/** @channel: messages of two nodes and one channel share a queue pair, in order */
	uint32_t channel;
	/** @line: its line in the file, or its number */
	uint32_t line;
	/** @job: number of its job, from 0 */
	uint32_t job;
	/** @name: offset of its name in weft_work.names; 0: it has none */
	uint32_t name;
	/** @after: its first entry in weft_work.after */
	uint32_t after;
	/** @afters: number of messages that it waits for */
	uint32_t afters;
	/** @start: result: when it was handed to the NIC, ps; WEFT_NOT_YET: never */
	uint64_t start;
	/** @end: result: when it ended, ps; WEFT_NOT_YET: never */
	uint64_t end;
	/** @ideal: result: the time that it would take alone, ps */
	uint64_t ideal;
};

/**
 * struct weft_work - a workload; all zero is empty
 */
struct weft_work {
	/** @jobs: jobs that weft_work_add_job() has added; 0: it is one workload */
	unsigned int jobs;
	/** @messages: entries of @message */
	unsigned int messages;
	/** @message: the messages, in the order of the file */
	struct weft_message *message;
	/** @afters: entries of @after */
	unsigned int afters;
	/** @after: numbers of the messages that others wait for */
	uint32_t *after;
	/** @names: text of all names, each zero-terminated; the first is empty */
	char *names;
	/** @names_len: bytes of @names */
	size_t names_len;
	/** @names_room: bytes for which memory is allocated */
	size_t names_room;
};

/* Has a message data? Else it is work at a node. */
static inline bool weft_message_moves(const struct weft_message *m)
{
	return m->from != m->to || m->group;
}

int weft_work_read(struct weft_work *w, const char *spec,
		   const struct weft_plan *plan, struct weft_err *err);
int weft_work_parse(struct weft_work *w, const char *file, char *text,
		    const struct weft_plan *plan, struct weft_err *err);
void weft_work_free(struct weft_work *w);

struct weft_message *weft_work_add(struct weft_work *w,
				   const struct weft_message *like,
				   struct weft_err *err);
int weft_work_wait(struct weft_work *w, uint32_t for_message,
		   struct weft_err *err);
int weft_work_name(struct weft_work *w, const char *name, struct weft_err *err);
void weft_work_followers(const struct weft_work *w, uint32_t *followers, uint32_t *follower);

/* workload_jobs.c */
int weft_work_ranks(const char *list, const struct weft_plan *plan, uint32_t **node,
		    unsigned int *n, struct weft_err *err);
int weft_work_add_job(struct weft_work *w, const struct weft_work *job, struct weft_err *err);

/* workload_collective.c */
bool weft_work_is_collective(const char *spec);
int weft_work_collective(struct weft_work *w, const char *spec,
			 const struct weft_plan *plan, struct weft_err *err);

/* workload_training.c */
struct weft_training;
bool weft_work_is_training(const char *spec);
int weft_work_training(struct weft_work *w, const char *spec,
		       const struct weft_plan *plan, struct weft_err *err);
int weft_work_train(struct weft_work *w, const struct weft_training *t, const char *nodes,
		    const struct weft_plan *plan, struct weft_err *err);

/* workload_poisson.c */
bool weft_work_is_poisson(const char *spec);
int weft_work_poisson(struct weft_work *w, const char *spec,
		      const struct weft_plan *plan, struct weft_err *err);

#endif
