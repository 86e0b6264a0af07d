#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# UCX and libfabric over InfiniBand and RoCE v2, as "weft exec --net verbs" makes
# them run.
#
#	host0 -- leaf -- host1	100 Gb/s
#
# A message of 8 bytes goes one way in
#
#	tx-latency 350 + 2 cables of 25.25 + switch + packet + rx-latency 300 ns
#
# with a switch of 90 (InfiniBand) or 425 ns and a packet, the lower layers' headers
# of 26 or 82 bytes, in 0.08 ns a byte; reads and atomics take it there and back.
# What UCX has of headers beside, up to 40 bytes, is less than 0.5 %, and some of its
# polls come late: 2 %. Its clock has steps of 1 us, which 200 messages share: 5 ns
# less are possible. Long messages fill packets of 4096 bytes, and the line. The
# time in which the first one comes and the last is acknowledged makes no 2 %.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need ucx_perftest fi_pingpong ss

[ "$clock" = virtual ] || skip_all "figures of a real clock can be anything"

readonly LINE=11920.93	# 100 Gb/s in MB/s of 2^20 bytes

# v NODE COMMAND... - run over verbs
v() {
	weft exec --net verbs "$1" -- "${@:2}"
}

# verbs_pair PORT COMMAND... - as pair, over verbs
verbs_pair() {
	on() {
		v "$@"
	}
	pair "$@"
}

# ucx COLUMN ARGUMENT... - of ucx_perftest's last line: 3 is the average time of a
# message in us, 5 the bandwidth in MB/s
ucx() {
	local column=$1

	shift
	verbs_pair 13337 ucx_perftest -f "$@" >&2 || return 1
	tail -n 1 "$tmp/client" | awk -v c="$column" '{ print $c }'
}

# latency SWITCH HEADER WAYS TEST - in nanoseconds, bytes, and one or two ways
latency() {
	local law

	law=$(awk -v cut="$1" -v h="$2" -v n="$3" 'BEGIN {
		print n * (350 + 2 * 25.25 + cut + (h + 8) * 0.08 + 300) / 1000
	}')
	expect_in "$4" "$(awk -v l="$law" 'BEGIN { print l - 0.005 }')" \
		"$(awk -v l="$law" 'BEGIN { print 1.02 * l }')" "$(ucx 3 -t "$4" -n 200 -w 20)"
}

# bandwidth HEADER TEST - of 1000 KiB each
bandwidth() {
	local most

	most=$(awk -v l=$LINE -v h="$1" 'BEGIN { print l * 4096 / (4096 + h) }')
	expect_in "$2" "$(awk -v m="$most" 'BEGIN { print 0.98 * m }')" "$most" \
		"$(ucx 5 -t "$2" -s 1024000 -n 100 -w 5)"
}

# reliable PROFILE SWITCH HEADER
reliable() {
	local test

	star "$1" 2
	for test in tag_lat ucp_put_lat; do
		latency "$2" "$3" 1 $test
	done
	for test in ucp_get ucp_fadd ucp_swap ucp_cswap; do
		latency "$2" "$3" 2 $test
	done
	for test in tag_bw ucp_put_bw; do
		bandwidth "$3" $test
	done
}

# datagrams PROFILE SWITCH HEADER - UCX makes them reliable by itself
datagrams() {
	export UCX_TLS=ud

	star "$1" 2
	latency "$2" "$3" 1 tag_lat
	bandwidth "$3" tag_bw
}

# libfabric - messages are checked; its addresses are the connection manager's. The
# law for 64 bytes is 1.137 us, and libfabric's clock the same.
libfabric() {
	star ethernet-100g 2
	verbs_pair 47592 fi_pingpong -p verbs -e msg -I 200 -S 64 -c
	expect_in "msg" 1.13 1.16 "$(awk '$1 == 64 { print $(NF - 1) }' "$tmp/client")"
	verbs_pair 47592 fi_pingpong -p verbs -e msg -I 20 -c
	verbs_pair 47592 fi_pingpong -p "verbs;ofi_rxm" -e rdm -I 20 -c
}

ktap_begin 5
t "UCX, InfiniBand" reliable ib-edr 90 26
t "UCX, RoCE" reliable ethernet-100g 425 82
t "UCX over datagrams, InfiniBand" datagrams ib-edr 90 26
t "UCX over datagrams, RoCE" datagrams ethernet-100g 425 82
t "libfabric, RoCE" libfabric
ktap_end
