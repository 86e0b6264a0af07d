#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# weft capture: packets as the NIC sends them, with the fabric time of their
# first bit; ends, refusals, and teardown in any order.
. "$(dirname "$0")/lib.sh"
need tcpdump ping

# capturing FILE ARGUMENT... - begin a capture in the background; its pid is $!
capturing() {
	local file=$1

	shift
	: > "$file.err"
	weft capture "$@" -o "$file" 2> "$file.err" &
	slowwait 5 grep -q ^capturing "$file.err"
}

# packets FILE - the packets, one line of hex each
packets() {
	tcpdump -n -t -xx -r "$1" icmp 2> /dev/null |
		awk '/^[^\t]/ { if (s) print s; s = ""; next }
			{ sub(/^[^:]*: */, ""); gsub(/ /, ""); s = s $0 }
			END { if (s) print s }'
}

# The same packets that the stack handed to the NIC and took from it.
same_as_tcpdump() {
	local pid

	rm -f "$tmp/tcpdump"
	on host0 tcpdump -i "$(device host0)" -n --immediate-mode -c 10 \
		-w "$tmp/nic" icmp 2> "$tmp/tcpdump" &
	pid=$!
	slowwait 5 grep -qs 'listening on' "$tmp/tcpdump"
	capturing "$tmp/link" host0 -c 10
	on host0 ping -q -c 5 -i 0.01 -s 300 host1
	wait $pid $!
	expect "packets" 10 "$(packets "$tmp/nic" | wc -l)"
	expect "bytes" "$(packets "$tmp/nic" | sort)" \
		"$(packets "$tmp/link" | sort)"
	expect_match "summary" '^10 frames captured' "$(cat "$tmp/link.err")"
}

# A frame of 14 + 20 + 8 + 986 = 1028 bytes has 1052 on the wire: at 400 Gb/s
# 21.04 ns. The first switch of the path sends it on when it has all of it, after
# the 450 ns of its pipeline; so the two captures differ by 37 + 21.04 + 450 ns.
times() {
	local in out

	weft capture host0 -c 1 > "$tmp/in" 2> /dev/null &
	in=$!
	weft capture leaf:1 -c 1 > "$tmp/out" 2> /dev/null &
	out=$!
	slowwait 5 captures 2
	on host0 ping -q -c 1 -s 986 host1
	wait $in $out
	expect_match "in" '^[0-9.]+ host0.eth0 > leaf:0 packet 1028 class 0' \
		"$(cat "$tmp/in")"
	expect "difference in ps" 508040 "$(awk '{ sub(/.*\./, "", $1); print $1 }' \
		"$tmp/in" "$tmp/out" | paste -sd ' ' | awk '{ print $2 - $1 }')"
}

# captures N - whether so many commands have begun
captures() {
	[ "$(pgrep -c -x weft)" -eq "$1" ]
}

# Cut to 60 bytes, with the true length beside.
snaplen() {
	capturing "$tmp/short" host0 -c 1 -s 60
	on host0 ping -q -c 1 -s 300 host1
	wait $!
	expect "bytes" $((60 * 2)) "$(packets "$tmp/short" | awk '{ print length }')"
	expect_match "length" 'length 308' "$(tcpdump -n -r "$tmp/short" 2> /dev/null)"
}

duration() {
	capturing "$tmp/empty" host1 --for 5ms
	wait $!
	expect_match "summary" '^0 frames captured' "$(cat "$tmp/empty.err")"
}

interrupt() {
	capturing "$tmp/cut" host0
	on host0 ping -q -c 3 -i 0.01 host1
	kill -INT $!
	wait $!
	expect "packets" 6 "$(packets "$tmp/cut" | wc -l)"
}

refusals() {
	expect "no such link" \
		'weft capture: no link, NIC or port is called "host7"' \
		"$(weft capture host7 2>&1)"
	expect_match "several links" 'more than one link' \
		"$(weft capture leaf 2>&1)"
	expect_match "file" "No such file" \
		"$(weft capture host0 -o "$tmp/no/file" 2>&1)"
}

# A reader that goes ends the capture without a word.
broken_pipe() {
	weft capture host0 -o - 2> /dev/null | head -c 100 > /dev/null &
	slowwait 5 captures 1
	on host0 ping -q -c 5 -i 0.01 host1
	wait $!
	slowwait 5 captures 0
}

# The lab goes under traffic, with three captures: they end, and all is freed.
lab_goes() {
	local pid pids=()

	for i in 1 2 3; do
		capturing "$tmp/end$i" host0
		pids+=($!)
	done
	on host0 ping -q -f -c 100000 host1 > /dev/null &
	slowwait 5 test -s "$tmp/end3"
	down
	for pid in "${pids[@]}"; do
		wait "$pid"
	done
}

# path: host0 and host1 at a switch that stores and forwards
path() {
	cat <<- END
	name: test
	profile: ethernet-400g
	link: {rate: 400Gbps, propagation: 37ns, overhead: 24, min-frame: 60}
	switch: {latency: 450ns, forward: store-forward}
	nic: {mtu: 9000}
	nodes: [{name: "host[0-1]"}]
	switches: [{name: leaf}]
	links: [{ends: ["host[0-1]", leaf]}]
	END
}

path | up > /dev/null || exit 1
ktap_begin 9
t "packets are those of tcpdump" same_as_tcpdump
if [ "$clock" = virtual ]; then
	t "times are exact" times
else
	t "times are exact" skip "on the virtual clock only"
fi
t "--snaplen" snaplen
t "--for" duration
t "SIGINT" interrupt
t "refusals" refusals
t "broken pipe" broken_pipe
t "again after all that" same_as_tcpdump
t "the lab goes" lab_goes
ktap_end
