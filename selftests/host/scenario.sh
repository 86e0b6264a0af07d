#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A scenario beside an MPI job: two runs are the same, byte for byte, and what was
# not met is named. Then what ends a job that hangs, and how long a fault is felt.
#
#	host[0-3] -- leaf
cd "$(dirname "$0")/../.." || exit 1
. selftests/ktap.sh

weft=build/user/weft
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# topology RATE NODES
topology() {
	cat > "$tmp/topology.yaml" <<- END
		name: one
		profile: ethernet-100g
		link: {rate: $1}
		nodes: [{name: "host[0-$(($2 - 1))]", mtu: 9000}]
		switches: [{name: leaf}]
		links: [{ends: ["host[0-$(($2 - 1))]", leaf]}]
	END
}

# play NAME LINE... -- COMMAND... - a run with that in its scenario; the exit code
# is in $code
play() {
	local name=$1

	shift
	printf 'name: day\nseed: 3\n' > "$tmp/scenario.yaml"
	while [ "$1" != -- ]; do
		echo "$1" >> "$tmp/scenario.yaml"
		shift
	done
	shift
	code=0
	$weft run "$tmp/topology.yaml" --clock virtual -q \
		--scenario "$tmp/scenario.yaml" --report "$tmp/$name.json" \
		--junit "$tmp/$name.xml" "$@" > "$tmp/$name.out" 2> "$tmp/$name.err" ||
		code=$?
}

# The job sends from 101 ms on: its ranks take 20 ms to find each other, and begin four
# times as long after that, together.
readonly faults=(
	"timeline:"
	"  - {at: 100ms, fault: loss, on: host0, probability: 0.01, for: 10ms}"
	"  - {at: 101ms, fault: rate, on: host1, rate: 10Gbps, for: 3ms}"
	"  - {at: 101ms, fault: delay, on: host2, delay: 20us, jitter: 5us, for: 9ms}"
	"  - {at: 102ms, fault: flap, on: host3, for: 50us, every: 1ms, times: 3}"
	"  - {at: 105ms, node: host1, do: freeze, for: 1ms}"
)

# five NAME EXPECTATION...
five() {
	topology 100Gbps 4
	play "$1" "${faults[@]}" "expect:" "${@:2}" -- \
		--mpi -- build/demo/allreduce --min 1048576 --max 16777216
}

twice() {
	five one "  no-deadlock: true" "  utilisation-below: 0.9"
	expect "exit code" 0 $code
	five two "  no-deadlock: true" "  utilisation-below: 0.9"
	cmp "$tmp/one.json" "$tmp/two.json" || {
		diff "$tmp/one.json" "$tmp/two.json" | head -n 20
		return 1
	}
	diff "$tmp/one.xml" "$tmp/two.xml"
	diff "$tmp/one.out" "$tmp/two.out"
	expect "felt" '[1,1,1,3]' "$(jq -c '[.faults[].windows]' "$tmp/one.json")"
	expect "packets" true "$(jq '[.faults[].packets > 0] | all' "$tmp/one.json")"
	expect "outcomes" '["passed","passed","passed"]' \
		"$(jq -c '[.expectations[].outcome]' "$tmp/one.json")"
}

# The loss of host0 is the first, as the job's first packets are within it.
named() {
	local port ps

	five bad "  no-drops: true" "  no-deadlock: true"
	expect "exit code" 123 $code
	port=$(jq -r '.expectations[0].port' "$tmp/bad.json")
	ps=$(jq '.expectations[0].at_ps' "$tmp/bad.json")
	expect_in "time" 100000000000 110000100000 "$ps"
	expect "first of all" "[\"$port\",$ps]" \
		"$(jq -c '[.lossless.losses[]] | min_by(.first_drop_ps) | [.port, .first_drop_ps]' "$tmp/bad.json")"
	grep -q "<failure message=\"$port: lost [0-9]* packets*; .* it began at fabric time .*\" type=\"no-drops\">" \
		"$tmp/bad.xml"
	expect "failures" 1 "$(grep -c '<failure' "$tmp/bad.xml")"
	expect_match "message" "^FAILED  no-drops: $port: lost " "$(cat "$tmp/bad.err")"
}

schema() {
	command -v xmllint > /dev/null || skip "xmllint is missing"
	xmllint --noout --schema selftests/user/data/junit.xsd \
		"$tmp/one.xml" "$tmp/bad.xml"
	sed 's/<testcase name/<testcase/' "$tmp/one.xml" > "$tmp/wrong.xml"
	! xmllint --noout --schema selftests/user/data/junit.xsd \
		"$tmp/wrong.xml" 2> /dev/null
}

# Killed a nanosecond, the timers' grain, after it was to be through.
hangs() {
	topology 100Gbps 2
	play hang "expect: {finished-within: 70ms}" -- -- sleep 1000
	expect "exit code" 123 $code
	expect_match "message" '^FAILED  finished-within=70ms: it was killed after 70ms; it began at .*, 70ms after the start$' \
		"$(cat "$tmp/hang.err")"
	play stuck "timeline: [{at: 30ms, fault: down, on: 'leaf>host1'}]" \
		"expect: {finished-within: 70ms}" -- -- ping -q -i 0.01 host1
	expect_match "port" '^FAILED  finished-within=70ms: leaf:1: it was killed after 70ms; nothing was queued then, and the first loss was here; it began at .*, 70ms after the start$' \
		"$(cat "$tmp/stuck.err")"
	# before it is in its node: it is killed again a millisecond later
	play early "expect: {finished-within: 1ns}" -- -- sleep 1000
	expect_match "early" '^FAILED  finished-within=1ns: it was killed after 1[.0-9]*ms;' "$(cat "$tmp/early.err")"
	grep -q 'message="exit code 137" type="command"' "$tmp/early.xml"
	play fails "expect: {finished-within: 70ms}" -- -- sh -c 'exit 5'
	expect "exit code" 5 $code
	grep -q 'message="exit code 5" type="command"' "$tmp/fails.xml"
}

# A window of 480 ms before and 16 slices of 30 ms behind: the outage is over within
# some of these. A link that has a tenth of its rate for good has a tenth of goodput,
# less or more a frame of the 13 in a slice of 10 ms; the rest waits at the leaf.
recovers() {
	local share

	topology 1Gbps 2
	felt pass "fault: down, for: 5ms" 480ms
	expect "exit code" 0 $code
	expect_match "text" '>1 faults, the longest recovery took ([369]0|1[258]0)ms<' \
		"$(cat "$tmp/pass.xml")"
	felt fail "fault: rate, rate: 100Mbps" 160ms
	expect "exit code" 123 $code
	share=$(sed -n 's/^FAILED .*: leaf:1: after rate at host1 goodput recovered to at most \([0-9.]*\) of the previous; [0-9]* bytes were queued here then, the most of all; it began at .*, 660ms after the start, in phase traffic-1$/\1/p' "$tmp/fail.err")
	expect_in "share" 0.09 0.11 "$share"
}

# felt NAME FAULT WITHIN - from 500 ms on
felt() {
	play "$1" "timeline: [{at: 500ms, $2, on: host1}]" \
		"expect: {recovery-within: $3}" -- -- \
		sh -c 'weft exec host1 -- iperf3 -s -1 -D; sleep 0.1; iperf3 -c host1 -t 1'
}

ktap_begin 5
t "five faults and a job, twice" twice
t "what was not met is named" named
t "JUnit XML by its schema" schema
t "a job that hangs is ended" hangs
t "how long a fault is felt" recovers
ktap_end
