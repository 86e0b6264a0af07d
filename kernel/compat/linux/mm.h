/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Before 6.3 the flags of a mapping are changed in place.
 */
#ifndef WEFT_COMPAT_MM_H
#define WEFT_COMPAT_MM_H

#include_next <linux/mm.h>
#include <linux/version.h>

#if KERNEL_VERSION(6, 3, 0) > LINUX_VERSION_CODE
static inline void vm_flags_set(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags &= ~flags;
}
#endif

#endif
