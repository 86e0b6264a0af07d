#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Triggers: a link is cut 100 us into the second collective of a program that knows
# nothing of it, to the picosecond, twice the same. What begins late or never is told.
# shellcheck disable=SC2016 # the commands expand in a node
cd "$(dirname "$0")/../.." || exit 1
. selftests/ktap.sh

weft=build/user/weft
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# scenario LINE... - a file with that
scenario() {
	printf '%s\n' "name: day" "seed: 3" "$@" > "$tmp/scenario.yaml"
}

# play NAME TOPOLOGY [OPTION]... -- COMMAND... - the exit code is in $code
play() {
	local name=$1 topology=$2

	shift 2
	code=0
	$weft run "$topology" --clock virtual --seed 1 -q --report "$tmp/$name.json" \
		--scenario "$tmp/scenario.yaml" --junit "$tmp/$name.xml" "$@" \
		> "$tmp/$name.out" 2> "$tmp/$name.err" < /dev/null || code=$?
}

# reduce NAME - an all-reduce of 4 MiB, once to warm up and once measured
reduce() {
	play "$1" fat-tree-8 --mpi -- build/demo/allreduce --min 4194304 --max 4194304 \
		--warmup 1 --iters 1
}

# of NAME FILTER - of a report; "phase(NAME)" and "fault(NUMBER)" are defined
of() {
	jq -r "def phase(\$n): first(.phases[] | select(.name == \$n));
		def fault(\$n): .faults[\$n]; $2" "$tmp/$1.json"
}

# begun NAME FAULT PHASE - how long after the begin of a phase a fault began, ps
begun() {
	of "$1" "fault($2).start_ps - phase(\"$3\").begin_ps"
}

second() {
	scenario "timeline:" \
		"  - {at: {phase: traffic-2, after: 100us}, fault: down, on: host0, for: 20us}" \
		"expect:" "  phase: traffic-2" "  no-drops: true"
	reduce one
	expect "exit code" 123 $code
	expect "begun after, ps" 100000000 "$(begun one 0 traffic-2)"
	expect "within the phase" true \
		"$(of one 'phase("traffic-2").time_ps > 100000000')"
	expect "acted, ps" 20000000 "$(of one 'fault(0).active_ps')"
	expect "late, ps" 0 "$(of one 'fault(0).late_ps')"
	expect_in "packets lost" 1 10000 "$(of one 'fault(0).packets')"
	expect "lost before" 0 "$(of one 'phase("traffic-1").dropped')"
}

twice() {
	reduce two
	cmp "$tmp/one.json" "$tmp/two.json"
	cmp "$tmp/one.xml" "$tmp/two.xml"
}

junit() {
	expect_match "failure" '<failure message="lost [0-9]+ packets; .*, in phase traffic-2" type="no-drops in traffic-2">' \
		"$(cat "$tmp/one.xml")"
	expect_match "trigger" '<testcase name="triggers".*<system-out>down at host0 began 100us after the begin of traffic-2<' \
		"$(tr -d '\n\t' < "$tmp/one.xml")"
	expect "phase" traffic-2 "$(of one '.expectations[0].phase')"
}

# A phase by traffic is found later than it begins: what is due before that is late.
late() {
	scenario "timeline:" \
		"  - {at: {phase: traffic-1}, fault: delay, on: host0, delay: 1us, for: 1us}" \
		"  - {at: {traffic: host0, above: 100Gbps}, fault: delay, on: host1, delay: 1us, for: 1us}"
	reduce late
	expect "exit code" 123 $code
	expect "begun by its lateness after" "$(of late 'fault(0).late_ps')" \
		"$(begun late 0 traffic-1)"
	expect_in "late, ps" 100000 10000000 "$(of late 'fault(0).late_ps')"
	expect_match "message" '^FAILED  triggers: delay at host0 was to begin 0ps after the begin of traffic-1, and did so [0-9.]+[un]s late.*in phase traffic-1' \
		"$(cat "$tmp/late.err")"
	expect "a rate is never late" 0 "$(of late 'fault(1).late_ps')"
	expect "a rate is exceeded in a phase" true "$(of late '
		fault(1).start_ps as $t | any(.phases[];
		.begin_ps < $t and $t < .begin_ps + .time_ps)')"
}

