#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reductions in switches, for programs: unmodified MPI programs and clients of libsharp_coll.
# Each element of each result is right, whatever way it took.
#
# Time. An all-reduce takes what `weft simulate` says, to the reading of clocks: all ranks read
# theirs at its begin and at its end, one after the other, and each reading takes 1 ns. So
# with n ranks it is longer by 3 n ns at most.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_sharp.sh
. "$net_dir/lib_sharp.sh"
need setpriv

storm=$(built reduce_storm) || skip_all "reduce_storm is missing: it needs libibverbs-dev"

library() {
	client ib-8 check
	expect "groups" 4 "$(reduced groups)"
}

# Two leaves of four hosts, and a spine.
tree_topology() {
	cat > "$tmp/tree.yaml" <<- END
		name: tree
		profile: ib-ndr
		nodes: [{name: "host[0-7]"}]
		switches: [{name: "leaf[0-1]"}, {name: spine}]
		links:
		  - {ends: ["host[0-3]", leaf0]}
		  - {ends: ["host[4-7]", leaf1]}
		  - {ends: ["leaf[0-1]", spine]}
	END
}

library_tree() {
	tree_topology
	client "$tmp/tree.yaml" check
}

# law TOPOLOGY BYTES... - what a run takes, beside the simulation
law() {
	local n want topology=$1

	shift
	for n; do
		client "$topology" time "$n" 2
		want=$(weft simulate "$topology" --workload "allreduce:sharp:$n" --json |
			jq '[.flows[].end_ps] | max / 1000')
		awk -v n="$n" -v want="$want" '$1 == n { print; found++
			if ($2 < want || $2 > want + 3 * 8) bad = 1
		} END { exit bad || found != 2 }' "$tmp/out" || {
			echo "$n bytes: expected $want ns and 24 ns more at most"
			return 1
		}
	done
}

times() {
	[ "$clock" = virtual ] || skip "only the virtual clock is exact"
	law ib-8 8 4096 1048576 8388608
}

times_tree() {
	[ "$clock" = virtual ] || skip "only the virtual clock is exact"
	tree_topology
	law "$tmp/tree.yaml" 8 1048576
}

# The third group is refused at all ranks, and MPI goes on without.
no_resources() {
	sharp ib-8 switch.reduce-groups=2 -- env LD_PRELOAD= mpirun -x LD_PRELOAD \
		"$calls" groups 5
	expect "groups at a time" "2 the switches have no resources" "$(grep -v : "$tmp/out")"
	expect_match "reason" "no group for 8 processes: leaf0 has 2 groups already" \
		"$(cat "$tmp/out")"
	expect "refused" 1 "$(reduced refused)"
	sharp ib-8 switch.reduce-groups=1 --mpi -- "$mpi" 100
	expect_match "output" "8 ranks: 0 wrong" "$(cat "$tmp/out")"
	expect "refused" 3 "$(reduced refused)"
}

# Two of four groups have no streaming tree, and so small chunks.
no_streams() {
	sharp ib-8 switch.reduce-streams=2 --mpi -- "$mpi" 1 100 3001
	expect_match "output" "8 ranks: 0 wrong" "$(cat "$tmp/out")"
	expect "groups" 4 "$(reduced groups)"
	expect "without a streaming tree" 2 "$(reduced small)"
	expect "refused" 0 "$(reduced refused)"
}

# In RoCE's network no switch reduces, and MPI does what there is to do.
no_infiniband() {
	sharp roce-8 --mpi -- "$mpi" 100
	expect_match "reason" "has no NIC of InfiniBand with a link" "$(cat "$tmp/out")"
	expect_match "output" "8 ranks: 0 wrong" "$(cat "$tmp/out")"
	expect "in switches" 0 "$(reduced in_switches)"
}

link_down() {
	breaks "weft fault add down leaf0:3 duration=1ms"
	expect "processes that know why" 8 \
		"$(grep -c 'of group 0: the link of host3.eth0 and leaf0:3 is down' "$tmp/out")"
	expect "processes that end" 8 "$(grep -c ': the group does not work any more' "$tmp/out")"
	expect "failed" 1 "$(reduced failed)"
}

node_down() {
	breaks "weft fault add sharp-down leaf0; weft show aggregators --json > $tmp/aggregators"
	expect "processes that know why" 8 \
		"$(grep -c 'of group 0: the aggregation node of leaf0 is down' "$tmp/out")"
	expect "failed" 1 "$(reduced failed)"
	# who comes later hears it at once, and MPI goes on without
	cat > "$tmp/down.sh" <<- END
		weft fault add sharp-down leaf0
		mpirun -np 8 $mpi 100
	END
	sharp ib-8 -- sh "$tmp/down.sh"
	expect_match "reason" "no group for 8 processes: the aggregation node of leaf0 is down" \
		"$(cat "$tmp/out")"
	expect_match "output" "8 ranks: 0 wrong" "$(cat "$tmp/out")"
}

