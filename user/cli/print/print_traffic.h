/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Background traffic as text, from its JSON.
 */
#ifndef WEFT_PRINT_TRAFFIC_H
#define WEFT_PRINT_TRAFFIC_H

#include <jansson.h>
#include <stdio.h>

void print_traffic_plan(FILE *f, json_t *group);
void print_traffic_done(FILE *f, json_t *group);
void print_traffic(FILE *f, json_t *groups);

#endif
