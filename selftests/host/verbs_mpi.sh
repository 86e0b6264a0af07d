#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Open MPI's all-reduce on 8 nodes, over sockets and over verbs, which UCX takes:
# every element is right, and in fabric time verbs are faster where messages are
# long. They are by a fifth and more at 1 MiB; short messages take sockets less
# time, as the CPU is infinitely fast and TCP's work on them counts nothing.
cd "$(dirname "$0")/../.." || exit 1
. selftests/ktap.sh

weft=build/user/weft
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# allreduce LAB NET - the time of 1 MiB in us; the program fails if a sum is wrong
allreduce() {
	$weft run -q "$1" --clock virtual --net "$2" --mpi -- build/demo/allreduce \
		--min 1048576 --max 1048576 --warmup 3 --iters 2 > "$tmp/$2" || {
		cat "$tmp/$2" >&2
		return 1
	}
	awk '$1 == 1048576 && $7 == 0 { print $2 }' "$tmp/$2"
}

# Once around the ring, each rank sends 7/8 of it twice: at 400 Gb/s, 36.7 us.
faster() {
	local tcp verbs

	tcp=$(allreduce "$1" tcp)
	verbs=$(allreduce "$1" verbs)
	echo "tcp $tcp us, verbs $verbs us"
	expect_in "verbs" 36.7 "$(awk -v t="$tcp" 'BEGIN { print 0.9 * t }')" "$verbs"
}

ktap_begin 2
t "InfiniBand" faster ib-8
t "RoCE" faster roce-8
ktap_end
