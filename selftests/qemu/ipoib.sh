#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# IP over InfiniBand: the kernel's ib_ipoib, unmodified, finds the device of each node.
# Without a subnet manager that answers for its groups an interface has no carrier. The
# module makes its interfaces in the initial network namespace. What is there is
# compared, and all goes without a trace.
. "$(dirname "$0")/../net/lib.sh"
# shellcheck source=../net/lib_verbs.sh
. "$net_dir/lib_verbs.sh"
# shellcheck source=lib_storage.sh
. "$(dirname "$0")/lib_storage.sh"
need jq rdma
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
	gid=$(on host0 cat "/sys/class/infiniband/$(on host0 ls /sys/class/infiniband)/ports/1/gids/0")
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

hosts ib-edr 2

ktap_begin 3
t "an interface for each node" found
t "it comes up without carrier" without_carrier
t "it goes" gone
ktap_end
