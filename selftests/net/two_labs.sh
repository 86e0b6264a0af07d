#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The same topology is up twice, as labs a and b. Inside, both are the same, down to the
# bytes of the report; each command takes the one that --lab names; and whatever happens
# to one, the other works on. If the module weft_rdma is loaded, this includes verbs.
. "$(dirname "$0")/lib.sh"
need iperf3 jq strace

trap 'weft down --all > /dev/null; cleanup' EXIT
topology 10Gbps 2 > "$tmp/lab.yaml"

# up_as LAB
up_as() {
	weft up "$tmp/lab.yaml" "${clock_option[@]}" --name "$1" > "$tmp/up.$1"
}

# twice TEST [ARGUMENT]... - a test with both labs up, of which nothing is left
twice() {
	trap 'weft down --all > /dev/null' EXIT
	up_as a
	up_as b
	"$@"
	weft down --all > /dev/null
	nothing_left
}

nothing_left() {
	expect "NICs" "" "$(ip -o link show type weft)" || return 1
	expect "RDMA devices" "" "$(ls /sys/class/infiniband 2> /dev/null)" || return 1
	expect "namespaces" "" "$(ls -A /run/netns)" || return 1
	expect "mounts" "" "$(grep -E '/run/(netns|weft)/' /proc/mounts)" || return 1
	expect "files" "" "$(find /run/weft -mindepth 1 -not -name lock -not -name 'weftd.*' \
		-not -name http.token)"
}

# names - in /run/netns
names() {
	ip netns | awk '{ print $1 }' | LC_ALL=C sort | paste -sd ' '
}

# on_lab LAB NODE COMMAND...
on_lab() {
	weft exec --lab "$1" "$2" -- "${@:3}"
}

# works LAB - host0 reaches host1 there, and the kernel knows each packet by lab
works() {
	on_lab "$1" host0 ping -q -c 1 host1 > /dev/null
}

# sent LAB - packets that host0 has sent
sent() {
	weft report --lab "$1" --json | jq '.links[] | select(.from == "host0.eth0").tx_packets'
}

named() {
	expect "names" "b.host0 b.host1 host0 host1" "$(names)"
	expect "up of a" "lab a is up: 2 nodes" "$(cat "$tmp/up.a")"
	expect "up of b" "lab b is up: 2 nodes
note: \"ip netns\" has its nodes as b.NODE: plain names are taken" "$(cat "$tmp/up.b")"
	expect "shown" '["b.host0","b.host1"]' \
		"$(weft show nodes --lab b --json | jq -c '[.[].netns]')"
	expect "plain namespace" "$(on_lab a host0 readlink /proc/self/ns/net)" \
		"$(ip netns exec host0 readlink /proc/self/ns/net)"
	expect "namespace of b" "$(on_lab b host0 readlink /proc/self/ns/net)" \
		"$(ip netns exec b.host0 readlink /proc/self/ns/net)"
	expect "host name" "host1 host1" \
		"$(on_lab a host1 uname -n) $(on_lab b host1 uname -n)"
	cmp <(on_lab a host0 cat /etc/hosts) <(on_lab b host0 cat /etc/hosts)
	# a name that is free again is taken again
	weft down --lab a > /dev/null
	up_as a
	expect "names" "b.host0 b.host1 host0 host1" "$(names)"
}

# measure LAB - what ping and a UDP stream see there, and what the report says of it
measure() {
	on_lab "$1" host0 ping -c 3 -i 0.01 host1 | sed -n 's/ time=.*//p'
	on_lab "$1" host1 iperf3 -s -1 -D
	slowwait 5 lab_listens "$1" host1 5201
	on_lab "$1" host0 iperf3 -u -b 5G -l 8000 -n 1M -c host1 > /dev/null
	weft report --lab "$1" --json | jq -S \
		'del(.lab, .time_ps, .links[].utilisation, .nics[].rdma_device)'
}

# lab_listens LAB NODE PORT
lab_listens() {
	on_lab "$1" "$2" ss -Hltn "sport = :$3" | grep -q .
}

# All that the report counts; how long a lab was up depends on how often the test looks.
same() {
	local lab

	for lab in a b; do
		weft down --lab $lab > /dev/null
		up_as $lab
		measure $lab > "$tmp/$lab"
		expect "dropped of $lab" 0 "$(grep -v "^64 bytes" "$tmp/$lab" | jq .dropped)"
	done
	[ "$clock" != virtual ] || diff "$tmp/a" "$tmp/b"
}

# Both at once: neither adds to the counters of the other.
apart() {
	local before lab

	before=$(sent a)
	on_lab b host0 ping -q -c 5 -i 0.01 host1 > /dev/null
	expect "packets of a" "$before" "$(sent a)"
	weft set nic --lab b host1 rx-rate 1Gbps
	weft fault add loss --lab b 'leaf>host1' probability=1 > /dev/null
	expect "rates" "0 1000000000" "$(for lab in a b; do
		weft show nics --lab $lab --json | jq '.[] | select(.name == "host1.eth0").rx_rate_bps'
	done | paste -sd ' ')"
	expect "faults" "0 1" "$(for lab in a b; do
		weft fault list --lab $lab --json | jq length
	done | paste -sd ' ')"
	works a
	refused works b
	refuses 1 '^weft show: 2 labs are up: name one with --lab$' show nodes
	refuses 1 '^weft down: 2 labs are up: name one with --lab, or --all' down
	expect "inside" b "$(on_lab b host0 sh -c "weft show fabric --json" | jq -r '.[0].name')"
}

