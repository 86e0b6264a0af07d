/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults as text, from their JSON.
 */
#ifndef WEFT_PRINT_FAULTS_H
#define WEFT_PRINT_FAULTS_H

#include <jansson.h>
#include <stdio.h>

void print_fault_plan(FILE *f, json_t *fault);
void print_fault_done(FILE *f, json_t *fault);
void print_faults(FILE *f, json_t *faults);

#endif
