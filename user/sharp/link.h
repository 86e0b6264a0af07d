/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A connection to the aggregation manager.
 */
#ifndef WEFT_SHARP_LINK_H
#define WEFT_SHARP_LINK_H

#include "sharp/messages.h"

int link_open(void);
int link_send(int fd, struct weft_sharp_message *msg);
int link_receive(int fd, struct weft_sharp_message *msg);
int link_poll(int fd, struct weft_sharp_message *msg);

#endif
