#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Simulations in parts, by threads and by ranks of MPI, and in cells: the same bytes,
# whatever the number of parts and of cells.
#
# usage: parts.sh WEFT PLAIN
#
# PLAIN is the program without sanitisers: with them it takes ten times as long. So half of
# the divisions are those of each.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. selftests/ktap.sh
ktap_begin 15

weft=$(realpath "$1")
plain=$(realpath "$2")
. selftests/user/simulated.sh

# output PARTS[/CELLS] ARGUMENT... - what a simulation prints, its error and its report
# included; in 2, 4 or 8 parts or 16 cells by the program without sanitisers
output() {
	local cells=() program=$weft

	rm -f "$tmp/report"
	[[ $1 != */* ]] || cells=(--cells "${1#*/}")
	[[ $1 != [248] && $1 != 1/16 ]] || program=$plain
	timeout 600 "$program" simulate "${@:2}" --parts "${1%/*}" "${cells[@]}" --report "$tmp/report" 2>&1 ||
		echo "exit code $?"
	[ ! -e "$tmp/report" ] || cat "$tmp/report"
}

# same ARGUMENT... - the output is the same with 1, 2, 3, 4 and 8 parts, with cells and
# without
same() {
	local one parts

	one=$(output 1 "$@")
	for parts in 2 3 4 8 1/4 2/2 1/16; do
		[ "$(output "$parts" "$@")" = "$one" ] ||
			{ echo "$* --parts $parts: not the output of one part"; return 1; }
	done
}

# ended ARGUMENT... - the same, and all messages end
ended() {
	same "$@" --json
	expect "$*: all ended" true "$("$weft" simulate "$@" --json --summary --parts 2 |
		jq '.messages == .summary.ended')"
}

# A link between leaves over which DCQCN reacts.
leaves > "$tmp/leaves.yaml"
two_leaves 'port: {ecn: {kmin: 50kB, kmax: 50kB, pmax: 0.5}}' > "$tmp/marks.yaml"
two_leaves $'port: {discipline: drop-tail}\nswitch: {queue-limit: 20kB}' > "$tmp/drops.yaml"
incast 100kB > "$tmp/incast"

# ten COMMAND SIZE - with ten topologies, and a workload of that size for each
ten() {
	$1 ib-8 --workload "alltoall:linear:$2"
	$1 roce-8 --workload "alltoall:linear:$2"
	$1 fat-tree-16 --workload "alltoall:linear:$2"
	$1 fat-tree k=4 --workload "allreduce:ring:$2"
	$1 dragonfly-12 --workload "alltoall:linear:$2"
	$1 dragonfly-72 --workload "allreduce:ring:$2"
	$1 torus-3x3 --workload "alltoall:pairwise:$2"
	$1 single-switch-8 --workload "allgather:ring:$2"
	$1 "$tmp/leaves.yaml" --workload "alltoall:linear:$2"
	$1 fat-tree-32 --workload "allreduce:recursive-doubling:$2"
}

# Many messages at once, so that NICs and switches have to choose, and links push back.
topologies() {
	ten ended 1MiB
	ended efa-8 --workload alltoall:linear:1MiB
	ended fat-tree-16 --workload training:gpt3-175b:layers=2,hidden=512,vocabulary=2000,overlap=true,tensor=2,pipeline=2
	ended fat-tree-16 --workload "allreduce:ring:1MiB@host[0-3]+host9" \
		--workload "alltoall:linear:1MiB@host[4-8]+host[10-15]"
}

# slowed TOPOLOGY_AND_WORKLOAD... - faults at its first node: all messages end, later
slowed() {
	local node

	node=$("$weft" simulate "$@" --csv | awk -F, 'NR == 2 { print $2 }')
	cat > "$tmp/faults.yaml" <<- END
		name: faults
		timeline:
		- {at: 2us, fault: rate, on: $node, rate: 10Gbps, for: 20us}
		- {at: 1us, fault: delay, on: $node, delay: 1us, jitter: 2us, for: 50us}
		- {at: 3us, fault: slow, on: $node, rate: 20Gbps, for: 5us, every: 10us, times: 3}
	END
	ended "$@" --scenario "$tmp/faults.yaml"
	expect "$*: later" true "$(jq -n --argjson with "$("$weft" simulate "$@" --json --summary \
		--scenario "$tmp/faults.yaml")" --argjson without "$("$weft" simulate "$@" --json --summary)" \
		'$with.summary.last_end_ps > $without.summary.last_end_ps')"
}

