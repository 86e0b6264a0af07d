/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topologies that other programs wrote.
 */
#ifndef WEFT_IMPORT_H
#define WEFT_IMPORT_H

int import_print(const char *path);

#endif
