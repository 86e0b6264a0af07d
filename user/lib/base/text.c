// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Addresses and enumerations as text, and how text ends.
 */
#include "base/text.h"

#include <stdio.h>
#include <string.h>

#include <linux/weft.h>

/**
 * weft_mac_text() - write a MAC address
 * @buf: result, WEFT_MAC_TEXT bytes
 * @mac: the address
 *
 * Return: @buf.
 */
const char *weft_mac_text(char *buf, const uint8_t mac[6])
{
	snprintf(buf, WEFT_MAC_TEXT, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0],
		 mac[1], mac[2], mac[3], mac[4], mac[5]);
	return buf;
}

/**
 * weft_ip_text() - write an IPv4 address
 * @buf: result, WEFT_IP_TEXT bytes
 * @ip: the address, in the host's byte order
 *
 * Return: @buf.
 */
const char *weft_ip_text(char *buf, uint32_t ip)
{
	snprintf(buf, WEFT_IP_TEXT, "%u.%u.%u.%u", ip >> 24, ip >> 16 & 255,
		 ip >> 8 & 255, ip & 255);
	return buf;
}

/**
 * weft_forward_text() - name of an enum weft_forward
 * @forward: the value
 *
 * Return: as in topology files.
 */
const char *weft_forward_text(uint32_t forward)
{
	return forward == WEFT_FORWARD_CUT_THROUGH ? "cut-through" :
						     "store-forward";
}

/**
 * weft_arbiter_text() - name of an enum weft_arbiter
 * @arbiter: the value
 *
 * Return: as in topology files.
 */
const char *weft_arbiter_text(uint32_t arbiter)
{
	return arbiter == WEFT_ARBITER_FIFO ? "fifo" : "round-robin";
}

/**
 * weft_select_text() - name of an enum weft_select
 * @select: the value
 *
 * Return: as in topology files.
 */
const char *weft_select_text(uint32_t select)
{
	static const char *const text[] = {
		[WEFT_SELECT_ECMP] = "ecmp", [WEFT_SELECT_SPRAY] = "spray",
		[WEFT_SELECT_ADAPTIVE] = "adaptive",
		[WEFT_SELECT_FLOWLET] = "flowlet",
		[WEFT_SELECT_RANDOM] = "random",
	};

	return select <= WEFT_SELECT_RANDOM ? text[select] : "unknown";
}

/**
 * weft_sl2vl_text() - name of an enum weft_sl2vl
 * @sl2vl: the value
 *
 * Return: as in topology files.
 */
const char *weft_sl2vl_text(uint32_t sl2vl)
{
	static const char *const text[] = {
		[WEFT_SL2VL_KEEP] = "keep", [WEFT_SL2VL_SL] = "sl",
		[WEFT_SL2VL_PORTS] = "ports", [WEFT_SL2VL_CLASS] = "class",
	};

	return sl2vl <= WEFT_SL2VL_CLASS ? text[sl2vl] : "unknown";
}

/**
 * weft_segmentation_text() - name of an enum weft_segmentation
 * @segmentation: the value
 *
 * Return: as in topology files.
 */
const char *weft_segmentation_text(uint32_t segmentation)
{
	return segmentation == WEFT_SEGMENTATION_MTU ? "mtu" : "train";
}

/**
 * weft_ends_with() - is this the end of a text?
 * @text: the text
 * @end: the end
 *
 * Return: true if it is, with something before it.
 */
bool weft_ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);

	return n > k && !strcmp(text + n - k, end);
}
