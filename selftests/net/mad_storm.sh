#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Random management datagrams, from a seed, at the agents of channel adapters and of
# switches: none is lost in the fabric, the agents answer as before, and no splat.
#
#	host0 -- s0 -- s1 -- s2 -- host1
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need smpquery perfquery jq

readonly COUNT=20000	# of each seed

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

ktap_begin 3
for seed in 1 2 3; do
	t "$COUNT random MADs, seed $seed" storm $seed
done
ktap_end
