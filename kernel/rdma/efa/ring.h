/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that a device shares with a program.
 */
#ifndef WEFT_EFA_RING_H
#define WEFT_EFA_RING_H

#include <rdma/ib_verbs.h>

struct weft_efa_watch;
struct weft_ring_pages;

/**
 * struct weft_ring - memory that a program may map; zeroed: there is none
 */
struct weft_ring {
	/** @pages: the pages, which mappings keep */
	struct weft_ring_pages *pages;
	/** @at: their address in the kernel */
	void *at;
	/** @len: bytes, whole pages */
	u32 len;
};

int weft_ring_alloc(struct weft_ring *ring, struct ib_ucontext *user, u32 len, bool writable);
void weft_ring_free(struct weft_ring *ring);
void weft_ring_watch(struct weft_ring *ring, struct weft_efa_watch *watch);
unsigned long weft_ring_offset(const struct weft_ring_pages *pages, pgoff_t pgoff,
			       unsigned long address);
const void *weft_ring_at(const struct weft_ring_pages *pages, unsigned long offset);
u64 weft_ring_key(const struct weft_ring *ring);	/* for mmap() */
int weft_ring_mmap(struct ib_ucontext *user, struct vm_area_struct *vma);
void weft_ring_mmap_free(struct rdma_user_mmap_entry *entry);

#endif
