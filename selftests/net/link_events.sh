#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What `weft events` tells of links that go down and come up: each change, once,
# with the fabric time at which it happened.
# shellcheck disable=SC2016 # jq has variables of its own
. "$(dirname "$0")/lib.sh"
need jq

[ "$clock" = virtual ] || skip_all "only the virtual clock is exact"

# lab - two hosts on a switch, and listeners in the background
lab() {
	trap 'weft down --all > /dev/null 2>&1' EXIT
	topology 100Gbps 2 | up > /dev/null
	weft events --json > "$tmp/json" &
	weft events --lab test > "$tmp/text" &
	sleep 0.01
}

# told FILTER - by the events so far, in one line
told() {
	jq -sc "$1" "$tmp/json"
}

# A fault that is set for 7 ms from a time t on: the link goes down at t and comes
# up at t + 7 ms, whoever looks.
window() {
	local start

	lab
	start=$(weft fault add down 'host0>leaf' start=+5ms duration=7ms --json | jq .start_ps)
	sleep 0.02
	expect "events" '["fault","link","link"]' "$(told 'map(.event)')"
	expect "times" "[$start,$((start + 7000000000))]" "$(told 'map(select(.event == "link").time_ps)')"
	expect "up" '[[false,true,false],[true,true,true]]' "$(told 'map(select(.event == "link") | [.up_a_to_b, .up_b_to_a, .up])')"
	expect_match "text" ' link +[^ ]+ down in one direction$' "$(cat "$tmp/text")"
	expect_match "text" ' link +[^ ]+ up$' "$(cat "$tmp/text")"
}

# Requests are told of as well, with what they changed, and names.
requests() {
	lab
	weft set link host1 down
	weft set link host1 up
	weft fault add delay host0 delay=1us > /dev/null
	weft fault del 0 > /dev/null
	sleep 0.01
	expect "events" '["link","link","fault","fault"]' "$(told 'map(.event)')"
	expect "up" '[false,true]' "$(told 'map(select(.event == "link").up)')"
	expect "removed" '[false,true]' "$(told 'map(select(.event == "fault").removed)')"
	expect "name" '["host1-leaf","host1-leaf"]' "$(told 'map(select(.event == "link").name)')"
}

# Who reads too late is told that something was lost. A listener that is stopped has
# a socket of 2 MiB; an event takes 2 KiB of it or more.
overrun() {
	trap 'weft down --all > /dev/null 2>&1' EXIT
	topology 100Gbps 2 | up > /dev/null
	weft events --json > "$tmp/json" &
	sleep 0.01
	kill -STOP $!
	weft fault add flap host0 duration=1us period=2us count=1500 > /dev/null
	sleep 0.01
	kill -CONT $!
	sleep 0.01
	expect "lost" true "$(told 'any(.event == "lost")')"
	expect "goes on" true "$(weft set link host1 down; sleep 0.01; told '.[-1] | .event == "link" and .up == false')"
}

# The listeners end with the fabric.
ends() {
	lab
	weft down
	wait
	expect "last" '["fabric",true]' "$(told '.[-1] | [.event, .removed]')"
	expect_match "text" ' fabric +test removed$' "$(tail -n 1 "$tmp/text")"
}

# Each lab's NICs are running from its start, also if another lab's had just been: Linux tells
# of a carrier once a second, unless the device is up already. UCX takes no others.
running() {
	for _ in 1 2 3; do
		topology 100Gbps 2 | up > /dev/null
		expect "state" up "$(weft exec host1 -- cat /sys/class/net/eth0/operstate)"
		weft down
	done
}

ktap_begin 5
t "a link that fails for 7 ms" window
t "what is asked for" requests
t "events that are lost" overrun
t "the end" ends
t "labs that follow one another" running
ktap_end
