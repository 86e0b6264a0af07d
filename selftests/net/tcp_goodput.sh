#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# iperf3 over an idle path reaches 0.98 of what the wire leaves for payload.
#
#	host0 -- leaf -- host1
#
# A full frame at MTU 9000 carries 9000 - 20 (IPv4) - 32 (TCP with time stamps)
# = 8948 bytes of payload in 9000 + 14 (Ethernet) + 24 (FCS, preamble, gap) =
# 9038 bytes of wire. At rate C the bound is C 8948 / 9038. The 2 % are for the
# start: with 256 MB even the ten round trips that slow start takes to a window
# of 1 MB are 40 us of 2.6 ms at 800 Gb/s.
. "$(dirname "$0")/lib.sh"
need iperf3 jq

goodput() {
	local gbps

	topology "$1Gbps" 2 | up > /dev/null
	serve host0
	on host1 iperf3 -J -c host0 -n "$2" > "$tmp/result"
	gbps=$(jq '.end.sum_received.bits_per_second / 1e9' "$tmp/result")
	echo "# $1 Gb/s: $gbps of $(bound "$1")" >&3
	expect_in "goodput in Gb/s" \
		"$(awk -v b="$(bound "$1")" 'BEGIN { print 0.98 * b }')" \
		"$(bound "$1")" "$gbps"
}

bound() {
	awk -v c="$1" 'BEGIN { print c * 8948 / 9038 }'
}

exec 3>&1
ktap_begin 4
t "10 Gb/s" goodput 10 32M
down > /dev/null
t "100 Gb/s" goodput 100 128M
down > /dev/null
t "400 Gb/s" goodput 400 256M
down > /dev/null
t "800 Gb/s" goodput 800 256M
ktap_end
