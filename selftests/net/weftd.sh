#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# weftd: it adopts labs and forgets them, and survives being killed.
. "$(dirname "$0")/lib.sh"
need jq

trap 'weft daemon stop > /dev/null; weft down --all > /dev/null 2>&1; cleanup' EXIT

# lab NAME - two nodes NAME0 and NAME1 on a switch
lab() {
	cat > "$tmp/$1.yaml" << END
name: $1
profile: ethernet-400g
nodes: [{name: "$1[0-1]"}]
switches: [{name: $1-leaf}]
links: [{ends: ["$1[0-1]", $1-leaf]}]
END
	weft up "$tmp/$1.yaml" "${clock_option[@]}" > /dev/null
}

# labs - those that the daemon knows
labs() {
	weft daemon status --json | jq -c '[.labs[]?.lab] | sort'
}

knows() {
	[ "$(labs)" = "$1" ]
}

pid() {
	weft daemon status --json | jq .pid
}

starts() {
	expect "before" '{"running":false}' "$(weft daemon status --json | jq -c .)"
	weft daemon start
	expect "running" true "$(weft daemon status --json | jq .running)"
	expect "labs" '[]' "$(labs)"
	expect "socket" "600 root" "$(stat -c '%a %U' /run/weft/weftd.sock)"
}

only_one() {
	expect "start" "error: weftd runs already (pid $(pid)): \`weft daemon stop\` ends it" \
		"$(weft daemon start 2>&1)"
	expect "weftd" "error: weftd runs already (pid $(pid)): \`weft daemon stop\` ends it" \
		"$(weftd 2>&1)"
	refused weftd 2> /dev/null
}

comes_and_goes() {
	lab one
	slowwait 5 knows '["one"]'
	lab two
	slowwait 5 knows '["one","two"]'
	expect "clocks" "$clock $clock" \
		"$(weft daemon status --json | jq -r '[.labs[].clock] | join(" ")')"
	weft down one
	slowwait 5 knows '["two"]'
	weft down two
	lab two
	slowwait 5 knows '["two"]'
	weft down two
	slowwait 5 knows '[]'
}

adopts() {
	local first

	lab one
	slowwait 5 knows '["one"]'
	first=$(pid)
	kill -KILL "$first"
	slowwait 5 refused weft daemon status > /dev/null 2>&1
	[ -S /run/weft/weftd.sock ] || { echo "it cleaned up?"; return 1; }
	on one0 ping -q -c 1 one1
	weft daemon start
	expect "labs" '["one"]' "$(labs)"
	refused [ "$first" = "$(pid)" ]
	weft down one
}

ends() {
	weft daemon stop
	refused [ -e /run/weft/weftd.sock ]
	refused [ -e /run/weft/weftd.pid ]
	expect "again" "nothing to do: weftd does not run" "$(weft daemon stop)"
}

signal() {
	weft daemon start
	kill "-$1" "$(pid)"
	slowwait 5 refused pgrep -x weftd
	refused [ -e /run/weft/weftd.sock ]
}

hangup() {
	local first

	weft daemon start
	first=$(pid)
	kill -HUP "$first"
	expect "the same" "$first" "$(pid)"
}

ktap_begin 8
t "it starts" starts
t "there is only one" only_one
t "labs come and go" comes_and_goes
t "a killed one's successor adopts" adopts
t "it stops" ends
t "SIGTERM ends it" signal TERM
t "SIGINT ends it" signal INT
t "SIGHUP does not" hangup
ktap_end
