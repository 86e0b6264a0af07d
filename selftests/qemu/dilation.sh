#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --clock real/auto keeps up with all links at full load, and a fabric a hundred times
# faster does not. The machine's clock counts its instructions, 10^9 a second, which is
# what real/auto assumes of the slowest machine. It has one CPU, so programs sleep meanwhile.
WEFT_TEST_CLOCK=real/auto
. "$(dirname "$0")/../net/lib.sh"
need jq

# loaded CLOCK - the report of a switch and four NICs, each of which sends to all others
# for 1 ms of fabric time, as large as packets of RDMA are
loaded() {
	topology 400Gbps 4 | up --clock "$1" > /dev/null
	weft traffic add all-to-all size=4110 duration=1ms > /dev/null
	sleep 2
	slowwait 60 traffic_over
	weft report --json > "$tmp/report"
	down
	jq -c '.clock, .verdict' "$tmp/report"
}

# 2 * 4 directions, 400 Gb/s / (8 * 4120 B) packets a second, 6 us each: 582.5
chosen() {
	loaded real/auto
	expect "clock" real/1000 "$(jq -r .clock "$tmp/report")"
	expect "faithful" true "$(jq .verdict.faithful "$tmp/report")"
}

too_fast() {
	loaded real/10
	expect "faithful" false "$(jq .verdict.faithful "$tmp/report")"
	expect_match "reason" 'late' "$(jq -r '.verdict.reasons[]' "$tmp/report")"
}

ktap_begin 2
t "as slow as Weft chooses" chosen
t "a hundred times faster" too_fast
ktap_end
