#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checkpoints of simulations: a run that goes on from one prints the same bytes as one
# that was never interrupted, in whatever number of parts and ranks of MPI; and what can
# go wrong with the files.
#
# usage: checkpoint.sh WEFT PLAIN
#
# PLAIN is the program without sanitisers: with them it takes ten times as long.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. selftests/ktap.sh
ktap_begin 10

weft=$(realpath "$1")
plain=$(realpath "$2")
program=$weft
. selftests/user/simulated.sh
kept=$tmp/kept

leaves "propagation: 1us" > "$tmp/leaves.yaml"
cat > "$tmp/faults.yaml" << 'END'
name: faults
timeline:
- {at: 1us, fault: loss, on: host1, probability: 0.02}
- {at: 2us, fault: delay, on: host2, delay: 1us, jitter: 2us, for: 50us}
- {at: 3us, fault: rate, on: host3, rate: 10Gbps, for: 20us}
- {at: 3us, fault: slow, on: host5, rate: 20Gbps, for: 5us, every: 10us, times: 3}
END
two_leaves $'port: {discipline: drop-tail}\nswitch: {queue-limit: 20kB}' > "$tmp/drops.yaml"
incast 100kB > "$tmp/incast"

# output ARGUMENT... - what a simulation prints, its error and its report included
output() {
	rm -f "$tmp/report"
	timeout 600 "$program" simulate "$@" --report "$tmp/report" 2>&1 || echo "exit code $?"
	[ ! -e "$tmp/report" ] || cat "$tmp/report"
}

# alike WHAT WANTED GOT - expect, without printing pages
alike() {
	[ "$2" = "$3" ] && return
	echo "$1: not the same output"
	diff <(echo "$2") <(echo "$3") | head -5
	return 1
}

# cells - of the checkpoint
cells() {
	jq '.parts * .cells' "$kept/checkpoint"
}

# goes_on EVERY ARGUMENT... - a run with checkpoints prints what one without does, and so
# does one that goes on from the last of them, in any number of parts; that of three parts is
# one of the program without sanitisers
splits="1/4 2/2 3/1"
goes_on() {
	local every=$1 one parts n

	shift
	one=$(output "$@" --json)
	refused grep "exit code" <<< "$one"
	for parts in $splits; do
		program=$weft
		[ "$parts" != 3/1 ] || program=$plain
		rm -rf "$kept"
		alike "$*, $parts, with checkpoints" "$one" "$(output "$@" --json --parts "${parts%/*}" \
			--cells "${parts#*/}" --checkpoint "$kept" --every "$every")"
		expect "$*: a file and an index" 2 "$(find "$kept" -type f | wc -l)"
		for n in 1 2 4; do
			[ "$n" -le "$(cells)" ] || continue
			alike "$*, from $parts to $n" "$one" "$(output "$@" --json --parts $n --resume "$kept")"
		done
	done
	program=$weft
}

topologies() {
	goes_on 20us ib-8 --workload alltoall:linear:1MiB
	goes_on 20us roce-8 --workload alltoall:linear:1MiB
	goes_on 10us fat-tree-16 --workload alltoall:linear:1MiB
	goes_on 10us fat-tree k=4 --workload allreduce:ring:1MiB
	goes_on 10us dragonfly-12 --workload alltoall:linear:1MiB
	goes_on 10us torus-3x3 --workload alltoall:pairwise:1MiB
	goes_on 10us single-switch-8 --workload allgather:ring:1MiB
	goes_on 10us "$tmp/leaves.yaml" --workload alltoall:linear:1MiB
	goes_on 2us fat-tree-32 --workload allreduce:recursive-doubling:1MiB
	goes_on 10us dragonfly-72 --workload allreduce:ring:256KiB
}

transports() {
	local sprayed=(fat-tree k=4 profile=ethernet-400g switch.select=spray nic.verbs.ordering=any)

	goes_on 20us efa-8 --workload alltoall:linear:1MiB
	goes_on 7us "${sprayed[@]}" --workload alltoall:linear:1MiB
	goes_on 7us "${sprayed[@]}" --workload alltoall:linear:1MiB --congestion ndp
	for congestion in dcqcn dctcp swift hpcc; do
		goes_on 9us roce-8 --workload alltoall:linear:1MiB --congestion $congestion
	done
	sed 's/^nodes/nic: {verbs: {ordering: any}}\nnodes/' "$tmp/drops.yaml" > "$tmp/any.yaml"
	goes_on 11us "$tmp/any.yaml" --workload "$tmp/incast"
	goes_on 11us "$tmp/drops.yaml" --workload "$tmp/incast"
	expect_match "lost" '[1-9][0-9]* lost, [1-9][0-9]* sent again' \
		"$("$weft" simulate "$tmp/drops.yaml" --workload "$tmp/incast" --summary)"
	goes_on 1us dgx-h100-4 --workload allreduce:hierarchical:1MiB
	splits=1/1
	goes_on 1us nvlink-8 --workload allreduce:nvls:4MiB
	goes_on 1us ib-8 --workload allreduce:sharp:1MiB
}

