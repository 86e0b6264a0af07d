#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Faults of links, felt by ping, iperf3 and perftest: what was asked, no more, and
# nothing after it is taken back.
#
#	host0 -- leaf -- host1
# shellcheck disable=SC2016 # jq has variables of its own
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_faults.sh
. "$net_dir/lib_faults.sh"
need ib_write_lat ibv_rc_pingpong

readonly writes=100

# lab PROFILE - of two hosts; both know each other's address of the link
lab() {
	trap 'weft down --all > /dev/null 2>&1' EXIT
	hosts "$1" 2
	[ "$1" = nvlink5 ] || rtt > /dev/null
	on host0 ping -c 1 -W 1 host1 > /dev/null
	on host1 ping -c 1 -W 1 host0 > /dev/null
}

# lat - us, one way, of ib_write_lat
lat() {
	perftest ib_write_lat -s 64 -n 100 | awk '{ print $6 }'
}

# A request and its answer pass the wire to host1 and the one back: a delay of one
# way is felt once by ping, one of both twice; half of that by a one-way latency.
delay() {
	local a b before

	lab ethernet-100g
	before=$(rtt)
	a=$(lat)
	inject delay 'host0>leaf' delay=400us
	expect_in "ping" $((before + 399)) $((before + 401)) "$(rtt)"
	inject delay host1 delay=200us
	expect_in "both" $((before + 799)) $((before + 801)) "$(rtt)"
	b=$(lat)
	within 0.01 "$(awk -v a="$a" 'BEGIN { print a + 400 }')" "$b" 0.01
	weft fault del --all > /dev/null
	expect_in "ping after" $((before - 1)) $((before + 1)) "$(rtt)"
	as_before "$a" "$(lat)"
}

# The rate is felt by all, as far as headers leave it: 1500 of 1538 bytes on the
# wire are IP's. Credits and replays carry on at the lesser rate.
rate() {
	local a

	lab "$1"
	a=$(write_gbps)
	inject rate host1 rate=10Gbps
	between 8.5 "$(write_gbps)" 10
	[ "$1" = ib-edr ] || between 8 "$(gbps)" 10
	remove
	as_before "$a" "$(write_gbps)"
}

# Down from 105 ms on for 50 ms: no ping is answered in between, of those every 10
# to 20 ms, and all others are. An answer takes 3 us.
down_window() {
	local zero

	lab ethernet-100g
	inject down host1 start=+105ms duration=50ms
	zero=$(date +%s.%N)
	on host0 ping -D -i 0.01 -c 30 -W 1 host1 > "$tmp/ping"
	tr -d '[]' < "$tmp/ping" | awk -v zero="$zero" '/icmp_seq/ {
		t = ($1 - zero) * 1000
		if (t < 105.003) before++
		else if (t > 155) { if (!after++ && t > 180) exit 1 }
		else { print t " ms: answered"; exit 1 }
	} END { exit !(before >= 4 && after >= 5 && before + after < 30) }'
	expect "state" '"over"' "$(did state)"
	expect "time" 50000000000 "$(did active_ps)"
}

# carrier STATE - of host1's NIC
carrier() {
	[ "$(on host1 cat "/sys/class/net/$(device host1)/carrier")" = "$1" ]
}

# Three times 20 ms, every 50 ms; the NIC sees its carrier go and come.
flap() {
	lab ethernet-100g
	inject flap host1 duration=20ms period=50ms count=3 start=+10ms
	carrier 1
	for _ in 1 2 3; do
		sleep 0.02
		carrier 0
		sleep 0.02
		carrier 1
		sleep 0.01
	done
	sleep 0.02
	carrier 1
	expect "times" 3 "$(did windows)"
	expect "time" 60000000000 "$(did active_ps)"
}

# While the link is down the retries of a queue pair run out; afterwards all works.
down_verbs() {
	lab ib-edr
	inject down host1
	refused pingpong
	remove
	sleep 0.1
	pingpong
}

# 1000 pings, each lost with 0.1. The same seed loses the same ones.
loss() {
	local first

	lab ethernet-100g
	inject loss 'host0>leaf' probability=0.1 seed=7
	first=$(lost)
	drawn "lost" 100 "$first"
	expect "counted" "$first" "$(did packets)"
	remove
	expect "after" 0 "$(lost)"
	inject loss 'host0>leaf' probability=0.1 seed=7
	expect "again" "$first" "$(lost)"
}

