#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The subnet manager OpenSM, unmodified, brings up a fabric with external management,
# and keeps it up.
#
#	host0 --        -- spine0 --         -- host2
#	        leaf0 ==              == leaf1
#	host1 --        -- spine1 --         -- host3
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need opensm ibnetdiscover iblinkinfo ibtracert ibroute smpquery sminfo saquery

readonly log=$tmp/opensm.log

manager=

# leave - end the manager, if it runs, and the lab
leave() {
	if [ -n "$manager" ]; then
		kill "$manager" 2> /dev/null || true
		wait "$manager" || true
	fi
	weft down --all > /dev/null 2>&1
}

fabric() {
	trap leave EXIT
	rm -f "$log"
	up > /dev/null <<- END
		name: test
		profile: ib-edr
		subnet-manager: external
		nodes: [{name: "host[0-3]"}]
		switches: [{name: "leaf[0-1]"}, {name: "spine[0-1]"}]
		links:
		  - {ends: ["host[0-1]", leaf0]}
		  - {ends: ["host[2-3]", leaf1]}
		  - {ends: [leaf0, "spine[0-1]"]}
		  - {ends: [leaf1, "spine[0-1]"]}
	END
}

lid() {
	on "$1" ibstat | awk '/Base lid/ { print $3 }'
}

active() {
	[ "$(on host0 iblinkinfo 2> /dev/null | grep -c 'Active/  LinkUp')" -eq "$1" ]
}

# manager LINKS [ARGUMENT]... - OpenSM in host0, until the links have both ends active
manager() {
	local links=$1

	shift
	on host0 opensm -D 0x43 -F /dev/null -f "$log" "$@" > /dev/null 2>&1 &
	manager=$!
	slowwait 20 active "$((2 * links))"
}

# via - names of the switches on the way from host0 to host3
via() {
	on host0 ibtracert "$(lid host0)" "$(lid host3)" |
		sed -nE 's/^\[.*"((leaf|spine).)"/\1/p' | paste -sd ' '
}

told() {
	fabric
	expect "before: state" Initializing "$(on host3 ibstat | awk '/State:/ { print $2; exit }')"
	expect "before: LID" 0 "$(lid host3)"
	manager 8
	expect_match "sminfo" "sm lid $(lid host0) .* SMINFO_MASTER" "$(on host0 sminfo)"
	expect "switches" 4 "$(on host0 ibswitches | wc -l)"
	expect "paths in SA" 1 "$(on host0 saquery -p --src-to-dst \
		"$(lid host0):$(lid host3)" | grep -c 'dlid')"
	on host0 ibroute "$(on host0 ibswitches | sed -nE 's/.*lid ([0-9]+) .*/\1/p;q')" |
		awk '/^0x/ { print $1, $2 }' > "$tmp/table"
	expect "entries" 8 "$(wc -l < "$tmp/table")"
}

traffic() {
	fabric
	manager 8
	pair 18515 ibv_rc_pingpong -i 1 -n 100 > "$tmp/out"
	on host0 ping -c 1 -w 1 "$(address host3)" > "$tmp/out"
	expect_match "path" "^leaf0 spine[01] leaf1$" "$(via)"
}

# Each of the four LIDs of host3 is a path, and they use both spines.
paths() {
	local base i

	fabric
	manager 8 -l 2
	base=$(lid host3)
	for i in 0 1 2 3; do
		on host0 ibtracert "$(lid host0)" $((base + i)) |
			sed -nE 's/^\[.*"(spine.)"/\1/p'
	done | sort | uniq -c > "$tmp/spines"
	expect "spines" "2 spine0,2 spine1" "$(awk '{ print $1, $2 }' "$tmp/spines" | paste -sd ,)"
}

rerouted() {
	[ "$(via)" = "leaf0 $1 leaf1" ]
}

# A link that is cut is reported by a trap; OpenSM sweeps, and writes other tables.
# Its own sweeps are off.
cut() {
	local old other=spine0

	fabric
	manager 8 -s 0
	old=$(via | awk '{ print $2 }')
	[ "$old" = spine1 ] || other=spine1
	weft set link "leaf0-$old" down
	slowwait 20 rerouted $other
	expect_match "log" "Received Generic Notice type:1 num:128 \(Link state change\)" \
		"$(cat "$log")"
	on host0 ping -c 1 -w 1 "$(address host3)" > "$tmp/out"
	weft set link "leaf0-$old" up
	slowwait 20 active 16
}

# table - entries of the broadcast group in the switch next to host0
table() {
	on host0 ibroute -M "$(on host0 smpquery -D portinfo 0,1 0 | sed -nE 's/^Lid:\.*//p')" |
		awk '/^0x/' | paste -sd '|'
}

grouped() {
	[ "$(table | grep -o x | wc -l)" -eq "$1" ]
}

# The tree between two members has two ports of leaf0: that of host0, and one to a
# spine; with a third member it has three. 0xNNNN has an x, too.
group() {
	local sm

	fabric
	manager 8
	sm=$(lid host0)
	expect "join" 0xc000 "$(on host0 python3 "$net_dir/mads.py" join "$sm")"
	expect "join of host3" 0xc000 "$(on host3 python3 "$net_dir/mads.py" join "$sm")"
	slowwait 20 grouped 3
	on host1 python3 "$net_dir/mads.py" join "$sm" > "$tmp/out"
	slowwait 20 grouped 4
	on host3 python3 "$net_dir/mads.py" leave "$sm" > "$tmp/out"
	slowwait 20 grouped 3
}

# Without the key of the subnet, nobody learns anything of a switch.
keys() {
	fabric
	cat > "$tmp/conf" <<- END
		m_key 0x0000000012345678
		m_key_protection_level 2
		m_key_lease_period 0
		sweep_interval 0
		force_log_flush TRUE
	END
	on host0 opensm -F "$tmp/conf" -D 0x43 -f "$log" > /dev/null 2>&1 &
	manager=$!
	slowwait 20 grep -q "SUBNET UP" "$log"
	refused on host0 smpquery -D nodeinfo 0,1 > "$tmp/out" 2>&1
	on host0 smpquery -y 0x12345678 -D nodeinfo 0,1 > "$tmp/out"
	expect_match "violations" "\.[1-9][0-9]*$" "$(on host0 smpquery \
		-y 0x12345678 -D portinfo 0,1 0 | grep MkeyViolations)"
	slowwait 20 grep -q "num:256" "$log"
}

# Random datagrams write anything anywhere. A manager that starts anew mends it all.
random() {
	fabric
	manager 8 -s 0
	expect_match "random datagrams" "then alive" "$(on host0 python3 "$net_dir/mads.py" \
		random "${WEFT_TEST_SEED:-1}" 5000 1 2 3 4 5 6 7 8 9)"
	kill "$manager"
	wait "$manager" || true
	manager 8
	slowwait 20 on host0 ping -c 1 -w 1 "$(address host3)"
}

ktap_begin 7
t "OpenSM brings the fabric up" told
t "verbs and sockets" traffic
t "an LMC gives several paths" paths
t "a link is cut" cut
t "a multicast group has a tree" group
t "the M_Key protects" keys
t "random datagrams" random
ktap_end
