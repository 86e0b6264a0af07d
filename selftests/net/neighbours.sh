#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Neighbours whose MAC address follows from their IP address: nobody asks for it, and an
# entry exists for those that are talked to. In bytes on the wire, and in the nodes' tables.
. "$(dirname "$0")/lib.sh"
need jq ping tc

readonly nodes=8
readonly ping_bytes=98	# 14 Ethernet, 20 IP, 8 ICMP, 56 of data
readonly ping6_bytes=118	# with 40 of IPv6
readonly arp_bytes=42
readonly limits=/proc/sys/net/ipv4/neigh/default

# net [LINE]... - eight nodes
net() {
	down > /dev/null
	topology 400Gbps $nodes "$@" | up > /dev/null
}

# entries NODE [ARGUMENT]... - its table: address, MAC address and state
entries() {
	on "$1" ip -j neigh show nud all "${@:2}" |
		jq -r 'map(select(.dst | test("^(10|192|fe80)"))) | sort_by(.dst)[] |
			[.dst, .lladdr, .state[0]] | map(. // "-") | join(" ")'
}

sent() {
	on "$1" ip -j -s link show "$(device "$1")" | jq '.[0].stats64.tx.bytes'
}

# pings FROM BYTES TO... - one to each, of which each is answered; FROM sends BYTES in all
pings() {
	local from=$1 bytes=$2 before to

	shift 2
	before=$(sent "$from")
	for to in "$@"; do
		on "$from" ping -q -c 1 -W 1 "$to" > "$tmp/ping"
	done
	expect "bytes sent" "$bytes" $(($(sent "$from") - before))
}

no_question() {
	expect "before" "" "$(entries host0)"
	pings host0 $((2 * ping_bytes)) host1 host2
	expect "those that are talked to" \
		"10.0.0.2 02:00:0a:00:00:02 NOARP 10.0.0.3 02:00:0a:00:00:03 NOARP" \
		"$(entries host0 | xargs)"
	expect "the answer makes one, too" "10.0.0.1 02:00:0a:00:00:01 NOARP" "$(entries host1)"
}

# The stack asks three times, once a second.
nobody() {
	local before

	before=$(sent host3)
	refused on host3 ping -q -c 1 -W 5 10.0.0.77 > "$tmp/ping"
	expect "questions" 3 $((($(sent host3) - before) / arp_bytes))
	expect_match "entry" '^10.0.0.77 - (FAILED|INCOMPLETE)$' "$(entries host3)"
}

# Nodes that talked to it before must forget what it was, as everywhere.
changed_address() {
	on host4 ip link set eth0 address 02:00:00:00:00:44
	pings host5 $((arp_bytes + ping_bytes)) host4
	expect "entry" "10.0.0.5 02:00:00:00:00:44 REACHABLE" "$(entries host5)"
	on host4 ip link set eth0 address 02:00:0a:00:00:05
	on host5 ip neigh flush all
	pings host5 $ping_bytes host4
	expect "and back" "10.0.0.5 02:00:0a:00:00:05 NOARP" "$(entries host5)"
}

# What the user says has precedence.
permanent() {
	on host6 ip neigh replace 10.0.0.8 lladdr 02:00:0a:00:00:01 dev eth0
	expect "entry" "10.0.0.8 02:00:0a:00:00:01 PERMANENT" "$(entries host6)"
	refused on host6 ping -q -c 1 -W 1 10.0.0.8 > "$tmp/ping"
	on host6 ip neigh del 10.0.0.8 dev eth0
	pings host6 $ping_bytes 10.0.0.8
}

# A device above a NIC has neighbours of its own, whose addresses follow from nothing.
vlan() {
	local i

	for i in 0 1; do
		on host$i ip link add link eth0 name v0 type vlan id 5
		on host$i ip addr add 192.168.0.$((i + 1))/24 dev v0
		on host$i ip link set v0 up
	done
	on host0 ping -q -c 1 -W 1 192.168.0.2 > "$tmp/ping"
	expect "entry" "192.168.0.2 02:00:0a:00:00:02 REACHABLE" "$(entries host0 dev v0)"
}

# all_pairs - 56 neighbours
all_pairs() {
	local i

	for ((i = 0; i < nodes; i++)); do
		# shellcheck disable=SC2016 # expanded in the node
		on host$i sh -c 'for peer; do
			[ "$peer" = "$WEFT_NODE" ] || ping -q -c 1 -W 1 "$peer" || exit
		done' sh host{0..7} > "$tmp/ping" || cat "$tmp/ping"
	done
}

count() {
	local i

	for ((i = 0; i < nodes; i++)); do
		entries host$i
	done | wc -l
}

# The table of the kernel is for all namespaces. It drops what can be made again.
few() {
	local file old=() left

	for file in gc_thresh1 gc_thresh2 gc_thresh3; do
		old+=("$(cat $limits/$file)")
	done
	echo 1 > $limits/gc_thresh1
	echo 4 > $limits/gc_thresh2
	echo 16 > $limits/gc_thresh3
	net
	all_pairs
	left=$(count)
	echo "${old[0]}" > $limits/gc_thresh1
	echo "${old[1]}" > $limits/gc_thresh2
	echo "${old[2]}" > $limits/gc_thresh3
	expect_in "entries" 1 16 "$left"
	net
	all_pairs
	expect "with room" $((nodes * (nodes - 1))) "$(count)"
}

asks() {
	net "settings: {neighbours: arp}"
	pings host0 $((arp_bytes + ping_bytes)) host1
	expect "entry" "10.0.0.2 02:00:0a:00:00:02 REACHABLE" "$(entries host0)"
}

# link_local ENTRY BYTES SETTINGS - IPv6, after what a node sends when it starts
link_local() {
	net "settings: {ipv6: on$3}"
	sleep 20
	pings host0 "$2" "fe80::aff:fe00:2%$(device host0)"
	expect "entry" "$1" "$(entries host0 | grep fe80::aff:fe00:2)"
}

net
ktap_begin 9
t "nobody asks" no_question
t "for an address that nobody has, it asks" nobody
t "for a changed MAC address, too" changed_address
t "a permanent entry has precedence" permanent
t "a VLAN asks" vlan
t "a full table" few
t "neighbours: arp" asks
t "IPv6" link_local "fe80::aff:fe00:2 02:00:0a:00:00:02 NOARP" $ping6_bytes ""
# 86 for the solicitation, and as many for the advertisement that answers the peer's
t "IPv6, neighbours: arp" link_local "fe80::aff:fe00:2 02:00:0a:00:00:02 REACHABLE" \
	$((86 + ping6_bytes)) ", neighbours: arp"
ktap_end