lost() {
	on host0 ping -i 0.001 -c 1000 -W 1 host1 |
		sed -n 's/^\([0-9]*\) packets transmitted, \([0-9]*\) received.*/\1 \2/p' |
		awk '{ print $1 - $2 }'
}

# Bursts of 5 frames on average: as many are lost as are counted. One begins behind a
# frame that is not lost with 0.1 / 0.9 / 5 = 0.022: of 1000 frames none is lost with
# 0.978^1000 = 2e-10. More than 400 are with less than exp(20 (E - 1)) / z^400 for any
# z, where E = 0.2 z / (1 - 0.8 z) is of the length of one of the 20 bursts: with
# z = 1.11 that is 3e-10.
burst() {
	lab ethernet-100g
	inject loss 'host0>leaf' probability=0.1 burst=5 seed=7
	expect "counted" "$(lost)" "$(did packets)"
	between 1 "$(did packets)" 400
}

# A reliable connection sends again what is lost, or hit, and carries on without. Of
# the 1600 packets and more 32 are lost, or 52 hit, on average: none with exp(-32).
loss_verbs() {
	local a again

	lab "$1"
	a=$(write_gbps)
	again=$(counter retransmitted)
	inject "${@:2}"
	write_gbps > /dev/null
	between 1 "$(did packets)" 100000
	[ "$(counter retransmitted)" -gt "$again" ]
	remove
	as_before "$a" "$(write_gbps)"
}

# An Ethernet header, IP's, ICMP's and 56 bytes are 98, with 24 more on the wire 122
# bytes: an error every 9760 bits hits 1 - exp(-0.1) = 0.095 of them, one way.
corrupt() {
	lab ethernet-100g
	inject corrupt 'host0>leaf' ber=1.02459e-4 seed=7
	expect "counted" "$(lost)" "$(did packets)"
	drawn "hit" 95.2 "$(did packets)"
	remove
	expect "after" 0 "$(lost)"
}

# ping says how many answers came twice.
duplicate() {
	lab ethernet-100g
	inject duplicate 'leaf>host0' probability=1
	on host0 ping -i 0.001 -c 100 -W 1 host1 > "$tmp/ping"
	grep -q '+100 duplicates\|+99 duplicates' "$tmp/ping"
	perftest ib_write_bw -s 4096 -n 200 > /dev/null
	remove
	! on host0 ping -i 0.001 -c 100 -W 1 host1 | grep -q duplicates
}

# Each is held back 900 us, so that pings come late, and whole. Of the 4800 packets and
# more of perftest 48 are held back on average: none with exp(-48).
reorder() {
	local before

	lab ethernet-100g
	before=$(rtt)
	inject reorder 'host0>leaf' probability=1 delay=900us
	expect_in "late" $((before + 899)) $((before + 901)) "$(rtt)"
	remove
	inject reorder 'host0>leaf' probability=0.01 delay=20us
	between 1 "$(gbps)" 100
	perftest ib_write_bw -s 65536 -n 300 > /dev/null
	between 1 "$(did packets)" 1000000
	remove
	expect_in "after" $((before - 1)) $((before + 1)) "$(rtt)"
}

# What reports and lists say of a fault, with keys that stay.
told() {
	local keys='["active_ps","both","control","delay_ps","duration_ps","effect","from","id","kind","late_ps","link","packets","seed","start_ps","state","to","when","windows"]'

	lab ethernet-100g
	weft fault add delay 'leaf>host1' delay=1us > "$tmp/add"
	expect_match "plan" '^fault 0: leaf:1 > host1.eth0: each packet arrives 1us later; from .* until it is removed$' "$(cat "$tmp/add")"
	expect "keys" "$keys" "$(weft fault list --json | jq -c '.[0] | keys')"
	expect "report" "$keys" "$(weft report --json | jq -c '.faults[0] | keys')"
	expect_match "text" '^    0 delay +leaf:1>host1.eth0 +active ' "$(weft report)"
	expect "events" true "$(weft show links --json | jq 'all(.[]; .up // true)')"
	expect_match "removed" '^fault 0: removed; acted ' "$(weft fault del 0)"
	expect "none" '[]' "$(weft fault list --json)"
}

# completed WORD... - what can be typed as the last of them
completed() {
	weft complete "$@" | sort | xargs
}

