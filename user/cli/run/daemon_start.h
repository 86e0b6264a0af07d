/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starting and ending weftd.
 */
#ifndef WEFT_DAEMON_START_H
#define WEFT_DAEMON_START_H

int daemon_start(const char *http, const char *sample);
int daemon_stop(void);

#endif
