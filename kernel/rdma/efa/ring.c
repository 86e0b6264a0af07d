// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that a device shares with a program.
 *
 * The pages live as long as the object that they belong to, and as long as a program maps
 * them. A mapping that is left after that reaches nobody, and needs nothing of this module:
 * uverbs lets it go while programs have mappings. Those that are watched (watch.c) do need
 * it, and keep it.
 */
#include "rdma/efa/ring.h"

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "rdma/efa/watch.h"

/**
 * struct weft_ring_pages - the pages of a ring
 */
struct weft_ring_pages {
	/** @entry: by which a program maps them; mappings do not keep it */
	struct rdma_user_mmap_entry entry;
	/** @refs: of the entry, and of mappings with @watch */
	struct kref refs;
	/** @watch: who executes what a program reads; NULL: it reads by itself */
	struct weft_efa_watch *watch;
	/** @at: their address in the kernel */
	void *at;
	/** @writable: a program may write to them */
	bool writable;
	/** @num: entries of @page */
	u32 num;
	/** @page: the pages */
	struct page *page[];
};

static struct weft_ring_pages *pages_of(struct rdma_user_mmap_entry *entry)
{
	return container_of(entry, struct weft_ring_pages, entry);
}

static void pages_free(struct kref *refs)
{
	struct weft_ring_pages *p = container_of(refs, struct weft_ring_pages, refs);
	u32 i;

	if (p->watch)
		weft_watch_put(p->watch);
	if (p->at)
		vunmap(p->at);
	for (i = 0; i < p->num && p->page[i]; i++)
		put_page(p->page[i]);
	kvfree(p);
}

static struct weft_ring_pages *pages_alloc(u32 num)
{
	struct weft_ring_pages *p;
	u32 i;

	p = kvzalloc(struct_size(p, page, num), GFP_KERNEL_ACCOUNT);
	if (!p)
		return NULL;
	p->num = num;
	kref_init(&p->refs);
	for (i = 0; i < num; i++) {
		p->page[i] = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!p->page[i])
			goto err_free;
	}
	p->at = vmap(p->page, num, VM_MAP, PAGE_KERNEL);
	if (p->at)
		return p;

err_free:
	kref_put(&p->refs, pages_free);
	return NULL;
}

/**
 * weft_ring_alloc() - allocate a ring
 * @ring: the ring, zeroed
 * @user: context of the process that may map it
 * @len: bytes, rounded up to pages; 0: nothing is allocated
 * @writable: the process may write to it
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int weft_ring_alloc(struct weft_ring *ring, struct ib_ucontext *user, u32 len, bool writable)
{
	struct weft_ring_pages *p;
	int err;

	if (!len)
		return 0;
	p = pages_alloc(DIV_ROUND_UP(len, PAGE_SIZE));
	if (!p)
		return -ENOMEM;
	p->writable = writable;
	err = rdma_user_mmap_entry_insert(user, &p->entry, p->num * PAGE_SIZE);
	if (err) {
		kref_put(&p->refs, pages_free);
		return err;
	}
	ring->pages = p;
	ring->at = p->at;
	ring->len = p->num * PAGE_SIZE;
	return 0;
}

/**
 * weft_ring_free() - the device uses a ring no more
 * @ring: the ring, or a zeroed one
 *
 * Context: process, may sleep.
 */
void weft_ring_free(struct weft_ring *ring)
{
	if (ring->pages)
		rdma_user_mmap_entry_remove(&ring->pages->entry);
	memset(ring, 0, sizeof(*ring));
}

/**
 * weft_ring_watch() - have the reads of a program executed for it
 * @ring: the ring, which no program maps yet
 * @watch: by whom; the ring takes a reference
 *
 * Context: process.
 */
void weft_ring_watch(struct weft_ring *ring, struct weft_efa_watch *watch)
{
	weft_watch_get(watch);
	ring->pages->watch = watch;
}

/**
 * weft_ring_offset() - where in a ring an access is
 * @pages: its pages
 * @pgoff: page of the file that is accessed
 * @address: in the program
 *
 * Context: any.
 * Return: bytes behind the start of the ring.
 */