# What completion knows of a lab is what is there.
completion() {
	lab ethernet-100g
	inject loss host0 probability=0.5
	weft traffic add incast from=host0 to=host1 > /dev/null
	expect "faults" "0" "$(completed fault del "")"
	expect "traffic" "$(weft traffic list --json | jq '.[0].group')" "$(completed traffic del "")"
	expect "nodes" "host0 host1" "$(completed exec "")"
	expect "links and ports" \
		"$(weft show links --json | jq -r '.[] | .link, .port' | sort -u | xargs)" \
		"$(completed set link "")"
	expect "places" "$({ weft show links --json | jq -r '.[] | .link, .port'; echo leaf; } |
		sort -u | xargs)" "$(completed fault add down "")"
}

# All of 64 bits: a seed is a string of digits, also where it is small.
seeds() {
	local big=18446744073709551615

	trap 'weft down --all > /dev/null 2>&1' EXIT
	topology 100Gbps 2 | up --seed $big > /dev/null
	inject loss host0 probability=0.5 seed=$big
	weft traffic add incast from=host0 to=host1 seed=$big > /dev/null
	expect "fabric" "\"$big\"" "$(weft report --json | jq .seed)"
	expect "fault" "\"$big\"" "$(did seed)"
	expect "traffic" "\"$big\"" "$(weft traffic list --json | jq '.[0].generators[0].seed')"
	expect_match "text" "^weft report: lab test, clock virtual, seed $big, " "$(weft report)"
	weft down > /dev/null
	topology 100Gbps 2 | up --seed 5 > /dev/null
	inject loss host0 probability=0.5 seed=6
	expect "small" '"5" "6"' "$(weft report --json | jq .seed) $(did seed)"
}

refusals() {
	lab ib-edr
	refuses 1 'expected add, del or list' fault
	refuses 1 'expected add KIND WHERE' fault add down
	refuses 1 'expected down, flap' fault add magic host0
	refuses 1 'no link is at "nowhere"' fault add down nowhere
	refuses 1 '"leaf" is 2 links' fault add down leaf
	refuses 1 'expected KEY=VALUE' fault add down host0 soon
	refuses 1 'expected KEY=VALUE' fault add down host0 color=red
	refuses 1 'flap: expected duration= ' fault add flap host0
	refuses 2 'kind rate needs rate or lanes' fault add rate host0
	refuses 2 'not a parameter of kind down' fault add down host0 delay=1ms
	refuses 1 'expected a probability' fault add loss host0 probability=2
	refuses 1 'expected a bit error rate above 0' fault add corrupt host0 ber=0
	refuses 2 'carry each packet once and in order' fault add duplicate host0 probability=1
	refuses 2 'carry each packet once and in order' fault add reorder host0 probability=1 delay=1us
	refuses 2 'at most 1, the lanes of the link' fault add rate host0 lanes=2
	refuses 2 'start is over' fault add down host0 start=1ps
	refuses 2 'period needs a duration below it' fault add down host0 period=1ms
	refuses 2 'count needs a period' fault add down host0 count=3
	refuses 2 'at most 500000000 with burst' fault add loss host0 probability=0.6 burst=3
	refuses 1 'expected the number of a fault' fault del x
	refuses 2 'no fault of this id' fault del 7
	expect "nothing came of it" '[]' "$(weft fault list --json)"
}

# Links that have faults, and whose timers run, go with the lab.
torn_down() {
	lab ethernet-100g
	inject flap host0 duration=1ms period=2ms
	inject loss host1 probability=0.5
	weft down
}

ktap_begin 19
t "a delay is felt to the microsecond" delay
t "ethernet-100g: a rate is felt" rate ethernet-100g
t "ib-edr: a rate is felt" rate ib-edr
t "a window of 50 ms costs the packets in it" down_window
t "a flap takes the carrier along" flap
t "ib-edr: retries run out, and work again" down_verbs
t "loss within the binomial interval, repeatable" loss
t "loss in bursts" burst
t "ethernet-100g: verbs send again what is lost" loss_verbs ethernet-100g loss 'host0>leaf' probability=0.02
t "ib-edr: verbs send again what is lost" loss_verbs ib-edr loss 'host0>leaf' probability=0.02
t "ib-edr: verbs send again what is corrupt" loss_verbs ib-edr corrupt 'host0>leaf' ber=1e-6
t "bit errors" corrupt
t "duplicates" duplicate
t "reordering" reorder
t "what is told" told
t "what completion knows" completion
t "seeds" seeds
t "refusals" refusals
t "with the lab" torn_down
ktap_end
