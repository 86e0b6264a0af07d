#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# weftd: it adopts labs and forgets them, survives being killed, is closed to
# other users, counts what weft report counts, and no client can hold it.
# shellcheck disable=SC2016 # messages quote commands
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
	weft daemon status --json | jq -c '[.labs[]?.name] | sort'
}

knows() {
	[ "$(labs)" = "$1" ]
}

# client TEST - one of weftd.py's
client() {
	python3 "$net_dir/weftd.py" "$@"
}

pid() {
	weft daemon status --json | jq .pid
}

starts() {
	expect "before" '{"running":false,"version":2}' "$(weft daemon status --json | jq -c .)"
	weft daemon start
	expect "running" true "$(weft daemon status --json | jq .running)"
	expect "labs" '[]' "$(labs)"
	expect "socket" "600 root" "$(stat -c '%a %U' /run/weft/weftd.sock)"
}

only_one() {
	expect "start" "weft daemon: weftd runs already (pid $(pid)): \`weft daemon stop\` ends it" \
		"$(weft daemon start 2>&1)"
	expect "weftd" "weftd: weftd runs already (pid $(pid)): \`weft daemon stop\` ends it" \
		"$(weftd 2>&1)"
	refused weftd 2> /dev/null
}

comes_and_goes() {
	lab one
	slowwait 1 knows '["one"]'
	lab two
	slowwait 1 knows '["one","two"]'
	expect "clocks" "$clock $clock" \
		"$(weft daemon status --json | jq -r '[.labs[].clock] | join(" ")')"
	weft down --lab one
	slowwait 1 knows '["two"]'
	weft down --lab two
	lab two
	slowwait 1 knows '["two"]'
	weft down --lab two
	slowwait 1 knows '[]'
}

adopts() {
	local first

	lab one
	slowwait 1 knows '["one"]'
	first=$(pid)
	kill -KILL "$first"
	slowwait 1 refused weft daemon status > /dev/null 2>&1
	[ -S /run/weft/weftd.sock ] || { echo "it cleaned up?"; return 1; }
	on one0 ping -q -c 1 one1
	weft daemon start
	expect "labs" '["one"]' "$(labs)"
	refused [ "$first" = "$(pid)" ]
	weft down --lab one
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
	slowwait 1 refused pgrep -x weftd
	refused [ -e /run/weft/weftd.sock ]
}

# two labs, and traffic in the first
busy() {
	lab one
	lab two
	WEFT_LAB=one on one0 ping -q -c 10 -i 0.001 one1 > /dev/null
	slowwait 1 knows '["one","two"]'
}

address() {
	local url

	url=$(weft web)
	expect_match "web" "^http://127.0.0.1:$(weft daemon status --json |
		jq .http_port)/#token=$(cat /run/weft/http.token)\$" "$url"
	expect "token" 600 "$(stat -c %a /run/weft/http.token)"
	weft daemon stop
	weft daemon start --http 0
	refused [ "$url" = "$(weft web)" ]
	expect "token" "${url#*=}" "$(weft web | cut -d = -f 2)"
	weft daemon stop
	chmod 644 /run/weft/http.token
	weft daemon start --http 9468
	refused [ "$url" = "$(weft web)" ]
	weft daemon stop
	weft daemon start --http off
	expect "off" "weft web: weftd was started with --http off: start it again with --http PORT" "$(weft web 2>&1)"
	weft daemon stop
	weft daemon start
}

# the verbs of the command line, and its exit code where an expectation is not met
commands() {
	local code=0

	printf '%s\n' "name: cli" "timeline:" \
		"  - {at: 1ms, fault: loss, on: one0, probability: 1, for: 2ms}" \
		"expect: {no-drops: true}" > "$tmp/cli.yaml"
	(cd "$tmp" && weft scenario start --lab one cli.yaml) > "$tmp/out"
	expect_match "start" '^scenario cli: playing, from [0-9.]+m?s to ' "$(cat "$tmp/out")"
	expect "fault" loss "$(weft fault list --lab one --json | jq -r '.[].kind')"
	WEFT_LAB=one on one0 ping -q -c 10 -i 0.002 one1 > /dev/null || true
	weft scenario status --lab one > "$tmp/out" || code=$?
	expect "code" 123 $code
	expect_match "status" '^scenario cli: over, ' "$(cat "$tmp/out")"
	expect_match "result" '^failed +no-drops$' "$(cat "$tmp/out")"
	expect "JSON" over "$(weft scenario stop --lab one --json | jq -r .state)"
	expect "none" 'weft scenario: lab "one" has no scenario: `weft scenario start` plays one' \
		"$(weft scenario status --lab one 2>&1)"
}

hangup() {
	local first

	weft daemon start
	first=$(pid)
	kill -HUP "$first"
	expect "the same" "$first" "$(pid)"
}

ktap_begin 24
t "it starts" starts
t "there is only one" only_one
t "labs come and go" comes_and_goes
t "a killed one's successor adopts" adopts
busy
t "the address of the page" address
t "metrics are the report's counters" client metrics
t "wrong requests" client requests
t "many requests at once" client together
t "garbage and silence" client garbage
t "too many clients" client crowd
t "another user" client stranger
t "a scenario" client scenario
t "what is no scenario" client bad_scenario
t "scenarios by the command line" commands
t "an end in order takes scenarios back" client taken_back
t "a recording" client recording
t "who comes in" client doors
t "pages" client pages
t "too many connections" client flood
t "slow connections" client slow
weft down --all > /dev/null
t "it stops" ends
t "SIGTERM ends it" signal TERM
t "SIGINT ends it" signal INT
t "SIGHUP does not" hangup
ktap_end