# streams LAB - TCP from host0 to host1, until it fails
streams() {
	on_lab "$1" host1 iperf3 -s -1 > /dev/null 2>&1 &
	slowwait 5 lab_listens "$1" host1 5201
	on_lab "$1" host0 iperf3 -c host1 -t 1000 > /dev/null 2>&1 &
}

# moves LAB - there is traffic
moves() {
	local before

	before=$(sent "$1")
	sleep 0.01
	[ "$(sent "$1")" -gt "$before" ]
}

# down_under_traffic ONE OTHER
down_under_traffic() {
	streams "$1"
	streams "$2"
	slowwait 1 moves "$1"
	slowwait 1 moves "$2"
	weft down --lab "$1" > /dev/null
	moves "$2"
	works "$2"
	up_as "$1"
	works "$1"
	moves "$2"
	weft down --all > /dev/null
	wait
}

# survives WHAT - lab a works, and what was killed of b goes
survives() {
	weft down --lab b > "$tmp/down" 2>&1 || true
	expect "names after $1" "host0 host1" "$(names)" || return 1
	works a || return 1
}

# killed CALL COMMAND... - at its first, second, ... CALL, until it gets through
killed() {
	local call=$1 n=0 code=137

	shift
	while [ $code -ne 0 ] && [ $n -lt 200 ]; do
		n=$((n + 1 + n / 8))
		code=0
		[ "$1 $2" != "weft down" ] || up_as b
		strace -f -qq -o /dev/null -e "trace=$call" \
			-e "inject=$call:signal=KILL:when=$n" "$@" > /dev/null 2>&1 || code=$?
		survives "a kill at $call number $n"
	done
	[ $n -gt 1 ]
}

killed_beside() {
	strace -qq -o /dev/null true || skip "strace does not work here"
	up_as a
	killed mount weft up "$tmp/lab.yaml" "${clock_option[@]}" --name b
	killed sendmsg weft up "$tmp/lab.yaml" "${clock_option[@]}" --name b
	killed sendmsg weft down --lab b
	killed umount2 weft down --lab b
	weft down --lab a > /dev/null
	nothing_left
}

# The plain names go back to whoever made them.
others() {
	mkdir -p /run/netns
	ip netns add host1
	up_as a
	expect "names" "a.host0 a.host1 host1" "$(names)"
	works a
	weft down --lab a > /dev/null
	expect "names" host1 "$(names)"
	ip netns add a.host0
	# shellcheck disable=SC2016 # what is printed has these quotes
	refuses 1 '^weft up: there is a network namespace "a.host0" already: `ip netns del a.host0` removes it, or choose another --name$' \
		up "$tmp/lab.yaml" "${clock_option[@]}" --name a
	ip netns del host1
	ip netns del a.host0
	nothing_left
}

# labs - that the daemon serves
labs() {
	weft daemon status --json | jq -c '[.labs[].name] | sort'
}

is_served() {
	[ "$(labs)" = "$1" ]
}

daemon() {
	weft daemon start > /dev/null
	expect "labs" '["a","b"]' "$(labs)"
	weft down --lab a > /dev/null
	slowwait 5 is_served '["b"]'
	works b
	up_as a
	slowwait 5 is_served '["a","b"]'
	weft daemon stop > /dev/null
}

# pingpong LAB - between the RDMA devices of host0 and host1
pingpong() {
	local server

	on_lab "$1" host1 ibv_rc_pingpong -g 1 -n 100 > "$tmp/server.$1" &
	server=$!
	slowwait 20 lab_listens "$1" host1 18515
	on_lab "$1" host0 ibv_rc_pingpong -g 1 -n 100 host1 > "$tmp/client.$1"
	wait $server
	grep -q '100 iters' "$tmp/server.$1"
	grep -q '100 iters' "$tmp/client.$1"
}

# devices LAB
devices() {
	weft show verbs --lab "$1" --json | jq -r 'map(.device) | join(" ")'
}

# Names of RDMA devices are the machine's; each node has only its own.
verbs() {
	[ -e /sys/module/weft_rdma ] || skip "weft_rdma.ko is not loaded"
	command -v ibv_rc_pingpong > /dev/null || skip "ibv_rc_pingpong is missing"
	twice verbs_twice
}

verbs_twice() {
	expect "devices" "weft0 weft1, weft2 weft3" "$(devices a), $(devices b)"
	expect "in host1 of b" weft3 "$(on_lab b host1 ls /sys/class/infiniband)"
	pingpong a
	pingpong b
	on_lab b host1 ibv_rc_pingpong -g 1 -n 100000000 > /dev/null 2>&1 &
	slowwait 20 lab_listens b host1 18515
	on_lab b host0 ibv_rc_pingpong -g 1 -n 100000000 host1 > /dev/null 2>&1 &
	sleep 0.001
	weft down --lab a > /dev/null
	expect "left" "weft2 weft3" "$(devices b)"
	up_as a
	expect "again" "weft0 weft1" "$(devices a)"
	pingpong a
	weft down --lab b > /dev/null
	wait
	expect "left" "weft0 weft1" "$(devices a)"
	pingpong a
}

ktap_begin 9
t "names" twice named
t "what programs and reports see" twice same
t "commands take the lab that is named" twice apart
t "the first goes under traffic" twice down_under_traffic a b
t "the second goes under traffic" twice down_under_traffic b a
t "weft up and weft down are killed beside a lab" killed_beside
t "names that others have" others
t "weftd serves both" twice daemon
t "verbs" verbs
ktap_end
