#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Random operations of netlink, NICs, RDMA devices, faults, traffic and namespaces, from
# twice as many processes as there are CPUs, for WEFT_TORTURE_OPERATIONS (4,000) from
# WEFT_TORTURE_SEED (1), while a fabric of InfiniBand beside them carries messages: of
# these none is lost, and each comes back as it was sent. Then the memory is as it was,
# queue pairs are destroyed while others poll for them, and as everywhere the module can be
# unloaded and the kernel has nothing to say.
WEFT_TEST_CLOCK=real/1000
. "$(dirname "$0")/../net/lib.sh"
# shellcheck source=../net/lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need jq rdma ibv_rc_pingpong python3

program=$(built verbs_bounds) || skip_all "verbs_bounds is not built"
readonly program
readonly torture=$net_dir/../qemu/torture.py
readonly OPERATIONS=${WEFT_TORTURE_OPERATIONS:-4000} SEED=${WEFT_TORTURE_SEED:-1}
# they sleep much: in the grace periods of RCU, and for one another
readonly WORKERS=$(($(nproc) * 2))
readonly SLACK_KIB=$((32 * 1024))

# kept - what the kernel has of memory that does not come back by itself, in KiB
kept() {
	awk '/^(SUnreclaim|KernelStack|PageTables|VmallocUsed|Percpu):/ { n += $2 } END { print n }' \
		/proc/meminfo
}

messages() {
	while [ -e "$tmp/go" ]; do
		pair 18515 ibv_rc_pingpong -c -n 50 -s 20000 > "$tmp/pair" 2>&1 || {
			cat "$tmp/pair" >> "$tmp/bad"
			return 1
		}
		echo >> "$tmp/rounds"
	done
}

operations() {
	local err=0 pid

	touch "$tmp/go" "$tmp/bad" "$tmp/rounds"
	messages &
	pid=$!
	python3 "$torture" "$SEED" "$OPERATIONS" $WORKERS > "$tmp/counts" 2>&3 || err=$?
	rm "$tmp/go"
	wait $pid
	[ $err -eq 0 ] || {
		cat "$tmp/counts"
		return 1
	}
	echo "$(wc -l < "$tmp/rounds") rounds of messages"
	expect "messages" "" "$(cat "$tmp/bad")"
	expect_in "rounds" 1 1000000 "$(wc -l < "$tmp/rounds")"
	expect "lost" "[]" "$(weft report --json | jq -c .lossless.losses)"
}

# settled - is as much memory free as before? A namespace ends some time after its last
# process.
settled() {
	[ "$(kept)" -le $((before + SLACK_KIB)) ]
}

memory() {
	slowwait 30 settled || true
	echo "$before KiB before, $(kept) KiB now"
	expect_in "KiB more than before" -1000000 $SLACK_KIB $(($(kept) - before))
}

# A thread polls completions of queue pairs that another destroys. Each has the number of
# its queue pair; what is read from one that is gone would have another's.
numbers() {
	on host0 "$program" "$(rdma_device host0)" 0 numbers
}

# how far it is, each minute
exec 3>&1
star ib-edr 2 > /dev/null || exit 1
python3 "$torture" 0 $(($(nproc) * 300)) $WORKERS > /dev/null || true
sleep 1
before=$(kept)
ktap_begin 3
t "$OPERATIONS operations on $(nproc) CPUs" operations
sed 's/^/# /' "$tmp/counts"
t "nothing of them is left" memory
t "a queue pair that is gone is not read" numbers
ktap_end
