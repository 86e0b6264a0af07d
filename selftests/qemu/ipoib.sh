#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# IP over InfiniBand: the kernel's ib_ipoib, unmodified, finds the device of each node.
# Without a subnet manager that answers for its groups an interface has no carrier. With
# opensm in host0 it joins them: IP works, datagram and connected, and with it the
# connection manager of RDMA. The module makes its interfaces in the initial network
# namespace; each is moved to its node.
. "$(dirname "$0")/../net/lib.sh"
# shellcheck source=../net/lib_verbs.sh
. "$net_dir/lib_verbs.sh"
# shellcheck source=../net/lib_storage.sh
. "$net_dir/lib_storage.sh"
need jq rdma opensm rping udaddy ping pkill
modules ib_ipoib

# interface KEY - of the first one
interface() {
	ip -d -j link show type ipoib | jq -r "map(select(.ifname)) | .[0].$1"
}

# found - one for each node; the hardware address ends with the GID of the port
found() {
	local gid

	expect "interfaces" 2 \
		"$(ip -d -j link show type ipoib | jq 'map(select(.ifname)) | length')"
	gid=$(on host0 cat "/sys/class/infiniband/$(rdma_device host0)/ports/1/gids/0")
	expect "GID" "${gid//:/}" "$(interface address | tr -d :$'\n' | tail -c 32)"
	expect "MTU" 4092 "$(interface mtu)"
}

# without_carrier - it comes up and joins nothing
without_carrier() {
	local name

	name=$(interface ifname)
	ip link set "$name" up
	sleep 0.5
	expect "carrier" 0 "$(cat "/sys/class/net/$name/carrier")"
	ip link set "$name" down
}

gone() {
	modprobe -r ib_ipoib
	expect "interfaces" 0 \
		"$(ip -d -j link show type ipoib | jq 'map(select(.ifname)) | length')"
}

# ends_up - opensm runs, and each node has its interface, ib0, with an address
ends_up() {
	local node gid name

	weft down > /dev/null
	hosts ib-edr 2 "subnet-manager: external"
	on host0 opensm -f "$tmp/opensm.log" -d 2 > /dev/null 2>&1 &
	slowwait 60 grep -q "SUBNET UP" "$tmp/opensm.log"
	modprobe ib_ipoib
	for node in 0 1; do
		gid=$(on host$node cat "/sys/class/infiniband/$(rdma_device host$node)/ports/1/gids/0")
		name=$(ip -d -j link show type ipoib | jq -r --arg gid "${gid//:/}" \
			'.[] | select(.ifname) |
			select(.address | gsub(":"; "") | endswith($gid)) | .ifname')
		ip link set "$name" netns host$node
		on host$node ip link set "$name" name ib0
		on host$node ip addr add 10.8.0.$((node + 1))/24 dev ib0
		on host$node ip link set ib0 up
	done
	for node in 0 1; do
		slowwait 60 carrier host$node
	done
}

carrier() {
	[ "$(on "$1" cat /sys/class/net/ib0/carrier)" = 1 ]
}

pings() {
	on host0 ping -q -c 3 -W 5 10.8.0.2 > "$tmp/ping"
	expect_match "ping" ' 0% packet loss' "$(cat "$tmp/ping")"
}

# Connected mode has a larger MTU: a packet of 16 KB goes in one piece.
connected() {
	local node

	for node in 0 1; do
		on host$node sh -c 'echo connected > /sys/class/net/ib0/mode' ||
			skip "the kernel's ib_ipoib has no connected mode"
		on host$node ip link set ib0 mtu 65520
	done
	on host0 ping -q -c 3 -W 5 -M "do" -s 16000 10.8.0.2 > "$tmp/ping"
	expect_match "ping" ' 0% packet loss' "$(cat "$tmp/ping")"
}

# cm PROGRAM [OPTION]... - of the connection manager, by the addresses of ib0
cm() {
	on host1 timeout 120 "$@" -s > "$tmp/server" 2>&1 &
	slowwait 30 managed
	on host0 timeout 120 "$@" -c -a 10.8.0.2 > "$tmp/client" 2>&1 || {
		cat "$tmp/client" "$tmp/server"
		return 1
	}
	wait $! || true
}

datagrams() {
	on host1 timeout 120 udaddy > "$tmp/server" 2>&1 &
	slowwait 30 managed
	on host0 timeout 120 udaddy -s 10.8.0.2 > "$tmp/client" 2>&1 || {
		cat "$tmp/client" "$tmp/server"
		return 1
	}
	wait $!
}

ended() {
	pkill -x opensm
	modprobe -r ib_ipoib
	weft down > /dev/null
}

hosts ib-edr 2

ktap_begin 9
t "an interface for each node" found
t "it comes up without carrier" without_carrier
t "it goes" gone
t "with opensm it joins its groups" ends_up
t "IP, as datagrams" pings
t "connections by RDMA CM: rping" cm rping -C 10
t "datagrams by RDMA CM: udaddy" datagrams
t "IP, connected" connected
t "all goes" ended
ktap_end
