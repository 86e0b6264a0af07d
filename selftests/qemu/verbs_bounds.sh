#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a process can take from others by its queues, and what it can guess: memory, the
# CPU, wake-ups, keys. The machine has one CPU, and its clock counts its instructions, 1 ns
# each (weft-qemu --icount), so other work of the host does not count.
WEFT_TEST_CLOCK=real/1000
. "$(dirname "$0")/../net/lib.sh"
# shellcheck source=../net/lib_verbs.sh
. "$net_dir/lib_verbs.sh"

program=$(built verbs_bounds) || skip_all "verbs_bounds is not built"
readonly program
readonly groups=$tmp/groups LIMIT=$((24 << 20))
readonly parameter=/sys/module/weft_rdma/parameters/poll_wait_us

# bounds TEST [NODE] - what the program prints. Here loop() would stop it by the host's
# load: while the machine waits for a file its clock jumps from timer to timer.
bounds() {
	local node=${2:-host0}

	on "$node" "$program" "$(rdma_device "$node")" 1 "$1"
}

# figure WHAT LOW HIGH FOUND - as expected?
figure() {
	echo "$1: $4"
	expect_in "$@"
}

# Completions are charged to who made the queue: it overruns where his memory ends.
memory() {
	local found

	mkdir "$groups"
	mount -t cgroup2 none "$groups"
	echo +memory > "$groups/cgroup.subtree_control"
	mkdir "$groups/weft"
	echo $LIMIT > "$groups/weft/memory.max"
	found=$(echo "$BASHPID" > "$groups/weft/cgroup.procs" && bounds fill)
	figure "bytes of completions" $((LIMIT / 8)) $LIMIT "$found"
}

# A million completions are searched, and nobody waits for the CPU longer than 10 ms.
searched() {
	figure "late, us" 0 10000 "$(bounds purge)"
}

# 500 completions of another process; the poller wakes five times a second by itself.
woken() {
	local was

	was=$(cat $parameter)
	echo 200000 > $parameter
	figure "wake-ups" 0 50 "$(bounds wake)"
	echo "$was" > $parameter
}

# Regions of two devices with the same indexes. That one of 32 keys differs is not certain
# by 256^-32. This comes first: the devices have given no keys yet.
keys() {
	bounds keys host0 | tr ' ' '\n' > "$tmp/a"
	bounds keys host1 | tr ' ' '\n' > "$tmp/b"
	expect "indexes" "$(cut -d : -f 1 "$tmp/a")" "$(cut -d : -f 1 "$tmp/b")"
	! cmp -s "$tmp/a" "$tmp/b"
}

# At a millionth of the wall's speed the message takes seconds, and the queue pair would
# wait 50 s for it. This comes last, as it leaves another lab.
destroyed() {
	down > /dev/null
	topology 100Gbps 2 | up --clock real/1000000 > /dev/null
	figure "us until destroyed" 500000 1500000 "$(bounds destroy)"
	figure "us until killed" 0 100000 "$(bounds end)"
}

ktap_begin 5
hosts ethernet-100g 2
t "keys cannot be guessed" keys
t "completions are its own memory" memory
t "a long queue is searched bit by bit" searched
t "completions wake their own process" woken
t "a slow message does not hold its process" destroyed
umount "$groups"
ktap_end
