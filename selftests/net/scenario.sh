#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Scenarios in a lab that is up: what befalls nodes does so when the time line
# says, and what goes wrong is named with its port and its time.
#
#	host0 -- leaf -- host1
# shellcheck disable=SC2016 # jq has variables of its own
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need jq ping iperf3 ib_write_bw

[ "$clock" = virtual ] || skip_all "only the virtual clock is exact"

# lab [LINE]... - of two hosts that know each other's address of the link
lab() {
	trap 'weft down --all > /dev/null 2>&1' EXIT
	topology 100Gbps 2 "$@" | up > /dev/null
	on host0 ping -c 1 -W 1 host1 > /dev/null
}

# play [ENTRY|KEY]... - in the background; its process is in $player
play() {
	printf '%s\n' "name: test" "$@" > "$tmp/scenario.yaml"
	zero=$(date +%s.%N)
	weft scenario play --lab test "$tmp/scenario.yaml" > "$tmp/played" 2>&1 &
	player=$!
}

# pings COUNT INTERVAL - when each was answered, ms since play
pings() {
	on host0 ping -D -i "$2" -c "$1" -W 1 host1 | tr -d '[]' |
		awk -v zero="$zero" '/icmp_seq/ { printf "%.3f\n", ($1 - zero) * 1000 }'
}

# gap FROM TO - answers before FROM, at TO (which takes 3 us), none in between
gap() {
	awk -v from="$1" -v to="$2" '
		$1 <= from + 0.003 { before++; next }
		$1 < to { print $1 " ms: answered"; bad = 1 }
		!after++ && $1 > to + 0.01 { print "again at " $1; bad = 1 }
		END { exit bad || before < 3 || after < 3 }' "$tmp/answered"
}

# A frozen ping sends nothing, and at once when it is thawed: it is overdue.
freeze() {
	lab
	play "timeline: [{at: 22ms, node: host0, do: freeze, for: 33ms}]"
	pings 20 0.005 > "$tmp/answered"
	gap 22 55
	wait "$player"
}

# What was begun by others while they were being stopped is stopped as well.
freeze_all() {
	lab
	on host1 sh -c 'while :; do sleep 0.001; done' &
	sleep 0.01
	play "timeline:" "  - {at: 1ms, node: host1, do: freeze}" \
		"  - {at: 11ms, node: host1, do: thaw}"
	sleep 0.005
	expect "stopped" "T" "$(states host1 | sort -u)"
	sleep 0.01
	expect_match "going on" '[RS]' "$(states host1)"
	wait "$player"
}

# states NODE - of its processes
states() {
	ip netns pids "$1" | while read -r pid; do
		sed 's/.*) \(.\).*/\1/' "/proc/$pid/stat"
	done
}

# The power of host1 is gone for 30 ms: its programs end, its link is down.
kill_node() {
	local code=0 victim

	lab
	on host1 sleep 1000 &
	victim=$!
	sleep 0.01
	play "timeline: [{at: 12ms, node: host1, do: kill, for: 30ms}]"
	pings 16 0.005 > "$tmp/answered"
	wait "$victim" || code=$?
	expect "exit code of the program" 137 $code
	awk '$1 > 12.003 && $1 < 42 { exit 1 } $1 < 12.003 { a++ } $1 > 42 { b++ }
		END { exit !(a && b) }' "$tmp/answered"
	wait "$player"
	expect "links" true "$(weft show ports --json | jq 'all(.[]; .up)')"
}

# A frame of 1524 bytes at 10 Gb/s each 1219.2 ns, 100 of them, from the instant on at which
# the leaf's wire goes down for 10 us. A frame is there between 0.25 and 1.46 us after it
# was sent: frame 7, sent at 8.53 us, too early, frame 8, sent at 9.75 us, late enough.
traffic() {
	lab
	play "timeline:" \
		"  - {at: 5ms, traffic: incast, from: host0, to: host1, size: 1500, rate: 10Gbps, bytes: 150000}" \
		"  - {at: 5ms, fault: down, on: 'leaf>host1', for: 10us}"
	wait "$player"
	sleep 0.001
	weft traffic list --json > "$tmp/traffic"
	expect "packets" '["over",100,92,8]' \
		"$(jq -c '.[0] | [.state, .sent_packets, .delivered_packets, .lost_packets]' "$tmp/traffic")"
	expect "from" "$(weft fault list --json | jq '.[0].start_ps')" \
		"$(jq '.[0].generators[0].start_ps' "$tmp/traffic")"
}

# sent - bytes of host0
sent() {
	weft show ports --json | jq '.[] | select(.port == "host0.eth0").tx_bytes'
}

# sends BYTES - whether it has sent more than that
sends() {
	[ "$(sent)" -gt "$1" ]
}

