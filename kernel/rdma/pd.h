/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contexts of processes, protection domains and address handles.
 */
#ifndef WEFT_RDMA_PD_H
#define WEFT_RDMA_PD_H

#include <linux/wait.h>
#include <rdma/ib_verbs.h>

#include "rdma/pkt.h"

/**
 * struct weft_polls - polls of empty queues in one host or process
 */
struct weft_polls {
	/** @wait: polls that wait for an event */
	wait_queue_head_t wait;
	/** @events: count of completions in its queues and writes to its memory */
	atomic_t events;
	/** @idle_waits: count of waits that ended without an event */
	atomic_t idle_waits;
};

/**
 * struct weft_poller - one who polls: a process, or on EFA the user of a queue
 */
struct weft_poller {
	/** @polls: polls of its host (virtual clock) or of the process; constant */
	struct weft_polls *polls;
	/** @empty_polls: polls in a row that found nothing and saw no event */
	atomic_t empty_polls;
	/** @short_waits: empty polls left that hardly wait (virtual clock) */
	atomic_t short_waits;
};

/**
 * struct weft_ucontext - context of a process that opened the device
 */
struct weft_ucontext {
	/** @ib: the kernel's context */
	struct ib_ucontext ib;
	/** @poller: the process */
	struct weft_poller poller;
};

/**
 * struct weft_pd - a protection domain
 */
struct weft_pd {
	/** @ib: the kernel's domain */
	struct ib_pd ib;
};

/**
 * struct weft_ah - an address handle
 */
struct weft_ah {
	/** @ib: the kernel's handle */
	struct ib_ah ib;
	/** @path: path that it describes */
	struct weft_path path;
	/** @attr: address vector, for queries; without a reference on its GID */
	struct rdma_ah_attr attr;
	/** @user: a process's, counted; the kernel's, which answer MADs, are not */
	bool user;
	/** @number: EFA: its number in descriptors; constant */
	u16 number;
	/** @node: EFA: in weft_efa.ah_of (fabric's lock) */
	struct hlist_node node;
};

static inline struct weft_ucontext *weft_ucontext_of(struct ib_ucontext *c)
{
	return container_of(c, struct weft_ucontext, ib);
}

static inline struct weft_ah *weft_ah_of(struct ib_ah *ah)
{
	return container_of(ah, struct weft_ah, ib);
}

/*
 * It changes with everything that lets a program progress that polls several
 * queues in turn: an event, or a wait at one of the queues.
 */
static inline int weft_poller_progress(const struct weft_poller *p)
{
	return atomic_read(&p->polls->events) +
	       atomic_read(&p->polls->idle_waits);
}

void weft_polls_init(void);
void weft_poller_init(struct weft_poller *p, const struct weft_rdma_dev *dev);
void weft_poller_event(struct weft_poller *p);
void weft_poller_wait(struct weft_poller *p, int events);
void weft_poller_found(struct weft_poller *p, int n);

static inline void weft_ucontext_event(struct weft_ucontext *c)
{
	weft_poller_event(&c->poller);
}

int weft_alloc_ucontext(struct ib_ucontext *c, struct ib_udata *udata);
void weft_dealloc_ucontext(struct ib_ucontext *c);
void weft_disassociate_ucontext(struct ib_ucontext *c);
int weft_alloc_pd(struct ib_pd *pd, struct ib_udata *udata);
int weft_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata);
int weft_create_ah(struct ib_ah *ah, struct rdma_ah_init_attr *attr,
		   struct ib_udata *udata);
int weft_query_ah(struct ib_ah *ah, struct rdma_ah_attr *attr);
int weft_destroy_ah(struct ib_ah *ah, u32 flags);

/* The path of an address vector, for handles and for queue pairs. */
int weft_path_from_av(struct weft_rdma_dev *dev,
		      const struct rdma_ah_attr *attr, struct weft_path *path);

#endif
