#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A captured link of InfiniBand, as tshark reads it.
. "$(dirname "$0")/lib.sh"
need tshark ping

# fields FILTER FIELD... - values of frames, a bar between
fields() {
	local filter=$1 field args=()

	shift
	for field in "$@"; do
		args+=(-e "$field")
	done
	tshark -r "$tmp/ib" -Y "$filter" -T fields -E separator='|' "${args[@]}" \
		2> /dev/null
}

# Endpoint ids 0 and 1 are LIDs 1 and 2: five requests, five replies.
packets() {
	expect "LIDs" "5 1|2 5 2|1" "$(fields infiniband.bth infiniband.lrh.slid \
		infiniband.lrh.dlid | sort | uniq -c | xargs)"
	expect "requests" host0.eth0 "$(fields 'infiniband.lrh.slid == 1' \
		frame.interface_name | sort -u)"
}

flow_control() {
	[ "$(fields infiniband_link frame.number | wc -l)" -gt 0 ]
	expect "kind" 0 "$(fields infiniband_link infiniband_link.op | sort -u)"
	expect "malformed" "" "$(fields _ws.malformed frame.number)"
}

up > /dev/null <<- END || exit 1
	name: test
	profile: ib-ndr
	port: {discipline: credit}
	nic: {mtu: 2044}
	nodes: [{name: "host[0-1]"}]
	switches: [{name: leaf}]
	links: [{ends: ["host[0-1]", leaf]}]
END
weft capture host0 -o "$tmp/ib" 2> "$tmp/err" &
slowwait 5 grep -q ^capturing "$tmp/err" || exit 1
on host0 ping -q -c 5 -i 0.01 host1 > /dev/null
kill -INT $!
wait $!
ktap_begin 2
t "packets have LIDs" packets
t "flow control packets are dissected" flow_control
ktap_end