never() {
	scenario "timeline:" \
		"  - {at: {phase: traffic-9, after: 1us}, fault: down, on: host0}"
	play never pair -- true
	expect "exit code" 123 $code
	expect_match "message" '^FAILED  triggers: down at host0 never began: no phase traffic-9$' \
		"$(cat "$tmp/never.err")"
	grep -q '<failure message="down at host0 never began: no phase traffic-9" type="triggers">' \
		"$tmp/never.xml"
	expect "begins" null "$(of never 'fault(0).start_ps')"
	expect "when" "from 1us after the begin of traffic-9 (not begun: no phase traffic-9) until it is removed" \
		"$(of never 'fault(0).when')"
	# without a fault, and what was sent is told
	scenario "timeline:" "  - {at: {bytes: 1MiB, of: host0}, node: host1, do: kill}"
	play never pair -- ping -q -c 2 -i 0.001 host1
	expect "exit code" 123 $code
	expect_match "message" '^FAILED  triggers: kill of host1 never began: host0\.eth0 sent [1-9]' \
		"$(cat "$tmp/never.err")"
}

# 98 bytes each ms: the first and the fifth echo request are 4 ms from one another.
marks_and_bytes() {
	scenario "timeline:" \
		"  - {at: {mark: step, after: 2ms}, fault: delay, on: host1, delay: 1us, for: 1us}" \
		"  - {at: {bytes: 98, of: host0}, fault: delay, on: host1, delay: 1us, for: 1us}" \
		"  - {at: {bytes: 400, of: host0}, fault: delay, on: host1, delay: 1us, for: 1us}" \
		"  - {at: {mark: step, after: 5ms}, traffic: incast, to: host1, rate: 1Gbps, for: 1ms}"
	play marks pair -- sh -c 'weft mark step; ping -q -c 8 -i 0.001 host1'
	expect "exit code" 0 $code
	expect "mark, ps" 2000000000 "$(begun marks 0 step)"
	expect_in "bytes, ns" 4000000 4100000 \
		"$(of marks '(fault(2).start_ps - fault(1).start_ps) / 1000 | floor')"
	expect "traffic, ps" 5000000000 \
		"$(of marks '.traffic[0].generators[0].start_ps - phase("step").begin_ps')"
	expect "traffic, packets" true "$(of marks '.traffic[0].delivered_packets > 0')"
}

# The link of a node that loses power is told as it goes down: to the ns of timers.
nodes() {
	scenario "timeline:" \
		"  - {at: {mark: step, after: 3ms}, node: host1, do: kill, for: 1ms}"
	play nodes pair -- sh -c 'weft events --json & sleep 0.01; weft mark step; sleep 0.01
		kill $!'
	expect "exit code" 0 $code
	jq -c 'select(.event == "link") | [.up, .time_ps]' "$tmp/nodes.out" > "$tmp/links"
	expect "links" "false true" "$(jq '.[0]' "$tmp/links" | uniq | xargs)"
	expect_in "down after, ns" 3000000 3000001 "$(($(link_at 1 nodes) / 1000))"
	expect_in "up after, ns" 4000000 4000001 "$(($(link_at '$' nodes) / 1000))"
	expect "phases are events" "step true" \
		"$(jq -r 'select(.event == "phase") | "\(.name) \(.open)"' "$tmp/nodes.out")"
}

# link_at LINE NAME - when a link went down or up after the phase began, ps
link_at() {
	echo $(($(sed -n "$1p" "$tmp/links" | jq '.[1]') -
		$(of "$2" 'phase("step").begin_ps')))
}

# Between its trigger and its begin 100 ms later is measured what was before the fault.
recovers() {
	local stream='weft exec host1 -- iperf3 -s -1 -D; sleep 0.1; iperf3 -c host1 -t 1'

	scenario "timeline:" \
		"  - {at: {traffic: host0, above: 1Gbps, after: 100ms}, fault: rate, on: host1, rate: 100Mbps}" \
		"expect: {recovery-within: 160ms}"
	cat > "$tmp/topology.yaml" <<- 'END'
		name: slow
		profile: ethernet-100g
		link: {rate: 10Gbps}
		nodes: [{name: "host[0-1]", mtu: 9000}]
		switches: [{name: leaf}]
		links: [{ends: ["host[0-1]", leaf]}]
	END
	play recovers "$tmp/topology.yaml" -- sh -c "$stream"
	expect "exit code" 123 $code
	expect_match "message" '^FAILED  recovery-within=160ms: .* after rate at host1 goodput recovered to at most 0\.0' \
		"$(cat "$tmp/recovers.err")"
	scenario "timeline:" \
		"  - {at: {traffic: host0, above: 1Gbps}, fault: down, on: host1}" \
		"expect: {recovery-within: 160ms}"
	play refused pair -- true
	expect_match "message" 'scenario.yaml:4:[0-9]+: at: with recovery-within, expected "after"' \
		"$(cat "$tmp/refused.err")"
}

