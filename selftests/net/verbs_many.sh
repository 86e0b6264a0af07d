#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Many queue pairs, and many objects: 1,200 queue pairs between 16 nodes, each two
# of which have 5 connections, 16 * 15 / 2 * 5 = 600; all 1,200 ends send one
# message, then the 600 that are left do. And 10,000 objects of each kind, after
# which the kernel has as much memory in use as before: of what was forgotten once
# for each, if it has 16 bytes, 160 kB would be left, so half of that is the limit
# for the noise of caches.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need jq

many=$(built verbs_many) || skip_all "verbs_many is not built"
churn=$(built verbs_churn) || skip_all "verbs_churn is not built"

# counted KEY - of all nodes
counted() {
	weft show verbs --json | jq "map(.$1) | add"
}

# mesh PROFILE
mesh() {
	local nodes=(host{0..15})

	star "$1" 16
	expect "done" "1200 queue pairs, 1800 messages" \
		"$("$many" 5 "${nodes[@]}")"
	expect "lost" "0 0 0" \
		"$(counted timeouts) $(counted out_of_sequence) $(counted no_qp)"
}

# used - bytes of the kernel's objects, when what was freed is free; that takes some
# seconds, as RCU frees in batches. What the kernel's checkers note of objects is
# theirs: pages that they keep half empty are no leak. (A kernel without checkers
# has no slabinfo.)
used() {
	sleep 8
	cat /proc/meminfo /proc/slabinfo 2> /dev/null | awk '
		/^(kmemleak|debug_objects)/ { sum -= $15 * $6 * 4096 }
		/^(Slab|VmallocUsed):/ { sum += $2 * 1024 }
		END { print sum }'
}

# used_when WORD - the same, when the program has got there; then it may go on
used_when() {
	slowwait 200 grep -q "$1" "$tmp/out"
	used
	echo go >&3
}

# objects PROFILE GID_INDEX NUMBER - of each kind
objects() {
	local before with after

	! zcat /proc/config.gz 2> /dev/null | grep -q ^CONFIG_KASAN=y ||
		skip "KASAN keeps what was freed for a while"
	star "$1" 2
	mkfifo "$tmp/go"
	: > "$tmp/out"
	on host0 "$churn" weft0 "$2" hold "$3" < "$tmp/go" > "$tmp/out" &
	exec 3> "$tmp/go"
	before=$(used_when ready)
	with=$(used_when held)
	after=$(used_when gone)
	wait $!
	rm "$tmp/go"
	# the six kinds, each of which has at least that much
	expect_in "held" $((6 * 16 * $3)) $((100000 * $3)) $((with - before))
	expect_in "left" $((-8 * $3)) $((8 * $3)) $((after - before))
}

ktap_begin 4
t "InfiniBand: 1,200 queue pairs of 16 nodes" mesh ib-ndr
t "Ethernet: 1,200 queue pairs of 16 nodes" mesh ethernet-400g
t "InfiniBand: 10,000 objects of each kind" objects ib-edr 0 10000
t "Ethernet: 10,000 objects of each kind" objects ethernet-100g 1 10000
ktap_end
