#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs of rdma-core over InfiniBand and RoCE v2, as Debian ships them: what
# tells of devices, the ping-pongs, and those of the connection manager, for which
# InfiniBand has no IPoIB here.
#
#	host0 -- leaf -- host1
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need ibv_devices ibv_devinfo ibv_rc_pingpong ibv_uc_pingpong ibv_ud_pingpong \
	ibv_srq_pingpong ibstat perfquery rdma rping ucmatose udaddy rstream mckey \
	ib_write_bw jq ss

readonly LINE=11921	# 100 Gb/s in perftest's MB/s of 2^20 bytes
readonly GROUP=224.1.2.3

# with FUNCTION PROFILE [ARGUMENT]... - in such a lab
with() {
	star "$2" 2
	"$1" "${@:3}"
}

# info NODE KEY - of ibv_devinfo, what is behind a key
info() {
	on "$1" ibv_devinfo -v | awk -v key="$2:" '$1 == key { print $2; exit }'
}

# told LAYER LID0 LID1 - what programs say of both devices, whose ports have these
# LIDs
told() {
	local lid node=0

	for lid in "$2" "$3"; do
		expect "ibv_devices" weft$node "$(on host$node ibv_devices |
			awk 'NR > 2 { print $1 }')"
		expect "state" PORT_ACTIVE "$(info host$node state)"
		expect "MTU" 4096 "$(info host$node active_mtu)"
		expect "layer" "$1" "$(info host$node link_layer)"
		expect "atomics" ATOMIC_HCA "$(info host$node atomic_cap)"
		expect "LID" "$lid" "$(info host$node port_lid)"
		expect "ibstat" "State: Active|Rate: 100|Base lid: $lid" \
			"$(on host$node ibstat | sed -nE \
				's/^\s*((State|Rate|Base lid): .*)/\1/p' | paste -sd '|')"
		expect "rdma link" "weft$node 1 ACTIVE LINK_UP eth0" \
			"$(on host$node rdma -j link | jq -r '.[] |
				"\(.ifname) \(.port) \(.state) \(.physical_state) \(.netdev)"')"
		expect "rdma dev" "weft$node ca" "$(on host$node rdma -j dev |
			jq -r '.[] | "\(.ifname) \(.node_type)"')"
		node=$((node + 1))
	done
}

# resources KEY - that host1 has of them
resources() {
	on host1 rdma -j resource | jq -r ".[0].$1"
}

# has_more - than it had, of queue pairs and of memory
has_more() {
	[ "$(resources qp)" -eq $(($1 + 1)) ] && [ "$(resources mr)" -eq 1 ]
}

# A server that waits has one queue pair and one region, and then none.
held() {
	local before pid

	before=$(resources qp)
	on host1 ibv_rc_pingpong > /dev/null &
	pid=$!
	slowwait 20 has_more "$before"
	expect "process" ibv_rc_pingpong "$(on host1 rdma -j resource show qp |
		jq -r '.[] | select(.type == "RC") | .comm')"
	kill -KILL "$(on host1 rdma -j resource show qp |
		jq -r '.[] | select(.type == "RC") | .pid')"
	wait $pid || true
	slowwait 20 test "$(resources qp)" -eq "$before"
	expect "regions" 0 "$(resources mr)"
}

# counted FILE - of host0, by sysfs
counted() {
	on host0 cat "/sys/class/infiniband/weft0/ports/1/counters/$1"
}

# statistic NODE NAME - by rdma
statistic() {
	on "$1" rdma -j statistic show link "weft${1#host}/1" | jq -r ".[0].$2"
}

# port NODE LID KEY - by perfquery
port() {
	on "$1" perfquery -x "$2" 1 | sed -nE "s/^$3:\.*//p"
}

# write N SIZE - host0 writes to host1
write() {
	perftest ib_write_bw -n "$1" -s "$2" > /dev/null
}

