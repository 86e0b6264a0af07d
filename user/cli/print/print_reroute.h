/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * New routes as text, from their JSON.
 */
#ifndef WEFT_PRINT_REROUTE_H
#define WEFT_PRINT_REROUTE_H

#include <jansson.h>
#include <stdio.h>

void print_reroute(FILE *f, json_t *o);
void print_reroutes(FILE *f, json_t *all);
void print_changes(FILE *f, json_t *changes);

#endif
