#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One address per node: what is sent to it takes the best network that both nodes
# are in, without the program knowing. Counters of the NICs say which.
#
# hybrid-8:	gpu0 .. gpu3 = nvswitch0	gpu4 .. gpu7 = nvswitch1	eth0
#		gpuK and gpuK+4 = railK, rail0 .. rail3 = spine			eth1
#
# rails:	host0 .. host2 = leaf0, leaf1, leaf2, which have nothing in common
. "$(dirname "$0")/lib.sh"
need jq iperf3

readonly ping_bytes=98	# 14 Ethernet, 20 IP, 8 ICMP, 56 of data

# sent NODE - bytes that its NICs have sent, in order
sent() {
	on "$1" ip -j -s link |
		jq '.[] | select(.ifname | startswith("eth")) | .stats64.tx.bytes'
}

# sent_all NODE... - the same of all of them, one after the other
sent_all() {
	local node

	for node in "$@"; do
		sent "$node"
	done
}

# since BEFORE NODE... - what they have sent since then, on one line
since() {
	local before=$1

	shift
	paste <(sent_all "$@") - <<< "$before" | awk '{ printf "%s%d", sep, $1 - $2; sep = " " }'
}

readonly gpus=(gpu{0..7})

names() {
	local i

	for i in {0..7}; do
		expect "own address of gpu$i" "10.255.0.$((i + 1))" "$(on "gpu$i" hostname -i)"
		expect "its name" "10.255.0.$((i + 1))" \
			"$(on gpu3 getent ahostsv4 "gpu$i" | awk '{ print $1; exit }')"
		expect "its NIC's" "10.1.0.$((i + 1))" \
			"$(on gpu3 getent ahostsv4 "gpu$i.eth1" | awk '{ print $1; exit }')"
	done
	expect "shown" 10.255.0.5 "$(weft show nodes --json |
		jq -r '[.[] | select(.node == "gpu4").node_ip] | unique | join(" ")')"
}

# pings NODE... - each to each other
pings() {
	local node

	for node in "$@"; do
		# shellcheck disable=SC2016 # expanded in the node
		on "$node" sh -c 'for peer; do
			[ "$peer" = "$WEFT_NODE" ] || ping -c 1 -W 1 -q "$peer" || exit
		done' sh "$@"
	done
}

# Each node asks 3 in its host and 4 outside, and answers as many.
all_pairs() {
	local before want

	before=$(sent_all "${gpus[@]}")
	pings "${gpus[@]}"
	want=$(for _ in {0..7}; do
		echo $((6 * ping_bytes)) $((8 * ping_bytes))
	done | xargs)
	expect "bytes of eth0 and eth1" "$want" "$(since "$before" "${gpus[@]}")"
}

# transfer FROM TO NIC - TCP takes that NIC at both ends, and only that one. The
# other one may see the end of the connection before.
transfer() {
	local size=1000000 before k=$3 there got

	serve "$2"
	before=$(sent_all "$1" "$2")
	on "$1" iperf3 -c "$2" -n $size > "$tmp/iperf"
	read -r -a got <<< "$(since "$before" "$1" "$2")"
	echo "$1 eth0, eth1, $2 eth0, eth1: ${got[*]}"
	there=$((2 + k))
	[ "${got[k]}" -gt $((size / 2)) ]
	[ "${got[there]}" -gt 66 ]
	[ "${got[1 - k]}" -le $((2 * 66)) ]
	[ "${got[3 - k]}" -le $((2 * 66)) ]
}

# What looks for interfaces by itself is told which one.
told() {
	expect "variables" "FI_SOCKETS_IFACE=node0 FI_TCP_IFACE=node0 GLOO_SOCKET_IFNAME=node0 NCCL_SOCKET_IFNAME==node0 OMPI_MCA_btl_tcp_if_include=10.255.0.0/16 OMPI_MCA_oob_tcp_if_include=10.255.0.0/16 TP_SOCKET_IFNAME=node0 UCX_NET_DEVICES=node0" \
		"$(on gpu0 env | grep -E 'IFACE|IFNAME|if_include|UCX_NET' | sort | xargs)"
}

