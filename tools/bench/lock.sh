#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The limit of the lock of a fabric: packets per second of 1, 2, 4 and 8 senders that
# share one fabric, or have a fabric each. Run it as root in a machine whose kernel has
# weft.ko loaded, on the real clock, with one CPU per sender:
#
#   tools/qemu/weft-qemu --kernel 6.12 --cpus 8 -- selftests/in_guest.sh build/module-6.12*/kernel tools/bench/lock.sh
#
# usage: lock.sh [--len BYTES] [--count N]
#
# A sender is a process of udp_rate, with both sockets, over a link of its own.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
rate=${UDP_RATE:-$top/build/bench/udp_rate}
weft=${WEFT:-$top/build/user/weft}
readonly here top rate weft senders=(1 2 4 8)
args=("$@")
tmp=$(mktemp -d)

cleanup() {
	"$weft" down --all > /dev/null 2>&1 || true
	rm -rf "$tmp"
}

# fabric NAME FIRST LAST - bring up a lab with the pairs FIRST to LAST
fabric() {
	local i

	{
		sed "s/^name:.*/name: $1/; /^nodes:/,\$d" "$here/hop-direct.yaml"
		echo "nodes:"
		for ((i = $2; i <= $3; i++)); do
			echo "  - {name: from$i}"
			echo "  - {name: to$i}"
		done
		echo "links:"
		for ((i = $2; i <= $3; i++)); do
			echo "  - {ends: [from$i, to$i]}"
		done
	} > "$tmp/$1.yaml"
	"$weft" up "$tmp/$1.yaml" --clock real > /dev/null
}

shared() {
	fabric shared 1 8
}

own() {
	local i

	for i in {1..8}; do
		fabric "own$i" "$i" "$i"
	done
}

# addresses - find the addresses of the receivers, and resolve the neighbours
addresses() {
	local i

	for i in {1..8}; do
		ip -n "to$i" -4 -o addr show scope global |
			awk '{ sub(/\/.*/, "", $4); print $4; exit }' > "$tmp/to$i"
		ip netns exec "from$i" ping -q -c 1 -W 5 "$(cat "$tmp/to$i")" > /dev/null
	done
}

# measure N - print packets per second of N senders that run at the same time
measure() {
	local i pids=()

	for ((i = 1; i <= $1; i++)); do
		"$rate" --from "from$i" --to "to$i" --addr "$(cat "$tmp/to$i")" "${args[@]}" > "$tmp/rate$i" &
		pids+=($!)
	done
	wait "${pids[@]}"
	for ((i = 1; i <= $1; i++)); do
		cat "$tmp/rate$i"
	done | awk '{ for (i = 1; i < NF; i++) if ($(i + 1) == "pps") sum += $i }
		END { printf "%.0f", sum }'
}

rows() {
	local n

	cleanup
	mkdir -p "$tmp"
	"$1"
	addresses
	for n in "${senders[@]}"; do
		printf '%-8s %d senders %9s packets/s\n' "$1" "$n" "$(measure "$n")"
	done
}

trap cleanup EXIT
rows shared
rows own
