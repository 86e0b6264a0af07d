#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A dilated clock on a real kernel keeps the ratios: what reaches the far end is
# the closed form, and the verdict is faithful. The machine's clock counts its
# instructions (weft-qemu --icount), so other work of the host does not count.
#
#	host0 -- leaf -- host1		400 Gb/s, so 400 Mb/s of this machine
#
# Goodput of TCP at MTU 9000 is 8948 of 9038 bytes on the wire (see
# ../net/tcp_goodput.sh): 396.0 Gb/s of fabric time, within 3 %.
#
# The receiver's buffer is large from the start. Linux enlarges its default of 128 KiB
# when more than a window was read in one round trip (tcp_rcv_space_adjust()). The window
# is seven segments here, so it depends on the phase of reader and sender whether that is
# ever seen: of 80 transfers of 12 MiB 35 kept the first window, and half the rate.
WEFT_TEST_CLOCK=real/1000
. "$(dirname "$0")/../net/lib.sh"
need iperf3 jq

goodput() {
	local gbps

	on host0 sysctl -qw net.ipv4.tcp_rmem="4096 4194304 6291456"
	serve host0
	on host1 iperf3 -J -c host0 -t 4 -O 1 > "$tmp/result"
	# bits per second of the wall, times 1000, in Gb/s
	gbps=$(jq '.end.sum_received.bits_per_second * 1000 / 1e9' "$tmp/result")
	echo "goodput $gbps Gb/s"
	expect_in "goodput in Gb/s of fabric time" 384.1 407.9 "$gbps"
}

faithful() {
	local report

	report=$(weft report --json)
	jq -c '.verdict, .host_drops' <<< "$report"
	expect "faithful" true "$(jq .verdict.faithful <<< "$report")"
	expect "packets lost because of the host" 0 \
		"$(jq '[.host_drops[]?] | add // 0' <<< "$report")"
}

topology 400Gbps 2 | up > /dev/null || exit 1
ktap_begin 2
t "iperf3 reaches the closed form within 3 %" goodput
t "the run was faithful" faithful
ktap_end
