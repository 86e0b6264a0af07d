/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WEFT_VM_PROGRESS_H
#define WEFT_VM_PROGRESS_H

#include <poll.h>
#include <stdbool.h>

struct options;

void progress_start(const struct options *opt);
int progress_page(void);
int progress_output(int fd);
void progress_booted(void);
void progress_running(void);
void progress_poll(struct pollfd *p);
int progress_timeout(int timeout);
void progress_serve(const struct pollfd *p);
void progress_end(void);
void progress_erase(void);

#endif
