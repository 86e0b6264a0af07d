#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Windows of Open MPI, of each kind, over sockets and over verbs: two nodes with two
# ranks each.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"

program=$(built mpi_windows) || skip_all "mpi_windows is missing: it needs mpicc"

# window NET KIND
window() {
	star ethernet-100g 2
	weft exec --ppn 2 --net "$1" host0 -- mpirun -np 4 "$program" "$2"
}

ktap_begin 6
for net in tcp verbs; do
	for kind in create allocate shared; do
		t "$net: $kind" window $net $kind
	done
done
ktap_end
