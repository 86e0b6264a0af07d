#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The model of the NIC, as perftest's figures and the counters show it.
#
#	message-rate R	requests of some bytes: R in a second
#	pcie-rate B	payload: B bits in a second, where that is less than the wire's
#	qp-cache C	Q > C queue pairs in turn: the one whose turn it is, is the
#			one that was dropped longest ago. Each packet misses, and the
#			NIC stands still for qp-miss before it. With Q <= C it
#			misses once for each.
#	doorbell	of a write of 2 bytes: the latency grows by it
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need ib_write_bw ib_write_lat jq

[ "$clock" = virtual ] || skip_all "only the virtual clock is exact"

# counter NAME - of host0's verbs
counter() {
	weft show verbs --json | jq ".[0].$1"
}

# message_rate PROFILE MILLIONS - N requests last N / R, and the way there and back
message_rate() {
	local found

	chain "$1" 1 "nic: {verbs: {message-rate: ${2}M}}" || return 1
	found=$(perftest ib_write_bw -s 8 -n 4000) || return 1
	within 0.5 "$2" "$(awk '{ print $5 }' <<< "$found")"
}

# pcie PROFILE GBPS
pcie() {
	local found

	chain "$1" 1 "nic: {verbs: {pcie-rate: ${2}Gbps}}" || return 1
	found=$(perftest ib_write_bw -s 65536 -n 400) || return 1
	within 0.5 "$(awk -v g="$2" 'BEGIN { print g * 1e9 / 8 / 1048576 }')" \
		"$(awk '{ print $4 }' <<< "$found")"
}

# cache PROFILE QPS CACHE MISS - with a miss of so many ns
cache() {
	local found

	chain "$1" 1 "nic: {verbs: {qp-cache: $3, qp-miss: ${4}ns}}" || return 1
	found=$(perftest ib_write_bw -s 8 -n 500 -q "$2") || return 1
	if [ "$2" -gt "$3" ]; then
		within 0.5 $((500 * $2)) "$(counter cache_misses)" || return 1
		within 1 "$(awk -v m="$4" 'BEGIN { print 1000 / m }')" \
			"$(awk '{ print $5 }' <<< "$found")"
	else
		# QP0 and QP1 are queue pairs as well
		expect_in "misses" "$2" $(($2 + 2)) "$(counter cache_misses)"
	fi
}

# doorbell PROFILE - two latencies, a microsecond apart
doorbell() {
	local one two

	chain "$1" 1 "nic: {verbs: {doorbell: 1us}}" || return 1
	one=$(perftest ib_write_lat -s 2 -n 20) || return 1
	weft set nic host0 verbs.doorbell 2us
	weft set nic host1 verbs.doorbell 2us
	two=$(perftest ib_write_lat -s 2 -n 20) || return 1
	within 1 1 "$(echo "$one $two" | awk "{ print \$14 - \$5 }")"
}

ktap_begin 10
t "half a million messages" message_rate ib-edr 0.5
t "a million messages" message_rate ib-ndr 1
t "three million messages" message_rate ethernet-100g 3
t "PCIe at 50 Gb/s" pcie ib-edr 50
t "PCIe at 200 Gb/s" pcie ib-ndr 200
t "PCIe at 64 Gb/s" pcie ethernet-100g 64
t "8 queue pairs, 4 kept" cache ib-edr 8 4 2000
t "16 queue pairs, 15 kept" cache ethernet-100g 16 15 1000
t "8 queue pairs, 8 kept" cache ib-ndr 8 8 2000
t "doorbell" doorbell ib-ndr
ktap_end
