#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# weft top, in a terminal of tmux: what it shows against the law, its keys, and
# how it ends.
#
#	host0, host1 -- leaf -- host2, host3
#
# All wires have 1 Gb/s, a byte takes 8 ns, and 24 bytes come on top of each
# frame.
. "$(dirname "$0")/lib.sh"
need jq tmux

[ "$clock" = virtual ] || skip_all "traffic has an exact rate on the virtual clock only"

readonly TMUX_COMMAND=(tmux -L "weft-top-$$" -f /dev/null)

# screen COMMAND... - of the terminal
screen() {
	"${TMUX_COMMAND[@]}" "$@"
}

# shows PATTERN - whether it is on the screen
shows() {
	screen capture-pane -p | grep -qE -- "$1"
}

# see PATTERN - wait for it
see() {
	slowwait 10 shows "$1" && return
	screen capture-pane -p
	return 1
}

# first - the port in the first row
first() {
	screen capture-pane -p | awk '$1 == "PORT" { getline; print $1; exit }'
}

# is_first PORT
is_first() {
	[ "$(first)" = "$1" ]
}

# open TERM ARGUMENT... - weft top in a terminal; then a shell says how it ended
open() {
	local term=$1

	shift
	screen new-session -d -x 132 -y 24 \
		"trap : INT; stty -a > $tmp/before; TERM=$term weft top $*;
		echo exit code \$? && stty -a > $tmp/after; exec cat"
	see "^PORT" || return 1
}

close() {
	screen kill-server
	sleep 0.05
}

# traffic FROM TO BYTES MICROSECONDS - a datagram of so many bytes, that often
traffic() {
	on "$1" python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
period = int(sys.argv[3]) * 1000
at = time.monotonic_ns()
while True:
    s.sendto(bytes(int(sys.argv[2])), (sys.argv[1], 9))
    at += period
    time.sleep(max(0, at - time.monotonic_ns()) / 1e9)' "$(address "$2")" "$3" "$4" > /dev/null 2>&1 &
}

lab() {
	up > /dev/null <<- END
	name: test
	profile: ethernet-400g
	link: {rate: 1Gbps, propagation: 37ns, overhead: 24, min-frame: 60}
	nic: {mtu: 9000}
	nodes: [{name: "host[0-3]"}]
	switches: [{name: leaf}]
	links: [{ends: ["host[0-3]", leaf]}]
	END
}

# row PORT - it, of what was printed as JSON
row() {
	jq -c ".rows[] | select(.port == \"$1\")" "$tmp/json"
}

# A frame of 14 + 20 + 8 + 8958 = 9000 bytes each ms: its 9024 bytes on the wire
# take 72192 ns of it, 7.2 %, and it has 72000 bits. host1 sends a tenth as often.
rates() {
	local span

	traffic host0 host2 8958 1000
	traffic host1 host3 8958 10000
	sleep 0.05
	weft top --lab test --once --interval 200ms --json > "$tmp/json"
	span=$(jq .span_ps "$tmp/json")
	expect_in "span" 200000000000 201000000000 "$span"
	for port in host0.eth0 leaf:2; do
		expect_in "frames of $port" 199 202 "$(row $port | jq .tx_packets)"
		expect "busy" true "$(row $port |
			jq '.tx_busy_ps == .tx_packets * 9024 * 8000')"
		expect "load" true "$(row $port | jq --argjson span "$span" \
			'(.load - .tx_busy_ps / $span) | fabs < 1e-6')"
		expect "rate" true "$(row $port | jq --argjson span "$span" \
			'(.tx_bps - .tx_packets * 72000 * 1e12 / $span) | fabs < 2')"
	done
	expect_in "a tenth" 20 21 "$(row leaf:3 | jq .tx_packets)"
	expect "order" "host0.eth0 leaf:2 host1.eth0 leaf:3" \
		"$(jq -r '[.rows[:4][].port] | join(" ")' "$tmp/json")"
	expect "by name" "host0.eth0 host1.eth0 host2.eth0" "$(weft top --once \
		--interval 1ms --sort name --json | jq -r '[.rows[:3][].port] | join(" ")')"
	expect "filter" "host3.eth0 leaf:3" "$(weft top --once --interval 1ms \
		--sort name --filter host3 --json | jq -r '[.rows[].port] | join(" ")')"
	expect_match "text" '^host0.eth0 +leaf:0 +1.00G +7\.[23]% #\.{9} +7[12]\.[0-9]M ' \
		"$(weft top --once --interval 200ms)"
	weft top --once --interval 200ms > "$tmp/brief"
	expect "idle wires" "4 4 more without traffic" \
		"$(grep -c '1\.00G' "$tmp/brief") $(tail -1 "$tmp/brief")"
	expect "all wires" "8 0" "$(weft top --once -v --interval 200ms |
		awk '/1\.00G/ { n++ } /without traffic/ { idle++ } END { print n, idle + 0 }')"
}

