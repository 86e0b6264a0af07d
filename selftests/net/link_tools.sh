#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The usual tools work on a Weft NIC as on any NIC.
. "$(dirname "$0")/lib.sh"
need ethtool tcpdump tc ping

ip_link() {
	local text

	text=$(ip netns exec host0 ip -d -s link show "$dev")
	expect_match "kind" '^ *weft' "$text"
	expect_match "MTU" 'mtu 9000' "$text"
	expect_match "state" 'LOWER_UP' "$text"
}

ethtool_link() {
	local text

	text=$(on host0 ethtool "$dev")
	expect_match "speed" 'Speed: 400000Mb/s' "$text"
	expect_match "duplex" 'Duplex: Full' "$text"
	expect_match "carrier" 'Link detected: yes' "$text"
	expect_match "driver" '^driver: weft' "$(on host0 ethtool -i "$dev")"
}

# counter NAME - a private counter of the NIC
counter() {
	on host0 ethtool -S "$dev" | awk -v n="$1:" '$1 == n { print $2 }'
}

ethtool_statistics() {
	local before after

	before=$(on host0 ethtool -S "$dev" | awk -F: '{ s += $2 } END { print s }')
	on host0 ping -q -c 5 -i 0.01 host1
	after=$(on host0 ethtool -S "$dev" | awk -F: '{ s += $2 } END { print s }')
	[ "$after" -gt "$before" ] || {
		echo "no counter moved: $before, then $after"
		return 1
	}
}

# The kernel's own counters: 5 echo requests, each 14 + 20 + 8 + 56 bytes.
ip_statistics() {
	local file before after

	file=/sys/class/net/$dev/statistics
	before=$(ip netns exec host0 cat $file/tx_packets $file/tx_bytes | paste -sd ' ')
	on host0 ping -q -c 5 -i 0.01 -s 56 host1
	after=$(ip netns exec host0 cat $file/tx_packets $file/tx_bytes | paste -sd ' ')
	expect "packets sent" $((${before% *} + 5)) "${after% *}"
	expect "bytes sent" $((${before#* } + 5 * 98)) "${after#* }"
}

capture() {
	on host1 tcpdump -i "$(device host1)" -n -c 3 -w "$tmp/capture" icmp \
		2> "$tmp/tcpdump" &
	slowwait 5 grep -q 'listening on' "$tmp/tcpdump"
	on host0 ping -q -c 5 -i 0.05 host1
	wait $!
	expect "captured" 3 "$(tcpdump -n -r "$tmp/capture" 2> /dev/null |
		grep -c 'ICMP echo')"
}

netns_exec() {
	expect "names" "host0 host1" "$(ip netns list |
		awk '/^host[01]( |$)/ { print $1 }' | sort | paste -sd ' ')"
	ip netns exec host1 ping -q -c 1 "$(address host0)"
}

qdisc() {
	on host0 tc qdisc show dev "$dev" | grep -q .
	on host0 tc qdisc replace dev "$dev" root handle 1: tbf rate 1gbit \
		burst 20kb latency 1ms
	expect_match "qdisc" 'tbf 1: root' "$(on host0 tc qdisc show dev "$dev")"
	on host0 ping -q -c 2 -i 0.01 host1
	expect_match "counted" 'Sent [1-9]' "$(on host0 tc -s qdisc show dev "$dev")"
	on host0 tc qdisc del dev "$dev" root
}

link_down() {
	on host0 ip link set "$dev" down
	refused on host0 ping -q -c 1 -W 0.1 host1
	on host0 ip link set "$dev" up
	slowwait 5 on host0 ping -q -c 1 -W 0.1 "$(address host1)"
}

topology 400Gbps 2 | up > /dev/null || exit 1
dev=$(device host0)
ktap_begin 8
t "ip -d link" ip_link
t "ethtool" ethtool_link
t "ethtool -S" ethtool_statistics
t "ip -s link counts packets and bytes" ip_statistics
t "tcpdump -i" capture
t "ip netns exec" netns_exec
t "tc qdisc" qdisc
t "ip link set down and up" link_down
ktap_end