# Links with faults are not cut, and what is drawn for them is the same in all parts.
faults() {
	ten slowed 256KiB
	printf 'name: reboot\ntimeline:\n- {at: 5us, fault: reboot, on: spine0, for: 100us}\n' > "$tmp/reboot.yaml"
	ended "$tmp/leaves.yaml" --workload alltoall:linear:1MiB --scenario "$tmp/reboot.yaml"
	expect_match "reboot" ' [1-9][0-9]* lost, [1-9][0-9]* sent again' "$(output 2 "$tmp/leaves.yaml" \
		--workload alltoall:linear:1MiB --scenario "$tmp/reboot.yaml")"
	ended efa-8 --workload alltoall:linear:1MiB --scenario "$tmp/reboot.yaml"
	expect_match "reboot" ' [1-9][0-9]* lost, [1-9][0-9]* sent again' "$(output 2 efa-8 \
		--workload alltoall:linear:1MiB --scenario "$tmp/reboot.yaml")"
	cat > "$tmp/triggers.yaml" <<- END
		name: triggers
		timeline:
		- {at: {bytes: 100KiB, of: host0, after: 1us}, fault: delay, on: host1, delay: 2us, for: 20us}
		- {at: {traffic: host2, above: 100Gbps, least: 64KiB}, fault: loss, on: host6, probability: 0.02}
		- {at: {bytes: 64MiB, of: host3}, fault: rate, on: host4, rate: 10Gbps}
	END
	ended fat-tree-16 --workload alltoall:linear:1MiB --scenario "$tmp/triggers.yaml"
	expect_match "triggers" 'triggers: rate at host4 never began: host3.eth0 sent [0-9.]+KiB of 64MiB' \
		"$(output 2 fat-tree-16 --workload alltoall:linear:1MiB --scenario "$tmp/triggers.yaml")"
	expect "moments" "true true false" "$(jq -r '.faults | map(.trigger_ps != null) | join(" ")' "$tmp/report")"
	cat > "$tmp/losses.yaml" <<- END
		name: losses
		timeline:
		- {at: 0s, fault: loss, on: host1, probability: 0.02}
		- {at: 0s, fault: corrupt, on: host2, ber: 1e-6}
		- {at: 0s, fault: duplicate, on: host4, probability: 0.01}
		- {at: 0s, fault: reorder, on: host5, probability: 0.01, delay: 1us}
	END
	ended fat-tree-16 --workload alltoall:linear:256KiB --scenario "$tmp/losses.yaml"
}

# Nodes of all parts that compute nothing for a while: all messages end, later.
freezes() {
	local run=(fat-tree-16 --workload allreduce:ring:1MiB)

	cat > "$tmp/frozen.yaml" <<- END
		name: frozen
		timeline:
		- {at: 3us, node: host0, do: freeze, for: 20us}
		- {at: 5us, node: host9, do: freeze, for: 2us, every: 7us, times: 4}
		- {at: 6us, node: host15, do: freeze}
		- {at: 40us, node: host15, do: thaw}
	END
	ended "${run[@]}" --scenario "$tmp/frozen.yaml"
	expect "later" true "$(jq -n --argjson with "$("$weft" simulate "${run[@]}" --json --summary \
		--scenario "$tmp/frozen.yaml")" --argjson without "$("$weft" simulate "${run[@]}" --json --summary)" \
		'$with.summary.last_end_ps > $without.summary.last_end_ps + 1000000')"
}

# busy TOPOLOGY_AND_WORKLOAD... - traffic beside the messages, from and to all nodes: all
# messages end, later, and no packet of traffic is unaccounted for
busy() {
	cat > "$tmp/traffic.yaml" <<- END
		name: traffic
		timeline:
		- {traffic: permutation, rate: 20Gbps, for: 30us}
		- {at: 1us, traffic: all-to-all, order: random, size: 700, bytes: 20000}
		- {at: 2us, traffic: permutation, seed: 5, size: 1000, for: 3us}
		- {at: 3us, traffic: permutation, seed: 6, sl: 0, rate: 10Gbps, size: 256}
	END
	ended "$@" --scenario "$tmp/traffic.yaml"
	expect "$*: later" true "$(jq -n --argjson with "$("$weft" simulate "$@" --json --summary \
		--scenario "$tmp/traffic.yaml" --report "$tmp/report")" \
		--argjson without "$("$weft" simulate "$@" --json --summary)" \
		'$with.summary.last_end_ps > $without.summary.last_end_ps')"
	expect "$*: packets" "true true" "$(jq -c '(.traffic | all(.sent_packets == .delivered_packets + .lost_packets + .inside)),
		(.traffic | all(.delivered_packets > 0))' "$tmp/report" | xargs)"
}