# writes [ENTRY] - us that ib_write_bw takes for 26 MB, 23 ms at 10 Gb/s, with
# what befalls a node meanwhile
writes() {
	local job start

	start=$(date +%s%N)
	perftest ib_write_bw -s 65536 -n 400 > /dev/null &
	job=$!
	if [ $# -gt 0 ]; then
		slowwait 5 sends "$(($(sent) + 1000000))"
		play "timeline: [$1]"
		wait "$player"
	fi
	wait $job
	echo $((($(date +%s%N) - start) / 1000))
}

# A frozen sender's NIC sends what it was given, at most 128 writes: 8192 packets of
# 1024 bytes and 82 more (BTH, ICRC, UDP, IP, Ethernet, preamble and gap; RETH in the
# first ones) take 7.25 ms. A frozen target's NIC needs no program. Who reads the clock
# to wait is 131 us late at most (vm.rst).
freeze_verbs() {
	local before after

	trap 'weft down --all > /dev/null 2>&1' EXIT
	topology 10Gbps 2 | up > /dev/null
	on host0 ping -c 1 -W 1 host1 > /dev/null
	before=$(writes)
	after=$(writes "{at: 5ms, node: host0, do: freeze, for: 20ms}")
	expect_in "sender frozen, us" \
		$((before + 20000 - 7250 - 131)) $((before + 20000 + 131)) "$after"
	after=$(writes "{at: 5ms, node: host1, do: freeze, for: 20ms}")
	expect_in "target frozen, us" $((before - 131)) $((before + 131)) "$after"
	expect "sent again" 0 "$(weft show verbs --json | jq 'map(.retransmitted) | add')"
}

# A queue pair whose far end lost its power gives up; the next ones work.
kill_verbs() {
	local code=0 server client

	trap 'weft down --all > /dev/null 2>&1' EXIT
	hosts ib-edr 2
	on host0 ping -c 1 -W 1 host1 > /dev/null
	on host1 ib_write_bw -s 65536 -n 100000 -F > "$tmp/server" 2>&1 &
	server=$!
	slowwait 5 listens host1 18515
	on host0 timeout 30 ib_write_bw -s 65536 -n 100000 -F "$(address host1)" \
		> "$tmp/client" 2>&1 &
	client=$!
	slowwait 5 sends 1000000
	play "timeline: [{at: 2ms, node: host1, do: kill, for: 30ms}]"
	wait "$server" || code=$?
	expect "exit code of the server" 137 $code
	wait "$player"
	refused wait "$client"
	expect_match "client" 'Completion with error' "$(cat "$tmp/client")"
	perftest ib_write_bw -s 65536 -n 100 > /dev/null
}

# What is on a wire is lost in the instant at which the wire goes down.
first_drop() {
	local at code=0

	lab
	on host1 iperf3 -s -1 > /dev/null &
	sleep 0.05
	play "timeline: [{at: 5ms, fault: down, on: 'host0>leaf', for: 3ms}]" \
		"expect: {no-drops: true}"
	on host0 iperf3 -c host1 -n 100M > /dev/null
	wait "$player" || code=$?
	expect "exit code" 123 $code
	at=$(weft fault list --json | jq '.[0].start_ps')
	expect "first drop" "$at" "$(weft show ports --json |
		jq '.[] | select(.port == "host0.eth0").first_drop_ps')"
	expect_match "text" '^FAILED +no-drops: host0\.eth0: lost [0-9]+ packets; 1 port lost some; it began at fabric time .*, 5ms after the start$' \
		"$(cat "$tmp/played")"
	asserted "$at"
}

# asserted PS - weft assert says the same of the lab
asserted() {
	local code=0

	weft assert --lab test no-drops no-deadlock --json --junit "$tmp/junit.xml" \
		> "$tmp/assert" || code=$?
	expect "exit code" 123 $code
	expect "result" "[\"failed\",\"host0.eth0\",$1]" \
		"$(jq -c '.[0] | [.outcome, .port, .at_ps]' "$tmp/assert")"
	expect "other" '["no-deadlock","passed"]' \
		"$(jq -c '.[1] | [.expectation, .outcome]' "$tmp/assert")"
	grep -q '<failure message="host0.eth0: ' "$tmp/junit.xml"
	weft assert --lab test no-deadlock utilisation-below=0.99 > /dev/null
}

