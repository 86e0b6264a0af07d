#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Parts of a fabric go away under traffic, "weft" dies at any point, commands
# are given twice: nothing is left over. That the kernel's log stays clean and
# the module can be unloaded afterwards is what in_guest.sh adds.
. "$(dirname "$0")/lib.sh"
need iperf3 jq

fabric() {
	topology 100Gbps 3 | up > /dev/null
}

# traffic - TCP one way, UDP the other, in the background until they fail
traffic() {
	serve host0
	on host1 iperf3 -c host0 -t 60 > /dev/null 2>&1 &
	on host2 iperf3 -s -1 -p 5202 > /dev/null 2>&1 &
	slowwait 5 listens host2 5202
	on host0 iperf3 -u -b 2G -c host2 -p 5202 -t 60 > /dev/null 2>&1 &
	sleep 0.01
}

# quiet - end what is left of the traffic
quiet() {
	local pids

	pids=$(jobs -p)
	# shellcheck disable=SC2046,SC2086 # lists of numbers
	kill -KILL $(pgrep -x iperf3) $pids 2> /dev/null || true
	wait
}

# nothing_left - no NIC, no namespace, no mount of ours
nothing_left() {
	expect "NICs" "" "$(ip -o link show type weft)" || return 1
	expect "namespaces" "" "$(ip netns list)" || return 1
	expect "mounts" "" "$(grep -E '/run/(netns/host|weft/)' /proc/mounts || true)"
}

# under_traffic COMMAND... - it succeeds, and so does down
under_traffic() {
	fabric
	traffic
	"$@"
	sleep 0.01
	quiet
	down
	nothing_left
}

namespace() {
	ip netns del host1
}

# The namespace lives on as long as a process is in it: end those too.
namespace_for_good() {
	ip netns del host1
	quiet
}

link() {
	on host1 ip link del "$(device host1)"
}

# The fabric belongs to a namespace of the lab's own.
switch() {
	nsenter --net=/run/weft/test/net \
		python3 "$net_dir/netlink.py" switch-del fabric=0 id=0
}

carrier() {
	for _ in 1 2 3; do
		on host1 ip link set "$(device host1)" down
		on host1 ip link set "$(device host1)" up
	done
}

module_in_use() {
	refused rmmod weft
}

up_twice() {
	fabric
	fabric || true
	on host0 ping -q -c 1 host2
	down
	nothing_left
}

# An older weft wrote no names of /run/netns down.
down_older() {
	fabric
	jq '.nodes |= map(del(.netns))' /run/weft/test.json > "$tmp/older.json"
	cat "$tmp/older.json" > /run/weft/test.json
	weft down > /dev/null
	nothing_left
}

down_twice() {
	fabric
	down
	down || true
	nothing_left
}

# killed_at CALL COMMAND... - kill the command at its 1st, 2nd, ... CALL until it
# gets through, and clean up after each; in larger steps where each takes seconds,
# as what is left over is the same there
killed_at() {
	local call=$1 n=0 code=137 part=8

	shift
	[ "$clock" = virtual ] || part=2
	while [ $code -ne 0 ] && [ $n -lt 200 ]; do
		n=$((n + 1 + n / part))
		code=0
		strace -f -qq -o /dev/null -e "trace=$call" \
			-e "inject=$call:signal=KILL:when=$n" "$@" > /dev/null 2>&1 ||
			code=$?
		down > "$tmp/down" 2>&1 || true
		nothing_left || {
			echo "after a kill at $call number $n"
			cat "$tmp/down"
			return 1
		}
	done
	[ $n -gt 1 ] || {
		echo "never reached a $call"
		return 1
	}
}

up_killed() {
	topology 100Gbps 3 > "$tmp/topology.yaml"
	killed_at "$1" weft up "$tmp/topology.yaml" "${clock_option[@]}"
}

# A lab whose hosts cannot be written is not up: names would lead elsewhere.
hosts_unwritten() {
	local code=0

	topology 100Gbps 3 > "$tmp/topology.yaml"
	strace -f -qq -o /dev/null -e trace=write -P /run/weft/test/hosts \
		-e inject=write:error=ENOSPC \
		weft up "$tmp/topology.yaml" "${clock_option[@]}" 2> "$tmp/err" || code=$?
	expect "exit code" 4 $code
	expect_match "message" '^weft up: .*/run/weft/test/hosts: No space left on device' \
		"$(cat "$tmp/err")"
	nothing_left
}

# down_at CALL - a fabric, and its removal killed at each CALL
down_at() {
	local n at="1 2 3 5 8 13"

	[ "$clock" = virtual ] || at="1 3 8"
	for n in $at; do
		fabric
		strace -f -qq -o /dev/null -e "trace=$1" \
			-e "inject=$1:signal=KILL:when=$n" weft down > /dev/null 2>&1 || true
		down || true
		nothing_left || {
			echo "after a kill at $1 number $n"
			return 1
		}
	done
}

need_strace() {
	command -v strace > /dev/null || skip "strace is missing"
	strace -qq -o /dev/null true || skip "strace does not work here"
	"$@"
}

ktap_begin 15
t "namespace deleted under traffic" under_traffic namespace
t "namespace and its processes ended under traffic" under_traffic namespace_for_good
t "link deleted under traffic" under_traffic link
t "switch deleted under traffic" under_traffic switch
t "links down and up under traffic" under_traffic carrier
t "fabric removed under traffic" under_traffic down
t "the module stays while a fabric uses it" under_traffic module_in_use
weft down > /dev/null 2>&1
t "up twice" up_twice
t "down twice" down_twice
t "down of an older lab" down_older
t "up killed at each request to the kernel" need_strace up_killed sendmsg
t "up killed at each mount" need_strace up_killed mount
t "up killed at each open" need_strace up_killed openat
t "hosts cannot be written" need_strace hosts_unwritten
t "down killed at each request to the kernel" need_strace down_at sendmsg
ktap_end
