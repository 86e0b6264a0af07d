#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The cost of a packet inside one kernel: over a Weft hop and, for comparison, over veth,
# veth + bridge and veth + netem. Run it as root in a machine whose kernel has weft.ko
# loaded, on the real clock, pinned to one CPU:
#
#   weft-vm --clock real -- tools/bench/hop.sh
#
# usage: hop.sh [--len BYTES] [--count N]
#
# The same process sends and receives, so the cost of a packet includes both sockets. The
# difference between two rows is the cost of what is between the sockets.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
rate=${UDP_RATE:-$top/build/bench/udp_rate}
weft=${WEFT:-$top/build/user/weft}
args=("$@")

cleanup() {
	local ns

	"$weft" down --all > /dev/null 2>&1 || true
	for ns in hop-a hop-b hop-sw; do
		ip netns del "$ns" 2> /dev/null || true
	done
}

namespaces() {
	local ns

	for ns in hop-a hop-b hop-sw; do
		ip netns add "$ns"
		ip -n "$ns" link set lo up
	done
}

address() {
	ip -n hop-a addr add 192.0.2.1/24 dev "$1"
	ip -n hop-b addr add 192.0.2.2/24 dev "$2"
	ip -n hop-a link set "$1" up
	ip -n hop-b link set "$2" up
}

veth() {
	ip link add va netns hop-a type veth peer name vb netns hop-b
	address va vb
}

bridge() {
	ip link add va netns hop-a type veth peer name pa netns hop-sw
	ip link add vb netns hop-b type veth peer name pb netns hop-sw
	ip -n hop-sw link add name sw0 type bridge
	ip -n hop-sw link set pa master sw0 up
	ip -n hop-sw link set pb master sw0 up
	ip -n hop-sw link set sw0 up
	address va vb
}

netem() {
	veth
	tc -n hop-a qdisc add dev va root netem delay 0 limit 100000
}

measure() {
	local from=$1 to=$2 addr=$3

	ip netns exec "$from" ping -q -c 1 -W 5 "$addr" > /dev/null
	"$rate" --from "$from" --to "$to" --addr "$addr" "${args[@]}"
}

row() {
	local name=$1 out ns

	shift
	out=$("$@")
	ns=$(awk '{ for (i = 1; i < NF; i++) if ($(i + 1) == "ns/packet") print $i }' <<< "$out")
	base=${base:-$ns}
	printf '%-24s %8s ns/packet  %5.2f x veth  %s\n' "$name" "$ns" \
		"$(awk -v a="$ns" -v b="$base" 'BEGIN { print a / b }')" "$out"
}

stock() {
	cleanup
	namespaces
	"$1"
	row "$2" measure hop-a hop-b 192.0.2.2
}

fabric() {
	cleanup
	"$weft" up "$1" --clock real > /dev/null
	row "$2" measure host0 host1 "$("$weft" exec host0 -- getent ahostsv4 host1 | awk 'NR == 1 { print $1 }')"
}

trap cleanup EXIT
base=
stock veth veth
stock bridge "veth + bridge"
stock netem "veth + netem"
fabric "$here/hop-direct.yaml" "weft, NIC to NIC"
fabric "$here/hop-switch.yaml" "weft, one switch"
fabric "$here/hop-latency.yaml" "weft, with latencies"