# rails_up LINE... - 3 hosts in 3 networks that are alike
rails_up() {
	{
		echo "name: rails"
		echo "profile: ethernet-100g"
		printf '%s\n' "$@"
		echo 'nodes: [{name: "host[0-2]"}]'
		echo 'switches: [{name: "leaf[0-2]"}]'
		echo 'links: [{ends: ["host[0-2]", leaf0]}, {ends: ["host[0-2]", leaf1]},'
		echo '  {ends: ["host[0-2]", leaf2]}]'
	} | up > /dev/null
}

# Hosts a and b take rail (a + b) mod 3: 0 and 1 the second, 0 and 2 the third, 1
# and 2 the first. Each host sends a request and an answer to each other one.
spread() {
	local before two=$((2 * ping_bytes))

	rails_up 'settings: {addresses: node}'
	before=$(sent_all host{0..2})
	pings host{0..2}
	expect "rails" "0 $two $two $two $two 0 $two 0 $two" \
		"$(since "$before" host{0..2})"
	weft down > /dev/null
}

# 48 connections: that a rail gets none of them has a probability of
# 3 (2/3)^48 = 1e-8, and on the virtual clock all is as it was the last time.
multipath() {
	local before n

	rails_up 'settings: {addresses: node, multipath: on}'
	serve host1
	before=$(sent host0)
	on host0 iperf3 -c host1 -P 48 -n 9600000 > "$tmp/iperf"
	for n in $(since "$before" host0); do
		echo "rail: $n"
		[ "$n" -gt 100000 ]
	done
	weft down > /dev/null
}

# a is in the networks x and y, b only in y, with its first NIC, c with its second.
other_rails() {
	local before one=$ping_bytes

	up > /dev/null <<- END
		name: odd
		profile: ethernet-100g
		settings: {addresses: node, neighbours: $1}
		nodes: [{name: a}, {name: b}, {name: c}]
		switches: [{name: x}, {name: y}, {name: z}]
		links: [{ends: [a, x]}, {ends: [a, y]}, {ends: [b, y]}, {ends: [c, z]}, {ends: [c, y]}]
	END
	pings a b c > /dev/null
	before=$(sent_all a b c)
	pings a b c
	expect "a, b, c" "0 $((4 * one)) $((4 * one)) 0 $((4 * one))" \
		"$(since "$before" a b c)"
	weft down > /dev/null
}

strangers() {
	up > /dev/null <<- END
		name: apart
		profile: ethernet-100g
		settings: {addresses: node}
		nodes: [{name: "h[0-3]"}]
		links: [{ends: [h0, h1]}, {ends: [h2, h3]}]
	END
	on h0 ping -c 1 -W 1 -q h1
	refused on h0 ping -c 1 -W 1 -q h2 2> "$tmp/why"
	expect_match "reason" 'Network is unreachable' "$(cat "$tmp/why")"
	weft down > /dev/null
}

# 72 GPUs in a domain, each with a rail as well: 5112 routes.
many() {
	up > /dev/null <<- END
		name: many
		profile: ethernet-100g
		settings: {addresses: node}
		nodes: [{name: "n[0-71]"}]
		switches: [{name: nv, profile: nvlink5}, {name: leaf}]
		links: [{ends: ["n[0-71]", nv], profile: nvlink5}, {ends: ["n[0-71]", leaf]}]
	END
	expect "routes" 71 "$(on n0 ip -4 route show proto static | wc -l)"
	expect "by NVLink" 71 "$(on n71 ip -4 route show proto static | grep -c 'dev eth0')"
	on n0 ping -c 1 -W 1 -q n71
	weft down > /dev/null
}

ktap_begin 12
weft up hybrid-8 "${clock_option[@]}" > /dev/null || exit 1
t "a name is a node's address" names
t "all pairs, each byte in its network" all_pairs
t "TCP inside a host takes NVLink" transfer gpu1 gpu2 0
t "TCP between hosts takes the rail" transfer gpu1 gpu5 1
t "and to another rail's node as well" transfer gpu6 gpu3 1
t "programs are told which interface" told
weft down > /dev/null
t "pairs of hosts are spread over rails" spread
t "a pair uses all rails" multipath
t "rails that do not match" other_rails static
t "and without permanent neighbours" other_rails arp
t "nodes without a common network" strangers
t "72 nodes" many
ktap_end
