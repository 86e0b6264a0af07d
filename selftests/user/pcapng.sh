#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What tshark reads in a capture that has each kind of frame. The values are those
# of file_for_tshark in pcapng.c.
#
# usage: pcapng.sh CAPTURE
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. selftests/ktap.sh

capture=$1
command -v tshark > /dev/null || skip_all "tshark is not installed"

# fields FRAME FIELD... - values of a frame, a bar between
fields() {
	local frame=$1 field args=()

	shift
	for field in "$@"; do
		args+=(-e "$field")
	done
	tshark -r "$capture" -Y "frame.number == $frame" -T fields \
		-E separator='|' "${args[@]}" 2> /dev/null
}

# tshark knows nanoseconds; it cuts the digits below. At the end of a second its own
# arithmetic must not overflow.
common() {
	expect "frames" 10 "$(tshark -r "$capture" 2> /dev/null | wc -l)"
	expect "time" '1000.000000123' "$(fields 1 frame.time_epoch)"
	expect "time of InfiniBand" '1000.999999999' "$(fields 4 frame.time_epoch)"
	expect "sent" 0x00000002 "$(fields 1 frame.packet_flags_direction)"
	expect "received" 0x00000001 "$(fields 2 frame.packet_flags_direction)"
	expect "comment" "class 3 stops" "$(fields 1 frame.comment)"
	expect "names" 'leaf0:3 host0.ib0 gpu0.nv0' \
		"$(for i in 1 4 10; do fields $i frame.interface_name; done | xargs)"
}

pfc() {
	expect "protocols" eth:ethertype:macc "$(fields 1 frame.protocols)"
	expect "opcode" 0x0101 "$(fields 1 macc.opcode)"
	expect "classes" 0x0088 "$(fields 1 macc.cbfc.enbv)"
	expect "class 3" 65535 "$(fields 1 macc.cbfc.pause_time.c3)"
	expect "class 7" 17 "$(fields 1 macc.cbfc.pause_time.c7)"
	expect "class 0" 0 "$(fields 1 macc.cbfc.pause_time.c0)"
	expect "length" 64 "$(fields 1 frame.len)"
}

pause() {
	expect "opcode" '0x0001|4660' "$(fields 2 macc.opcode macc.pause_time)"
}

# The check sequences are right, and tshark is told how long they are.
fcs() {
	local i

	for i in 1 2 3; do
		expect "FCS of $i" 1 "$(tshark -r "$capture" -o eth.check_fcs:TRUE \
			-Y "frame.number == $i" -T fields -e eth.fcs.status 2> /dev/null)"
	done
	expect "data" 'eth:ethertype:ip:udp:data|10.0.0.3' \
		"$(fields 3 frame.protocols ip.dst)"
}

# flow_control FRAME OP FCTBS VL FCCL
flow_control() {
	expect "frame $1" "erf:infiniband_link|$2|$3|$4|$5|" \
		"$(fields "$1" frame.protocols infiniband_link.op \
			infiniband_link.fctbs infiniband_link.vl \
			infiniband_link.fccl _ws.malformed)"
}

link_packets() {
	flow_control 4 1 0 2 2048
	flow_control 5 0 1 15 4095
	flow_control 6 0 1002 0 0
	flow_control 7 0 4095 3 100
}

data_packet() {
	expect "protocols" erf:infiniband:ethertype:ip:udp:data "$(fields 8 frame.protocols)"
	expect "LRH" '0x01|2|17|33|18' "$(fields 8 infiniband.lrh.vl infiniband.lrh.sl \
		infiniband.lrh.slid infiniband.lrh.dlid infiniband.lrh.pktlen)"
	expect "BTH" '100|3|0x000048|5' "$(fields 8 infiniband.bth.opcode \
		infiniband.bth.padcnt infiniband.bth.destqp infiniband.bth.psn)"
	expect "DETH" '0x0000000000000b1b|0x00000049' \
		"$(fields 8 infiniband.deth.q_key infiniband.deth.srcqp)"
	expect "IP inside" '10.0.0.2|10.0.0.3|9' "$(fields 8 ip.src ip.dst udp.dstport)"
	expect "no complaint" "" "$(fields 8 _ws.malformed)"
}

part_of_packet() {
	expect "part" '1026|38|17|33' "$(fields 9 frame.len frame.cap_len \
		infiniband.lrh.slid infiniband.lrh.dlid)"
}

flit() {
	expect "flit" '0x88b5|34' "$(fields 10 eth.type frame.len)"
	expect "its bytes" 0101030000000004000000400000000000000009 \
		"$(fields 10 data.data)"
}

ktap_begin 8
t "times, directions, comments, names" common
t "PFC" pfc
t "PAUSE" pause
t "frame check sequences" fcs
t "flow control packets" link_packets
t "a data packet" data_packet
t "a part of a data packet" part_of_packet
t "a control flit" flit
ktap_end