# Faults before a checkpoint, at it, and behind it; their random numbers go on.
faults() {
	for every in 2us 5us 13us 40us; do
		goes_on $every ib-8 --workload alltoall:linear:1MiB --scenario "$tmp/faults.yaml"
	done
	goes_on 20us efa-8 --workload alltoall:linear:1MiB --scenario "$tmp/faults.yaml"
	# one is met before the checkpoint, and one after it
	cat > "$tmp/triggers.yaml" <<- 'END'
		name: triggers
		timeline:
		- {at: {bytes: 100KiB, of: host0, after: 1us}, fault: delay, on: host1, delay: 2us}
		- {at: {bytes: 700KiB, of: host2}, fault: loss, on: host2, probability: 0.05}
	END
	goes_on 10us ib-8 --workload alltoall:linear:1MiB --scenario "$tmp/triggers.yaml" --for 60us
	# traffic that has begun, is between two windows, and comes
	cat > "$tmp/traffic.yaml" <<- 'END'
		name: traffic
		timeline:
		- {traffic: all-to-all, order: random, rate: 20Gbps}
		- {at: 1us, traffic: on-off, from: "host[0-3]", to: "host[4-7]", on: 3us, off: 2us, times: exponential}
		- {at: {bytes: 700KiB, of: host2}, traffic: incast, from: host3, to: host2, rate: 10Gbps, for: 10us}
	END
	goes_on 10us ib-8 --workload alltoall:linear:1MiB --scenario "$tmp/traffic.yaml" --for 60us
	sed -i '/700KiB/d' "$tmp/traffic.yaml"
	# what is lost is awaited for 67 ms, in which there would be 13,000 checkpoints
	goes_on 5us "$tmp/drops.yaml" --workload "$tmp/incast" --scenario "$tmp/traffic.yaml" --for 60us
	expect_match "lost" ' [1-9][0-9]* lost' "$(output "$tmp/drops.yaml" --workload "$tmp/incast" \
		--scenario "$tmp/traffic.yaml" --for 60us --summary)"
}

# Nodes that are frozen before a checkpoint, at it, and behind it.
freezes() {
	cat > "$tmp/frozen.yaml" <<- 'END'
		name: frozen
		timeline:
		- {at: 1us, node: host2, do: freeze, for: 2us}
		- {at: 8us, node: host3, do: freeze, for: 5us, every: 9us, times: 3}
	END
	goes_on 10us ib-8 --workload allreduce:ring:1MiB --scenario "$tmp/frozen.yaml"
}

# A run that goes on writes checkpoints, too; what is left is done once.
again() {
	local run=("$tmp/leaves.yaml" --workload alltoall:linear:1MiB) one

	one=$(output "${run[@]}" --json)
	rm -rf "$kept"
	output "${run[@]}" --cells 4 --for 10us --checkpoint "$kept" --every 3us > /dev/null
	expect "the first" 9000000 "$(jq .time_ps "$kept/checkpoint")"
	output "${run[@]}" --parts 2 --for 21us --resume "$kept" --checkpoint "$kept" --every 4us > /dev/null
	expect "the second" 20000000 "$(jq .time_ps "$kept/checkpoint")"
	expect "cells" 4 "$(cells)"
	alike "from the second" "$one" "$(output "${run[@]}" --json --resume "$kept" --parts 3)"
	# nothing is due in a millisecond: no checkpoint is without an event before it
	printf 'host0 host9 2MB\nhost9 host0 10kB at 1ms\n' > "$tmp/apart"
	rm -rf "$kept"
	output "$tmp/leaves.yaml" --workload "$tmp/apart" --checkpoint "$kept" --every 100us > /dev/null
	expect "behind the gap" 1000000000 "$(jq .time_ps "$kept/checkpoint")"
}

