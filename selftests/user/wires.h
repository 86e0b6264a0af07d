/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wires and switches of the simulations in the tests, and what they take.
 */
#ifndef WIRES_H
#define WIRES_H

#define NS		1000ULL
#define TX		(100 * NS)
#define RX		(50 * NS)
#define CABLE		(25 * NS)
#define CUT		(400 * NS)
#define BYTE		20ULL		/* ps */

#define SHARED	"switch: {buffer: 64MiB, queue-limit: 16MiB}\n"
#define STAR	"nodes: [{name: \"h[0-16]\"}]\nswitches: [{name: s}]\n" \
	"links: [{ends: [\"h[0-16]\", s]}]\n"
#define PAIR	"nodes: [{name: \"h[0-1]\"}]\nswitches: [{name: s}]\n" \
	"links: [{ends: [\"h[0-1]\", s]}]\n"

#endif
