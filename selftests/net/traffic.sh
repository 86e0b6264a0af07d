#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Background traffic: what it takes of wires and buffers is what the law says, felt
# by ping, iperf3 and perftest, counted to the packet, and the same each time.
#
#	host0, host1, host2, host3 -- leaf
# shellcheck disable=SC2016 # jq has variables of its own
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_faults.sh
. "$net_dir/lib_faults.sh"

readonly writes=200
# While ib_write_bw sends: 1 s after its start, as it measures its clock before and after.
# Where it does not send then, figures are those of an empty network, and tests fail.
readonly meanwhile="start=+950ms duration=100ms"

# lab PROFILE - of four hosts
lab() {
	star "$1" 4
	on host0 ping -c 1 -W 1 host1 > /dev/null || true
}

# add ARGUMENT... - traffic, whose number is in $traffic
add() {
	traffic=$(weft traffic add "$@" --json | jq '.[0].group')
	[ -n "$traffic" ]
}

# did FILTER - of the traffic in $traffic
did() {
	weft traffic list --json | jq -c "map(select(.group == $traffic))[0] | $1"
}

# 100 frames of 1500 bytes: 350 ns in the NIC, 425 in the switch and 300 in the other
# NIC, two cables of 25.25, and 121.92 for 1524 bytes at 100 Gb/s
counts() {
	lab ethernet-100g
	add incast from=host0 to=host1 size=1500 rate=10Gbps bytes=150000
	sleep 0.01
	expect "state" '"over"' "$(did .state)"
	expect "packets" '[100,100,100,0,0]' \
		"$(did '[.offered_packets,.sent_packets,.delivered_packets,.lost_packets,.inside]')"
	expect "bytes" '[150000,150000]' "$(did '[.offered_bytes,.delivered_bytes]')"
	expect "latency" '[1247420,1247420,1247420]' \
		"$(did '[.latency_min_ps,.latency_mean_ps,.latency_max_ps]')"
	expect "none for the host" 0 "$(on host1 cat "/sys/class/net/$(device host1)/statistics/rx_bytes" |
		awk '{ print ($1 > 10000) }')"
}

# What a switch sends to the wrong NIC did not come to the right one.
astray() {
	lab ethernet-100g
	weft fault add misroute leaf dst=host1 port=2 > /dev/null
	add incast from=host0 to=host1 size=1500 rate=10Gbps bytes=150000
	sleep 0.01
	weft fault del --all > /dev/null
	expect "packets" '[100,100,0,100,0]' \
		"$(did '[.offered_packets,.sent_packets,.delivered_packets,.lost_packets,.inside]')"
}

# In 10 ms at 10 Gb/s 8203 frames of 1524 bytes are due: one each 1219.2 ns, the first
# at once. Of three senders as many each.
rate() {
	lab ethernet-100g
	add incast to=host1 size=1500 rate=10Gbps duration=10ms
	sleep 0.02
	expect "due" '[8203,8203,8203]' "$(did '[.generators[].offered_packets]')"
	expect "delivered" 24609 "$(did .delivered_packets)"
	add incast to=host1 size=1500 rate=10Gbps on=1ms off=1ms duration=10ms
	sleep 0.02
	# 1 ms has 821 of them, and there are five
	expect "on and off" '[4105,4105,4105]' "$(did '[.generators[].offered_packets]')"
}

# An open loop of half the link leaves the other half to what shares its NIC.
share() {
	local a b

	lab ethernet-100g
	a=$(write_gbps)
	# shellcheck disable=SC2086 # two words
	add incast from=host0 to=host1 size=4096 rate=50Gbps $meanwhile
	b=$(write_gbps)
	within 2 "$(awk -v a="$a" 'BEGIN { print a - 50 * a / 100 }')" "$b"
	add incast from=host0 to=host1 size=4096 rate=50Gbps duration=50ms
	within 4 50 "$(gbps)"
	weft traffic del --all > /dev/null
	as_before "$a" "$(write_gbps)"
}

