#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# An allocation in the kernel fails while a fabric is made or removed: the
# command says so or copes, and nothing is left over.
#
# Kernels with CONFIG_FAULT_INJECTION let the Nth allocation of one task fail;
# N runs over a sequence with growing steps.
. "$(dirname "$0")/lib.sh"

[ -w /proc/thread-self/fail-nth ] ||
	skip_all "the kernel has no CONFIG_FAULT_INJECTION"
knobs=/sys/kernel/debug/failslab
[ -d $knobs ] || skip_all "the kernel has no CONFIG_FAILSLAB"
echo N > $knobs/ignore-gfp-wait
echo 0 > $knobs/verbose

readonly steps="1 10 20 30 40 50 60 70 80 90 100 115 130 150 170 200 230 260 300
350 400 450 500 600 700 800 900 1000 1200 1400 1600 1800 2000 2500 3000"

nothing_left() {
	expect "NICs" "" "$(ip -o link show type weft)"
	expect "namespaces" "" "$(ip netns list)"
}

up_fails() {
	local n failed=0

	topology 100Gbps 3 > "$tmp/topology.yaml"
	for n in $steps; do
		python3 "$net_dir/fail_nth.py" $n weft up "$tmp/topology.yaml" \
			"${clock_option[@]}" > "$tmp/out" 2>&1 || failed=$((failed + 1))
		down > /dev/null 2>&1 || true
		nothing_left || {
			echo "after allocation $n failed: $(cat "$tmp/out")"
			return 1
		}
	done
	# if it never failed, nothing was injected
	[ $failed -gt 3 ]
}

down_fails() {
	local n

	for n in $steps; do
		topology 100Gbps 3 | up > /dev/null
		python3 "$net_dir/fail_nth.py" $n weft down > /dev/null 2>&1 || true
		down > /dev/null 2>&1 || true
		nothing_left || {
			echo "after allocation $n failed"
			return 1
		}
	done
}

traffic() {
	local n

	topology 100Gbps 2 | up > /dev/null
	for n in $steps; do
		python3 "$net_dir/fail_nth.py" $n \
			weft exec host0 -- ping -q -c 1 -W 0.1 host1 > /dev/null 2>&1 || true
	done
	on host0 ping -q -c 1 host1
	down
	nothing_left
}

ktap_begin 3
t "up without memory" up_fails
t "down without memory" down_fails
t "packets without memory" traffic
ktap_end
