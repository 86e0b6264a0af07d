#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Recordings: when samples are taken, that they sum up to the report, that faults
# and wires that go down are in them, and that they end with the lab.
#
#	host0 -- leaf -- host1
# shellcheck disable=SC2016 # jq has variables of its own
. "$(dirname "$0")/lib.sh"
need jq ping

[ "$clock" = virtual ] || skip_all "only the virtual clock is exact"

# lab - of two hosts that know each other's address
lab() {
	trap 'weft down --all > /dev/null 2>&1' EXIT
	topology 100Gbps 2 | up > /dev/null
	on host0 ping -q -c 1 -W 1 host1 > /dev/null
}

# pings N MS - so many pings with so much between them
pings() {
	on host0 ping -q -c "$1" -i "0.00$2" host1 > /dev/null
}

# sums FILE - whether each list sums up to what the report in the file says
sums() {
	jq -e '. as $run | all(range(.wires | length) as $i |
		["tx_packets", "tx_bytes", "tx_wire_bytes", "tx_busy_ps", "tx_wait_ps",
		 "tx_replays", "wait_ps", "tx_pause", "rx_pause", "marked",
		 "trimmed", "dropped"][] as $key |
		{ got: ($run.wires[$i][$key] // [0] | add),
		  want: $run.report.links[$i][$key] }; .got == .want)' "$1" > /dev/null ||
		{ echo "$1: not the sums of the report"; return 1; }
}

