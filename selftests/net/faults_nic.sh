#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Faults of ports and NICs, felt by ping, iperf3 and perftest: what was asked, no
# more, and nothing after it is over.
#
#	host0 -- leaf -- host1
# shellcheck disable=SC2016 # jq has variables of its own
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_faults.sh
. "$net_dir/lib_faults.sh"

readonly writes=2000	# 131 MB, 10.5 ms at 100 Gb/s

# lab PROFILE - of two hosts; both know each other's address of the link
lab() {
	trap 'weft down --all > /dev/null 2>&1' EXIT
	hosts "$1" 2
	on host0 ping -c 1 -W 1 host1 > /dev/null
	on host1 ping -c 1 -W 1 host0 > /dev/null
}

# received NODE - frames that its NIC gave to it
received() {
	on "$1" cat "/sys/class/net/$(device "$1")/statistics/rx_packets"
}

# waits PROFILE MORE ARGUMENT... - a ping sent within a fault of 50 ms is answered
# when that is over, 51 ms after it was asked for, and at most MORE us later
waits() {
	local before from to answer

	lab "$1"
	before=$(rtt)
	from=$(date +%s.%N)
	inject "${@:3}" start=+1ms duration=50ms
	to=$(date +%s.%N)
	sleep 0.011
	answer=$(on host0 ping -D -c 1 -W 1 host1 |
		sed -n 's/^\[\(.*\)\] .*icmp_seq.*/\1/p')
	expect_in "us after the end, at least" -1 1000000 "$(since "$from" "$answer")"
	expect_in "us after the end, at most" -1000000 "$2" "$(since "$to" "$answer")"
	sleep 0.001
	expect "state" '"over"' "$(did state)"
	expect "time" 50000000000 "$(did active_ps)"
	expect_in "ping after" $((before - 1)) $((before + 1)) "$(rtt)"
}

# since ASKED TIME - us from the end of a fault that was asked for then
since() {
	awk -v asked="$1" -v time="$2" \
		'BEGIN { printf "%.0f\n", (time - asked) * 1e6 - 51000 }'
}

# shares PROFILE LEAST MOST ARGUMENT... - a fault that comes and goes leaves that
# part of what RDMA writes without it, loses nothing, and leaves no trace
shares() {
	local a b

	lab "$1"
	a=$(write_gbps)
	inject "${@:4}"
	b=$(write_gbps)
	remove
	expect_in "share" "$2" "$3" "$(awk -v a="$a" -v b="$b" 'BEGIN { print b / a }')"
	expect "sent again" 0 "$(counted retransmitted)"
	as_before "$a" "$(write_gbps)"
}

# What a NIC that hangs has to send waits with it; one whose host takes nothing
# sends.
mute() {
	local before

	lab ethernet-100g
	inject hang host1
	before=$(received host0)
	refused on host1 ping -c 1 -W 0.05 host0 > /dev/null
	expect "hangs" "$before" "$(received host0)"
	remove
	sleep 0.001
	inject slow host1
	before=$(received host0)
	refused on host1 ping -c 1 -W 0.05 host0 > /dev/null
	expect "sends" $((before + 1)) "$(received host0)"
	expect "answers" 1 "$(did packets)"
}

# What a host takes at 5 Gb/s is sent at no more.
slow() {
	local a b

	lab ib-edr
	a=$(write_gbps)
	b=$(gbps)
	inject slow host1 rate=5Gbps
	expect_in "verbs" 4.8 5 "$(write_gbps)"
	expect_in "sockets" 4 5 "$(gbps)"
	remove
	as_before "$a" "$(write_gbps)"
	within 1 "$b" "$(gbps)"
}

# Pings are of priority 0: a storm in class 3 is not theirs.
other_class() {
	local before

	lab ethernet-100g
	before=$(rtt)
	inject pause-storm 'host1>leaf' class=3
	sleep 0.001
	expect_in "ping" $((before - 1)) $((before + 1)) "$(rtt)"
	# The first at once, the others every 32767.5 quanta of 5.12 ns.
	expect "pauses" true "$(did 'control == 1 + (.active_ps / 167769600 | floor)')"
	remove
}

# TCP's queues stand still as well while no credit comes.
credits_of_sockets() {
	local a b

	lab ib-edr
	a=$(gbps)
	inject credit-loss 'leaf>host0' probability=1 duration=200us period=600us
	b=$(gbps)
	echo "$a Gb/s without, $b with"
	expect "slower" 1 "$(awk -v a="$a" -v b="$b" 'BEGIN { print b < 0.9 * a }')"
	[ "$(did control)" -gt 10 ]
	remove
	within 1 "$a" "$(gbps)"
}

# ce NODE - packets that came marked
ce() {
	on "$1" awk '/^IpExt:/ { for (i = 2; i <= NF; i++) if (head[i] == "InCEPkts") print $i; else head[i] = $i }' \
		/proc/net/netstat
}

# Behind a narrow wire a queue stands at the leaf: all that find one are marked,
# and each mark that was made is seen by the receiver. With other thresholds none is.
ecn() {
	local before

	lab ethernet-100g
	on host0 sysctl -qw net.ipv4.tcp_ecn=1
	on host1 sysctl -qw net.ipv4.tcp_ecn=1
	weft fault add rate 'leaf>host1' rate=10Gbps > /dev/null
	before=$(ce host1)
	inject ecn 'leaf>host1' kmin=0 kmax=1
	gbps > /dev/null
	[ "$(did packets)" -gt 10 ]
	expect "marks" "$(did packets)" $(($(ce host1) - before))
	remove
	before=$(ce host1)
	inject ecn 'leaf>host1' kmax=0
	gbps > /dev/null
	expect "no marks" "$before" "$(ce host1)"
	remove
}

