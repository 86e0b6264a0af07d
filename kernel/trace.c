// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints: a packet's way through a fabric.
 */
#define CREATE_TRACE_POINTS
#include "trace.h"
