#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs that use verbs are killed, and devices go away under them: who is left
# is told, and nothing is left over. That the kernel's log stays clean, nothing
# leaks and the modules can be unloaded is what in_guest.sh adds.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need rdma ss jq ibv_rc_pingpong ibv_uc_pingpong ib_write_bw

# Long messages of one that polls, and shorter ones of one that waits.
readonly tools=("ibv_rc_pingpong -s 1000000" "ibv_uc_pingpong -s 60000 -e")

# sent - requests of all NICs
sent() {
	weft show verbs --json | jq '[.[].tx_messages] | add'
}

# sends_since COUNT
sends_since() {
	[ "$(sent)" -ge $(($1 + 10)) ]
}

# begun COUNT SECONDS - wait, in small steps: time with traffic is dear
begun() {
	local left=100

	until sends_since "$1"; do
		sleep "$2"
		left=$((left - 1))
		[ $left -gt 0 ] || return 1
	done
}

# gid - the index of the one that the tools are to take
gid() {
	[ "$(on host0 rdma -j link | jq -r '.[0].lid // 0')" != 0 ] || echo "-g 1"
}

# traffic COMMAND - between host0 and its server on host1, until somebody ends it
traffic() {
	local before gid

	before=$(sent) gid=$(gid)
	slowwait 5 is_free host1 18515
	# shellcheck disable=SC2086 # words of commands
	on host1 $1 $gid -n 100000000 > "$tmp/server" 2>&1 &
	slowwait 5 listens host1 18515
	# shellcheck disable=SC2086 # the same
	on host0 $1 $gid -n 100000000 "$(address host1)" > "$tmp/client" 2>&1 &
	begun "$before" 0.0005
}

# quiet COMMAND - end what is left of it
quiet() {
	local pids

	pids=$(pgrep -x "${1%% *}" || true)
	# shellcheck disable=SC2086 # a list of numbers
	[ -z "$pids" ] || kill -KILL $pids
	wait
}

# process NODE COMMAND
process() {
	local pid

	for pid in $(pgrep -x "${2%% *}"); do
		! ip netns pids "$1" | grep -qx "$pid" || echo "$pid"
	done
}

# resources - of verbs that programs hold
resources() {
	for node in host0 host1; do
		on $node rdma -j resource | jq -c 'map(del(.ifindex))'
	done
}

# none_more BEFORE - what a program held is given back soon after its end
none_more() {
	[ "$(resources)" = "$1" ]
}

# killed NODE... - those of the programs that run there, in the middle of a message
killed() {
	local before node tool

	before=$(resources)
	for tool in "${tools[@]}"; do
		traffic "$tool"
		sleep 0.000013
		for node in "$@"; do
			# shellcheck disable=SC2046 # a list of numbers
			kill -KILL $(process "$node" "$tool")
		done
		sleep 0.001
		quiet "$tool"
		slowwait 5 none_more "$before"
	done
	on host0 ping -q -c 1 host1
}

# writes - a client that always has something outstanding; it needs a while to
# begin, which it uses to measure the clock
writes() {
	on host1 ib_write_bw -F -n 1000000 > "$tmp/server" 2>&1 &
	slowwait 5 listens host1 18515
	on host0 ib_write_bw -F -n 1000000 "$(address host1)" > "$tmp/client" 2>&1 &
	begun 0 0.05
}

# ended COMMAND - nobody runs it any more
ended() {
	! pgrep -x "$1" > /dev/null
}

# Who asks and is not answered is told so: status 12 is RETRY_EXC_ERR.
told() {
	local before

	before=$(resources)
	writes
	# shellcheck disable=SC2046 # a list of numbers
	kill -KILL $(process host1 ib_write_bw)
	slowwait 20 ended ib_write_bw
	quiet ib_write_bw
	expect_match "client" "status 12" "$(cat "$tmp/client")"
	slowwait 5 none_more "$before"
}

# nothing_left - no NIC, no namespace, no RDMA device of ours
nothing_left() {
	expect "NICs" "" "$(ip -o link show type weft)"
	expect "namespaces" "" "$(ip netns list)"
	expect "RDMA devices" "" "$(rdma dev)"
}

# under_traffic PROFILE COMMAND... - it succeeds, and so does down
under_traffic() {
	local tool=${tools[0]}

	[ "$1" = ib-edr ] || tool="ibv_rc_pingpong -s 60000 -e"
	with_hosts "$1" traffic "$tool"
	"${@:2}"
	sleep 0.001
	quiet "$tool"
	down
	nothing_left
}

namespace() {
	ip netns del host1
}

link() {
	on host1 ip link del "$(device host1)"
}

device_deleted() {
	on "$1" rdma link del "$(rdma_device "$1")"
}

# Devices come and go under programs that cannot know.
device_again() {
	local name

	for _ in 1 2 3; do
		name=$(rdma_device host1)
		on host1 rdma link del "$name"
		on host1 rdma link add "$name" type weft netdev "$(device host1)"
	done
}

carrier() {
	for _ in 1 2 3; do
		on host1 ip link set "$(device host1)" down
		on host1 ip link set "$(device host1)" up
	done
}

module() {
	rmmod weft_rdma
	expect "RDMA devices" "" "$(on host0 rdma dev)$(on host1 rdma dev)"
	insmod "$WEFT_MODULES/weft_rdma.ko"
}

with_hosts() {
	trap 'weft down --all > /dev/null 2>&1' EXIT
	hosts "$1" 2
	"${@:2}"
}

[ -n "${WEFT_MODULES:-}" ] || skip_all "WEFT_MODULES does not say where weft_rdma.ko is"
ktap_begin 22
for p in ib-edr ethernet-100g; do
	t "$p: clients are killed" with_hosts $p killed host0
	t "$p: servers are killed" with_hosts $p killed host1
	t "$p: both are killed" with_hosts $p killed host0 host1
	t "$p: who is left is told" with_hosts $p told
	t "$p: a namespace is deleted" under_traffic $p namespace
	t "$p: a NIC is deleted" under_traffic $p link
	t "$p: links go down and up" under_traffic $p carrier
	t "$p: RDMA devices are deleted" under_traffic $p device_deleted host0
	t "$p: RDMA devices are deleted and made again" under_traffic $p device_again
	t "$p: the lab is taken down" under_traffic $p down
	t "$p: the module is unloaded" under_traffic $p module
	weft down --all > /dev/null 2>&1
done
ktap_end