# 5 us of each operation, not of each chunk.
node_slow() {
	[ "$clock" = virtual ] || skip "only the virtual clock is exact"
	cat > "$tmp/slow.sh" <<- END
		export LD_PRELOAD=
		weft fault add sharp-slow leaf0 delay=5us
		mpirun -x LD_PRELOAD -np 8 $calls time 1048576
		weft fault del --all
		mpirun -x LD_PRELOAD -np 8 $calls time 1048576
	END
	sharp ib-8 -- sh "$tmp/slow.sh"
	awk '$1 == 1048576 { took[n++] = $2 }
		END { print took[0], took[1]; exit !(took[0] - took[1] >= 4995 &&
			took[0] - took[1] <= 5005) }' "$tmp/out"
}

process_dies() {
	breaks "pkill -9 -o sharp_calls"
	expect "processes that know why" 7 \
		"$(grep -c 'of group 0: the process of host0 has ended' "$tmp/out")"
}

# It is lost between two results, and no other result comes that would show it.
packet_lost() {
	breaks "weft fault add loss leaf0:3 probability=1 duration=10us"
	expect "processes that know why" 8 \
		"$(grep -c 'of group 0: a packet was lost, which nobody repeats' "$tmp/out")"
}

# Results keep their order while a node becomes slow and quick again.
slow_at_times() {
	cat > "$tmp/slow.sh" <<- END
		weft fault add sharp-slow leaf0 delay=5us duration=10us period=23us
		mpirun -np 8 $mpi 1000 30001
	END
	sharp ib-8 -- sh "$tmp/slow.sh"
	expect_match "output" "8 ranks: 0 wrong" "$(cat "$tmp/out")"
	expect "failed" 0 "$(reduced failed)"
}

# An ordinary user's process of host1, who then holds connections. Its own are limited, and
# others get groups all the while.
hostile() {
	local script

	script=$(for_all "$net_dir/sharp_socket.py")/sharp_socket.py
	cat > "$tmp/hostile.sh" <<- END
		mkfifo $tmp/enough
		weft exec host1 -- setpriv --reuid 65534 --regid 65534 --clear-groups \
			python3 $script \$WEFT_SHARP < $tmp/enough &
		exec 3> $tmp/enough
		sleep 0.5
		mpirun -np 8 $mpi 100
		exec 3>&-
		wait
	END
	sharp ib-8 -- bash "$tmp/hostile.sh"
	expect_match "output" "8 ranks: 0 wrong" "$(cat "$tmp/out")"
	expect "connections of its own" 128 "$(grep -x '[0-9]*' "$tmp/out")"
	[ "$(reduced in_switches)" -gt 500 ]
}

# Somebody in a member's node, without the group's key, and somebody in another node.
strangers() {
	cat > "$tmp/hosts" <<- END
		host0 slots=1
		host1 slots=1
		host2 slots=1
		host3 slots=1
	END
	storm=$(for_all "$storm")/reduce_storm
	cat > "$tmp/storm.sh" <<- END
		export LD_PRELOAD=
		for i in 1 2; do
			mpirun -x LD_PRELOAD -np 4 --hostfile $tmp/hosts $calls check || exit 1
		done &
		sleep 0.01
		for node in host0 host1 host6; do
			weft exec \$node -- setpriv --reuid 65534 --regid 65534 --clear-groups \
				$storm 4000 1 || exit 1
		done
		weft show aggregators --json > $tmp/aggregators
		wait %1
	END
	sharp ib-8 -- bash "$tmp/storm.sh"
	expect "groups" 8 "$(reduced groups)"
	expect "failed" 0 "$(reduced failed)"
}

ktap_begin 18
t "libsharp_coll: all types, operations, collectives, threads" library
t "the same by two levels of switches" library_tree
t "time" times
t "time by two levels" times_tree
t "Open MPI" open_mpi
t "Open MPI, two ranks of each node" two_ranks
t "MPICH" mpich
t "more groups than resources" no_resources
t "more groups than streaming trees" no_streams
t "no InfiniBand" no_infiniband
t "a link goes down" link_down
t "an aggregation node is down" node_down
t "an aggregation node is slow" node_slow
t "a process dies" process_dies
t "a packet is lost" packet_lost
t "a node that is slow at times" slow_at_times
t "hostile processes at the manager" hostile
t "strangers" strangers
ktap_end
