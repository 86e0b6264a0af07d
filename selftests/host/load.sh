#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Topologies that no machine carries: ten thousand endpoints in the model, tables
# included, and a packet from each arrives. What loading and removal cost is compared
# with what that traffic and the model cost in the same process, whatever the machine.
cd "$(dirname "$0")/../.." || exit 1
. selftests/ktap.sh

export WEFT_SHARE=$PWD/user/share
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# loads ENDPOINTS SWITCHES STRANDED NAME KEY=VALUE... - STRANDED have no way
loads() {
	build/bench/load --json "${@:4}" > "$tmp/load"
	cat "$tmp/load"
	expect "endpoints" "$1" "$(jq .endpoints "$tmp/load")"
	expect "switches" "$2" "$(jq .switches "$tmp/load")"
	expect "stranded" "$3" "$(jq .stranded "$tmp/load")"
	# 19 to 51 times, the plan most of it
	expect "loaded within 150 times the traffic" true \
		"$(jq '.read_s + .plan_s + .model_s < 150 * .traffic_s' "$tmp/load")"
	# 2 to 8 %, the longest 0.007 to 0.14 %: it is how long a lock would be held
	expect "gone within a fifth of the model's time" true \
		"$(jq '.remove_s < .model_s / 5' "$tmp/load")"
	expect "no object within more than half a percent of it" true \
		"$(jq '.longest_ms / 1000 < .model_s / 200' "$tmp/load")"
}

make -s -C tools/bench load > "$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
ktap_begin 3
# k^3 / 4 hosts, 5 k^2 / 4 switches
t "fat tree of three tiers" loads 11664 1620 0 fat-tree k=36
# a p (a h + 1) hosts, a (a h + 1) switches
t "dragonfly" loads 11088 1386 0 dragonfly p=8 a=14 h=7
# 40 SUs of 32 hosts, 8 NICs and leaves each
t "rails" loads 10240 352 0 rail-optimized hosts=1280 hosts-per-su=32 \
	spines=32 oversubscription=1
ktap_end
