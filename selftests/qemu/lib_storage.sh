# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What tests of storage share, on top of lib_verbs.sh.
#
# The kernel's NVMe, iSER and RDS use the connection manager in the initial network
# namespace only. So both ends are there: the NIC of each node is moved to it. Each
# address is local there, so rules send what goes to it over the other end's NIC, and
# take what arrives as local.

# modules NAME... - load them, or skip
modules() {
	local module

	for module in "$@"; do
		modprobe -q "$module" || skip_all "the kernel has no module $module"
	done
}

# adopt NODE NAME ADDRESS - move its NIC to the initial namespace, with an RDMA device
adopt() {
	local nic

	nic=$(device "$1")
	[ -z "$(on "$1" ls /sys/class/infiniband)" ] ||
		on "$1" rdma link del "$(on "$1" ls /sys/class/infiniband)"
	on "$1" ip link set "$nic" netns 1
	ip link set "$nic" name "$2"
	ip link set "$2" mtu 9000 up
	sysctl -qw "net.ipv4.conf.$2.accept_local=1" "net.ipv4.conf.$2.rp_filter=0" \
		"net.ipv4.conf.$2.arp_ignore=1" "net.ipv4.conf.$2.arp_announce=2"
	ip addr add "$3/32" dev "$2"
	rdma link add "r$2" type weft netdev "$2"
}

# leads ADDRESS NIC - packets to the address leave by the NIC, except as it has them
leads() {
	ip rule add pref 20 to "$1" lookup "$3"
	ip route add "$1" dev "$2" table "$3"
	ip rule add pref 10 iif "$2" lookup local
}

# two_ends PROFILE [LINE]... - the NICs end0 (10.9.0.1) and end1 (10.9.0.2) of two nodes
two_ends() {
	hosts "$1" 2 "${@:2}"
	sysctl -qw net.ipv4.conf.all.rp_filter=0
	adopt host0 end0 10.9.0.1
	adopt host1 end1 10.9.0.2
	leads 10.9.0.2 end0 100
	leads 10.9.0.1 end1 101
	ip rule add pref 32000 lookup local
	ip rule del pref 0
}
