#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user without privileges, who is root in a user namespace of his own, makes all
# the trouble there that he can. The host keeps its memory, and a thread of the first
# namespace that sleeps for a millisecond never waits longer than 10 ms for its turn.
#
# The machine has one CPU, and its clock counts its instructions, 1 ns each (weft-qemu
# --icount), so other work of the host does not count. Storms last WEFT_HOSTILE_SECONDS of
# that clock (1): long enough for the thread to sleep some hundred times, and for a user to
# have all the memory that he may, some two thousand frames of 60 kB.
WEFT_TEST_CLOCK=real
. "$(dirname "$0")/../net/lib.sh"
need python3 setpriv ip

hostile=$(for_all "$net_dir"/../qemu/hostile.py "$net_dir"/netlink.py)/hostile.py
readonly hostile
readonly LATE_US=10000
readonly SLACK_KIB=$((64 * 1024))

# limit_kib - of the memory of all users
limit_kib() {
	echo $(($(cat /proc/sys/net/weft/user_memory) / 1024))
}

# available - memory of the host, in KiB
available() {
	awk '/^MemAvailable/ { print $2 }' /proc/meminfo
}

# user ATTACK - it, by nobody; how much memory the host had least
user() {
	local least now pid

	setpriv --reuid 65534 --regid 65534 --clear-groups \
		python3 "$hostile" "$1" > "$tmp/out" 2>&1 &
	pid=$!
	least=$(available)
	while kill -0 $pid 2> /dev/null; do
		now=$(available)
		[ "$now" -ge "$least" ] || least=$now
		sleep 0.2
	done
	wait $pid || { cat "$tmp/out" >&2; return 1; }
	cat "$tmp/out" >&2
	echo "$least"
}

# attack NAME - with the probe beside it, and until all of it is gone
attack() {
	local before held least pid

	rm -f "$tmp/late"
	before=$(available)
	held=$(cat /sys/module/weft/refcnt)
	python3 "$hostile" probe "$tmp/late" &
	pid=$!
	slowwait 20 test -e "$tmp/late"
	least=$(user "$1") || {
		kill $pid
		return 1
	}
	slowwait 20 gone
	kill $pid
	wait $pid || true
	echo "$1: late by $(cat "$tmp/late") us at most, $((before - least)) KiB less"
	expect_in "late, us" 0 $LATE_US "$(cat "$tmp/late")"
	expect_in "memory, KiB" -$SLACK_KIB $(($(limit_kib) + SLACK_KIB)) \
		$((before - least))
}

# gone - is nothing left of his namespaces?
gone() {
	[ "$(cat /sys/module/weft/refcnt)" -le "$held" ]
}

ktap_begin 5
for name in storm far objects listeners requests; do
	t "$name" attack $name
done
ktap_end
