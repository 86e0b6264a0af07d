#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Open MPI's all-reduce on 8 nodes, over sockets and over verbs, which UCX takes:
# every element is right, and in fabric time verbs are faster.
#
# Short messages. Ranks exchange what they have with one partner, then with another,
# then with a third, each time in
#
#	tx-latency 280 + 2 cables of 25.25 + switch + n bytes in 0.02 ns each +
#	rx-latency 230 ns
#
# with a switch of 330 (InfiniBand) or 425 ns. Headers, less than 110 bytes, and the
# readings of clocks are less than 1 %. TCP's are a few bytes longer.
#
# Long messages. Once around the ring, each rank sends 7/8 of it twice: at 400 Gb/s
# 36.7 us for 1 MiB. Verbs are faster by a tenth and more.
cd "$(dirname "$0")/../.." || exit 1
. selftests/ktap.sh

weft=build/user/weft
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# allreduce LAB MIN MAX - over both; the program fails if a sum is wrong
allreduce() {
	local net

	for net in tcp verbs; do
		$weft run -q "$1" --clock virtual --net $net --mpi -- \
			build/demo/allreduce --min "$2" --max "$3" --warmup 3 \
			--iters 2 > "$tmp/$net" || {
			cat "$tmp/$net" >&2
			return 1
		}
	done
}

# took NET BYTES - us
took() {
	awk -v n="$2" '$1 == n && $7 == 0 { print $2 }' "$tmp/$1"
}

# faster BYTES LEAST PART - verbs take LEAST us, but less than PART of what TCP does
faster() {
	echo "tcp $(took tcp "$1") us, verbs $(took verbs "$1") us"
	expect_in "$1 bytes" "$2" "$(took tcp "$1" | awk -v p="$3" '{ print $1 * p }')" \
		"$(took verbs "$1")"
}

# short LAB SWITCH - with its latency in ns
short() {
	local law n

	allreduce "$1" 8 1024
	for n in 8 64 1024; do
		law=$(awk -v cut="$2" -v n=$n 'BEGIN {
			print 3 * (280 + 2 * 25.25 + cut + n * 0.02 + 230) / 1000
		}')
		faster $n "$law" 1
		expect_in "$n bytes" "$law" "$(awk -v l="$law" 'BEGIN { print 1.01 * l }')" \
			"$(took verbs $n)"
	done
}

# long LAB
long() {
	allreduce "$1" 1048576 1048576
	faster 1048576 36.7 0.9
}

ktap_begin 4
t "InfiniBand, short" short ib-8 330
t "InfiniBand, 1 MiB" long ib-8
t "RoCE, short" short roce-8 425
t "RoCE, 1 MiB" long roce-8
ktap_end
