/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Import of topologies from other programs.
 */
#ifndef WEFT_IMPORT_H
#define WEFT_IMPORT_H

int import_print(const char *path);

#endif
