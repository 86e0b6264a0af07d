#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# 64 GPUs of 8 DGX H100, a node each with NVLink inside and rails outside: boot, up,
# and down again; an all-reduce of Open MPI is right to each element, and loses no packet.
#
# No algorithm needs less than log2(64) steps, of which three cross to another host,
# each through two NICs and a leaf at least:
#
#	tx-latency 280 + 2 cables of 25.25 + switch 330 + rx-latency 230 ns
cd "$(dirname "$0")/../.." || exit 1
. selftests/ktap.sh

weft=build/user/weft
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

nics() {
	$weft run -q "$tmp/rails.yaml" --clock virtual --report "$tmp/up.json" -- true
	expect "NICs" 128 "$(jq '.nics | length' "$tmp/up.json")"
}

allreduce() {
	local law

	$weft run -q "$tmp/rails.yaml" --clock virtual --report "$tmp/report.json" \
		--mpi -- build/demo/allreduce --min 1024 --max 4096 --warmup 1 \
		--iters 1 > "$tmp/out"
	cat "$tmp/out"
	law=$(awk 'BEGIN { print 3 * (280 + 2 * 25.25 + 330 + 230) / 1000 }')
	expect "sizes" "1024 2048 4096" \
		"$(awk -v t="$law" '$7 == 0 && $2 > t { print $1 }' "$tmp/out" | xargs)"
	expect "lost" 0 "$(jq .dropped "$tmp/report.json")"
	expect "verdict" true "$(jq .verdict.faithful "$tmp/report.json")"
}

ktap_begin 2
$weft topology dgx-h100-4 hosts=8 name=rails > "$tmp/rails.yaml" || exit 1
t "up and down" nics
t "all-reduce" allreduce
ktap_end