# Ranks of MPI, one of which is killed; others go on, more or fewer of them.
killed() {
	local run=("$tmp/leaves.yaml" --workload alltoall:linear:48MiB --csv) one job rank try n

	has_mpi openmpi || skip "Open MPI is not installed"
	one=$(output "${run[@]}")
	rm -rf "$kept"
	timeout 600 mpirun.openmpi -np 2 "$weft" simulate "${run[@]}" --cells 2 --checkpoint "$kept" \
		--every 100us > "$tmp/dies" 2>&1 &
	job=$!
	for ((try = 0; try < 6000; try++)); do
		[ ! -e "$kept/checkpoint" ] || break
		sleep 0.01
	done
	rank=$(pgrep -f "^$weft simulate $tmp/leaves.yaml" | tail -1)
	kill -KILL "$rank"
	refused wait $job
	expect_match "which" 'rank [01] with PID' "$(cat "$tmp/dies")"
	expect "two files" 2 "$(jq '.files | length' "$kept/checkpoint")"
	cp -r "$kept" "$tmp/first"
	for n in 1 2 4; do
		alike "$n ranks" "$one" "$(ranks openmpi $n "${run[@]}" --resume "$tmp/first")"
	done
	alike "3 threads" "$one" "$(output "${run[@]}" --resume "$tmp/first" --parts 3)"
	# and again: 3 ranks go on, and write what 2 of them go on from
	alike "with checkpoints" "$one" "$(ranks openmpi 3 "${run[@]}" --resume "$kept" --checkpoint "$kept" --every 100us)"
	expect "with a base" 4 "$(jq 'select(.base).files | length' "$kept/checkpoint")"
	expect "no other file" 5 "$(find "$kept" -type f | wc -l)"
	alike "from 3 ranks to 2" "$one" "$(ranks openmpi 2 "${run[@]}" --resume "$kept")"
	alike "from 3 ranks to none" "$one" "$(output "${run[@]}" --resume "$kept")"
}

# On a full disk the run goes on and says so, and the checkpoint before stays.
full_disk() {
	local run=("$tmp/leaves.yaml" --workload alltoall:linear:1MiB)

	output "${run[@]}" --json > "$tmp/one"
	mkdir "$tmp/disk"
	unshare -rm true 2> /dev/null || skip "no namespaces of users and mounts"
	cat > "$tmp/full.sh" <<- 'END'
		mount -t tmpfs -o size=4m none "$1/disk" || exit
		"${@:2}" --for 10us --checkpoint "$1/disk/kept" --every 3us || exit
		cp "$1/disk/kept/checkpoint" "$1/before"
		head -c 8m /dev/zero > "$1/disk/filler" 2> /dev/null
		"${@:2}" --json --report "$1/disk-report" --resume "$1/disk/kept" --checkpoint "$1/disk/kept" --every 3us > "$1/full" 2> "$1/warnings" || exit
		cat "$1/disk-report" >> "$1/full"
		cmp "$1/before" "$1/disk/kept/checkpoint" || exit
		rm "$1/disk/filler"
		[ "$(ls "$1/disk/kept" | wc -l)" = 2 ] || { ls "$1/disk/kept"; exit 1; }
		"${@:2}" --json --report "$1/disk-report" --resume "$1/disk/kept" > "$1/after" || exit
		cat "$1/disk-report" >> "$1/after"
	END
	unshare -rm bash "$tmp/full.sh" "$tmp" "$weft" simulate "${run[@]}"
	expect_match "said" 'weft: no checkpoint: write .*: No space left on device; the run goes on' \
		"$(cat "$tmp/warnings")"
	cmp "$tmp/one" "$tmp/full"
	cmp "$tmp/one" "$tmp/after"
}

