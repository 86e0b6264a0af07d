#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A captured link of two RDMA devices, as tshark reads it: RoCE v2 over IPv4,
# InfiniBand with and without a GRH.
#
#	host0 -- leaf -- host1, and the link of host0 is captured
#
# ibv_rc_pingpong sends N messages each way: at an MTU of 1024, 3000 bytes are the
# packets first, middle and last, 1024 + 1024 + 952.
. "$(dirname "$0")/lib.sh"
need tshark ibv_rc_pingpong ss
[ -e /sys/module/weft_rdma ] || skip_all "weft_rdma.ko is not loaded"

readonly N=5 SIZE=3000

# capture PROFILE [OPTION]... - a ping-pong with these options, in the file rdma
capture() {
	local pid profile=$1

	shift
	up > /dev/null <<- END || return 1
		name: test
		profile: $profile
		nodes: [{name: "host[0-1]"}]
		switches: [{name: leaf}]
		links: [{ends: ["host[0-1]", leaf]}]
	END
	weft capture host0 -w "$tmp/rdma" 2> "$tmp/err" &
	pid=$!
	slowwait 5 grep -q ^capturing "$tmp/err" || return 1
	on host0 ibv_rc_pingpong -m 1024 -n $N -s $SIZE "$@" &
	slowwait 5 listens host0 18515 || return 1
	on host1 ibv_rc_pingpong -m 1024 -n $N -s $SIZE "$@" \
		"$(address host0)" || return 1
	wait $!
	kill -INT $pid
	wait $pid
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

ktap_begin 3
t "RoCE v2" roce
t "InfiniBand" infiniband
t "InfiniBand with a GRH" global
ktap_end
