#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sockets and verbs on one port, which shares the wire among their classes by
# weights.
#
#	host0 -- leaf -- host1	100 Gb/s, datagrams in class 0, writes in class 3
#
# Both have always something to send. With weights w0 and w3, writes of 64 KiB,
# which have 16 packets of 82 bytes of headers and one RETH of 16, pass at
#
#	C * w3 / (w0 + w3) * 65536 / (65536 + 16 * 82 + 16)
#
# and, as a class without a weight goes first, at C if w3 is 0. What passes is
# counted for 5 ms, in which no visit of the other class, of a few frames, makes 1 %.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need ib_write_bw iperf3 jq ss

[ "$clock" = virtual ] || skip_all "only the virtual clock is exact"

# now - the time in s, and packets of verbs that host1 has received
now() {
	echo "$(date +%s.%N) $(weft show verbs --json | jq '.[1].rx_packets')"
}

# written - has host1 received some?
written() {
	[ "$(now | awk '{ print $2 }')" -gt 1000 ]
}

# pass PART - of the line is what writes get, within 1 %
pass() {
	local first

	sleep 0.002
	first=$(now)
	sleep 0.005
	expect_in "part" "$(awk -v p="$1" 'BEGIN { print 0.99 * p }')" \
		"$(awk -v p="$1" 'BEGIN { print 1.01 * p }')" \
		"$(echo "$first $(now)" | awk '{
			print ($4 - $2) * (4096 + 82 + 1) * 8 / ($3 - $1) / 100e9
		}')"
}

# share WEIGHT0 WEIGHT3
share() {
	local pids=()

	star ethernet-100g 2 "port: {weights: [$1, 14, 14, $2, 14, 14, 14, 14]}"
	weft exec host1 -- iperf3 -s -1 > /dev/null 2>&1 &
	pids+=($!)
	weft exec host1 -- ib_write_bw -S 3 -n 200000 -F > /dev/null 2>&1 &
	pids+=($!)
	slowwait 5 listens host1 18515
	weft exec host0 -- ib_write_bw -S 3 -n 200000 -F "$(address host1)" \
		> /dev/null 2>&1 &
	pids+=($!)
	sleep 0.9	# a second, perftest rests before it writes
	slowwait 20 written
	pass 1
	weft exec host0 -- iperf3 -u -b 0 -l 8972 -t 1 -c "$(address host1)" \
		> /dev/null 2>&1 &
	pids+=($!)
	pass "$(awk -v a="$1" -v b="$2" 'BEGIN { print b ? b / (a + b) : 1 }')"
	kill -KILL "${pids[@]}"
}

ktap_begin 4
t "14 to 15" share 14 15
t "10 to 30" share 10 30
t "30 to 10" share 30 10
t "writes go first" share 14 0
ktap_end
