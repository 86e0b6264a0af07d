#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The demo's table at 32 MiB: a ring all-reduce of unmodified Open MPI reaches
# 0.90 of the bound over InfiniBand credits, PFC and NVLink, loses nothing, has
# no wrong element, and is faithful.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. selftests/ktap.sh

readonly bytes=33554432 least=0.90
readonly topologies=(ib-8 single-switch-8 nvlink-8)

# column TOPOLOGY NUMBER - of the row of 32 MiB
column() {
	awk -v bytes=$bytes -v c="$2" '$1 == bytes { print $c }' "build/demo/$1.table"
}

ratio() {
	local r

	r=$(column "$1" 6)
	echo "# $1: ratio ${r:-missing}"
	awk -v r="${r:-0}" -v least=$least 'BEGIN { exit r < least }'
}

exact() {
	[ "$(column "$1" 7)" = 0 ]
}

demo() {
	scripts/demo.sh --min $bytes --max $bytes --warmup 1 --iters 1
}

ktap_begin 7
t "the demo runs: faithful, nothing lost, the same twice" demo
for topology in "${topologies[@]}"; do
	t "$topology: at least $least of the bound" ratio "$topology"
	t "$topology: no wrong element" exact "$topology"
done
ktap_end
