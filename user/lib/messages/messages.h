/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The messages of a workload in a lab, sent by verbs or TCP.
 */
#ifndef WEFT_MESSAGES_H
#define WEFT_MESSAGES_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "lab/lab.h"
#include "plan/plan.h"
#include "workload/workload.h"

/**
 * enum weft_messages_by - what carries messages
 * @WEFT_BY_ANY: verbs where both NICs have RDMA devices, else TCP
 * @WEFT_BY_VERBS: verbs
 * @WEFT_BY_TCP: TCP
 */
enum weft_messages_by { WEFT_BY_ANY, WEFT_BY_VERBS, WEFT_BY_TCP };

/**
 * struct weft_messages_options - how they are sent
 */
struct weft_messages_options {
	/** @by: what carries them */
	enum weft_messages_by by;
	/** @sl: service level of all packets; on Ethernet the priority */
	uint32_t sl;
	/** @ack_timeout: an acknowledgement is awaited for 4096 ns * 2^this; 0: for ever */
	uint32_t ack_timeout;
	/** @retries: how often a packet is sent again before the run fails, 7 at most */
	uint32_t retries;
	/** @dilation: real time is so many times fabric time */
	uint32_t dilation;
	/** @until: it ends after this, ps; 0: when all messages have ended */
	uint64_t until;
	/**
	 * @hold: called when all is prepared: blocks the signals that set @stop, and gives
	 * the mask with which to wait for them; NULL: there are none
	 */
	void (*hold)(sigset_t *mask);
	/** @stop: is it to end? Asked whenever it has waited; NULL: never */
	bool (*stop)(void);
};

int weft_messages_run(const struct weft_lab *lab, const struct weft_plan *plan,
		      struct weft_work *work, const struct weft_messages_options *o,
		      const char **transport, struct weft_err *err);

#endif
