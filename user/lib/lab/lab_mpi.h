/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Environment of MPI launchers.
 */
#ifndef WEFT_LAB_MPI_H
#define WEFT_LAB_MPI_H

#include "base/err.h"
#include "lab/lab.h"

int weft_lab_mpi_up(const struct weft_lab *lab, struct weft_err *err);
int weft_lab_mpi(const struct weft_lab *lab, unsigned int slots,
		 struct weft_err *err);

#endif