# Generators in all parts, whose packets end in others.
traffic() {
	local drops=(fat-tree k=4 profile=ethernet-400g port.discipline=drop-tail switch.queue-limit=20kB
		--workload alltoall:linear:64KiB --scenario "$tmp/lost.yaml")

	ten busy 256KiB
	busy efa-8 --workload alltoall:linear:256KiB
	cat > "$tmp/lost.yaml" <<- END
		name: lost
		timeline:
		- {traffic: incast, to: host0, size: 1500, for: 20us}
		- {at: {bytes: 20kB, of: host1, after: 1us}, traffic: on-off, from: "host1,host2",
		   to: "host15,host14", on: 2us, off: 1us, times: exponential, rate: 200Gbps, for: 30us}
		- {at: {bytes: 9GB, of: host2}, traffic: incast, from: host2, to: host0}
		- {at: 0s, fault: duplicate, on: host4, probability: 0.1}
		- {at: 5us, fault: down, on: host6, for: 5us}
	END
	ended "${drops[@]}"
	expect_match "triggers" 'triggers: traffic incast never began' "$(output 2 "${drops[@]}")"
	expect "lost behind a NIC, and at one" "true true true" "$(jq -c '.traffic[0].lost_packets > 0,
		(.traffic[0].generators[] | select(.from == "host6.eth0") | .lost_packets > 0),
		([.traffic[].generators[] | .sent_packets == .delivered_packets + .lost_packets + .inside] | all)' \
		"$tmp/report" | xargs)"
	expect "moments" "null true null" "$(jq -r '.traffic | map(.generators[0].trigger_ps) |
		map(if . then . > 0 else . end) | map(tostring) | join(" ")' "$tmp/report")"
}

# Credits of InfiniBand are repeated after 262 us: a part cannot look whether it is needed.
long() {
	ended ib-8 --workload allreduce:ring:8MiB
}

# Marks and notifications: 7 to 1 over a link between two parts.
marks() {
	ended "$tmp/marks.yaml" --workload "$tmp/incast"
	expect_match "marks" '[1-9][0-9]* marked' \
		"$("$weft" simulate "$tmp/marks.yaml" --workload "$tmp/incast" --summary)"
	ended "$tmp/marks.yaml" --workload "$tmp/incast" --congestion dctcp
	ended "$tmp/marks.yaml" --workload "$tmp/incast" --congestion swift
	ended "$tmp/marks.yaml" --workload "$tmp/incast" --congestion hpcc
}

# The same on InfiniBand, where acknowledgements bring the news.
marks_ib() {
	sed 's/^nodes/nic: {verbs: {congestion: ibcc}}\nport: {fecn: {threshold: 16kB, packet-size: 0, marking-rate: 3, victim: on}}\nnodes/' \
		"$tmp/leaves.yaml" > "$tmp/fecn.yaml"
	incast 1MB > "$tmp/long"
	ended "$tmp/fecn.yaml" --workload "$tmp/long"
	expect_match "marks" '[1-9][0-9]* marked' \
		"$("$weft" simulate "$tmp/fecn.yaml" --workload "$tmp/long" --summary)"
	expect "slower" true "$(jq -n --argjson marks "$("$weft" simulate "$tmp/fecn.yaml" --workload "$tmp/long" --json --summary)" \
		--argjson none "$("$weft" simulate "$tmp/leaves.yaml" --workload "$tmp/long" --json --summary)" \
		'$marks.summary.last_end_ps > $none.summary.last_end_ps')"
}

# Sprayed packets, which come in any order, and losses that are repaired by the clock.
any_order() {
	local sprayed=(fat-tree k=4 profile=ethernet-400g switch.select=spray nic.verbs.ordering=any)

	ended "${sprayed[@]}" --workload alltoall:linear:1MiB
	ended "${sprayed[@]}" --workload alltoall:linear:1MiB --congestion ndp
	refused grep "sent again" <<< "$("$weft" simulate "${sprayed[@]}" --workload alltoall:linear:1MiB --summary)"
	sed 's/^nodes/nic: {verbs: {ordering: any}}\nnodes/' "$tmp/drops.yaml" > "$tmp/any.yaml"
	ended "$tmp/any.yaml" --workload "$tmp/incast"
	expect_match "lost" '[1-9][0-9]* lost, [1-9][0-9]* sent again' "$(output 2 "$tmp/any.yaml" --workload "$tmp/incast")"
}