# Each byte of a checkpoint is checked before any of it is used.
damaged() {
	local run=(ib-8 --workload alltoall:linear:1MiB) file size at

	rm -rf "$kept"
	output "${run[@]}" --checkpoint "$kept" --every 20us > /dev/null
	file=$(jq -r '.files[0]' "$kept/checkpoint")
	size=$(stat -c %s "$kept/$file")
	for at in 0 8 20 100 1100 $((size / 2)) $((size - 3)); do
		cp -r "$kept" "$tmp/bad"
		printf '\xa5' | dd of="$tmp/bad/$file" bs=1 seek=$at conv=notrunc status=none
		expect_match "byte $at" "/bad/$file: (expected a file of a checkpoint|another weft wrote it|it is)" \
			"$(output "${run[@]}" --resume "$tmp/bad")"
		rm -rf "$tmp/bad"
	done
	for at in 0 100 5000 $((size - 8)) $((size - 1)); do
		cp -r "$kept" "$tmp/bad"
		truncate -s $at "$tmp/bad/$file"
		expect_match "$at bytes" "/bad/$file: (expected a file of a checkpoint|it is not whole)" \
			"$(output "${run[@]}" --resume "$tmp/bad")"
		rm -rf "$tmp/bad"
	done
	for text in '' '{' '[]' '{"version": 2}' '{"version": 1, "time_ps": 1, "parts": 1, "cells": 1, "base": true, "files": ["a"]}' \
		'{"version": 1, "time_ps": 1, "parts": 0, "cells": 1, "base": false, "files": ["a"]}' \
		'{"version": 1, "time_ps": 1, "parts": 1, "cells": 1, "base": false, "files": ["../a"]}'; do
		mkdir "$tmp/bad"
		echo "$text" > "$tmp/bad/checkpoint"
		expect_match "index $text" '/bad/checkpoint:.*expected' "$(output "${run[@]}" --resume "$tmp/bad")"
		rm -rf "$tmp/bad"
	done
	rm "$kept/$file"
	expect_match "missing" "$file: No such file" "$(output "${run[@]}" --resume "$kept")"
}

# Of another simulation, or of another weft.
others() {
	local run=(ib-8 --workload alltoall:linear:1MiB) other='another topology, workload, scenario or seed'

	rm -rf "$kept"
	output "${run[@]}" --checkpoint "$kept" --every 20us > /dev/null
	expect_match "workload" "$other" "$(output ib-8 --workload alltoall:linear:2MiB --resume "$kept")"
	expect_match "seed" "$other" "$(output "${run[@]}" --seed 7 --resume "$kept")"
	expect_match "sl" "$other" "$(output "${run[@]}" --retries 3 --resume "$kept")"
	expect_match "topology" "$other" "$(output ib-8 profile=ib-hdr --workload alltoall:linear:1MiB --resume "$kept")"
	expect_match "parameter" "$other" "$(output ib-8 nic.verbs.ack-every=3 --workload alltoall:linear:1MiB --resume "$kept")"
	expect_match "scenario" "$other" "$(output "${run[@]}" --scenario "$tmp/faults.yaml" --resume "$kept")"
	expect_match "traffic" "$other" "$(output "${run[@]}" --scenario "$tmp/traffic.yaml" --resume "$kept")"
	expect_match "freezes" "$other" "$(output "${run[@]}" --scenario "$tmp/frozen.yaml" --resume "$kept")"
	cp -rL "$(dirname "$weft")" "$tmp/copy"
	echo >> "$tmp/copy/weft"
	expect_match "program" 'another weft wrote it' \
		"$("$tmp/copy/weft" simulate "${run[@]}" --resume "$kept" 2>&1)"
}

mistakes() {
	local run=(ib-8 --workload alltoall:linear:1MiB)

	rm -rf "$kept"
	expect_match "none" 'no checkpoint: .*/kept/checkpoint: No such file' "$(output "${run[@]}" --resume "$kept")"
	expect_match "a file" 'File exists|Not a directory' "$(output "${run[@]}" --checkpoint "$tmp/incast")"
	expect_match "no parent" 'make the directory .*/none/kept: No such file' \
		"$(output "${run[@]}" --checkpoint "$tmp/none/kept")"
	expect_match "every" '--every needs --checkpoint' "$(output "${run[@]}" --every 1us)"
	expect_match "every 0" '--every' "$(output "${run[@]}" --checkpoint "$kept" --every 0s)"
	expect_match "record" '--record: expected neither' \
		"$(output "${run[@]}" --checkpoint "$kept" --record "$tmp/record")"
	output "${run[@]}" --cells 2 --checkpoint "$kept" --every 20us > /dev/null
	expect_match "cells" '--cells: expected none' "$(output "${run[@]}" --cells 2 --resume "$kept")"
	expect_match "parts" '3 parts: expected at most' "$(output "${run[@]}" --parts 3 --resume "$kept")"
	expect_match "end" 'the end is before the checkpoint, which is at 20us' \
		"$(output "${run[@]}" --for 10us --resume "$kept")"
}

t "ten topologies" topologies
t "transports" transports
t "faults" faults
t "frozen nodes" freezes
t "checkpoints of a run that goes on" again
t "a rank that is killed" killed
t "a full disk" full_disk
t "damaged files" damaged
t "of another simulation" others
t "mistakes" mistakes
ktap_end