# Where two ports of a switch want the same one in turn, each gets half: 4096 bytes
# of payload and as many of traffic are 4122 on the wire.
cross() {
	local a

	lab ib-edr
	a=$(write_gbps)
	# shellcheck disable=SC2086 # two words
	add incast from=host2 to=host1 size=4098 $meanwhile
	within 2 "$(awk -v a="$a" 'BEGIN { print a / 2 }')" "$(write_gbps)"
	expect "lossless" 0 "$(did .lost_packets)"
	weft traffic del "$traffic" > /dev/null
	sleep 0.001
	as_before "$a" "$(write_gbps)"
}

# pauses NIC - that the port of the switch sent to it
pauses() {
	weft report --json | jq "[.links[] | select(.to == \"$1.eth0\") | .tx_pause] | add"
}

# Three into one, each as fast as it can: priorities with PFC pause each sender, but
# not the one that receives, and lose nothing; the others lose what is too much.
incast() {
	local host

	lab ethernet-100g
	add incast to=host1 sl=3 size=4096 duration=20ms window=20000
	sleep 0.1
	expect "lossless" 0 "$(did .lost_packets)"
	expect "all arrive" true "$(did '.sent_packets == .delivered_packets')"
	for host in host0 host2 host3; do
		[ "$(pauses $host)" -gt 0 ]
	done
	expect "no pause" 0 "$(pauses host1)"
	# 20 ms and what is queued then, at 329.6 ns for 4120 bytes
	expect_in "as fast as one wire" 60679 90000 "$(did .delivered_packets)"
	[ "$(did .marked_packets)" -gt 0 ]
	add incast to=host1 sl=1 size=4096 duration=20ms window=20000
	sleep 0.1
	[ "$(did .lost_packets)" -gt 10000 ]
	expect "all counted" true "$(did '.sent_packets == .delivered_packets + .lost_packets')"
}

# Classes share by weight: the ping of one hardly feels the flood of another. What ping
# shows is rounded to 1 us.
classes() {
	local before

	lab ethernet-100g
	rtt > /dev/null
	before=$(rtt)
	add incast from=host0,host2 to=host1 sl=1 size=9014
	sleep 0.01
	expect_in "other class" $((before - 1)) $((before + 3)) "$(rtt)"
	weft traffic del "$traffic" > /dev/null
}

# The same seed makes the same numbers, another one others.
repeats() {
	local first words=(all-to-all rate=5Gbps size=2000 on=20us off=30us
		times=exponential order=random duration=5ms)

	lab ethernet-100g
	add "${words[@]}" seed=7
	sleep 0.01
	first=$(did '[.generators[] | [.offered_packets, .delivered_packets]]')
	add "${words[@]}" seed=7
	sleep 0.01
	expect "again" "$first" "$(did '[.generators[] | [.offered_packets, .delivered_packets]]')"
	add "${words[@]}" seed=8
	sleep 0.01
	[ "$first" != "$(did '[.generators[] | [.offered_packets, .delivered_packets]]')" ]
}

# Each host sends to another one, and each receives from another one.
permutation() {
	local seed

	lab ethernet-100g
	for seed in 1 2 3 4 5; do
		add permutation seed=$seed bytes=9014
		did '[.generators[] | [.from, .to[0]]]' | jq -e '
			(map(.[0]) | sort) == (map(.[1]) | sort) and
			all(.[]; .[0] != .[1]) and length == 4' > /dev/null
	done
	sleep 0.01
	expect "all of it" '[4,4,4,4,4]' \
		"$(weft traffic list --json | jq -c 'map(.delivered_packets)')"
}

# 3000 bytes are two frames of 1500; the last one leaves 1 ms after the first.
trace() {
	lab ethernet-100g
	cat > "$tmp/trace.csv" <<- END
		time_us,src,dst,bytes
		# a comment
		0,host0,host1,3000
		0.5, host2.eth0, host1, 100
		1000,host0,host3,1501
	END
	add trace "file=$tmp/trace.csv" size=1500 start=+1ms
	sleep 0.0015
	expect "first" '[2,1]' "$(did '[.generators[].delivered_packets]')"
	sleep 0.01
	expect "packets" '[4,1]' "$(did '[.generators[].delivered_packets]')"
	expect "bytes" '[4501,100]' "$(did '[.generators[].delivered_bytes]')"
	echo "5,host0,host1" > "$tmp/trace.csv"
	refuses 1 "trace.csv:1:1: expected four fields" traffic add trace "file=$tmp/trace.csv"
	printf '1,host0,host1,5\n1,host0,nobody,5\n' > "$tmp/trace.csv"
	refuses 1 'trace.csv:2:9: no NIC is at "nobody"' traffic add trace "file=$tmp/trace.csv"
}

