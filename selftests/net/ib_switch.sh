#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Switches of InfiniBand answer management, without a subnet manager: programs as
# Debian ships them, the time of a directed route, datagrams that are refused.
#
#	host0 -- s0 -- s1 -- s2 -- host1
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need ibnetdiscover iblinkinfo ibtracert ibroute smpquery perfquery

readonly S0=1025 S1=1026 S2=1027	# LIDs: behind those of the 1024 NICs

mads() {
	on host0 python3 "$net_dir/mads.py" "$@"
}

# field KEY - of what a program prints as KEY:....VALUE
field() {
	sed -nE "s/^$1:\.*//p"
}

discovered() {
	on host0 ibnetdiscover > "$tmp/net"
	expect "switches" 's0 s1 s2' "$(sed -nE 's/^Switch.*# "(\w+)".*/\1/p' "$tmp/net" |
		sort | paste -sd ' ')"
	weft topology --import "$tmp/net" > "$tmp/imported"
	expect "links" "s0 s1,s1 s2" "$(sed -nE 's/.*\{ends: \[(s.), (s.)\]\}/\1 \2/p' \
		"$tmp/imported" | paste -sd ,)"
	expect "links to NICs" 2 "$(grep -cE 'ends: \[host[01], s[02]\]' "$tmp/imported")"
	expect "links that are active" 8 "$(on host0 iblinkinfo | grep -c 'Active/  LinkUp')"
	expect "links in ibtracert" "$S0 $S1 $S2 2" "$(on host0 ibtracert 1 2 |
		sed -nE 's/^\[.*lid ([0-9]+)-.*/\1/p' | paste -sd ' ')"
}

attributes() {
	expect "ports" 2 "$(on host0 smpquery -D nodeinfo 0,1 | field NumPorts)"
	expect "ingress port" 1 "$(on host0 smpquery -D nodeinfo 0,1,2 | field LocalPort)"
	expect "name" s1 "$(on host0 smpquery nodedesc $S1 | field 'Node Description')"
	expect "table" 49152 "$(on host0 smpquery switchinfo $S1 | field LinearFdbCap)"
	expect "state" Active "$(on host0 smpquery portinfo $S1 2 | field LinkState)"
	expect "LID" $S1 "$(on host0 smpquery portinfo $S1 0 | field Lid)"
	expect "P_Key" 0xffff "$(on host0 smpquery pkeys $S1 0 | awk 'NR == 1 { print $2 }')"
	expect "VL of SL 3" 3 "$(on host0 smpquery sl2vl $S1 2 |
		awk -F'|' '/in  1/ { print $5 + 0 }')"
	expect "entry of a table" "0002 002" "$(on host0 ibroute $S0 |
		awk '/^0x0002/ { print substr($1, 3), $2 }')"
	expect "the switch itself" 000 "$(on host0 ibroute $S0 | awk '/^0x0401/ { print $2 }')"
}

# The next device answers later than the one before by the way there and back: wire
# time of 290 bytes at 100 Gb/s, propagation, the pipeline to the agent, its 10 us,
# and the pipeline from it.
trips() {
	local hop t

	hop=$(awk 'BEGIN { print 2 * (290 * 8 / 100 + 25.25 + 2 * 90 + 10000) }')
	mapfile -t t < <(mads trip 0,1 0,1,2 0,1,2,2 0,1)
	expect_in "second switch" "$(awk "BEGIN { print $hop - 1 }")" \
		"$(awk "BEGIN { print $hop + 1 }")" $((t[1] - t[0]))
	expect_in "third switch" "$(awk "BEGIN { print $hop - 1 }")" \
		"$(awk "BEGIN { print $hop + 1 }")" $((t[2] - t[1]))
	expect "once more" "${t[0]}" "${t[3]}"
}

# name ROUTE LID - of the switch with that LID, to which the last one of the route passes on
name() {
	mads raw "$1" 0x81 1 0x10 0 0 "$2" | python3 -c 'import sys
print(bytes.fromhex(sys.stdin.read().split()[1]).rstrip(b"\0").decode())'
}

# A directed route may end at a switch that passes the datagram on to a LID. It has 63
# hops at most: to s0, and 31 times to s1 and back.
beyond() {
	local far

	expect "from the first switch" s2 "$(name 0,1 $S2)"
	expect "over one switch" s0 "$(name 0,1,2 $S0)"
	far=0,1$(printf ',2,1%.0s' {1..31})
	expect "63 hops" 0x0000 "$(mads raw "$far" 0x81 1 0x11 | cut -d ' ' -f 1)"
	expect "from there on" s2 "$(name "$far" $S2)"
}

# counter LID PORT KEY
counter() {
	on host0 perfquery -x "$1" "$2" | field "$3"
}

# 100 messages of one packet each, and as many acknowledgements of those of host1. The
# rest is the connection of the program, by TCP.
counted() {
	local before after

	before=$(counter $S2 1 PortXmitPkts)
	pair 18515 ibv_rc_pingpong -i 1 -n 100 -s 4096 -m 4096 > "$tmp/out"
	after=$(counter $S2 1 PortXmitPkts)
	expect_in "packets to host1" 200 215 $((after - before))
	on host0 perfquery -x -R -a $S2 > "$tmp/out"
	expect_in "after a reset" 0 3 "$(counter $S2 1 PortXmitPkts)"
	refused on host0 perfquery $S2 3 > "$tmp/out" 2>&1
}

# changes, which only a subnet manager may make
unchanged() {
	local before

	before=$(on host0 smpquery portinfo $S1 0)
	expect "status" 0x0000 "$(mads raw 0,1,2 0x81 2 0x15 0 | cut -d ' ' -f 1)"
	expect "port 0" "$before" "$(on host0 smpquery portinfo $S1 0)"
}

# refuses ROUTE... STATUS - datagrams that get no answer, or such a status
bad() {
	expect "no such port" none "$(mads raw 0,1,3 0x81 1 0x11)"
	expect "port 0" none "$(mads raw 0,1,0 0x81 1 0x11)"
	expect "through a NIC" none "$(mads raw 0,1,1,1 0x81 1 0x11)"
	expect "SMInfo" 0x000c "$(mads raw 0,1 0x81 1 0x20 | cut -d ' ' -f 1)"
	expect "no such attribute" 0x000c "$(mads raw 0,1 0x81 1 0x7777 | cut -d ' ' -f 1)"
	expect "PortInfo of port 3" 0x001c "$(mads raw 0,1 0x81 1 0x15 3 | cut -d ' ' -f 1)"
	expect "block of a table" 0x001c "$(mads raw 0,1 0x81 1 0x19 768 | cut -d ' ' -f 1)"
	expect "Set of NodeInfo" 0x000c "$(mads raw 0,1 0x81 2 0x11 | cut -d ' ' -f 1)"
}

random() {
	expect_match "random datagrams" "then alive" \
		"$(mads random "${WEFT_TEST_SEED:-1}" 5000 1 2 $S0 $S1 $S2 4000)"
}

chain ib-edr 3
ktap_begin 8
t "programs see the fabric" discovered
t "attributes of a switch" attributes
t "a directed route takes its time" trips
t "a route of 63 hops, and on to a LID" beyond
t "counters of a switch" counted
t "a Set changes nothing" unchanged
t "datagrams that are refused" bad
t "random datagrams" random
ktap_end
