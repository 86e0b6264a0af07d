#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# weft set fabric cpu: a thread on the CPU that was named executes the fabric's events,
# and NAPI runs there and not where the programs are. The model does the same as without.
WEFT_TEST_CLOCK=real/100
. "$(dirname "$0")/../net/lib.sh"
need jq iperf3 taskset pgrep setpriv

readonly online=/sys/devices/system/cpu/cpu1/online

# thread - its process number
thread() {
	pgrep -x 'weft/[0-9]+' || true
}

# affinity - of the thread
affinity() {
	taskset -pc "$(thread)" | sed 's/.*: //'
}

# ticks - CPU time of the thread
ticks() {
	awk '{ print $14 + $15 }' "/proc/$(thread)/stat"
}

# receives CPU - how often NAPI ran there
receives() {
	awk -v cpu="$1" '$1 == "NET_RX:" { print $(cpu + 2) }' /proc/softirqs
}

# told - the CPU that the lab names
told() {
	weft show fabric --json | jq -r '.[0].cpu // "none"'
}

bound() {
	expect "at first" none "$(told)"
	weft set fabric cpu 1
	expect "shown" 1 "$(told)"
	expect "affinity" 1 "$(affinity)"
	weft set fabric cpu 0
	expect "threads" 1 "$(thread | wc -l)"
	expect "affinity" 0 "$(affinity)"
	weft set fabric cpu none
	expect "in the end" none "$(told)"
	expect "threads" 0 "$(thread | wc -l)"
}

# generated - what a millisecond of traffic that has no programs came to
generated() {
	weft traffic add all-to-all size=4110 rate=10Gbps duration=1ms > /dev/null
	slowwait 60 traffic_over
	weft traffic list --json | jq -c 'map(.messages, .counters)'
	weft traffic del --all > /dev/null
}

same() {
	local before

	before=$(generated)
	weft set fabric cpu 1
	expect "packets" "$before" "$(generated)"
	expect "CPU time of the thread" true "$([ "$(ticks)" -gt 0 ] && echo true)"
}

# transfer - both programs on CPU 0
transfer() {
	on host1 taskset -c 0 iperf3 -s -1 > /dev/null &
	slowwait 20 listening host1 5201
	on host0 taskset -c 0 iperf3 -c "$(address host1)" -n 4M > /dev/null
	wait $!
}

# mostly_there - a transfer; whether NAPI ran at least four times as often on CPU 1
mostly_there() {
	local here there

	here=$(receives 0)
	there=$(receives 1)
	transfer
	here=$(($(receives 0) - here))
	there=$(($(receives 1) - there))
	echo "NAPI ran $here times on CPU 0, $there on CPU 1"
	[ "$there" -gt $((here * 4)) ]
}

# A sender executes what is due before it sends. While the host runs the emulated CPU 0 and
# not CPU 1 that is much, however the events are shared out: five tries.
apart() {
	local try

	for try in 1 2 3 4 5; do
		echo "# try $try"
		mostly_there && return
	done
	return 1
}

# refused CPU - with a message; it stays where it is
refused() {
	weft set fabric cpu "$1" 2> "$tmp/err" && return 1
	expect_match "message" "CPU $1 is not online" "$(cat "$tmp/err")"
	expect "shown" 1 "$(told)"
}

not_there() {
	refused 99
}

# The kernel moves the thread when its CPU goes.
unplugged() {
	weft traffic add all-to-all size=4110 rate=10Gbps > /dev/null
	echo 0 > $online
	transfer
	refused 1
	echo 1 > $online
	weft traffic del --all > /dev/null
	weft set fabric cpu 1
	expect "affinity" 1 "$(affinity)"
}

not_a_user() {
	setpriv --reuid 65534 --regid 65534 --clear-groups \
		unshare -Urn python3 - "$(for_all "$net_dir"/netlink.py)" > "$tmp/out" 2>&1 <<-'END' || true
		import sys
		sys.path.insert(0, sys.argv[1])
		from netlink import Weft
		weft = Weft()
		print("made", len(weft.do("fabric-new", {"name": "mine"})))
		weft.do("fabric-set", {"id": 0, "cpu": 0})
	END
	expect_match "made" "made 1" "$(cat "$tmp/out")"
	expect_match "refused" "a user's fabric cannot have a CPU" "$(cat "$tmp/out")"
}

ended() {
	weft traffic add all-to-all size=4110 rate=10Gbps > /dev/null
	weft set fabric cpu none
	weft set fabric cpu 1
	down
	expect "threads" 0 "$(thread | wc -l)"
}

topology 100Gbps 4 | up > /dev/null || exit 1
ktap_begin 7
t "one thread, where it was told" bound
t "the model does not notice" same
t "receiving is not where the programs are" apart
t "a CPU that is not there" not_there
t "a CPU that goes" unplugged
t "not for users without privileges" not_a_user
t "down under traffic" ended
ktap_end
