#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a packet costs from NIC to NIC: 1.2 times as many instructions as over a veth, both
# sockets included (Documentation/cost.rst). The machine's clock counts them. The stack
# around both is another one in each update of the kernel, so 2 % more are not a failure.
. "$(dirname "$0")/../net/lib.sh"

rows() {
	tools/bench/hop.sh --count 5000 > "$tmp/rows"
	cat "$tmp/rows"
	expect "rows" 6 "$(grep -c "5000 packets .* 0 lost$" "$tmp/rows")"
}

# times PATH - what it costs, in veths
times() {
	local ns

	ns=$(sed -nE "s/^$1 +([0-9]+) ns.*/\\1/p" "$tmp/rows")
	awk -v a="$ns" -v b="$(sed -nE 's/^veth +([0-9]+) ns.*/\1/p' "$tmp/rows")" \
		'BEGIN { printf "%.3f\n", a / b }'
}

from_nic_to_nic() {
	expect_in "a hop" 1 1.224 "$(times "weft, NIC to NIC")"
}

ktap_begin 2
t "all packets arrive" rows
t "from NIC to NIC" from_nic_to_nic
ktap_end
