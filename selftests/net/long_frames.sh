#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Frames for which a virtual lane has no room: an MTU that a link of the NIC cannot
# carry is refused, and what meets a shorter lane on its way is dropped there, counted
# as too_long, and stops nobody.
#
#	host0 -- wide -- narrow -- host1
#
# Ports of wide have lanes of 128 KiB, those of narrow of 64 blocks of 64 bytes. A
# frame takes 24 bytes more than its length, the header of 14 bytes included:
# narrow takes frames of an MTU of up to 4096 - 24 - 14 = 4058.
# shellcheck disable=SC2016 # programs of jq
. "$(dirname "$0")/lib.sh"
need jq ping

lab() {
	trap 'down > /dev/null' EXIT
	up > /dev/null <<- END
	name: test
	profile: ib-qdr
	nodes: [{name: "host[0-1]"}]
	switches:
	  - {name: wide}
	  - {name: narrow, port: {credit-buffer: [4KiB]}}
	links:
	  - {ends: [host0, wide]}
	  - {ends: [host1, narrow]}
	  - {ends: [wide, narrow]}
	END
}

# dropped - frames dropped for their length, by the port from which they did not go
dropped() {
	weft show ports --json | jq -c '[.. | objects | select(.drops?) |
		{(.port): .drops.too_long} | select(.[] > 0)]'
}

refused_mtu() {
	lab
	on host1 ip link set eth0 mtu 4058
	refused on host1 ip link set eth0 mtu 4059
	expect "MTU" 4058 "$(on host1 cat /sys/class/net/eth0/mtu)"
	on host0 ip link set eth0 mtu 9000
}

between_switches() {
	lab
	on host0 ip link set eth0 mtu 9000
	on host1 ip link set eth0 mtu 4058
	# 20 bytes of IPv4, 8 of ICMP
	refused on host0 ping -q -M "do" -c 3 -i 0.01 -W 0.1 -s $((4059 - 28)) host1
	expect "dropped" "[{\"wide:1\":3}]" "$(dropped)"
	on host0 ping -q -M "do" -c 3 -i 0.01 -W 0.1 -s $((4058 - 28)) host1
	expect "dropped" "[{\"wide:1\":3}]" "$(dropped)"
}

ktap_begin 2
t "an MTU that a lane has no room for is refused" refused_mtu
t "a shorter lane between switches" between_switches
ktap_end
