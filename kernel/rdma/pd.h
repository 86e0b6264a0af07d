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
 * struct weft_polls - polls of empty queues in one host, or process
 */
struct weft_polls {
	/** @wait: they wait here for news */
	wait_queue_head_t wait;
	/** @news: completions in its queues, messages written to its memory */
	atomic_t news;
	/** @rounds: waits that ended without news */
	atomic_t rounds;
};

/**
 * struct weft_ucontext - what a process opened
 */
struct weft_ucontext {
	/** @ib: the kernel's context */
	struct ib_ucontext ib;
	/** @polls: of its host (virtual clock) or of itself; constant */
	struct weft_polls *polls;
	/** @vain: polls in a row that found nothing, and no news either */
	atomic_t vain;
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
	/** @path: what it stands for */
	struct weft_path path;
	/** @attr: as given, for queries; without a reference on its GID */
	struct rdma_ah_attr attr;
	/** @user: of a process, and counted; the kernel's are needed to answer */
	bool user;
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
 * Changes with all that may bring a program further that polls several queues in
 * turn: news, and a wait at one of them.
 */
static inline int weft_ucontext_mark(const struct weft_ucontext *c)
{
	return atomic_read(&c->polls->news) + atomic_read(&c->polls->rounds);
}

void weft_polls_init(void);
void weft_ucontext_news(struct weft_ucontext *c);
void weft_ucontext_wait(struct weft_ucontext *c, int news);
void weft_ucontext_found(struct weft_ucontext *c);

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