# sent LAYER - words of verbs that host0 has sent, when all that waits is sent. The
# port counts sockets' frames as well over InfiniBand: those of n bytes as n + 22,
# less an Ethernet header of 14, with LRH 8, BTH 12, DETH 8, IPoIB 4 and ICRC 4. The
# rest is of whole words.
sent() {
	local sockets=0

	sleep 0.01
	[ "$1" = Ethernet ] || sockets=$(on host0 sh -c \
		'cd /sys/class/net/eth0/statistics && cat tx_bytes tx_packets' |
		paste -sd ' ' | awk '{ print int(($1 + 22 * $2) / 4) }')
	echo $(($(counted port_xmit_data) - sockets))
}

# words_of LAYER N SIZE - what the port has sent of verbs when that is done
words_of() {
	local before

	before=$(sent "$1")
	write "$2" "$3" || return 1
	echo $(($(sent "$1") - before))
}

# counters LAYER HEADERS - a write of M packets is of M times the headers, of 16
# bytes more for its RETH, and of its payload; a word has 4 bytes. Headers are 14 +
# 20 + 8 + 12 + 4 bytes, the FCS does not count, or 8 + 12 + 4, nor does the VCRC.
counters() {
	expect "64 KiB" $((20 * (16 * $2 + 16 + 65536) / 4)) "$(words_of "$1" 20 65536)"
	expect "4 KiB" $((50 * ($2 + 16 + 4096) / 4)) "$(words_of "$1" 50 4096)"
	expect "12 bytes" $((40 * ($2 + 16 + 12) / 4)) "$(words_of "$1" 40 12)"
	statistics 110
	[ "$1" = Ethernet ] || asked
}

# received_by_sockets - words, see sent: ARP asks again when it likes to
received_by_sockets() {
	on host1 sh -c 'cd /sys/class/net/eth0/statistics && cat rx_bytes rx_packets' |
		paste -sd ' ' | awk '{ print int(($1 + 22 * $2) / 4) }'
}

# asked - perfquery's two datagrams count at the other port before they are
# answered, 8 + 12 + 8 + 256 + 4 bytes each; at the own port there is no wire
asked() {
	local received sockets

	sockets=$(received_by_sockets)
	received=$(on host1 cat /sys/class/infiniband/weft1/ports/1/counters/port_rcv_data)
	received=$((received + 2 * 288 / 4 - sockets))
	expect "the other port" $received \
		$(($(port host0 2 PortRcvData) - $(received_by_sockets)))
	expect "the own port" "$(counted port_xmit_data)" "$(port host0 1 PortXmitData)"
	unnamed
}

# answers [PORT] - what host1's port has sent of verbs, by perfquery of its LID
answers() {
	local packets sockets

	packets=$(on host0 perfquery -x 2 "$@" | sed -nE 's/^PortXmitPkts:\.*//p')
	sockets=$(on host1 cat /sys/class/net/eth0/statistics/tx_packets)
	echo $((packets - sockets))
}

# unnamed - without a port's number it is the one that there is, two answers later;
# another one is refused, as is a reset without one
unnamed() {
	local before words

	before=$(answers 1)
	expect "without a number" $((before + 2)) "$(answers)"
	expect "with one again" $((before + 4)) "$(answers 1)"
	for words in "2 2" "-x 2 2" "-R 2" "-x -R 2"; do
		# shellcheck disable=SC2086 # words
		refused on host0 perfquery $words > "$tmp/out" 2>&1
		expect_match "perfquery $words" "failed: perf" "$(cat "$tmp/out")"
	done
}

# statistics WRITES - after so many
statistics() {
	expect "writes" "$1" "$(statistic host1 rx_write_requests)"
	perftest ib_read_bw -n 30 > /dev/null || return 1
	expect "reads" 30 "$(statistic host1 rx_read_requests)"
	perftest ib_atomic_bw -n 25 > /dev/null || return 1
	expect "atomics" 25 "$(statistic host1 rx_atomic_requests)"
	expect "sent again" 0 "$(statistic host0 retransmitted)"
}