# What is under way when its generator, its NIC, or all of it goes.
torn_down() {
	lab "$1"
	add all-to-all size=1000
	sleep 0.0002
	expect_match "removed" "^traffic $traffic: removed; .* [1-9][0-9]* under way$" \
		"$(weft traffic del "$traffic")"
	add incast to=host1
	sleep 0.0002
	weft fault add flap host1 duration=50us period=100us > /dev/null
	sleep 0.0002
	on host0 ip link del "$(device host0)"
	sleep 0.0002
	expect "those left" '["host2.eth0","host3.eth0"]' "$(did '[.generators[].from]')"
	on host1 ip link del "$(device host1)"
	sleep 0.0002
	[ "$(did .lost_packets)" -gt 0 ]
	add permutation from=host2,host3
	sleep 0.0002
	weft down
}

# What reports and lists say of it, with keys that stay.
told() {
	local keys='["delivered_bytes","delivered_packets","effect","generators","group","inside","late_ps","latency_max_ps","latency_mean_ps","latency_min_ps","lost_packets","marked_packets","offered_bytes","offered_packets","pattern","sent_bytes","sent_packets","state","when"]'

	lab ethernet-100g
	weft traffic add incast to=host1 rate=1Gbps > "$tmp/add"
	expect_match "plan" '^traffic 0: incast from 3 NICs: frames of 9014 bytes, 1Gbps on the wire, each; from .* until it is removed$' "$(cat "$tmp/add")"
	expect "keys" "$keys" "$(weft traffic list --json | jq -c '.[0] | keys')"
	expect "report" "$keys" "$(weft report --json | jq -c '.traffic[0] | keys')"
	expect_match "text" '^      0 incast +3 active ' "$(weft report)"
	expect_match "all" '^traffic 0: removed; ' "$(weft traffic del --all)"
	expect "none" '[]' "$(weft traffic list --json)"
}

refusals() {
	lab ib-edr
	refuses 1 'expected add, del or list' traffic
	refuses 1 'expected add PATTERN' traffic add
	refuses 1 'expected incast, permutation' traffic add flood
	refuses 1 'incast: expected to=' traffic add incast
	refuses 1 'to: no NIC is at "nowhere"' traffic add incast to=nowhere
	refuses 1 'to: expected one NIC, found 2' traffic add incast 'to=host[0-1]'
	refuses 1 'from: "host0" is named twice' traffic add permutation from=host0,host0
	refuses 1 'from: expected 2 to 1024 NICs, found 1' traffic add permutation from=host0
	refuses 1 'from: no NIC is left to send' traffic add incast from=host0 to=host0
	refuses 1 'from= has 2 NICs, to= has 1' traffic add on-off from=host0,host2 to=host1 on=1us off=1us
	refuses 2 'a NIC sends nothing to itself' traffic add on-off from=host0 to=host0 on=1us off=1us
	refuses 2 'on and off need one another' traffic add incast to=host0 on=1us
	refuses 2 'size must be at most' traffic add incast to=host0 size=10000
	refuses 2 'integer out of range \(attribute rate\)' traffic add incast to=host0 rate=1bps
	refuses 2 'start is over' traffic add incast to=host0 start=1ps
	refuses 1 'no traffic 7' traffic del 7
	refuses 1 'expected the number of traffic' traffic del x
	expect "nothing came of it" '[]' "$(weft traffic list --json)"
}

ktap_begin 15
t "counted to the packet, latency to the picosecond" counts
t "what goes astray is lost" astray
t "a rate, and windows" rate
t "half of a NIC is left to its host" share
t "half of a port is left to the others" cross
t "an incast pauses, or loses" incast
t "other classes do not feel it" classes
t "the same with the same seed" repeats
t "permutations" permutation
t "a trace" trace
t "ethernet-100g: torn down under way" torn_down ethernet-100g
t "ib-edr: torn down under way" torn_down ib-edr
t "nvlink5: torn down under way" torn_down nvlink5
t "what is told" told
t "refusals" refusals
ktap_end
