#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A captured link of two RDMA devices, as tshark reads it: RoCE v2 over IPv4, also
# from addresses in a VLAN and of a macvlan, InfiniBand with and without a GRH.
#
#	host0 -- leaf -- host1, and the link of host0 is captured
#
# ibv_rc_pingpong sends N messages each way: at an MTU of 1024, 3000 bytes are the
# packets first, middle and last, 1024 + 1024 + 952.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need tshark ibv_rc_pingpong ibv_devinfo ss

readonly N=5 SIZE=3000

# ping_pong [OPTION]... - between both hosts with these options, in the file rdma
ping_pong() {
	local pid

	weft capture host0 -o "$tmp/rdma" 2> "$tmp/err" &
	pid=$!
	slowwait 5 grep -q ^capturing "$tmp/err" || return 1
	on host0 ibv_rc_pingpong -m 1024 -n $N -s $SIZE "$@" &
	slowwait 5 listens host0 18515 || return 1
	on host1 ibv_rc_pingpong -m 1024 -n $N -s $SIZE "$@" \
		"$(address host0)" || return 1
	wait $!
	kill -INT $pid
	wait $pid
}

# capture PROFILE [OPTION]...
capture() {
	hosts "$1" 2 || return 1
	ping_pong "${@:2}"
	down > /dev/null
}

# fields FILTER FIELD... - values of frames, a bar between
fields() {
	local filter=$1 field args=()

	shift
	for field in "$@"; do
		args+=(-e "$field")
	done
	tshark -r "$tmp/rdma" -Y "$filter" -T fields -E separator='|' \
		"${args[@]}" 2> /dev/null
}

# common - what holds for all links
common() {
	expect "packets of messages" "$(for from in host0 leaf; do
		for op in 0 1 2; do
			echo "$N $from $op"
		done
	done)" "$(fields 'infiniband.bth.opcode < 3' frame.interface_name \
		infiniband.bth.opcode | sed 's/[.:].*|/ /' | sort | uniq -c |
		awk '{ print $1, $2, $3 }')"
	expect "malformed" "" "$(fields _ws.malformed frame.number)"
	expect "check sequences right and wrong" \
		"$(fields infiniband.bth frame.number | wc -l) 0" \
		"$(python3 "$net_dir/icrc.py" "$tmp/rdma")"
	# all bytes are 0x7b
	expect "payload of a middle packet" "$(printf '7b%.0s' {1..1024})" \
		"$(fields 'infiniband.bth.opcode == 1' data.data | sort -u)"
}

# Lengths: 14 + 20 + 8 + 12 + 1024 + 4, and the last one with 952.
roce() {
	capture ethernet-100g -g 1
	common
	expect "lengths" "0|1082 1|1082 2|1010" "$(fields 'infiniband.bth.opcode < 3' \
		infiniband.bth.opcode frame.len | sort -u | xargs)"
	expect "acknowledgements" 62 \
		"$(fields 'infiniband.bth.opcode == 17' frame.len | sort -u)"
	expect "UDP port" 4791 "$(fields infiniband.bth udp.dstport | sort -u)"
	expect "checksums" "" "$(tshark -o ip.check_checksum:TRUE -r "$tmp/rdma" \
		-Y 'infiniband.bth && ip.checksum.status != 1' 2> /dev/null)"
}

# Lengths: 8 + 12 + 1024 + 4 + 2 behind the 16 bytes of ERF, which tshark cuts off.
infiniband() {
	capture ib-edr
	common
	expect "lengths" "0|1050 1|1050 2|978" "$(fields 'infiniband.bth.opcode < 3' \
		infiniband.bth.opcode frame.len | sort -u | xargs)"
	expect "LIDs" "1|2 2|1" "$(fields 'infiniband.bth.opcode == 0' infiniband.lrh.slid \
		infiniband.lrh.dlid | sort -u | xargs)"
	expect "next header" 2 "$(fields 'infiniband.bth.opcode == 0' infiniband.lrh.lnh | sort -u | sed 's/^0x0*//')"
}

# The same with 40 bytes of GRH.
global() {
	capture ib-edr -g 0
	common
	expect "lengths" "0|1090 1|1090 2|1018" "$(fields 'infiniband.bth.opcode < 3' \
		infiniband.bth.opcode frame.len | sort -u | xargs)"
}

# above NODE ADDRESS TYPE [OPTION]... - a netdev up0 above the NIC
above() {
	on "$1" ip link add link eth0 name up0 type "${@:3}"
	on "$1" ip link set up0 up
	on "$1" ip addr add "$2/24" dev up0
}

# gid_of NODE ADDRESS - index of the GID that it makes
gid_of() {
	on "$1" ibv_devinfo -v |
		sed -nE "s/^\\s*GID\\[ *([0-9]+)\\]:\\s*::ffff:$2, RoCE v2.*/\\1/p" | grep .
}

# from_above TYPE [OPTION]... - a ping-pong between such netdevs
from_above() {
	hosts ethernet-100g 2 || return 1
	above host0 10.77.0.1 "$@"
	above host1 10.77.0.2 "$@"
	slowwait 5 gid_of host0 10.77.0.1 > /dev/null
	slowwait 5 gid_of host1 10.77.0.2 > /dev/null
	expect "index of both GIDs" "$(gid_of host0 10.77.0.1)" \
		"$(gid_of host1 10.77.0.2)"
	sources=$(on host0 cat /sys/class/net/up0/address
		on host1 cat /sys/class/net/up0/address)
	ping_pong -g "$(gid_of host0 10.77.0.1)"
	down > /dev/null
	common
}

# Four bytes more than without a tag.
vlan() {
	from_above vlan id 77
	expect "lengths" "0|1086 1|1086 2|1014" "$(fields 'infiniband.bth.opcode < 3' \
		infiniband.bth.opcode frame.len | sort -u | xargs)"
	expect "VLAN" 77 "$(fields infiniband.bth vlan.id | sort -u)"
}

macvlan() {
	from_above macvlan mode bridge
	expect "lengths" "0|1082 1|1082 2|1010" "$(fields 'infiniband.bth.opcode < 3' \
		infiniband.bth.opcode frame.len | sort -u | xargs)"
	expect "sources" "$(sort <<< "$sources")" \
		"$(fields infiniband.bth eth.src | sort -u)"
}

ktap_begin 5
t "RoCE v2" roce
t "InfiniBand" infiniband
t "InfiniBand with a GRH" global
t "RoCE v2 from a VLAN" vlan
t "RoCE v2 from a macvlan" macvlan
ktap_end
