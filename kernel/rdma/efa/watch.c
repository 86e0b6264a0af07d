// SPDX-License-Identifier: GPL-2.0
/*
 * Polls of completion queues that are memory, on the virtual clock.
 *
 * DOC: theory of operation
 *
 * A program that waits for a completion reads memory without end, and without a call. The
 * virtual machine can prove that such a loop waits, but that costs thousands of its
 * instructions step by step, each time. So a program never gets the memory of a queue: each
 * read faults, and is executed here. It is a plain load into a register in all code that
 * reads completions field by field.
 *
 * A load of the byte with the phase, of the completion that comes next, is a poll of an empty
 * queue: a call, as it is for other devices. It waits as theirs do (pd.c), and at the same
 * virtual time.
 *
 * Any other instruction is left to the processor. Then its page of the ring is shown from
 * that time on, and if the program waits the machine has to prove it.
 *
 * What the program sees is the same in all cases. On other clocks nothing is hidden.
 */
#include "rdma/efa/watch.h"

#include "rdma/efa/efa.h"

/**
 * struct weft_efa_watch - the polls of one queue
 */
struct weft_efa_watch {
	/** @refs: of the queue, and of its rings */
	struct kref refs;
	/** @lock: protects @cq */
	spinlock_t lock;
	/** @cq: the queue, NULL when it is gone */
	struct weft_efa_cq *cq;
	/** @ring: pages of its completions; constant */
	struct weft_ring_pages *ring;
	/** @size: completions that fit; constant */
	u32 size;
	/** @cqe_size: bytes of one; constant */
	u32 cqe_size;
	/** @poller: who polls */
	struct weft_poller poller;
	/** @progress: weft_poller_progress() when the queue was last found empty */
	int progress;
	/** @taken: completions of the queue when it was last found with some */
	u32 taken;
};

static void watch_free(struct kref *refs)
{
	kfree(container_of(refs, struct weft_efa_watch, refs));
}

/**
 * weft_watch_get() - take a reference
 * @w: polls of a queue
 *
 * Context: any.
 */
void weft_watch_get(struct weft_efa_watch *w)
{
	kref_get(&w->refs);
}

/**
 * weft_watch_put() - give it back
 * @w: polls of a queue
 *
 * Context: any.
 */
void weft_watch_put(struct weft_efa_watch *w)
{
	kref_put(&w->refs, watch_free);
}

/**
 * weft_watch_start() - watch the polls of a queue, if the clock is virtual
 * @cq: the queue, whose rings no program maps yet
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int weft_watch_start(struct weft_efa_cq *cq)
{
	struct weft_efa_watch *w;

	if (!weft_clock_virtual())
		return 0;
	w = kzalloc(sizeof(*w), GFP_KERNEL_ACCOUNT);
	if (!w)
		return -ENOMEM;
	kref_init(&w->refs);
	spin_lock_init(&w->lock);
	w->cq = cq;
	w->ring = cq->ring.pages;
	w->size = cq->size;
	w->cqe_size = cq->cqe_size;
	weft_poller_init(&w->poller, weft_rdma_dev_of(cq->ib.device));
	weft_ring_watch(&cq->ring, w);
	cq->watch = w;
	return 0;
}

/**
 * weft_watch_stop() - the queue goes
 * @cq: the queue, watched or not
 *
 * Context: process.
 */
void weft_watch_stop(struct weft_efa_cq *cq)
{
	struct weft_efa_watch *w = cq->watch;

	if (!w)
		return;
	spin_lock(&w->lock);
	w->cq = NULL;
	spin_unlock(&w->lock);
	weft_watch_put(w);
}

/**
 * weft_watch_event() - a completion came
 * @w: polls of its queue, NULL if they are not watched
 *
 * Context: any.
 */
void weft_watch_event(struct weft_efa_watch *w)
{
	if (w)
		weft_poller_event(&w->poller);
}

#ifdef CONFIG_UML_TIME_TRAVEL_SUPPORT
/**
 * struct load - a load of a program from memory into a register
 */
struct load {
	/** @to: the register */
	unsigned long *to;
	/** @bytes: that are loaded; the rest is 0 */
	u32 bytes;
	/** @length: of the instruction, in bytes */
	u32 length;
};

/* Registers by their number in instructions. */
static unsigned long *watch_register(struct pt_regs *r, u8 number)
{
	switch (number) {
	case 0: return &PT_REGS_AX(r);
	case 1: return &PT_REGS_CX(r);
	case 2: return &PT_REGS_DX(r);
	case 3: return &PT_REGS_BX(r);
	case 5: return &PT_REGS_BP(r);
	case 6: return &PT_REGS_SI(r);
	case 7: return &PT_REGS_DI(r);
	case 8: return &PT_REGS_R8(r);
	case 9: return &PT_REGS_R9(r);
	case 10: return &PT_REGS_R10(r);
	case 11: return &PT_REGS_R11(r);
	case 12: return &PT_REGS_R12(r);
	case 13: return &PT_REGS_R13(r);
	case 14: return &PT_REGS_R14(r);
	case 15: return &PT_REGS_R15(r);
	default: return NULL;
	}
}

