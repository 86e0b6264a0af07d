#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# RDMA between two devices of one kernel: over Weft and, for comparison, over the kernel's
# rxe (RoCE v2) and siw (iWARP), and memcpy(). Run it as root in a machine whose kernel has
# weft.ko and weft_rdma.ko loaded, on the real clock:
#
#   weft-qemu --kernel 6.12 -- selftests/in_guest.sh MODULES tools/bench/verbs.sh
#   weft-vm --clock real -- selftests/in_guest.sh build/module-vm/kernel \
#           tools/bench/verbs.sh --modules "$(tools/vm/build.sh)"
#
# usage: verbs.sh [--modules DIR] [--windows N]
#
# DIR is the directory in which modprobe finds rdma_rxe and siw. Both run over a veth pair
# in one network namespace, as rxe supports only one. Routing rules make packets take the
# pair, not the loopback.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
rate=${VERBS_RATE:-$top/build/bench/verbs_rate}
weft=${WEFT:-$top/build/user/weft}
export WEFT_SHARE=${WEFT_SHARE:-$top/user/share}
modules=() windows=15

parse() {
	while [ $# -gt 1 ]; do
		case $1 in
		--modules) modules=(-d "$2") ;;
		--windows) windows=$2 ;;
		*) break ;;
		esac
		shift 2
	done
	[ $# -eq 0 ] || {
		sed -n '/^# usage/s/^# //p' "$0" >&2
		exit 1
	}
}

cleanup() {
	"$weft" down --all > /dev/null 2>&1 || true
	ip link del verbs-a 2> /dev/null || true
}

# veth - create the pair; by the routing rules, the address of each end is remote for the other
veth() {
	local end

	ip link add verbs-a mtu 9000 type veth peer name verbs-b mtu 9000
	sysctl -qw net.ipv4.conf.all.accept_local=1 net.ipv4.conf.all.rp_filter=0
	for end in a b; do
		sysctl -qw net.ipv4.conf.verbs-$end.rp_filter=0
		ip link set verbs-$end up
		ip rule add pref 10 dev verbs-$end lookup local
	done
	ip addr add 192.0.2.1/24 dev verbs-a
	ip addr add 192.0.2.2/24 dev verbs-b
	ip rule add pref 20 to 192.0.2.0/24 lookup 100
	ip rule add pref 30 lookup local
	ip rule del pref 0
	ip route add 192.0.2.2 dev verbs-a src 192.0.2.1 table 100
	ip route add 192.0.2.1 dev verbs-b src 192.0.2.2 table 100
	ping -q -c 1 -W 5 192.0.2.2 > /dev/null
}

# rows NAME ARGUMENT... - print the rows of one kind of device
rows() {
	local name=$1 len

	shift
	for len in 0 65536 1048576; do
		[ $len -gt 0 ] || [ $# -gt 0 ] || continue
		printf '%-8s %8s  ' "$name" "$([ $len -gt 0 ] && echo $len || echo latency)"
		"$rate" "$@" --len $len --windows "$windows"
	done
}

fabric() {
	"$weft" up "$here/verbs.yaml" --clock real > /dev/null
	rows weft --from-ns host0 --to-ns host1 \
		--from "$("$weft" exec host0 -- hostname -I | awk '{ print $1 }')" \
		--to "$("$weft" exec host1 -- hostname -I | awk '{ print $1 }')"
	"$weft" down > /dev/null
}

# stock NAME MODULE - create and measure devices of the kernel's own drivers
stock() {
	local end

	modprobe -q "${modules[@]}" "$2" || {
		printf '%-8s this kernel has none\n' "$1"
		return
	}
	for end in a b; do
		rdma link add "$1-$end" type "$1" netdev verbs-$end
	done
	rows "$1" --from 192.0.2.1 --to 192.0.2.2
	for end in a b; do
		rdma link del "$1-$end"
	done
}

parse "$@"
trap cleanup EXIT
rows memcpy
fabric
veth
stock rxe rdma_rxe
stock siw siw