# Two fabrics without a link between them: nothing is cut.
islands() {
	cat > "$tmp/islands.yaml" <<- END
		name: islands
		profile: ethernet-400g
		nodes: [{name: "host[0-3]"}]
		switches: [{name: "leaf[0-1]"}]
		links: [{ends: ["host[0-1]", leaf0]}, {ends: ["host[2-3]", leaf1]}]
	END
	printf 'host0 host1 1MiB at 1us\nhost3 host2 1MiB at 2us\n' > "$tmp/apart"
	expect_match "cut" '^0 of 4 links are cut$' "$("$weft" plan "$tmp/islands.yaml" --parts 2)"
	expect "two parts" "$(output 1 "$tmp/islands.yaml" --workload "$tmp/apart" --json)" \
		"$(output 2 "$tmp/islands.yaml" --workload "$tmp/apart" --json)"
}

# recorded PARTS/CELLS ARGUMENT... - the recording of a simulation
recorded() {
	"$weft" simulate "${@:2}" --parts "${1%/*}" --cells "${1#*/}" --summary --record "$tmp/record" > "$tmp/out" 2>&1 || cat "$tmp/out"
	cat "$tmp/record"
}

# Samples are taken at the same times, of all parts at once, also while nothing is due.
recordings() {
	local one parts

	printf 'host0 host9 2MB\nhost9 host0 10kB at 1ms\n' > "$tmp/apart"
	for workload in alltoall:linear:64KiB "$tmp/apart"; do
		one=$(recorded 1/1 "$tmp/leaves.yaml" --workload "$workload")
		for parts in 2/1 3/1 8/1 1/4 2/2; do
			[ "$(recorded $parts "$tmp/leaves.yaml" --workload "$workload")" = "$one" ] ||
				{ echo "$workload, $parts parts: not the recording of one"; return 1; }
		done
	done
	expect "samples each 2 us" "2000000 504" "$(jq -r '.interval_ps, (.time_ps | length)' <<< "$one" | xargs)"
	has_mpi openmpi || return 0
	timeout 600 mpirun.openmpi -np 2 "$weft" simulate "$tmp/leaves.yaml" --workload "$tmp/apart" --summary \
		--record "$tmp/ranks.json" > "$tmp/out" 2>&1 || cat "$tmp/out"
	cmp "$tmp/ranks.json" "$tmp/record"
}

# What ends early, fails, or cannot be divided.
limits() {
	same ib-8 --workload alltoall:linear:4MiB --for 20us --json
	expect_match "for" '"summary"' "$(output 2 ib-8 --workload alltoall:linear:4MiB --for 20us --json)"
	sed 's/^nodes/nic: {moderation: {rx-usecs: 0}}\nnodes/' "$tmp/drops.yaml" > "$tmp/frames.yaml"
	same "$tmp/frames.yaml" --workload "$tmp/incast" --transport frames
	expect_match "lost" 'at [0-9.]+ns: .* was lost' \
		"$(output 2 "$tmp/frames.yaml" --workload "$tmp/incast" --transport frames)"
	same "$tmp/drops.yaml" --workload "$tmp/incast" --retries 0
	expect_match "given up" 'at [0-9.]+us: a packet from host[1-7] to host0 was not acknowledged after 0 retries' \
		"$(output 2 "$tmp/drops.yaml" --workload "$tmp/incast" --retries 0)"
	ended "$tmp/drops.yaml" --workload "$tmp/incast"
	expect_match "NVLink" '2 parts: expected at most 1;' \
		"$(output 2 nvlink-8 --workload allreduce:ring:1MiB)"
	printf 'a: host0 host1 1KiB\nhost0 host2 1KiB after a\n' > "$tmp/tied"
	expect_match "who waits" '8 parts: expected at most 7;' \
		"$(output 8 single-switch-8 --workload "$tmp/tied")"
	expect_match "none" '--parts 0: expected 1 to 64' "$(output 0 ib-8 --workload barrier:linear)"
}

