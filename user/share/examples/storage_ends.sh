#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Make nodes of a lab ends of the kernel's NVMe, iSER or RDS over RDMA.
#
# usage: storage_ends.sh NODE...
#        storage_ends.sh --over
#
# These modules use devices and addresses of the initial network namespace only. So the
# first NIC of each node moves there, under the node's name, with its address and its RDMA
# device. On InfiniBand the address is then that of NODE-ib, an interface of IPoIB; a
# subnet manager has to run in a node that stays. Links, routes, faults and counters are
# as before.
#
# The addresses of ends are local there. Rules lead what has such a source address
# through the fabric, so a program has to give one (nvme: host_traddr). Without it the
# kernel answers "permission denied". --over, after `weft down`, removes the rules and the
# NICs, which `weft down` leaves where they were moved.
set -euo pipefail

# priorities of the rules
readonly arrives=101 leaves=102 sourceless=103 others=104
# what NICs that are ends are known by
readonly alias=weft-end

fail() {
	echo "storage_ends.sh: $*" >&2
	exit 1
}

# over - rules as in any namespace, where what is local comes first; no ends
over() {
	local rule nic

	for nic in $(ip -o link show type weft | awk -F '[ :@]+' -v alias="alias $alias" \
		'index($0, alias) { print $2 }'); do
		ip link del "$nic"
	done

	ip rule add pref 0 lookup local 2> /dev/null || true
	for rule in $arrives $leaves $sourceless $others; do
		while ip rule del pref $rule 2> /dev/null; do :; done
	done
}

# move NODE DEVICE - its first NIC, with its RDMA device
move() {
	local nic

	nic=$(weft exec "$1" -- ip -o link show type weft |
		awk -F '[ :@]+' '{ print $2; exit }')
	weft exec "$1" -- rdma link del "$2"
	weft exec "$1" -- ip link set "$nic" netns 1 name "$1"
	ip link set "$1" alias $alias up
	rdma link add "$2" type weft netdev "$1"
}

# ipoib NODE DEVICE - name the interface of the device: its address ends with the GUID
ipoib() {
	local guid name

	modprobe ib_ipoib
	guid=$(rdma dev show "$2" | sed 's/.*node_guid \([0-9a-f:]*\).*/\1/; s/://g')
	name=$(ip -o link show | awk -v guid="$guid" '/link\/infiniband/ {
		name = $2
		sub(/.*link\/infiniband /, "")
		gsub(":", "", $1)
		if ($1 ~ guid "$")
			print name
	}')
	ip link set "${name%:}" name "$1-ib"
	ip link set "$1-ib" up
}

# lead INTERFACE ADDRESS - what has this source leaves there; what arrives is local
lead() {
	local table setting

	for setting in accept_local=1 rp_filter=0 arp_ignore=1 arp_announce=2; do
		sysctl -qw "net.ipv4.conf.$1.$setting"
	done
	table=$((1000 + $(ip -o link show "$1" | cut -d : -f 1)))
	ip addr add "$2/32" dev "$1"
	ip route add default dev "$1" table $table
	ip rule add pref $arrives iif "$1" lookup local
	ip rule add pref $leaves from "$2" lookup $table
	ip rule add pref $sourceless to "$2" prohibit
}

# end NODE - becomes one
end() {
	local address device

	address=$(weft exec "$1" -- ip -4 -o addr show scope global |
		awk '{ sub(/\/.*/, "", $4); print $4; exit }')
	device=$(weft exec "$1" -- rdma dev show | awk '{ sub(":", "", $2); print $2; exit }')
	[ -n "$device" ] ||
		fail "$1 has no RDMA device: it is an end already, or \`weft doctor\` says what is missing"
	move "$1" "$device"
	if rdma link show "$device/1" | grep -q netdev; then
		lead "$1" "$address"
	else
		ipoib "$1" "$device"
		lead "$1-ib" "$address"
	fi
}

main() {
	local node

	[ $# -gt 0 ] || fail "expected nodes of a lab that is up, or --over"
	if [ "$1" = --over ]; then
		over
		return
	fi
	ip rule add pref $others lookup local
	ip rule del pref 0 2> /dev/null || true
	sysctl -qw net.ipv4.conf.all.rp_filter=0
	for node in "$@"; do
		end "$node"
	done
}

if [ /proc/self/ns/net -ef /proc/1/ns/net ]; then
	main "$@"
else
	exec nsenter --net=/proc/1/ns/net "$0" "$@"
fi
