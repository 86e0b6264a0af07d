#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A sending socket gets its pages back as a datagram goes onto the wire, not when it
# has arrived, and one time stamp for each, however often it was put off.
#
#	host0 -- leaf -- host1		1 Gb/s, 1 ms each
. "$(dirname "$0")/lib.sh"
need ping jq

[ "$clock" = virtual ] || skip_all "times are exact on the virtual clock only"

lab() {
	trap 'down > /dev/null' EXIT
	up > /dev/null <<- END
	name: test
	profile: ethernet-10g
	link: {rate: 1Gbps, propagation: 1ms}
	nodes: [{name: "host[0-1]"}]
	switches: [{name: leaf}]
	links: [{ends: ["host[0-1]", leaf]}]
	END
	on host0 ping -q -c 1 -W 1 host1
}

# Lines of sender.py
sender() {
	on host0 python3 "$net_dir/sender.py" "$@"
}

pages() {
	local longest

	lab
	longest=$(sender zerocopy 10.0.0.2 5 | sort -n | tail -n 1)
	expect_in "nanoseconds until pages are back" 0 100000 "$longest"
}

# Background traffic of the same class fills the NIC's ring without the stack's
# knowledge, so that datagrams are put off.
stamps() {
	lab
	weft traffic add incast to=host1 from=host0 depth=1024 bytes=2MB > /dev/null
	expect "stamps of 100 datagrams" "100 1" \
		"$(sender stamps 10.0.0.2 100 | sort | uniq -c | xargs)"
	expect "put off" true "$(on host0 tc -s -j qdisc show dev eth0 |
		jq '[.[].requeues] | add > 0')"
}

ktap_begin 2
t "pages of a zero-copy send" pages
t "stamps of datagrams that were put off" stamps
ktap_end