unsigned long weft_ring_offset(const struct weft_ring_pages *pages, pgoff_t pgoff,
			       unsigned long address)
{
	return ((pgoff - pages->entry.start_pgoff) << PAGE_SHIFT) + offset_in_page(address);
}

/**
 * weft_ring_at() - an address in a ring
 * @pages: its pages
 * @offset: bytes behind its start, less than it has
 *
 * Context: any.
 * Return: the address in the kernel.
 */
const void *weft_ring_at(const struct weft_ring_pages *pages, unsigned long offset)
{
	return pages->at + offset;
}

/**
 * weft_ring_key() - the offset by which a program maps a ring
 * @ring: the ring
 *
 * Context: any.
 * Return: the offset; 0 for a zeroed ring.
 */
u64 weft_ring_key(const struct weft_ring *ring)
{
	return ring->pages ? rdma_user_mmap_get_offset(&ring->pages->entry) : 0;
}

/* No right that the ring does not give, now or by mprotect(). */
static int ring_rights(struct vm_area_struct *vma, bool writable)
{
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC ||
	    (!writable && vma->vm_flags & VM_WRITE))
		return -EPERM;
	vm_flags_clear(vma, writable ? VM_MAYEXEC : VM_MAYEXEC | VM_MAYWRITE);
	vm_flags_set(vma, VM_DONTCOPY | VM_DONTEXPAND);
	return 0;
}

static void ring_vm_open(struct vm_area_struct *vma)
{
	kref_get(&((struct weft_ring_pages *)vma->vm_private_data)->refs);
	__module_get(THIS_MODULE);
}

static void ring_vm_close(struct vm_area_struct *vma)
{
	kref_put(&((struct weft_ring_pages *)vma->vm_private_data)->refs, pages_free);
	module_put(THIS_MODULE);
}

static vm_fault_t ring_vm_fault(struct vm_fault *vmf)
{
	struct weft_ring_pages *p = vmf->vma->vm_private_data;
	unsigned long i = vmf->pgoff - p->entry.start_pgoff;
	vm_fault_t done;

	if (i >= p->num)
		return VM_FAULT_SIGBUS;
	done = weft_watch_read(p->watch, vmf);
	if (done)
		return done;
	get_page(p->page[i]);
	vmf->page = p->page[i];
	return 0;
}

static const struct vm_operations_struct ring_vm_ops = {
	.open = ring_vm_open,
	.close = ring_vm_close,
	.fault = ring_vm_fault,
};

/* Nothing is mapped: each access faults. */
static int ring_mmap_watched(struct weft_ring_pages *p, struct vm_area_struct *vma)
{
	if (!try_module_get(THIS_MODULE))
		return -ENODEV;
	kref_get(&p->refs);
	vma->vm_private_data = p;
	vma->vm_ops = &ring_vm_ops;
	return 0;
}

/**
 * weft_ring_mmap() - a program maps a ring, or its first pages
 * @user: context of the process
 * @vma: the mapping
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL for an offset of no ring, or a length beyond its end; -EPERM for rights
 * that it does not give.
 */
int weft_ring_mmap(struct ib_ucontext *user, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry = rdma_user_mmap_entry_get_pgoff(user, vma->vm_pgoff);
	struct weft_ring_pages *p;
	int err;

	if (!entry)
		return -EINVAL;
	p = pages_of(entry);
	err = ring_rights(vma, p->writable);
	if (!err && vma_pages(vma) > p->num)
		err = -EINVAL;
	if (!err)
		err = p->watch ? ring_mmap_watched(p, vma) :
				 vm_map_pages_zero(vma, p->page, p->num);
	rdma_user_mmap_entry_put(entry);
	return err;
}

/**
 * weft_ring_mmap_free() - nobody refers to a ring any more
 * @entry: its entry
 *
 * Context: process, may sleep.
 */
void weft_ring_mmap_free(struct rdma_user_mmap_entry *entry)
{
	kref_put(&pages_of(entry)->refs, pages_free);
}
