#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# All of perftest, over InfiniBand and RoCE v2: each tool with each transport that
# it has, polling and sleeping, with 1 and with 64 queue pairs, one way and both.
# Here they must run to their end and print figures that can be; verbs_exact has
# what they must be.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need ib_write_bw ib_write_lat ib_send_bw ib_send_lat ib_read_bw ib_read_lat \
	ib_atomic_bw ib_atomic_lat ss

readonly PROFILES="ib-edr ethernet-100g"
readonly LINE=11921	# 100 Gb/s in perftest's MB/s of 2^20 bytes

[ "$clock" = virtual ] || skip_all "figures of a real clock can be anything"

# plausible COLUMN MOST ARGUMENT... - one run, and its figure above 0, at most MOST
plausible() {
	local column=$1 most=$2 figure

	shift 2
	figure=$(perftest "$@" | awk -v c="$column" '{ print $c }')
	expect_in "$*" 0.001 "$most" "$figure"
}

# bandwidths TOOL TRANSPORT [OPTION] - one way and both, whose sum it is then, with
# the option in half of the runs; atomics have 8 bytes
bandwidths() {
	# shellcheck disable=SC2206 # an option or none
	local tool=$1 transport=$2 option=(${3:-}) size=(-s 4096)

	[ "$tool" != ib_atomic_bw ] || size=()
	plausible 4 $LINE "$tool" -c "$transport" -n 20
	plausible 4 $((2 * LINE)) "$tool" -c "$transport" -n 20 -b "${option[@]}"
	plausible 4 $LINE "$tool" -c "$transport" -n 20 -q 64 "${size[@]}" "${option[@]}"
	plausible 4 $((2 * LINE)) "$tool" -c "$transport" -n 20 -q 64 "${size[@]}" -b
}

# latencies TOOL TRANSPORT [OPTION] - without the option and with it
latencies() {
	plausible 5 100 "$1" -c "$2" -n 20
	[ -z "${3:-}" ] || plausible 5 100 "$1" -c "$2" -n 20 "$3"
}

# all PROFILE - writes have no events, as their target does not hear of them
all() {
	local transport

	star "$1" 2 > /dev/null
	t "$1: ib_read_bw RC" bandwidths ib_read_bw RC -e
	t "$1: ib_read_lat RC" latencies ib_read_lat RC -e
	t "$1: ib_atomic_bw RC" bandwidths ib_atomic_bw RC -e
	t "$1: ib_atomic_lat RC" latencies ib_atomic_lat RC -e
	for transport in RC UC; do
		t "$1: ib_write_bw $transport" bandwidths ib_write_bw $transport
		t "$1: ib_write_lat $transport" latencies ib_write_lat $transport
	done
	for transport in RC UC UD; do
		t "$1: ib_send_bw $transport" bandwidths ib_send_bw $transport -e
		t "$1: ib_send_lat $transport" latencies ib_send_lat $transport -e
	done
	down > /dev/null
}

ktap_begin 28
for p in $PROFILES; do
	all "$p"
done
ktap_end
