/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WEFT_COMPAT_LINUX_NETLINK_H
#define WEFT_COMPAT_LINUX_NETLINK_H

#include_next <linux/netlink.h>

#ifndef NL_SET_ERR_MSG_ATTR_FMT		/* before 6.3 */

#include <linux/atomic.h>
#include <linux/kernel.h>

/*
 * Before 6.2 an extack only points to its text, which netlink copies after the
 * request has been handled. A text made at run time therefore lives in one of
 * many buffers in turn; it would take as many other refusals in that moment to
 * spoil it.
 */
static inline char *weft_extack_buf(void)
{
	static char buf[16][128];
	static atomic_t turn;

	return buf[(unsigned int)atomic_inc_return(&turn) % 16];
}

#define NL_SET_ERR_MSG_FMT(extack, fmt, args...) do {			\
	struct netlink_ext_ack *__extack = (extack);			\
	char *__buf = weft_extack_buf();				\
									\
	snprintf(__buf, 128, fmt, ##args);				\
	if (__extack)							\
		__extack->_msg = __buf;					\
} while (0)

#define NL_SET_ERR_MSG_ATTR_FMT(extack, attr, fmt, args...) do {	\
	NL_SET_ERR_MSG_FMT(extack, fmt, ##args);			\
	NL_SET_BAD_ATTR(extack, attr);					\
} while (0)

#endif

#endif
