/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses and enumerations as text, and how text ends.
 */
#ifndef WEFT_TEXT_H
#define WEFT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#define WEFT_MAC_TEXT	18
#define WEFT_IP_TEXT	16

const char *weft_mac_text(char *buf, const uint8_t mac[6]);
const char *weft_ip_text(char *buf, uint32_t ip);
const char *weft_forward_text(uint32_t forward);
const char *weft_arbiter_text(uint32_t arbiter);
const char *weft_select_text(uint32_t select);
const char *weft_sl2vl_text(uint32_t sl2vl);
const char *weft_segmentation_text(uint32_t segmentation);
bool weft_ends_with(const char *text, const char *end);

#endif