# refused MESSAGE COMMAND... - in a node of pair
refused() {
	local text=$1 code=0

	shift
	$weft run pair --clock virtual -q -- "$@" > "$tmp/out" 2> "$tmp/err" \
		< /dev/null || code=$?
	[ $code != 0 ] || { echo "# $* was not refused"; return 1; }
	expect_match "message of $*" "$text" "$(cat "$tmp/err")"
}

by_hand() {
	$weft run pair --clock virtual -q -- sh -c 'weft fault add down host1 at=mark=x,after=1ms duration=1ms
		weft traffic add incast to=host1 rate=1Gbps duration=1ms at=mark=x,after=5ms
		weft mark x; sleep 0.1; weft fault list; weft traffic list
		weft fault del 0; weft traffic del 0' > "$tmp/out" < /dev/null
	expect_match "added" 'from 1ms after the begin of x \(not begun: no mark x\) for 1ms' \
		"$(cat "$tmp/out")"
	expect_match "listed" 'from [0-9.]+ms \(1ms after the begin of x\) for 1ms' \
		"$(cat "$tmp/out")"
	expect_match "traffic" 'from [0-9.]+ms \(5ms after the begin of x\) for 1ms' \
		"$(cat "$tmp/out")"
	expect_match "acted" 'fault 0: removed; acted 1ms' "$(cat "$tmp/out")"
	refused 'at: phase: "x": expected traffic-1, traffic-2' \
		weft fault add down host0 at=phase=x
	refused 'at: expected one of mark, phase, traffic and bytes' \
		weft fault add down host0 at=after=1ms
	refused 'at: traffic: expected above' weft fault add down host0 at=traffic=host0
	refused 'at: bytes: expected of' weft fault add down host0 at=bytes=1MiB
	refused 'at: bytes: not together with mark' \
		weft fault add down host0 at=mark=x,bytes=1MiB,of=host0
	refused 'at: there is no NIC "hostx"' \
		weft fault add down host0 at=bytes=1MiB,of=hostx
	refused 'either start= or at=' weft fault add down host0 at=mark=x start=1ms
	refused 'either start= or at=' \
		weft traffic add incast to=host1 at=mark=x start=1ms
	refused 'at: .*it began already: 1 phases by traffic were found' sh -c '
		weft exec host1 -- iperf3 -s -1 -D; sleep 0.1; iperf3 -c host1 -n 16M
		weft fault add down host0 at=phase=traffic-1'
}

nobody_looks() {
	scenario "timeline:" \
		"  - {at: {phase: traffic-1}, fault: down, on: host0}"
	play none pair --phases none -- true
	expect "exit code" 125 $code
	expect_match "message" 'scenario.yaml:4:[0-9]+: at: .*the fabric does not look for phases by traffic' \
		"$(cat "$tmp/none.err")"
}

# What comes with Weft hits the collective: all that it begins is in a phase.
shipped() {
	local name

	for name in link-flap five-faults; do
		cp "user/share/scenarios/$name.yaml" "$tmp/scenario.yaml"
		reduce "$name"
		expect "$name: triggers" passed \
			"$(of "$name" '.expectations[] | select(.expectation == "triggers").outcome')"
		expect "$name: begins in a phase" true "$(of "$name" '
			fault(0).start_ps as $t | any(.phases[];
			.begin_ps < $t and $t < .begin_ps + .time_ps)')"
	done
}

ktap_begin 11
t "a link is cut 100 us into the second collective, to the ps" second
t "twice the same" twice
t "JUnit names the phase" junit
t "what begins late is told" late
t "what never begins is told" never
t "marks, bytes, traffic" marks_and_bytes
t "node events" nodes
t "how long a fault is felt" recovers
t "by hand, and mistakes" by_hand
t "phases that nobody looks for" nobody_looks
t "scenarios that ship" shipped
ktap_end
