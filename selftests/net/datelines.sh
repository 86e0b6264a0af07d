#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A ring of six that is routed by dimensions: refused without date lines, stuck
# when that is forced, and free with them.
#
#	host0   host1   host2		10 Gb/s, 5 m; host i sends to host i + 3,
#	  s0 ---- s1 ---- s2		the ring's far side, and dimension order
#	  |               |		takes the way upwards: each link of the
#	  s5 ---- s4 ---- s3		ring is asked for three hosts' traffic,
#	host5   host4   host3		and turns give the nearest one half
#
# Who gets how much, with date lines: turns give the host of each switch as much of
# its link of the ring as what comes from the ring. What comes to link k is, but for
# what leaves there, of the two hosts before: f1 = f0 = a, f2 = 2a, f3 = 3a, f4 = 5a,
# f5 = 8a. Host 5 has half of the link that closes the ring (unit/dateline.c). When a
# host has sent all, the link of the next one becomes the narrowest. Each sends N
# frames, in N slots of 1538 bytes:
#
#	8a = 1/2	link 5		host5 ends at 2
#	5a + 3a + 2a = 1	link 4		host4 at 2 + 3/4
#	3a + 2a + a = 1	link 3		host3 at 2 + 3/4 + 4/5
#	2a + a + a = 1	link 2		host2 at 2 + 3/4 + 4/5 + 2/3
#	a + a = 1	link 1		both at 2 + 3/4 + 4/5 + 2/3 + 1
#
# What the law takes for passed on may be in a buffer of the ring: so to six times
# what one holds. That is 32 KiB, 20 frames of 25 blocks; with pauses 22 frames until
# it says so, and 4 after (react, wire, two frames).
. "$(dirname "$0")/lib.sh"
need jq

[ "$clock" = virtual ] || skip_all "exact on the virtual clock only"
readonly nodes=6 hops=3 datagrams=1000 length=1514
readonly slot=$(((length + 24) * 8 / 10))	# ns at 10 Gb/s

# room PROFILE - buffers of 32 KiB
room() {
	if [ "$1" = ib-ndr ]; then
		echo "port: {credit-buffer: [32KiB]}"
	else
		echo "switch: {buffer-threshold: 32KiB, xon-offset: 1514}"
	fi
}

# ring PROFILE LINE... - the topology
ring() {
	local i last=$((nodes - 1))

	echo "name: ring"
	echo "profile: $1"
	room "$1"
	printf '%s\n' "${@:2}"
	echo "torus: [$nodes]"
	echo "nodes: [{name: \"host[0-$last]\", mtu: 1500}]"
	echo "link: {rate: 10Gbps, overhead: 24}"
	echo "switches:"
	for ((i = 0; i < nodes; i++)); do
		echo "  - {name: s$i, at: [$i]}"
	done
	echo "links:"
	echo "  - {ends: [\"host[0-$last]\", \"s[0-$last]\"]}"
	for ((i = 0; i < nodes; i++)); do
		echo "  - {ends: [s$i, s$(((i + 1) % nodes))]}"
	done
}

refused() {
	ring "$1" "routing: {datelines: off}" | up 2> "$tmp/refusal" && {
		echo "came up"
		return 1
	}
	grep -q "may deadlock: .* class 0: s0:1 > s1:2 > s2:2 > s3:2 > s4:2 > s5:2 > s0:1; to accept" \
		"$tmp/refusal" || {
		cat "$tmp/refusal"
		return 1
	}
}

send() {
	python3 "$net_dir/datelines.py" $nodes $hops $datagrams $length 20 \
		> "$tmp/came"
	sed 's/^/# /' "$tmp/came"
	weft report --json > "$tmp/report.json"
}

# lost NUMBER - packets lost in lossless classes
lost() {
	jq -e "[.lossless.disciplines[].lossless_dropped] | add == $1" \
		"$tmp/report.json" > /dev/null || {
		echo "lost: $(jq -c .lossless "$tmp/report.json")"
		return 1
	}
}

# deadlocked YES|NO - what weft assert finds; a link of the ring was held back first
deadlocked() {
	local code=0

	weft assert --lab ring no-deadlock > "$tmp/assert" || code=$?
	if [ "$1" = no ]; then
		expect "exit code" 0 $code
	else
		expect "exit code" 123 $code
		expect_match "text" '^FAILED +no-deadlock: (s[0-5]:[12]): 6 wires wait for each other: .*s[0-5]:[12].*; it began at' \
			"$(cat "$tmp/assert")"
	fi
}

# stuck PROFILE - all stops before the end, and nothing is lost
stuck() {
	ring "$1" "routing: {datelines: off, allow-cycles: on}" | up > /dev/null
	send
	grep -q "^all still" "$tmp/came" || return 1
	awk -v n=$datagrams '$1 != "all" && $2 >= n { exit 1 }' "$tmp/came" ||
		return 1
	jq -e '.lossless.notes[] | select(contains("may deadlock"))' \
		"$tmp/report.json" > /dev/null || return 1
	lost 0
	deadlocked yes
}

# watched - the watchdog sees it, and drops
watched() {
	ring ethernet-400g "routing: {datelines: off, allow-cycles: on}" \
		"port: {watchdog: drop, watchdog-poll: 1ms, watchdog-detect: 5ms, watchdog-restore: 5ms}" |
		up > /dev/null
	send
	jq -e '[.lossless.disciplines[] | .watchdogs] | add > 0' \
		"$tmp/report.json" > /dev/null
}

# goes HOLD PROFILE [LINE]... - all get all, when the law says
goes() {
	ring "${@:2}" | up > /dev/null
	send
	awk -v n=$datagrams -v slot=$slot -v nodes=$nodes -v hold="$1" '
		BEGIN {
			end[2] = 2
			end[1] = end[2] + 3 / 4
			end[0] = end[1] + 4 / 5
			end[5] = end[0] + 2 / 3
			end[4] = end[3] = end[5] + 1
		}
		$1 == "all" { still = $2 == "still"; next }
		{ to = substr($1, 5); late = $3 / slot - end[to] * n; seen++ }
		$2 != n || late > nodes * hold || late < -nodes * hold {
			print $1 ": " $2 " of " n ", " late " slots late"
			bad = 1
		}
		END { exit bad || !still || seen != nodes }' "$tmp/came"
	lost 0
	deadlocked no
}

ktap_begin 7
t "credits: refused" refused ib-ndr
t "priorities: refused" refused ethernet-400g
t "credits: forced, and stuck" stuck ib-ndr
down > /dev/null
t "priorities: forced, and stuck" stuck ethernet-400g
down > /dev/null
t "priorities: the watchdog sees it" watched
down > /dev/null
t "credits: date lines" goes 20 ib-ndr
down > /dev/null
t "priorities: date lines" goes 26 ethernet-400g \
	"port: {pfc: [0, 3, 4, 7]}"
ktap_end
