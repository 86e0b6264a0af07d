#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Routes after a failure: packets are lost from the failure until the new routes
# are there, to the packet, and none after; the same when the link comes back.
#
#	host0 -- leaf0 ---- spine0 ---- leaf1 -- host1
#	             \----- spine1 ----/
# shellcheck disable=SC2016 # jq has variables of its own
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need jq ping ibv_rc_pingpong

[ "$clock" = virtual ] || skip_all "only the virtual clock is exact"

ms=1000000000

# clos PROFILE ROUTING - two leaves and two spines
clos() {
	{
		echo "name: test"
		echo "profile: $1"
		echo "routing: $2"
		echo 'nodes: [{name: "host[0-1]"}]'
		echo 'switches: [{name: "leaf[0-1]"}, {name: "spine[0-1]"}]'
		echo 'links:'
		echo '  - {ends: ["host[0-1]", "leaf[0-1]"]}'
		echo '  - {ends: ["leaf[0-1]", spine0]}'
		echo '  - {ends: ["leaf[0-1]", spine1]}'
	} > "$tmp/clos.yaml"
}

# lab PROFILE ROUTING - the same, up
lab() {
	trap 'weft down --all > /dev/null 2>&1' EXIT
	clos "$@"
	weft up "$tmp/clos.yaml" > /dev/null
}

# watch - new routes as the topology says, from here on
watch() {
	weft reroute --watch --json > "$tmp/watch" &
	sleep 0.01
}

# routes - of all switches
routes() {
	weft show routes --json | jq -Sc .
}

# way - the ports of leaf0 that lead to host1
way() {
	weft show routes --json |
		jq -c '[.[] | select(.switch == "leaf0" and .dst == 1) | .ports[]]'
}

# reroutes FILTER - what the report says of them, in one line
reroutes() {
	weft report --json | jq -c ".reroutes | $1"
}

# place link|switch NAME - with its id, as link=ID or switch=ID
place() {
	local kinds=links

	[ "$1" = link ] || kinds=switches
	weft show "$kinds" --json | jq -r --arg kind "$1" --arg name "$2" \
		'first(.[] | select((.link // .name) == $name)) | "\($kind)=\(.id)"'
}

# stream COUNT link|switch NAME AFTER DURATION - a datagram every 10 us, while the link is
# down, or the switch reboots, for DURATION us, AFTER us from now; $tmp/missing has those
# that did not arrive
stream() {
	local place

	place=$(place "$2" "$3")
	on host1 python3 "$net_dir/reroute.py" receive "$1" > "$tmp/missing" &
	sleep 0.01
	python3 "$net_dir/reroute.py" send /run/netns/host0 "$(address host1)" "$1" "$place" "$4" "$5"
	wait $!
}

# By policy fat-tree host1, the second one in the order of leaves, takes the second
# uplink. That, or the spine behind it, fails at 20.005 ms, and comes back 40 ms later. A
# datagram is at leaf1 less than 5 us after it was sent: number 2000, sent at 20.000 ms,
# is beyond the failure in time; 2001 to 3000, the last one sent at 30.000 ms, come before
# the new routes of 30.005 ms. Nothing is lost when all is there again.
#
# convergence PROFILE link|switch NAME [LINK]... - with the links that are down
convergence() {
	local before start

	lab "$1" "{policy: fat-tree, convergence: 10ms}"
	before=$(routes)
	expect "way before" '[2]' "$(way)"
	watch
	stream 8000 "$2" "$3" 20005 40000
	start=$(weft fault list --json | jq '.[0].start_ps')
	expect "lost" "2001-3000 late 0" "$(cat "$tmp/missing")"
	expect "way after" '[2]' "$(way)"
	expect "routes after" "$before" "$(routes)"
	expect "since" "[$start,$((start + 40 * ms))]" "$(reroutes 'map(.since_ps)')"
	expect "times" "[$((start + 10 * ms)),$((start + 50 * ms))]" "$(reroutes 'map(.time_ps)')"
	expect "links" "$(jq -cn '[$ARGS.positional, []]' --args "${@:4}")" "$(reroutes 'map(.links_down)')"
	expect "told" "$(reroutes .)" "$(jq -sc . "$tmp/watch")"
}

# Both ways: what is sent in both directions waits for one reroute; a second link
# that fails meanwhile joins it, and a flap that is over has no new routes.
joined() {
	local start before

	lab ethernet-100g "{policy: min-hop, convergence: 10ms}"
	before=$(routes)
	watch
	start=$(weft fault add down leaf0-spine1 start=+5ms --json | jq .start_ps)
	weft fault add down leaf1-spine1 start=+12ms > /dev/null
	sleep 0.03
	expect "way" '[1]' "$(way)"
	expect "one" "[[$start,$((start + 10 * ms)),2]]" "$(reroutes 'map([.since_ps, .time_ps, (.links_down | length)])')"
	weft fault del --all > /dev/null
	sleep 0.03
	expect "routes after" "$before" "$(routes)"
	weft fault add flap leaf0-spine0 duration=2ms period=4ms count=2 > /dev/null
	sleep 0.03
	expect "still" 2 "$(reroutes length)"
}

