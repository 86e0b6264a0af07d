#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A process that waits by spinning neither hangs the virtual clock nor slows it.
#
# Each spins until another process, which sleeps for T = 20 ms, ends its wait.
# It may not see the end before T; it may see it late by one look: after T / 64,
# as the clock gives a spinner that has waited for T another look then. Reads of
# the clock may end at the same bound, and not before T.
. "$(dirname "$0")/lib.sh"

[ "$clock" = virtual ] || skip_all "the virtual clock only"
spin=$(cd "$net_dir" && realpath -e ../../build/selftests/spin ./spin 2> /dev/null | head -n 1)
[ -x "$spin" ] || skip_all "spin is not built"
readonly ms=20

spins() {
	local ns

	ns=$(timeout -s KILL 3600 "$spin" "$1" $ms)
	expect_in "time in ns" $((ms * 1000000)) \
		$((ms * 1000000 * 65 / 64 + 100000)) "$ns"
}

# times - one-way times of some packets from host0 to host1
times() {
	python3 "$net_dir/one_way.py" host0 "$(address host0)" \
		host1 "$(address host1)" 64 1000 9000
}

# Single packets take the same time, to the nanosecond, while a neighbour spins.
beside() {
	local quiet

	quiet=$(times)
	on host0 "$spin" "$1" 200 > /dev/null &
	sleep 0.01
	expect "times" "$quiet" "$(times)"
	wait
}

quiet_so_far() {
	expect "faithful" true "$(weft report --json | jq .verdict.faithful)"
}

need jq
topology 100Gbps 2 | up > /dev/null || exit 1
on host0 ping -q -c 1 host1 > /dev/null
ktap_begin 8
for how in clock poll yield memory; do
	t "$how: sees the end of its wait in time" spins $how
done
for how in clock poll memory; do
	t "$how: round trips of others stay as they are" beside $how
done
t "none of them touches the verdict" quiet_so_far
ktap_end
