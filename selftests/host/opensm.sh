#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# opensm recovers from a link that fails under a connection: each step is in the report,
# at its fabric time, and two runs give the same report, byte for byte.
# shellcheck disable=SC2016 # the commands expand in a node
cd "$(dirname "$0")/../.." || exit 1
. selftests/ktap.sh

weft=build/user/weft
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# In host0: opensm, a connection of verbs, and the link that it uses goes down.
cat > "$tmp/fail" <<'END'
export OSM_CACHE_DIR=$1 OSM_TMP_DIR=$1
opensm -f "$1/log" -d 2 > /dev/null 2>&1 &
manager=$!
until grep -q "SUBNET UP" "$1/log" 2> /dev/null; do sleep 0.01; done
weft exec host4 -- ibv_rc_pingpong -n 1000 -s 65536 > /dev/null &
sleep 0.02
ibv_rc_pingpong -n 1000 -s 65536 host4 > "$1/client" &
client=$!
sleep 0.002
used=$(ibtracert -G 0xafffe000001 0xafffe000005 | sed -n '3s/.*"\(agg[0-9]\)".*/\1/p')
weft set link leaf0-$used down
wait $client || exit 1
until [ "$(grep -c "SUBNET UP" "$1/log")" -ge 2 ]; do sleep 0.01; done
grep -o "num:128 (Link state change)" "$1/log" | head -n 1
kill $manager
END

# fail NAME - such a run
fail() {
	mkdir "$tmp/$1"
	$weft run fat-tree-k4 profile=ib-ndr subnet-manager=external --seed 1 \
		--rw "$tmp" --report "$tmp/$1.json" -- sh "$tmp/fail" "$tmp/$1" \
		< /dev/null > "$tmp/$1.out" 2>&1
}

# change FILTER - of the change that is the cut
change() {
	jq -r ".management.changes[1] | $1" "$tmp/one.json"
}

recovers() {
	fail one || {
		cat "$tmp/one.out"
		return 1
	}
	expect_match "opensm's log" 'num:128' "$(cat "$tmp/one.out")"
	expect "changes" "null leaf0" "$(jq -r '.management.changes[] | .link' \
		"$tmp/one.json" | cut -d- -f1 | paste -sd ' ')"
	expect "the link went down" false "$(change .up)"
	# The switch makes the trap at that instant.
	expect "trap" 0 "$(change '.trap_ps - .at_ps')"
	expect "order" true "$(change '.trap_ps < .first_table_ps and
		.first_table_ps <= .last_table_ps')"
	expect "recovered" true "$(change '.recovered_after_ps == .last_table_ps - .at_ps and
		.table_blocks > 0')"
	expect "iterations" 1 "$(grep -c '^1000 iters' "$tmp/one/client")"
	expect_match "report" 'went down, trap after .*recovered after' "$(cat "$tmp/one.out")"
}

repeats() {
	fail two || return 1
	cmp "$tmp/one.json" "$tmp/two.json"
	expect "output" "$(cat "$tmp/one/client")" "$(cat "$tmp/two/client")"
}

command -v opensm ibtracert ibv_rc_pingpong > /dev/null ||
	skip_all "opensm, infiniband-diags or ibverbs-utils is missing"

ktap_begin 2
t "opensm recovers from a link that fails under a connection" recovers
t "twice the same" repeats
ktap_end
