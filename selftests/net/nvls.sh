#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Switches of NVLink that reduce, for programs: NVLS. Each element of each result is right.
#
# Time, with propagation p, latency d of the switch and a of its aggregation node, and T of a
# chunk on the wire. One chunk goes up (p + T + 2 d + a), down to its owner (p + T), and from
# there to all (p + d + p + T). All ranks read their clocks at its begin and at its end, one
# after the other, and each reading takes 1 ns: so it is longer by 3 n ns at most. Many
# chunks take (n + 1) / n T each, as each node sends what it brings and stores what it
# owns (N6).
. "$(dirname "$0")/lib.sh"
net=nvls
topology=nvlink-8
# shellcheck source=lib_sharp.sh
. "$net_dir/lib_sharp.sh"
need setpriv

storm=$(built reduce_storm) || skip_all "reduce_storm is missing: it needs libibverbs-dev"

library() {
	client nvlink-8 check
	expect "groups" 4 "$(reduced groups)"
}

# took BYTES LEAST MOST - an all-reduce takes so many ns
took() {
	client nvlink-8 time "$1" 2
	awk -v n="$1" -v least="$2" -v most="$3" '$1 == n { print; found++
		if ($2 < least || $2 > most) bad = 1
	} END { exit bad || found != 2 }' "$tmp/out" || {
		echo "$1 bytes: expected $2 to $3 ns"
		return 1
	}
}

# A header and eight bytes are 32 bytes of the wire, at 900 GB/s.
one_chunk() {
	[ "$clock" = virtual ] || skip "only the virtual clock is exact"
	took 8 "$(calc "4 * 25 + 3 * 120 + 100 + 3 * 32 / 900")" \
		"$(calc "4 * 25 + 3 * 120 + 100 + 3 * 32 / 900 + 3 * 8")"
}

# A chunk of 4096 bytes is 16 packets, each with a header of 16.
bandwidth() {
	local law

	[ "$clock" = virtual ] || skip "only the virtual clock is exact"
	law=$(calc "67108864 / 4096 * 16 * (256 + 16) / 900 * 9 / 8")
	took 67108864 "$law" "$(calc "$law * 1.02")"
}

calc() {
	awk "BEGIN { printf \"%.3f\", $1 }"
}

no_nvlink() {
	sharp ib-8 --mpi -- "$mpi" 100
	expect_match "reason" "has no NIC of NVLink with a link" "$(cat "$tmp/out")"
	expect_match "output" "8 ranks: 0 wrong" "$(cat "$tmp/out")"
	expect "in switches" 0 "$(reduced in_switches)"
}

# Two domains and a switch of InfiniBand: what one of the domains does alone is reduced there,
# all else goes by verbs.
two_domains() {
	cat > "$tmp/domains.yaml" <<- END
		name: domains
		profile: ib-ndr
		nodes: [{name: "gpu[0-3]"}]
		switches:
		  - {name: leaf}
		  - {name: "nv[0-1]", profile: nvlink5}
		links:
		  - {ends: ["gpu[0-3]", leaf]}
		  - {ends: ["gpu[0-1]", nv0], profile: nvlink5}
		  - {ends: ["gpu[2-3]", nv1], profile: nvlink5}
	END
	sharp "$tmp/domains.yaml" --mpi -- "$mpi" 100
	expect_match "output" "4 ranks: 0 wrong" "$(cat "$tmp/out")"
	expect_match "reason" "no group for 4 processes: no switch reaches all nodes" "$(cat "$tmp/out")"
	cat > "$tmp/one.sh" <<- END
		rdma dev
		mpirun -np 2 -host gpu2,gpu3 $mpi 1 100 3001
	END
	sharp "$tmp/domains.yaml" -- sh "$tmp/one.sh"
	expect_match "device" ": nvls[0-3]: " "$(cat "$tmp/out")"
	expect_match "output" "2 ranks: 0 wrong" "$(cat "$tmp/out")"
	[ "$(reduced in_switches)" -gt 400 ]
}

link_down() {
	local why='the link of host3.eth0 and leaf0:3 is down|a packet was lost, which nobody repeats'

	breaks "weft fault add down leaf0:3 duration=1ms"
	expect "processes that know why" 8 "$(grep -cE "of group 0: ($why)" "$tmp/out")"
	expect "failed" 1 "$(reduced failed)"
}

node_down() {
	breaks "weft fault add sharp-down leaf0"
	expect "processes that know why" 8 \
		"$(grep -c 'of group 0: the aggregation node of leaf0 is down' "$tmp/out")"
}

owner_dies() {
	breaks "pkill -9 -o sharp_calls"
	expect "processes that know why" 7 \
		"$(grep -c 'of group 0: the process of host0 has ended' "$tmp/out")"
}

# Somebody in a member's node, and in another node, without the group's key.
strangers() {
	storm=$(for_all "$storm")/reduce_storm
	cat > "$tmp/storm.sh" <<- END
		export LD_PRELOAD=
		for i in 1 2; do
			mpirun -x LD_PRELOAD -np 4 -host host0,host1,host2,host3 $calls check || exit 1
		done &
		sleep 0.01
		for node in host0 host1 host6; do
			weft exec \$node -- setpriv --reuid 65534 --regid 65534 --clear-groups \
				$storm 4000 1 || exit 1
		done
		wait %1
	END
	sharp nvlink-8 -- bash "$tmp/storm.sh"
	expect "groups" 8 "$(reduced groups)"
	expect "failed" 0 "$(reduced failed)"
}

ktap_begin 12
t "libsharp_coll: all types, operations, collectives, threads" library
t "time of one chunk" one_chunk
t "time of 64 MiB" bandwidth
t "Open MPI" open_mpi
t "Open MPI, two ranks of each node" two_ranks
t "MPICH" mpich
t "no NVLink" no_nvlink
t "two domains" two_domains
t "a link goes down" link_down
t "an aggregation node is down" node_down
t "an owner dies" owner_dies
t "strangers" strangers
ktap_end