# The screen has the same.
live() {
	traffic host0 host2 8958 1000
	open screen --interval 200ms
	see '^host0.eth0 +leaf:0 +1.00G +7\.[23]% .* 7[12]\.[0-9]M ' || return 1
	see '^test  up .* clock virtual  faithful$'
	see '^8 wires in 20[0-9.]*ms, by load'
	close
}

# A receiver that takes nothing: leaf:3 is held back, and pauses come to it; the
# load of leaf:2 is higher all the while.
keys() {
	traffic host0 host2 8958 1000
	weft set nic host3 rx-stop all
	on host1 timeout 0.1 python3 -c 'import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
while True: s.sendto(bytes(8958), (sys.argv[1], 9))' "$(address host3)" || true
	open screen --interval 100ms
	see '^host0.eth0 .* 7\.[0-9]%'
	slowwait 5 is_first host0.eth0
	screen send-keys c
	see 'by held'
	slowwait 5 is_first leaf:3
	see '^leaf:3 .* 100\.[0-9]%'
	screen send-keys n
	see 'by name'
	slowwait 5 is_first host0.eth0
	screen send-keys Q
	see 'by queue'
	screen send-keys /host1 Enter
	see '^2 wires .*, with host1'
	screen send-keys Escape
	see '^8 wires'
	screen send-keys t
	see '^4 wires'
	screen send-keys t Space
	see '^stopped'
	screen send-keys Space h
	see 'sort: load, pauses'
	screen send-keys h u
	see 'by load'
	screen send-keys Home Enter
	see '^PORT .* CLASS'
	see '^host0.eth0 +leaf:0 +0 '
	screen send-keys Escape
	see '^8 wires'
	weft set nic host3 rx-stop none
	close
}

# A fault is named, and its loss counted.
faults() {
	weft fault add loss 'leaf:2>host2' probability=1
	traffic host0 host2 8958 1000
	open screen --interval 100ms --sort drops
	see '^leaf:2 .* (99|100|101) +0 loss$'
	see 'faults 1$'
	weft fault del --all
	see 'faults 0$'
	close
}

# Narrow: columns that matter less are left out. Smaller: it says so, and comes
# back.
resize() {
	open screen --interval 100ms
	see 'REPLAYS FAULT'
	screen resize-window -x 80 -y 24
	slowwait 5 shows '^PORT .* DROPS FAULT'
	expect "left out" "" "$(screen capture-pane -p | grep REPLAYS)"
	screen resize-window -x 40 -y 24
	see '^the terminal is too small'
	screen resize-window -x 132 -y 6
	see '^the terminal is too small'
	screen resize-window -x 132 -y 24
	see 'REPLAYS FAULT'
	close
}

# Without colours, it runs as well; q gives the terminal back as it was.
ends() {
	open vt100 --interval 100ms
	screen send-keys q
	see '^exit code 0'
	expect "terminal" "$(cat "$tmp/before")" "$(cat "$tmp/after")"
	close
	open screen --interval 100ms
	screen send-keys C-c
	see '^exit code 0'
	expect "terminal" "$(cat "$tmp/before")" "$(cat "$tmp/after")"
	close
}

gone() {
	open screen --interval 100ms
	down
	see '^lab "test" is gone'
	see '^exit code 0'
	close
	lab
}

refusals() {
	expect "no terminal" \
		'weft top: there is no terminal; --once prints one table' \
		"$(weft top 2>&1 < /dev/null)"
	screen new-session -d -x 100 -y 24 'TERM=nothing weft top; exec cat'
	see '^weft top: the terminal "nothing" is not known; --once prints one table'
	close
	expect_match "lab" 'nowhere' "$(weft top --lab nowhere --once 2>&1)"
}

# leave - whatever is left of a test
leave() {
	local left

	left=$(jobs -p)
	# shellcheck disable=SC2086 # a list of numbers
	[ -z "$left" ] || kill $left || true
	screen kill-server 2> /dev/null || true
	down > /dev/null
}

# with TEST - a test in a lab of its own
with() {
	trap leave EXIT
	lab
	"$1"
}

ktap_begin 8
t "--once, rates of fabric time" with rates
t "live" with live
t "keys" with keys
t "faults" with faults
t "resized" with resize
t "the terminal is given back" with ends
t "the lab goes" with gone
t "refusals" with refusals
ktap_end
