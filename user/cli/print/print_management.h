/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a subnet manager did, as text.
 */
#ifndef PRINT_MANAGEMENT_H
#define PRINT_MANAGEMENT_H

#include <jansson.h>
#include <stdio.h>

void print_management(FILE *f, json_t *management);

#endif
