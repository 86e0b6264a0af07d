#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# weft and weftd are killed at any moment, 100 of them: before each a system call
# that is drawn by lot. Whatever is left, weft down removes all of it; and without
# weftd a lab is as it was.
#
# WEFT_TEST_SEED draws other moments.
. "$(dirname "$0")/lib.sh"
need jq

readonly seed=${WEFT_TEST_SEED:-1}
users=$(cat /sys/module/weft/refcnt)
readonly users
readonly kill_at=$net_dir/../../build/selftests/kill_at
[ -x "$kill_at" ] || skip_all "kill_at is not built"
"$kill_at" 0 true 2> /dev/null || skip_all "ptrace does not work here"

echo "# seed $seed"
topology 100Gbps 2 > "$tmp/lab.yaml"
trap 'daemon_gone; cleanup' EXIT

# moments HOW-MANY OF [SALT] - so many numbers of 1 to OF
moments() {
	awk -v n="$1" -v of="$2" -v seed="$seed$3" 'BEGIN {
		srand(seed)
		for (i = 0; i < n; i++)
			print 1 + int(rand() * of)
	}'
}

# calls COMMAND... - how many system calls it makes
calls() {
	"$kill_at" 0 "$@" 2>&1 > /dev/null | tail -n 1
}

bring_up() {
	weft up "$tmp/lab.yaml" "${clock_option[@]}" > /dev/null
}

# inside - whether a process is in host1
inside() {
	ip netns pids host1 | grep -q .
}

# sleeper - one that is
sleeper() {
	on host1 sleep 1000 &
	slowwait 1 inside
}

# end_daemon SIGNAL - if there is one
end_daemon() {
	local pid

	pid=$(cat /run/weft/weftd.pid 2> /dev/null) || return 0
	[ "$(cat "/proc/$pid/comm" 2> /dev/null)" != weftd ] || kill "-$1" "$pid"
}

# daemon_gone - whatever there is of one
daemon_gone() {
	end_daemon KILL
	rm -f /run/weft/weftd.* /run/weft/http.token
}

# unused - the kernel ends a namespace some time after its last process
unused() {
	[ "$(cat /sys/module/weft/refcnt)" = "$users" ]
}

# files - of labs
files() {
	find /run/weft -mindepth 1 -not -name lock -not -name 'weftd.*' \
		-not -name http.token
}

# nothing_left - no NIC, namespace, mount, process or file of a lab
nothing_left() {
	expect "NICs" "" "$(ip -o link show type weft)" || return 1
	expect "RDMA devices" "" "$(ls /sys/class/infiniband 2> /dev/null)" ||
		return 1
	expect "namespaces" "" "$(ls -A /run/netns)" || return 1
	expect "mounts" "" "$(grep -E '/run/(netns|weft)/' /proc/mounts)" ||
		return 1
	expect "files" "" "$(files)" || return 1
	expect "processes" "" "$(pgrep -x 'weft|sleep')" || return 1
	slowwait 1 unused
}

# removed WHEN - weft down --all takes away what there is
removed() {
	local out

	out=$(weft down --all 2>&1) && nothing_left && return
	echo "$1: $out"
	return 1
}

# up_calls - how many system calls weft up makes
up_calls() {
	calls weft up "$tmp/lab.yaml" "${clock_option[@]}"
	weft down > /dev/null
	nothing_left
}

# kill_up AT OF
kill_up() {
	local code=0

	"$kill_at" "$1" weft up "$tmp/lab.yaml" "${clock_option[@]}" \
		> "$tmp/out" 2>&1 || code=$?
	expect "code of up killed at $1 of $2" 137 $code
}

# up_killed N - killed N times
up_killed() {
	local at total

	total=$(up_calls)
	[ "$total" -gt 500 ]
	for at in $(moments "$1" "$total" 1); do
		kill_up "$at" "$total"
		removed "up killed at $at of $total"
	done
}

# The first call before which there is a file of the lab is found by halving; it is
# being written then, and at the next ones.
up_killed_writing() {
	local total before=1 after at

	total=$(up_calls)
	after=$total
	while [ $((after - before)) -gt 1 ]; do
		at=$(((before + after) / 2))
		kill_up "$at" "$total"
		if [ -n "$(files)" ]; then after=$at; else before=$at; fi
		removed "up killed at $at of $total"
	done
	[ "$after" -lt "$total" ]
	for at in "$after" $((after + 1)) $((after + 2)); do
		kill_up "$at" "$total"
		[ -n "$(files)" ]
		removed "up killed at $at of $total, as it writes"
	done
}

# down_killed N - killed N times, with a process in a node
down_killed() {
	local at total code

	bring_up
	total=$(calls weft down)
	nothing_left
	[ "$total" -gt 100 ]
	for at in $(moments "$1" "$total" 2); do
		code=0
		bring_up
		sleeper
		"$kill_at" "$at" weft down > "$tmp/out" 2>&1 || code=$?
		[ $code -eq 137 ] || [ $code -eq 0 ] || {
			echo "down to be killed at $at of $total: $code"
			cat "$tmp/out"
			return 1
		}
		removed "down killed at $at of $total"
		wait
	done
}

# work - of a daemon, until it is gone or all is done
work() {
	python3 "$net_dir/weftd.py" work > "$tmp/work" 2>&1 || {
		cat "$tmp/work"
		return 1
	}
}

# daemon AT - under requests, killed at that call; how many it made
daemon() {
	local code=0

	"$kill_at" "$1" weftd --http 9468 2> "$tmp/daemon" &
	work
	end_daemon TERM
	wait $! || code=$?
	tail -n 1 "$tmp/daemon"
	return $code
}

# whole - the lab is as it was, and a daemon that is started anew knows it
whole() {
	on host0 ping -q -c 1 host1 > /dev/null
	weft report --json | jq -e '.links | length == 4' > /dev/null
	weft daemon start
	expect "adopted" '["test"]' "$(weft daemon status --json | jq -c '[.labs[].name]')"
	weft daemon stop
}

# daemon_killed N - the lab works all the while, and goes
daemon_killed() {
	local at total n=0 code

	bring_up
	total=$(daemon 0)
	removed "daemon not killed"
	[ "$total" -gt 500 ]
	for at in $(moments "$1" "$total" 3); do
		code=0
		bring_up
		sleeper
		daemon "$at" > /dev/null || code=$?
		expect "code of weftd killed at $at of $total" 137 $code
		n=$((n + 1))
		[ $((n % 5)) -ne 0 ] || whole
		removed "weftd killed at $at of $total"
		wait
	done
	daemon_gone
}

ktap_begin 4
t "weft up is killed" up_killed 25
t "weft up is killed as it writes down what it makes" up_killed_writing
t "weft down is killed" down_killed 25
t "weftd is killed under requests" daemon_killed 25
ktap_end
