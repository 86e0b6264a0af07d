// SPDX-License-Identifier: GPL-2.0
/*
 * The receiver of SRD: which packets were seen.
 *
 * A packet is taken as it comes, whatever is missing before it. What was refused stays
 * refused: a copy of it that comes later must not be taken, because its sender may have sent
 * the same anew. Each packet says which is the oldest that its sender still knows of, and
 * what is before that is forgotten.
 */
#include "core/srd/srd.h"

static u8 *rx_what(struct fab_srd_rx *rx, u32 psn)
{
	return &rx->what[psn & (FAB_SRD_WINDOW - 1)];
}

/**
 * fab_srd_rx_init() - begin
 * @rx: the receiver
 * @una: the oldest packet that the sender knows of
 */
void fab_srd_rx_init(struct fab_srd_rx *rx, u32 una)
{
	memset(rx, 0, sizeof(*rx));
	rx->epsn = una;
}

static void rx_advance(struct fab_srd_rx *rx, u32 una)
{
	u32 n = una - rx->epsn;

	if ((s32)n <= 0)
		return;
	if (n >= FAB_SRD_WINDOW) {
		fab_srd_rx_init(rx, una);
		return;
	}
	while (rx->epsn != una)
		*rx_what(rx, rx->epsn++) = 0;
}

/* Behind what was taken without a gap. */
static void rx_skip(struct fab_srd_rx *rx)
{
	while (*rx_what(rx, rx->epsn) == FAB_SRD_TAKEN)
		*rx_what(rx, rx->epsn++) = 0;
}

/**
 * fab_srd_rx_look() - was a packet seen before?
 * @rx: the receiver
 * @psn: its PSN
 * @una: the oldest PSN that its sender knows of
 * @why: set for one that was refused
 *
 * Return: the verdict. fab_srd_rx_set() has to follow for a new one.
 */
enum fab_srd_verdict fab_srd_rx_look(struct fab_srd_rx *rx, u32 psn, u32 una, u8 *why)
{
	u8 what;

	rx_advance(rx, una);
	rx_skip(rx);
	if ((s32)(psn - rx->epsn) < 0)
		return FAB_SRD_SEEN;
	if (psn - rx->epsn >= FAB_SRD_WINDOW)
		return FAB_SRD_BEYOND;
	what = *rx_what(rx, psn);
	if (!what)
		return FAB_SRD_NEW;
	*why = what;
	return what == FAB_SRD_TAKEN ? FAB_SRD_SEEN : FAB_SRD_REFUSED;
}

/**
 * fab_srd_rx_set() - what became of a new packet
 * @rx: the receiver
 * @psn: its PSN
 * @what: FAB_SRD_TAKEN, or why it is refused
 */
void fab_srd_rx_set(struct fab_srd_rx *rx, u32 psn, u8 what)
{
	*rx_what(rx, psn) = what;
	rx_skip(rx);
}

/**
 * fab_srd_rx_bits() - what an acknowledgement tells of packets beside its own
 * @rx: the receiver
 * @psn: the packet that it is for
 * @first: set to the PSN of the first bit
 *
 * Return: bit i is set if the packet of @first + i was taken.
 */
u64 fab_srd_rx_bits(const struct fab_srd_rx *rx, u32 psn, u32 *first)
{
	u64 bits = 0;
	u32 i;

	*first = (s32)(psn - rx->epsn) < FAB_SRD_SACK ? rx->epsn : psn - (FAB_SRD_SACK - 1);
	for (i = 0; i < FAB_SRD_SACK && *first + i - rx->epsn < FAB_SRD_WINDOW; i++)
		if (rx->what[(*first + i) & (FAB_SRD_WINDOW - 1)] == FAB_SRD_TAKEN)
			bits |= BIT_ULL(i);
	return bits;
}
