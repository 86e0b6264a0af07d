#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Random management datagrams, from a seed, at the agents of channel adapters and of
# switches: none is lost in the fabric, the agents answer as before, and no splat.
#
#	host0 -- s0 -- s1 -- s2 -- host1
#
# Floods: requests at a fixed rate, whatever comes back. The agent of a switch answers
# one in sma-latency. What does not fit its port meanwhile is dropped, and counted.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need smpquery perfquery jq

readonly COUNT=20000	# of each seed
readonly S0=1025	# LID of the first switch: behind those of the 1024 NICs

storm=$(built mad_storm) || skip_all "mad_storm is not built"

# state - what random requests must not change: the answers of all agents
state() {
	local path

	for path in 0 0,1 0,1,2 0,1,2,2 0,1,2,2,2; do
		on host0 smpquery -D nodeinfo $path | grep -v '^#' || return 1
		on host0 smpquery -D nodedesc $path || return 1
	done
}

# storm SEED - they are sent from host0; Sets of LIDs may stop what goes by LIDs
storm() {
	local before

	chain ib-edr 3
	before=$(state)
	on host0 "$storm" umad0 "$1" $COUNT 8 > "$tmp/mads" || {
		cat "$tmp/mads"
		return 1
	}
	echo "# $(cat "$tmp/mads")"
	expect "sent" $COUNT "$(awk '{ print $2 }' "$tmp/mads")"
	expect_in "answered" $((COUNT / 10)) $COUNT "$(awk '{ print $6 }' "$tmp/mads")"
	expect "the agents' answers" "$before" "$(state)"
	weft down > /dev/null
}

# law COUNT GAP - how many of so many requests a switch answers. VL 15 of its port has
# room for 16. A request is in it from the arrival of its head at time i GAP on, until
# its answer leaves: by then all of its 290 bytes have come at 100 Gb/s, it has passed
# the pipeline of 90 ns to the agent, has waited there for those before it, has been
# processed for 10 us, and has passed the pipeline from it.
law() {
	awk -v n="$1" -v gap="$2" 'BEGIN {
		wire = 290 * 8 / 100; pipe = 90; agent = 10000; room = 16
		for (i = 0; i < n; i++) {
			while (left < taken && out[left] <= i * gap)
				left++
			if (taken - left == room)
				continue
			begin = i * gap + wire + pipe
			done = (begin > done ? begin : done) + agent
			out[taken++] = done + pipe
		}
		print taken
	}'
}

# flood NODE TO COUNT GAP - how many are answered, and how many are not
flood() {
	on "$1" python3 "$net_dir/mads.py" flood "${@:2}"
}

# dropped LID PORT - management that a port dropped
dropped() {
	on host0 perfquery "$1" "$2" | sed -nE 's/^VL15Dropped:\.*//p'
}

# at_switch COUNT GAP
at_switch() {
	local answered lost

	chain ib-edr 1
	read -r answered lost < <(flood host0 0,1 "$@")
	expect "answered" "$(law "$@")" "$answered"
	expect "answered or not" "$1" $((answered + lost))
	expect "dropped at the switch" "$lost" "$(dropped $S0 1)"
}

# The agent of an adapter is its host, which takes no time on the virtual clock.
at_adapter() {
	chain ib-edr 1
	expect "answered" "$1 0" "$(flood host0 2 "$@")"
	expect "dropped at the switch" 0 "$(dropped $S0 1)"
	expect "dropped at the adapter" 0 "$(dropped 2 1)"
}

# Requests of host2, half of which the switch drops, cost the others nothing.
untouched() {
	local quiet storming

	star ib-edr 3
	pair 18515 ibv_rc_pingpong -n 1000
	quiet=$(grep iters "$tmp/client")
	flood host2 0,1 20000 5000 > "$tmp/flood" &
	storming=$!
	pair 18516 ibv_rc_pingpong -n 1000 -p 18516
	kill -0 $storming
	expect "as without" "$quiet" "$(grep iters "$tmp/client")"
	wait $storming
	expect "answered" "$(law 20000 5000)" "$(cut -d ' ' -f 1 "$tmp/flood")"
}

floods=4
[ "$clock" = virtual ] || floods=0
ktap_begin $((3 + floods))
for seed in 1 2 3; do
	t "$COUNT random MADs, seed $seed" storm $seed
done
if [ $floods -gt 0 ]; then
	t "10^5 MADs a second at a switch" at_switch 2000 10000
	t "2 10^5 MADs a second at a switch" at_switch 2000 5000
	t "10^5 MADs a second at an adapter" at_adapter 2000 10000
	t "other traffic is untouched" untouched
fi
ktap_end
