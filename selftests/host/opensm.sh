#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# opensm recovers from a link that fails under a connection, and another one takes over
# when the node of the first one dies. Each step is in the report, at its fabric time,
# and two runs give the same report, byte for byte.
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
		< /dev/null > "$tmp/$1.out" 2>&1 || {
		cat "$tmp/$1.out"
		return 1
	}
}

# change FILTER - of the change that is the cut
change() {
	jq -r ".management.changes[1] | $1" "$tmp/one.json"
}

recovers() {
	fail one || return 1
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

# In host0: the node of the master, host1, loses its power. That in host2 asks twice,
# half a second apart, and then takes over.
cat > "$tmp/over" <<'END'
manager() {
	weft exec "$1" -- env OSM_CACHE_DIR="$2/$1" OSM_TMP_DIR="$2/$1" \
		opensm -f "$2/$1.log" -d 2 "${@:3}" > /dev/null 2>&1 &
}
logged() {
	until grep -q "$2" "$1.log" 2> /dev/null; do sleep 0.01; done
}
printf 'sminfo_polling_timeout 500\npolling_retry_number 2\n' > "$1/conf"
printf 'name: power\ntimeline: [{node: host1, do: kill}]\n' > "$1/power.yaml"
mkdir "$1/host1" "$1/host2"
manager host1 "$1" -p 5
logged "$1/host1" "SUBNET UP"
manager host2 "$1" -p 1 -F "$1/conf"
logged "$1/host2" "Entering STANDBY"
weft scenario play "$1/power.yaml"
logged "$1/host2" "Entering MASTER"
logged "$1/host2" "SUBNET UP"
weft exec host3 -- ibv_rc_pingpong > /dev/null &
sleep 0.02
ibv_rc_pingpong host3 > "$1/client" || exit 1
sminfo
END

# over NAME - such a run
over() {
	mkdir "$tmp/$1"
	$weft run ib-8 subnet-manager=external --seed 1 \
		--rw "$tmp" --report "$tmp/$1.json" -- bash "$tmp/over" "$tmp/$1" \
		< /dev/null > "$tmp/$1.out" 2>&1 || {
		cat "$tmp/$1.out"
		return 1
	}
}

# killed FILTER - of the change that is the end of host1
killed() {
	jq -r ".management.changes[1] | $1" "$tmp/three.json"
}

takes_over() {
	over three || return 1
	expect_match "the master" "guid 0xafffe000003" "$(cat "$tmp/three.out")"
	expect "link" host1 "$(killed .link | cut -d- -f1)"
	expect "the link went down" false "$(killed .up)"
	expect "trap" 0 "$(killed '.trap_ps - .at_ps')"
	# It asks at least once more after the first silence.
	expect "order" true "$(killed '.manager_ps - .at_ps > 5e11 and
		.manager_ps < .first_table_ps and .first_table_ps <= .last_table_ps')"
	expect "recovered" true "$(killed '.recovered_after_ps == .last_table_ps - .at_ps and
		.table_blocks > 0')"
	expect_match "report" 'went down, trap after .*, other manager after .*recovered after' \
		"$(cat "$tmp/three.out")"
}

over_again() {
	over four || return 1
	cmp "$tmp/three.json" "$tmp/four.json"
	expect "output" "$(cat "$tmp/three/client")" "$(cat "$tmp/four/client")"
}

command -v opensm ibtracert ibv_rc_pingpong > /dev/null ||
	skip_all "opensm, infiniband-diags or ibverbs-utils is missing"

ktap_begin 4
t "opensm recovers from a link that fails under a connection" recovers
t "twice the same" repeats
t "a standby takes over when the node of the master dies" takes_over
t "twice the same" over_again
ktap_end
