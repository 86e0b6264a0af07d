#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where the machine is too slow for the load, the verdict says so: an emulated
# machine cannot execute the events of 400 Gb/s within a microsecond of their
# time, as its own timer interrupt takes longer.
WEFT_TEST_CLOCK=real
. "$(dirname "$0")/../net/lib.sh"
need iperf3 jq

too_fast() {
	local report

	topology 400Gbps 2 | up
	serve host0
	on host1 iperf3 -c host0 -t 2 > /dev/null
	report=$(weft report --json)
	jq -c .verdict <<< "$report"
	expect "faithful" false "$(jq .verdict.faithful <<< "$report")"
	expect_match "reason" 'late' "$(jq -r '.verdict.reasons[]' <<< "$report")"
	down
}

ktap_begin 1
t "a machine that is too slow is called unfaithful" too_fast
ktap_end
