/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * weftd's web page.
 */
#ifndef WEFT_WEB_H
#define WEFT_WEB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define WEB_ADDRESS_LEN	128

int web_address(char url[WEB_ADDRESS_LEN], struct weft_err *err);
int web_start(unsigned int port, uint64_t sample, bool *ours);
void web_stop(bool ours);

#endif