# pingpongs GID_INDEX - all kinds check what they get
pingpongs() {
	local kind

	for kind in rc uc srq; do
		pair 18515 ibv_${kind}_pingpong -g "$1" -c -n 100 || return 1
		pair 18515 ibv_${kind}_pingpong -g "$1" -c -n 100 -e -s 100000 || return 1
		pair 18515 ibv_${kind}_pingpong -g "$1" -c -n 100 -m 4096 -s 1 || return 1
	done
	pair 18515 ibv_ud_pingpong -g "$1" -c -n 100 || return 1
	pair 18515 ibv_ud_pingpong -g "$1" -c -n 100 -e -s 4096 || return 1
	pair 18515 ibv_ud_pingpong -g "$1" -c -n 100 -s 1 || return 1
}

# rping and rstream compare what comes back.
managers() {
	local tool

	manage "rping -s -V -C 20 -S 1000" "rping -c -V -C 20 -S 1000 -a"
	manage "rping -s -V -C 5 -S 60000" "rping -c -V -C 5 -S 60000 -a"
	manage "ucmatose -c 3 -C 20" "ucmatose -c 3 -C 20 -s"
	manage "udaddy -c 3 -C 20" "udaddy -c 3 -C 20 -s"
	manage "rstream -T v -S 65536 -I 5 -C 5" "rstream -T v -S 65536 -I 5 -C 5 -s"
	for tool in ib_write_bw ib_send_bw ib_read_bw; do
		manage "$tool -R -F -n 20" "$tool -R -F -n 20"
		expect_in "$tool" 1 $LINE "$(awk '/^ *#bytes/ { getline; print $4 }' \
			"$tmp/client")"
	done
}

# group NODE [OPTION]... - mckey there; its output as it comes
group() {
	on "$1" stdbuf -oL mckey -m $GROUP -b "$(address "$1")" -C 12 "${@:2}"
}

# Two join a group, and each gets what a third one sends.
multicast() {
	local node pids=()

	star ethernet-100g 3
	for node in host1 host2; do
		group $node > "$tmp/$node" &
		pids+=($!)
	done
	for node in host1 host2; do
		slowwait 20 grep -q receiving "$tmp/$node"
	done
	group host0 -s > "$tmp/host0"
	wait "${pids[0]}"
	wait "${pids[1]}"
	for node in host1 host2; do
		expect "$node" "return status 0" "$(tail -n 1 "$tmp/$node")"
		expect "$node: messages" 12 "$(statistic $node rx_messages)"
	done
}

# Addresses of the NIC are none of an RDMA device's: said at once, nobody waits.
unmanaged() {
	refused on host0 rping -c -a "$(address host1)" > "$tmp/out" 2>&1
	expect_match "rping" "ADDR_ERROR, error -19" "$(cat "$tmp/out")"
	refused on host0 mckey -m $GROUP -b "$(address host0)" -s > "$tmp/out" 2>&1
	expect_match "mckey" "No such device" "$(cat "$tmp/out")"
}

ktap_begin 11
t "InfiniBand: what programs tell" with told ib-edr InfiniBand 1 2
t "RoCE: what programs tell" with told ethernet-100g Ethernet 0 0
t "InfiniBand: resources" with held ib-edr
t "RoCE: resources" with held ethernet-100g
t "InfiniBand: counters" with counters ib-edr InfiniBand 24
t "RoCE: counters" with counters ethernet-100g Ethernet 58
t "InfiniBand: ping-pongs" with pingpongs ib-edr 0
t "RoCE: ping-pongs" with pingpongs ethernet-100g 1
t "RoCE: programs of the connection manager" with managers ethernet-100g
t "RoCE: multicast" multicast
t "InfiniBand: no connection manager" with unmanaged ib-edr
ktap_end
