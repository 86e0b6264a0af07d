#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# An allocation in the kernel fails while a fabric is made or removed: the
# command says so or copes, and nothing is left over.
#
# Kernels with CONFIG_FAULT_INJECTION let the Nth allocation of one task fail.
# How many a command makes depends on the machine, so that they are counted first;
# N runs over all of them.
. "$(dirname "$0")/lib.sh"

[ -w /proc/thread-self/fail-nth ] ||
	skip_all "the kernel has no CONFIG_FAULT_INJECTION"
knobs=/sys/kernel/debug/failslab
[ -d $knobs ] || skip_all "the kernel has no CONFIG_FAILSLAB"
echo N > $knobs/ignore-gfp-wait
echo 0 > $knobs/verbose

# what happens to COMMAND if its Nth allocation fails
nth() {
	python3 "$net_dir/fail_nth.py" "$@"
}

# steps COMMAND... - forty numbers of allocations, up to the last that it makes
steps() {
	local all

	all=$(nth count "$@") || return 1
	seq -f %.0f 1 "$((all / 40 + 1))" "$all"
}

# users - how many fabrics there are, and modules on top
users() {
	cat /sys/module/weft/refcnt
}
no_users=$(users)
readonly no_users

nothing_left() {
	expect "NICs" "" "$(ip -o link show type weft)" &&
		expect "namespaces" "" "$(ip netns list)" &&
		expect "fabrics" "$no_users" "$(users)"
}

up_fails() {
	local n numbers failed=0 up=(weft up "$tmp/topology.yaml" "${clock_option[@]}")

	topology 100Gbps 3 > "$tmp/topology.yaml"
	numbers=$(steps "${up[@]}")
	down
	for n in $numbers; do
		nth "$n" "${up[@]}" > "$tmp/out" 2>&1 || failed=$((failed + 1))
		down > /dev/null 2>&1 || true
		nothing_left || {
			echo "after allocation $n failed: $(cat "$tmp/out")"
			return 1
		}
	done
	# if it never failed, nothing was injected
	echo "$failed failures after which it did not come up"
	[ $failed -gt 3 ]
}

down_fails() {
	local n

	topology 100Gbps 3 | up > /dev/null
	for n in $(steps weft down); do
		topology 100Gbps 3 | up > /dev/null
		nth "$n" weft down > /dev/null 2>&1 || true
		down > /dev/null 2>&1 || true
		nothing_left || {
			echo "after allocation $n failed"
			return 1
		}
	done
}

traffic() {
	local n ping=(weft exec host0 -- ping -q -c 1 -W 0.1 host1)

	topology 100Gbps 2 | up > /dev/null
	for n in $(steps "${ping[@]}"); do
		nth "$n" "${ping[@]}" > /dev/null 2>&1 || true
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
