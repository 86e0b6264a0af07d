#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# UDP at a fixed rate below capacity loses nothing: not at the sender, not on
# the wire, not at the receiver.
#
#	host0 -- leaf -- host1		100 Gb/s
#
# A datagram of 8972 bytes is 8972 + 28 + 14 + 24 = 9038 bytes on the wire. At
# 90 Gb/s of payload the wire is at 90 * 9038 / 8972 = 90.7 Gb/s.
. "$(dirname "$0")/lib.sh"
need iperf3 jq

fixed_rate() {
	local lost sent

	serve host0
	on host1 iperf3 -J -u -c host0 -b "$1" -l "$2" -k "$3" > "$tmp/result"
	sent=$(jq '.end.sum.packets' "$tmp/result")
	lost=$(jq '.end.sum.lost_packets' "$tmp/result")
	expect "datagrams sent" "$3" "$sent"
	expect "datagrams lost" 0 "$lost"
}

topology 100Gbps 2 | up > /dev/null || exit 1
ktap_begin 3
t "10 Gb/s, 8972 bytes" fixed_rate 10G 8972 5000
t "90 Gb/s, 8972 bytes" fixed_rate 90G 8972 20000
t "1 Gb/s, 100 bytes" fixed_rate 1G 100 20000
ktap_end