/* Bytes of the operand in memory behind its first byte, ModRM; 0: it is no memory. */
static u32 operand_length(const u8 *modrm)
{
	u8 mod = *modrm >> 6, rm = *modrm & 7;
	u32 len = rm == 4 ? 2 : 1;

	switch (mod) {
	case 0:
		return rm == 5 || (rm == 4 && (modrm[1] & 7) == 5) ? len + 4 : len;
	case 1:
		return len + 1;
	case 2:
		return len + 4;
	default:
		return 0;
	}
}

/* Return: bytes that the instruction at @c loads, 0: it is none of these; @c is its operand. */
static u32 load_bytes(const u8 **c, bool wide)
{
	const u8 *at = *c;

	switch (*at) {
	case 0x0f:
		*c += 2;
		return at[1] == 0xb6 ? 1 : at[1] == 0xb7 ? 2 : 0;
	case 0x8b:
		*c += 1;
		return wide ? 8 : 4;
	default:
		return 0;
	}
}

/* Decode the instruction that has faulted: movzbl, movzwl or mov, of memory to a register. */
static bool load_decode(struct pt_regs *regs, struct load *l)
{
	u8 code[24] = {}, rex = 0;
	const u8 *c = code;
	u32 len;

	if (copy_from_user_nofault(code, (void __user *)PT_REGS_IP(regs), 15))
		return false;
	if ((*c & 0xf0) == 0x40)
		rex = *c++;
	l->bytes = load_bytes(&c, rex & 8);
	len = operand_length(c);
	l->to = watch_register(regs, (*c >> 3 & 7) | (rex & 4) << 1);
	l->length = c + len - code;
	return l->bytes && len && l->to;
}

static void load_execute(struct pt_regs *regs, const struct load *l, const void *from)
{
	unsigned long value = 0;

	memcpy(&value, from, l->bytes);
	*l->to = value;
	PT_REGS_IP(regs) += l->length;
}

/* Is a load of @offset a poll that finds nothing? Counts what was found else. */
static bool watch_is_empty(struct weft_efa_watch *w, const struct load *l, unsigned long offset)
{
	bool empty = false;
	u32 new = 0;

	if (l->bytes != 1 || offset % w->cqe_size != offsetof(struct efa_cqe, flags))
		return false;
	spin_lock(&w->lock);
	if (w->cq) {
		empty = offset / w->cqe_size == (w->cq->head & (w->size - 1));
		new = empty ? 0 : w->cq->head - w->taken;
		w->taken += new;
	}
	spin_unlock(&w->lock);
	if (new)
		weft_poller_found(&w->poller, new);
	return empty;
}

/*
 * Wait outside of the lock of the address space. The access is repeated then. If it finds
 * something, the next one that does not is not to wait: a program looks for more before it
 * takes what it has found.
 */
static vm_fault_t watch_wait(struct weft_efa_watch *w, struct vm_fault *vmf, int events)
{
	weft_watch_get(w);
	mmap_read_unlock(vmf->vma->vm_mm);
	weft_poller_wait(&w->poller, events);
	weft_watch_put(w);
	return VM_FAULT_RETRY;
}

/**
 * weft_watch_read() - a program reads a ring
 * @w: polls of its queue
 * @vmf: the fault
 *
 * Context: fault of the process, may sleep.
 * Return: 0: show the page; else what the fault returns.
 */
vm_fault_t weft_watch_read(struct weft_efa_watch *w, struct vm_fault *vmf)
{
	unsigned long offset = weft_ring_offset(w->ring, vmf->pgoff, vmf->real_address);
	int events = atomic_read(&w->poller.polls->events), former;
	struct pt_regs *regs = task_pt_regs(current);
	struct load l;

	/* not for ptrace(), nor within a call */
	if (!(vmf->flags & FAULT_FLAG_USER) || PT_REGS_SYSCALL_NR(regs) >= 0)
		return 0;
	if (!load_decode(regs, &l) || offset_in_page(offset) + l.bytes > PAGE_SIZE)
		return 0;
	if (watch_is_empty(w, &l, offset)) {
		former = w->progress;
		w->progress = weft_poller_progress(&w->poller);
		if (former == w->progress && !(vmf->flags & FAULT_FLAG_TRIED) &&
		    vmf->flags & FAULT_FLAG_ALLOW_RETRY && !signal_pending(current))
			return watch_wait(w, vmf, events);
	}
	load_execute(regs, &l, weft_ring_at(w->ring, offset));
	/* without a page: only so the fault is not repeated */
	mmap_read_unlock(vmf->vma->vm_mm);
	return VM_FAULT_COMPLETED | VM_FAULT_NOPAGE;
}
#else
vm_fault_t weft_watch_read(struct weft_efa_watch *w, struct vm_fault *vmf)
{
	return 0;
}
#endif