# By hand. Without the only link of a host nothing leads to it.
by_hand() {
	local before

	lab ethernet-100g "{policy: min-hop}"
	before=$(routes)
	expect "nothing" '[0,0,[]]' "$(weft reroute --json | jq -c '[.routes_set, .routes_removed, .changes]')"
	weft set link host1 down
	weft reroute --dry-run > "$tmp/dry"
	expect "dry" "$before" "$(routes)"
	expect "changes" 4 "$(grep -c '^.*: host1.eth0: ports none$' "$tmp/dry")"
	expect_match "summary" '^routes at .*: 1 link down \(host1-leaf1\); 0 set, 4 removed; NICs cut off: 1$' "$(tail -n 1 "$tmp/dry")"
	weft reroute > "$tmp/done"
	expect "gone" '[]' "$(way)"
	on host0 ping -c 3 -i 0.01 -W 0.1 host1 > /dev/null && return 1
	expect "dropped" 3 "$(weft report --json | jq '[.links[].drops.no_route // 0] | add')"
	weft set link host1 up
	weft reroute > "$tmp/done"
	expect_match "back" ': all links are up; 4 set, 0 removed$' "$(cat "$tmp/done")"
	expect "routes after" "$before" "$(routes)"
	on host0 ping -c 1 -W 0.1 host1 > /dev/null
}

# What the topology's file says now does not matter, nor whether it is there.
kept() {
	local before

	lab ethernet-100g "{policy: min-hop}"
	before=$(routes)
	rm "$tmp/clos.yaml"
	weft set link leaf0-spine0 down
	weft reroute > /dev/null
	expect "way" '[2]' "$(way)"
	weft set link leaf0-spine0 up
	weft reroute > /dev/null
	expect "routes after" "$before" "$(routes)"
}

# Queue pairs send again what was lost, and carry on by the new way.
verbs() {
	local again

	lab "$1" "{policy: fat-tree, convergence: 2ms}"
	watch
	again=$(weft show verbs --json | jq '[.[].retransmitted] | add')
	weft fault add down leaf0-spine1 start=+5ms > /dev/null
	pair 18515 ibv_rc_pingpong -n 4000 -g "$2"
	expect "new routes" 1 "$(reroutes length)"
	[ "$(weft show verbs --json | jq '[.[].retransmitted] | add')" -gt "$again" ]
	weft report --json | jq -e '.links[] | select(.link == "leaf0-spine0") | .tx_packets > 1000' > /dev/null
}

# weft run watches by itself, and its report has it.
in_a_run() {
	clos ethernet-100g "{policy: min-hop, convergence: 2ms}"
	weft run "$tmp/clos.yaml" --report "$tmp/report" -- sh -c \
		'weft fault add down leaf0-spine1 start=+1ms > /dev/null; sleep 0.02; ping -c 5 -i 0.001 -W 0.1 host1' > "$tmp/out"
	expect_match "ping" '5 packets transmitted, 5 received' "$(cat "$tmp/out")"
	expect "reroutes" '[[["leaf0-spine1"],2000000000]]' "$(jq -c '.reroutes | map([.links_down, .time_ps - .since_ps])' "$tmp/report")"
	expect_match "text" '^routes at .*: 1 link down \(leaf0-spine1\), changed at ' "$(cat "$tmp/out")"
}

# So does weftd; one that comes later, too, for what changed meanwhile. Its loop reads
# the clock at each turn, which takes 1 ns of virtual time: up to 4 turns for each.
in_weftd() {
	local before start

	weft daemon start
	lab ethernet-100g "{policy: min-hop, convergence: 10ms}"
	trap 'weft daemon stop > /dev/null; weft down --all > /dev/null 2>&1' EXIT
	before=$(routes)
	start=$(weft fault add down leaf0-spine1 start=+5ms --json | jq .start_ps)
	sleep 0.03
	expect "new routes" 1 "$(reroutes length)"
	expect_in "since" "$start" $((start + 4000)) "$(reroutes '.[0].since_ps')"
	expect_in "time" $((start + 10 * ms)) $((start + 10 * ms + 8000)) "$(reroutes '.[0].time_ps')"
	expect "told" '[true,1]' "$(weft daemon status --json | jq -c '.labs[0] | [.converges, .reroutes]')"
	weft daemon stop > /dev/null
	weft fault del --all > /dev/null
	sleep 0.03
	expect "nobody" 1 "$(reroutes length)"
	weft daemon start
	sleep 0.03
	expect "routes after" "$before" "$(routes)"
}

refusals() {
	lab ethernet-100g "{policy: min-hop}"
	weft reroute --watch 2> "$tmp/err" && return 1
	expect_match "message" 'lab "test": --watch needs "routing: \{convergence: TIME\}"' "$(cat "$tmp/err")"
}

ktap_begin 12
for profile in ethernet-100g ib-edr; do
	t "$profile: lost until there are new routes, to the packet" \
		convergence "$profile" link leaf0-spine1 leaf0-spine1
	t "$profile: the same when a switch reboots" \
		convergence "$profile" switch spine1 leaf0-spine1 leaf1-spine1
done
t "changes join a wait" joined
t "by hand" by_hand
t "the files that a lab was made of" kept
t "ethernet-100g: verbs survive" verbs ethernet-100g 1
t "ib-edr: verbs survive" verbs ib-edr 0
t "weft run watches" in_a_run
t "weftd watches" in_weftd
t "refusals" refusals
ktap_end