# Samples are due at multiples of 1 ms since the lab is up. A sleeping process
# wakes when the timer slack is over, whose least value is 1 ns.
times() {
	local want

	lab
	pings 20 1 &
	weft record --lab test -o "$tmp/run.json" --interval 1ms --for 10ms
	wait
	want=$(jq -c '.since_ps as $s | (.time_ps[0] - $s) as $first |
		(($first / 1e9 | floor) + 1) as $k |
		[range(10) | $s + ($k + .) * 1000000000 + 1000]' "$tmp/run.json")
	expect "times" "$want" "$(jq -c '.time_ps[1:11]' "$tmp/run.json")"
	expect "the last" $((10 * 1000000000)) \
		"$(jq '.time_ps[-1] - .time_ps[0] - 1000' "$tmp/run.json")"
	expect "interval" 1000000000 "$(jq .interval_ps "$tmp/run.json")"
	sums "$tmp/run.json"
	# 98 bytes each; one ping in each of the ten intervals of 1 ms
	expect "bytes" 980 "$(jq '.wires[0].tx_bytes[1:] | add' "$tmp/run.json")"
	expect "ports" "host0.eth0 leaf:0" "$(jq -r '.wires[0] | "\(.from) \(.to)"' "$tmp/run.json")"
	expect "drawing" "host0 host1 leaf" \
		"$(jq -r '.drawing | [.nodes[].name, .switches[].name] | join(" ")' "$tmp/run.json")"
}

# A recording of 5000 intervals keeps at most 1001 samples: the interval doubles
# until they fit, and nothing that was counted is lost.
bounded() {
	lab
	pings 4 1 &
	weft record --lab test -o "$tmp/run.json" --interval 1us --for 5ms
	wait
	expect_in "samples" 501 1001 "$(jq '.time_ps | length' "$tmp/run.json")"
	expect "interval" 8000000 "$(jq .interval_ps "$tmp/run.json")"
	sums "$tmp/run.json"
}

# A fault from 3 ms on for 2 ms takes all packets; another is taken back by hand.
faults() {
	local fault start

	lab
	weft record --lab test -o "$tmp/run.json" --interval 1ms --for 12ms &
	sleep 0.0005
	weft fault add loss 'host0.eth0>leaf:0' probability=1 start=+3ms duration=2ms > /dev/null
	fault=$(weft fault add delay 'host1.eth0>leaf:1' delay=1us --json | jq .id)
	pings 8 1 &
	sleep 0.008
	weft fault del "$fault" > /dev/null
	wait
	sums "$tmp/run.json"
	expect "kinds" "loss delay" "$(jq -r '[.faults[].kind] | join(" ")' "$tmp/run.json")"
	start=$(jq '.faults[0].start_ps' "$tmp/run.json")
	# lost in the intervals that the fault covers, and in no other
	expect "lost" true "$(jq --argjson s "$start" '[.time_ps, .wires[0].dropped] | transpose |
		(map(select(.[1] > 0)) | length > 0 and
			all(.[0] > $s and .[0] - 1000000000 < $s + 2000000000 + 1000))' "$tmp/run.json")"
	expect "packets" "$(jq '.faults[0].packets' "$tmp/run.json")" \
		"$(jq '.wires[0].dropped | add' "$tmp/run.json")"
	expect "the first is still there" null "$(jq '.faults[0].removed_ps' "$tmp/run.json")"
	expect "removed at a sample" true \
		"$(jq '.faults[1].removed_ps as $t | .time_ps | index($t) != null' "$tmp/run.json")"
}

# A link that is down for 4 ms: its wires say so from the first sample on.
down_and_up() {
	lab
	weft record --lab test -o "$tmp/run.json" --interval 1ms --for 10ms &
	sleep 0.0025
	weft set link host0.eth0 down
	sleep 0.004
	weft set link host0.eth0 up
	wait
	expect "samples down" 4 "$(jq '.wires[0].down | add' "$tmp/run.json")"
	expect "the other link" null "$(jq '.wires[2].down' "$tmp/run.json")"
	expect "events" "down down up up" "$(jq -r '[.events[].kind] | join(" ")' "$tmp/run.json")"
	expect "4 ms apart" 4000000000 \
		"$(jq '.events[2].time_ps - .events[0].time_ps' "$tmp/run.json")"
}

# It ends with the lab, and what there was until then is in the file.
ends_with_lab() {
	lab
	weft record --lab test -o "$tmp/run.json" --interval 1ms &
	sleep 0.0052
	weft down > /dev/null
	wait $!
	expect "samples" 6 "$(jq '.time_ps | length' "$tmp/run.json")"
	expect "wires" 4 "$(jq '.wires | length' "$tmp/run.json")"
}

ends_with_signal() {
	local pid

	lab
	for signal in INT TERM; do
		weft record --lab test -o "$tmp/$signal.json" --interval 1ms &
		pid=$!
		sleep 0.003
		pings 1 1
		kill -$signal $pid
		wait $pid
		sums "$tmp/$signal.json"
	done
}

# The same run again gives the same file.
repeats() {
	local i

	for i in 1 2; do
		weft run "$tmp/topology.yaml" --clock virtual -q --record "$tmp/$i.json" -- \
			sh -c 'weft fault add loss host0.eth0 probability=0.5 duration=20ms > /dev/null
				ping -q -c 20 -i 0.001 host1 > /dev/null; true'
		jq 'del(.since_ps, .time_ps, .faults, .report, .events)' "$tmp/$i.json" > "$tmp/$i"
	done
	[ "$(jq '.wires[0].dropped | add' "$tmp/1.json")" -gt 0 ]
	cmp "$tmp/1" "$tmp/2"
	sums "$tmp/1.json"
}

# Nobody recorded: one interval, from the time when the lab was up.
page_of_lab() {
	lab
	pings 5 1
	weft report --html "$tmp/page.html" --lab test
	sed -n 's/^<script type="application\/json" id="run">\(.*\)<\/script>$/\1/p' \
		"$tmp/page.html" > "$tmp/run.json"
	expect "samples" 2 "$(jq '.time_ps | length' "$tmp/run.json")"
	expect "from the start" 0 "$(jq '.time_ps[0] - .since_ps' "$tmp/run.json")"
	sums "$tmp/run.json"
	expect "sent" "$(weft report --lab test --json | jq '.links[0].tx_packets')" \
		"$(jq '.wires[0].tx_packets[1]' "$tmp/run.json")"
}

mistakes() {
	local code=0

	lab
	weft record --lab none -o "$tmp/x" 2> "$tmp/err" || code=$?
	expect "exit code" 1 $code
	expect_match "message" 'there is no lab "none"' "$(cat "$tmp/err")"
	code=0
	weft record --lab test -o "$tmp/no/x" 2> "$tmp/err" || code=$?
	expect "exit code" 1 $code
	expect_match "message" 'no/x: No such file' "$(cat "$tmp/err")"
	code=0
	weft run "$tmp/topology.yaml" --name other --clock virtual -q --record "$tmp/no/x" -- \
		touch "$tmp/ran" 2> "$tmp/err" || code=$?
	expect "exit code" 125 $code
	[ ! -e "$tmp/ran" ]
}

topology 100Gbps 2 > "$tmp/topology.yaml"
ktap_begin 9
t "samples are taken when they are due, and sum up" times
t "memory is bounded, and sums remain" bounded
t "faults are recorded where they act" faults
t "a wire that goes down and comes back" down_and_up
t "a recording ends with its lab" ends_with_lab
t "a recording ends with a signal" ends_with_signal
t "the same run gives the same recording" repeats
t "a page of a lab that nobody recorded" page_of_lab
t "mistakes" mistakes
ktap_end