# The sender's wire carries the data, the others answers or as much.
busy() {
	local code=0

	lab
	on host1 iperf3 -s -1 > /dev/null &
	sleep 0.05
	on host0 iperf3 -c host1 -n 100M > /dev/null
	wait
	weft assert --lab test utilisation-below=0.000001 > "$tmp/assert" || code=$?
	expect "exit code" 123 $code
	expect_match "text" '^FAILED +utilisation-below=1e-06: host0\.eth0: host0\.eth0 was busy for 0\.[0-9]+ of the time, the most of all; it began at ' \
		"$(cat "$tmp/assert")"
	code=0
	weft assert --lab test utilisation-below=0.000001 --json > "$tmp/assert" || code=$?
	expect "exit code" 123 $code
	expect "since the lab is up" "$(jq .since_ps /run/weft/test.json)" \
		"$(jq '.[0].at_ps' "$tmp/assert")"
}

# Interrupted, it leaves nothing of itself.
taken_back() {
	local code=0

	lab
	play "timeline:" "  - {fault: loss, on: host0, probability: 1}" \
		"  - {at: 1ms, node: host1, do: kill, for: 100s}"
	sleep 0.01
	expect "faults" 1 "$(weft fault list --json | jq length)"
	refused on host0 ping -c 1 -W 0.1 host1
	kill -INT "$player"
	wait "$player" || code=$?
	expect "exit code" 130 $code
	expect "faults" 0 "$(weft fault list --json | jq length)"
	on host0 ping -c 1 -W 1 host1
}

# of_nic, of_link - what the next two entries change
of_nic() {
	weft show nics --json | jq -c '[.[] | select(.name == "host1.eth0") | .rx_rate_bps]'
}

of_link() {
	weft show links --json | jq -c '[.. | objects | select(has("lanes_up")) | .rate_bps]'
}

# A setting is made when it is due; interrupted, the scenario restores what was.
settings() {
	local code=0 nic link

	lab
	nic=$(of_nic)
	link=$(of_link)
	play "timeline:" "  - {at: 20ms, set: nic, on: host1, rx-rate: 1Gbps}" \
		"  - {at: 20ms, set: link, on: host0>leaf, rate: 10Gbps}" \
		"  - {at: 100s, set: nic, on: host0, rx-stop: all}"
	sleep 0.01
	expect "before" "$nic $link" "$(of_nic) $(of_link)"
	sleep 0.02
	expect "NIC" "[1000000000]" "$(of_nic)"
	expect "wires" "[10000000000,100000000000,100000000000,100000000000]" "$(of_link)"
	kill -INT "$player"
	wait "$player" || code=$?
	expect "exit code" 130 $code
	expect "after" "$nic $link" "$(of_nic) $(of_link)"
}

# awaits - play what waits for a mark that nobody sets; for too long is exit code 124
awaits() {
	printf '%s\n' "name: test" \
		"timeline: [{at: {mark: x}, fault: down, on: host0, for: 1ms}]" > "$tmp/scenario.yaml"
	timeout 10 weft scenario play --lab test "$tmp/scenario.yaml" > "$tmp/played" 2>&1 &
	player=$!
	slowwait 5 awaited
}

awaited() {
	[ "$(weft fault list --json | jq length)" = 1 ]
}

# Nothing waits for a trigger that others removed, or for a lab that is gone.
gone() {
	local code=0

	lab
	awaits
	weft fault del --all > /dev/null
	wait "$player" || code=$?
	expect "exit code" 123 $code
	expect "text" "FAILED  triggers: down at host0 never began: its trigger was removed" \
		"$(cat "$tmp/played")"
	code=0
	awaits
	weft down --lab test > /dev/null
	wait "$player" || code=$?
	expect "exit code" 4 $code
	expect "lines" 1 "$(wc -l < "$tmp/played")"
}

refusals() {
	lab
	printf 'name: x\ntimeline:\n  - {fault: down, on: spine}\n' > "$tmp/x.yaml"
	refuses 1 'x.yaml:3:5: no link is at "spine"' scenario play --lab test "$tmp/x.yaml"
	printf 'name: x\ntimeline:\n  - {fault: rate, on: host0}\n' > "$tmp/x.yaml"
	refuses 1 'x.yaml:3:5: .*kind rate needs' scenario play --lab test "$tmp/x.yaml"
	refuses 1 'finished-within needs a program' assert --lab test finished-within=1s
	refuses 1 '"fast": expected lossless' assert --lab test fast
	refuses 1 'expected an EXPECTATION' assert --lab test
	expect "nothing came of it" '[]' "$(weft fault list --json)"
}

ktap_begin 12
t "a frozen node sends nothing, and at once afterwards" freeze
t "all of a node is frozen" freeze_all
t "a killed node loses its programs and its link" kill_node
t "traffic begins with a fault of the same time" traffic
t "verbs of a frozen node" freeze_verbs
t "verbs of a killed node" kill_verbs
t "the first loss is known to the picosecond" first_drop
t "a busy link is named" busy
t "interrupted, all is taken back" taken_back
t "a NIC and a link are set, and set back" settings
t "nothing waits for what is gone" gone
t "refusals" refusals
ktap_end
