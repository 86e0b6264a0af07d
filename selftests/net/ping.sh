#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every node reaches every other by address and by name, over IPv4 and IPv6.
. "$(dirname "$0")/lib.sh"
need ping

all_pairs() {
	local a b

	for a in 0 1 2 3; do
		for b in 0 1 2 3; do
			on host$a ping -q -c 2 -i 0.01 -W 1 "host$b" > "$tmp/ping" || {
				cat "$tmp/ping"
				return 1
			}
			expect_match "host$a to host$b" '2 received, 0% packet loss' \
				"$(cat "$tmp/ping")"
		done
	done
}

full_size() {
	# 9000 less the headers of IPv4 and ICMP, and one byte more
	on host0 ping -q -c 1 -W 1 -M 'do' -s 8972 host1
	refused on host0 ping -q -c 1 -W 1 -M 'do' -s 8973 host1
}

ipv6() {
	local dev

	dev=$(device host0)
	on host0 ping -6 -q -c 2 -i 0.01 -W 1 "ff02::1%$dev"
}

own_name() {
	expect "host name" host2 "$(on host2 hostname)"
}

# Middleware takes processes with the same one for neighbours on one machine.
boot_ids() {
	local file=/proc/sys/kernel/random/boot_id i id='[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'

	for i in 0 1 2 3; do
		expect_match "boot id" "^$id\$" "$(on host$i cat $file)"
		on host$i cat $file
	done > "$tmp/ids"
	cat $file >> "$tmp/ids"
	expect "different ones" 5 "$(sort -u "$tmp/ids" | wc -l)"
	expect "the same again" "$(head -n 1 "$tmp/ids")" "$(on host0 cat $file)"
}

topology 100Gbps 4 "settings: {ipv6: on}" | up > /dev/null || exit 1
ktap_begin 5
t "all pairs of four nodes, by name" all_pairs
t "a packet of MTU size and no larger one" full_size
t "IPv6 multicast" ipv6
t "a node has its own host name" own_name
t "and its own boot id" boot_ids
ktap_end