# same_ranks MPI "N ..." ARGUMENT...
same_ranks() {
	local one n

	one=$(output 1 "${@:3}")
	for n in $2; do
		[ "$(ranks "$1" "$n" "${@:3}")" = "$one" ] ||
			{ echo "$1, $n ranks, ${*:3}: not the output of one part"; return 1; }
	done
}

# mpi MPI - a job of each number of ranks, with its mistakes; the first with sanitisers, with
# which MPI itself takes a second of a CPU to begin
mpi() {
	has_mpi $1 || skip "$1 is not installed"
	same_ranks "$1" "1 4" ib-8 --workload alltoall:linear:64KiB --json
	weft=$plain
	same_ranks "$1" 2 "$tmp/leaves.yaml" --workload allreduce:ring:128KiB --csv
	same_ranks "$1" 2 "$tmp/leaves.yaml" --workload alltoall:linear:128KiB --csv --cells 2
	same_ranks "$1" 2 "$tmp/drops.yaml" --workload "$tmp/incast"
	same_ranks "$1" 2 fat-tree k=4 profile=ethernet-400g switch.select=spray nic.verbs.ordering=any \
		--workload alltoall:linear:128KiB --congestion ndp --csv
	same_ranks "$1" 2 fat-tree k=4 profile=ethernet-400g --workload alltoall:linear:128KiB --congestion hpcc --csv
	printf 'name: slow\ntimeline:\n- {at: 2us, fault: delay, on: host1, jitter: 2us}\n' > "$tmp/slow.yaml"
	same_ranks "$1" 2 "$tmp/leaves.yaml" --workload allreduce:ring:128KiB --csv \
		--scenario "$tmp/slow.yaml"
	cat > "$tmp/beside.yaml" <<- END
		name: beside
		timeline:
		- {traffic: all-to-all, rate: 20Gbps}
		- {at: 1us, traffic: incast, to: host3, for: 5us}
	END
	same_ranks "$1" 2 "$tmp/leaves.yaml" --workload allreduce:ring:128KiB --csv \
		--scenario "$tmp/beside.yaml"
	expect_match "parts" '--parts 3: expected as many as ranks of MPI, 2' \
		"$(ranks "$1" 2 ib-8 --workload barrier:linear --parts 3)"
}

# A rank that is killed ends the job, with its number.
dies() {
	local job rank try

	has_mpi openmpi || skip "Open MPI is not installed"
	timeout 600 mpirun.openmpi -np 2 "$weft" simulate ib-8 --workload allreduce:ring:64GiB \
		> "$tmp/dies" 2>&1 &
	job=$!
	for ((try = 0; try < 300; try++)); do
		rank=$(pgrep -f "^$weft simulate ib-8 --workload allreduce:ring:64GiB" | tail -1) || true
		[ -z "$rank" ] || break
		sleep 0.1
	done
	sleep 1
	kill -KILL "$rank"
	refused wait $job
	expect_match "which" 'rank [01] with PID' "$(cat "$tmp/dies")"
}

t "ten topologies" topologies
t "ten topologies with faults" faults
t "frozen nodes" freezes
t "ten topologies with traffic" traffic
t "credits for more than 262 us" long
t "marks between parts" marks
t "marks of InfiniBand between parts" marks_ib
t "packets in any order" any_order
# A fabric whose state no CPU's cache holds is in cells by itself, where windows suffice.
cells() {
	local far=(fat-tree k=8 profile=ethernet-400g host-link.propagation=1us uplink.propagation=1us)

	expect_match "by size" 'each part has 3 cells, a window is 1us' "$("$weft" plan "${far[@]}" --parts 1)"
	refused grep cells <<< "$("$weft" plan fat-tree k=8 profile=ethernet-400g --parts 1)"
	for i in {0..127}; do
		echo "host$i host$(((i * 37 + 11) % 128)) 256KiB"
	done > "$tmp/permutation"
	ended "${far[@]}" --workload "$tmp/permutation" --transport rc
	expect_match "none" '--cells 0: expected 1 to 1024' "$(output 1/0 ib-8 --workload barrier:linear)"
}

t "cells of large fabrics" cells
t "recordings" recordings
t "the end of a time, a loss, too many parts" limits
t "parts without a link" islands
t "ranks of Open MPI" mpi openmpi
t "ranks of MPICH" mpi mpich
t "a rank that is killed" dies
ktap_end
