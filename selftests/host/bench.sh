#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tools/bench/run.sh measures what it says, beside another tree too, and names what it
# does not know; the example for torch.distributed runs on two nodes; the event queue alone.
cd "$(dirname "$0")/../.." || exit 1
. selftests/ktap.sh

weft=build/user/weft
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# A node that says nothing sends nothing; a start of MPI does, and each packet stops
# somebody.
figures() {
	tools/bench/run.sh --runs 1 --json pair mpi > "$tmp/result"
	cat "$tmp/result"
	expect "cases" "mpi pair" "$(jq -r '[.medians[].case] | join(" ")' "$tmp/result")"
	expect "time" true "$(jq 'all(.medians[]; .real_s > 0)' "$tmp/result")"
	expect "packets of a pair" 0 "$(jq '.medians[1].packets' "$tmp/result")"
	expect "packets of MPI" true "$(jq '.medians[0] |
		.packets > 0 and .stops > .packets' "$tmp/result")"
	expect "stops are those of all kinds" true "$(jq 'all(.runs[];
		.stops == ([.kinds[]] | add))' "$tmp/result")"
}

# Another tree: this one, by another name. What it is called is in the programs'
# memory, and a longer name may cost a page fault or two of some 700 stops; the ratio
# is exactly that of the medians.
in_turn() {
	mkdir "$tmp/other"
	ln -s "$PWD/build" "$tmp/other/build"
	tools/bench/run.sh --vs "$tmp/other" --runs 2 --json pair > "$tmp/result"
	cat "$tmp/result"
	expect "in turn" "true false true false" \
		"$(jq -r --arg ours "$PWD" '[.runs[].tree == $ours] | join(" ")' "$tmp/result")"
	expect "ratio of stops" true "$(jq --arg ours "$PWD" '.ratios[0].stops ==
		([.medians[] | select(.tree == $ours).stops][0] /
		 [.medians[] | select(.tree != $ours).stops][0])' "$tmp/result")"
	expect_in "the same stops" 0.98 1.02 "$(jq '.ratios[0].stops' "$tmp/result")"
}

mistakes() {
	refused tools/bench/run.sh no-such > "$tmp/out" 2>&1
	expect_match "message" 'no-such: no such case; there are pair' "$(cat "$tmp/out")"
	refused tools/bench/run.sh --vs "$tmp" pair > "$tmp/out" 2>&1
	expect_match "message" 'is not built' "$(cat "$tmp/out")"
	refused tools/bench/run.sh --runs 0 pair > "$tmp/out" 2>&1
	expect_match "message" 'a number from 1' "$(cat "$tmp/out")"
}

torch() {
	[ -e /usr/lib/python3/dist-packages/torch ] ||
		skip "torch is missing: it is in python3-torch"
	expect_match "output" '^2 ranks agree, loss [0-9.]+ [0-9.]+$' \
		"$($weft run -q ib-8 -- user/share/examples/torch_nodes.py 2 8 2)"
}

# The law itself, that a figure depends on how many events there are by less than two
# times, holds on an idle machine only.
queue() {
	build/bench/queue 20000 > "$tmp/result"
	cat "$tmp/result"
	expect "events" "10 100 1000 10000 100000 1000000" \
		"$(awk 'NR > 1 && $2 > 0 && $3 > 0 && $4 > 0 { print $1 }' "$tmp/result" | paste -sd ' ')"
	refused build/bench/queue 0 2> "$tmp/out"
	expect_match "message" '^usage: queue' "$(cat "$tmp/out")"
}

ktap_begin 5
t "figures" figures
t "two trees in turn" in_turn
t "mistakes" mistakes
t "the example for torch" torch
t "the event queue" queue
ktap_end