# An RDMA device counts the marks that it sees, and has the sender slow down; with
# other thresholds it sees none.
ecn_verbs() {
	lab ethernet-100g
	weft fault add rate 'leaf>host1' rate=40Gbps > /dev/null
	inject ecn 'leaf>host1' kmax=0
	write_gbps > /dev/null
	expect "no marks" 0 "$(counted ecn_marked)"
	remove
	inject ecn 'leaf>host1' kmin=0 kmax=1
	write_gbps > /dev/null
	[ "$(did packets)" -gt 10 ]
	expect "marks" "$(did packets)" "$(counted ecn_marked)"
	[ "$(counted cnp_handled)" -gt 0 ]
	weft fault del --all > /dev/null
}

told() {
	lab ethernet-100g
	weft fault add hang host1 > "$tmp/add"
	expect_match "NIC" '^fault 0: host1.eth0 > leaf:1: the sending NIC sends no packets and takes none; from .* until it is removed$' "$(cat "$tmp/add")"
	weft fault add ecn host0 kmax=4096 > "$tmp/add"
	expect_match "port" '^fault 1: leaf:0 > host0.eth0: the sending port marks from 4KiB queued on' "$(cat "$tmp/add")"
	expect "both" false "$(weft fault list --json | jq 'any(.[]; .both)')"
	expect "thresholds" '[4096,4096,1000000]' "$(weft fault list --json | jq -c '.[1] | [.kmin, .kmax, .pmax_ppm]')"
	expect_match "report" '^    0 hang +host1.eth0>leaf:1 +active ' "$(weft report)"
}

refusals() {
	lab ethernet-100g
	refuses 2 'links of discipline pfc have no credits' fault add credit-loss host0 probability=1
	refuses 2 'only lossless classes can be paused: mask 0x9' fault add pause-storm host0 class=1
	refuses 1 'expected classes of 0 to 15' fault add pause-storm host0 class=16
	refuses 2 'no NIC sends on this wire' fault add hang leaf:0
	refuses 2 'no NIC sends on this wire' fault add slow 'leaf>host0' rate=1Gbps
	refuses 2 'no switch sends on this wire' fault add ecn 'host0>leaf' kmax=1
	refuses 2 'kmin must be at most kmax' fault add ecn host0 kmax=1 kmin=2
	refuses 2 'port has 8 classes' fault add ecn host0 kmax=1 class=8
	refuses 2 'kind ecn needs kmax' fault add ecn host0
	refuses 2 'not a parameter of kind hang' fault add hang host0 rate=1Gbps
	weft down > /dev/null
	lab ib-edr
	refuses 2 'links of discipline credit know no pauses' fault add pause-storm host0
	refuses 2 'kind credit-loss needs probability' fault add credit-loss host0
	expect "nothing came of it" '[]' "$(weft fault list --json)"
}

# A NIC that hangs, full of packets, goes with the lab, and so does a storm.
torn_down() {
	lab ethernet-100g
	inject hang host1
	on host0 ping -i 0.001 -c 20 -W 0.01 host1 > /dev/null || :
	inject pause-storm 'leaf>host0'
	sleep 0.001
	on host0 ping -i 0.001 -c 20 -W 0.01 host1 > /dev/null || :
	weft down
}

ktap_begin 17
t "ethernet-100g: a ping waits for a NIC that hangs" waits ethernet-100g 20 hang host1
t "ib-edr: a ping waits for a NIC that hangs" waits ib-edr 20 hang host1
t "a NIC that hangs is mute, a slow one is not" mute
# Half of the time, and what the buffer of 128 KiB takes in: 11 us of each 2 ms.
t "ib-edr: verbs wait for a NIC that hangs" shares ib-edr 0.44 0.56 hang host1 duration=1ms period=2ms
t "ethernet-100g: verbs wait for a NIC that hangs" shares ethernet-100g 0.1 0.75 hang host1 duration=1ms period=2ms
t "ethernet-100g: a ping waits for a stopped host" waits ethernet-100g 20 slow host1 rate=0bps
t "a slow host is felt" slow
# To the end of the last pause, of 65535 quanta of 5.12 ns.
t "a ping waits for the end of a storm" waits ethernet-100g 356 pause-storm 'host1>leaf' class=0
t "a storm of another class" other_class
# 1 ms and up to 336 us of each 3 ms; less where marks of the queue slow it down.
t "verbs wait for the end of a storm" shares ethernet-100g 0.1 0.7 pause-storm 'host1>leaf' duration=1ms period=3ms
# 1 ms less 11 us of credits, and up to 262 us until the next update, of each 2 ms.
t "verbs wait for credits" shares ib-edr 0.33 0.56 credit-loss 'leaf>host0' probability=1 duration=1ms period=2ms
t "sockets wait for credits" credits_of_sockets
t "thresholds of marks, seen by a socket" ecn
t "thresholds of marks, felt by verbs" ecn_verbs
t "what is told" told
t "refusals" refusals
t "with the lab" torn_down
ktap_end
