#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# weft set does what it says, and weft show and weft report tell the truth about
# back-pressure: against the kernel's counters, read by netlink.py.
#
#	host0, host1 -- leaf -- host2	400 Gb/s, PFC
# shellcheck disable=SC2016 # messages quote commands
. "$(dirname "$0")/lib.sh"
need jq nsenter

[ "$clock" = virtual ] || skip_all "senders stop where their time does on the virtual clock only"

# kernel ARGUMENT... - what the kernel says of the lab
kernel() {
	nsenter --net=/run/weft/test/net python3 "$net_dir/show.py" "$@"
}

# send FROM TO COUNT BYTES - datagrams; 0: for 15 ms
send() {
	on "$1" timeout 0.015 python3 -c 'import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
left = int(sys.argv[2])
while True:
    s.sendto(bytes(int(sys.argv[3])), (sys.argv[1], 9))
    left -= 1
    if not left:
        break' "${@:2}"
}

# lab PROFILE [LINE]... - three hosts on a switch
lab() {
	local profile=$1

	shift
	{
		echo "name: test"
		echo "profile: $profile"
		printf '%s\n' "$@"
		echo "nodes: [{name: \"host[0-2]\"}]"
		echo "switches: [{name: leaf}]"
		echo "links: [{ends: [\"host[0-2]\", leaf]}]"
	} | up > /dev/null
}

# with TEST PROFILE [LINE]... - a test with such a lab
with() {
	trap 'down > /dev/null' EXIT
	lab "${@:2}"
	"$1"
}

# Nobody takes what two hosts send: the switch fills up to its threshold, pauses
# both, and all that was sent arrives once the receiver goes on.
congested() {
	weft set nic host2 rx-stop all
	send host0 host2 0 8000 &
	send host1 host2 0 8000 &
	sleep 0.01
	kernel traffic
	sleep 0.01
	weft set nic host2 rx-stop none
	sleep 0.1
	kernel rest
	expect "verdict" '[]' "$(weft report --json | jq -c .lossless.losses)"
	expect "lossless" true "$(weft report --json | jq .lossless.lossless)"
	expect_match "text" '^lossless: true$' "$(weft report)"
	expect "nothing is left" 0 "$(weft show nics --json | jq '[.[].rx_used] | add')"
}

# 10 datagrams of 1458 bytes are 10 frames of 1500; they stay in the NIC.
stopped() {
	weft set nic host2 rx-stop 0,2-4
	expect "classes" $((1 | 4 | 8 | 16)) "$(kernel nic host2.eth0 rx-stop)"
	send host0 host2 10 1458
	sleep 0.001
	expect "used" 15000 "$(kernel nic host2.eth0 rx-used)"
	expect "shown" "15000 15000 29" "$(weft show nics --json | jq -r '.[] |
		select(.name == "host2.eth0") | "\(.rx_used) \(.rx_peak) \(.rx_stop)"')"
	expect "class" 15000 "$(weft show classes --json | jq '.[] |
		select(.port == "host2.eth0" and .class == 0).buffer_peak')"
	weft set nic host2 rx-stop none
	sleep 0.001
	expect "used" 0 "$(kernel nic host2.eth0 rx-used)"
}

# At 1 Gb/s the host takes a frame of 1500 bytes in 12 us: 100 in 1.2 ms.
slow() {
	weft set nic host2.eth0 rx-rate 1Gbps
	expect "rate" 1000000000 "$(kernel nic host2.eth0 rx-rate)"
	send host0 host2 100 1458
	sleep 0.0006
	expect_in "half" 60000 90000 "$(kernel nic host2.eth0 rx-used)"
	sleep 0.0007
	expect "all" 0 "$(kernel nic host2.eth0 rx-used)"
	weft set nic host2 rx-rate unlimited rx-stop none
	expect "rate" 0 "$(kernel nic host2.eth0 rx-rate)"
}

links() {
	weft set link host0 lanes-up 9
	expect "lanes" "9 9" "$(kernel wire host0.eth0 lanes-up) $(kernel wire leaf:0 lanes-up)"
	expect "rate" 3600000000000 "$(weft show ports --json |
		jq '.[] | select(.port == "leaf:0").rate_bps')"
	weft set link leaf:1 rate 100Gbps down
	expect "rate" 100000000000 "$(kernel wire host1.eth0 rate)"
	expect "down" 0 "$(kernel wire leaf:1 up)"
	expect "shown" "false false true" "$(weft show links --json | jq -r \
		'[.[] | select(.port == ("host1.eth0", "leaf:1", "leaf:2")).up] | join(" ")')"
	weft set link host1-leaf up
	expect "up" "1 1" "$(kernel wire leaf:1 up) $(kernel wire host1.eth0 up)"
	mistake 2 'weft set: lanes-up 19 is above lanes 18 (attribute wire)' link host0 lanes-up 19
}

# mistake CODE MESSAGE ARGUMENT... - weft set refuses it with exactly this
mistake() {
	local want=$1 text=$2 code=0

	shift 2
	weft set "$@" > "$tmp/out" 2> "$tmp/err" || code=$?
	expect "exit code of $*" "$want" $code
	expect "message of $*" "$text" "$(cat "$tmp/err")"
}

refused() {
	local list='expected all, none, or classes of 0 to 7 such as 0,3-5'
	local rate='expected unlimited, or a rate such as 10Gbps' c

	mistake 1 'weft set: no NIC is called "host9": `weft show nics` lists them' nic host9 rx-stop all
	for c in 8 3- -1 0,,1 5-3 x; do
		mistake 1 "weft set: rx-stop: \"$c\": $list" nic host0 rx-stop -- "$c"
	done
	mistake 1 "weft set: rx-rate: \"10\": $rate" nic host0 rx-rate 10
	mistake 1 'weft set: "mtu": expected rx-rate, rx-stop or verbs.KEY' nic host0 mtu 1
	mistake 1 'weft set: rx-rate: expected a value after it' nic host0 rx-stop all rx-rate
	mistake 1 'weft set: "mtu": expected up, down, rate or lanes-up' link host0 mtu 1
	mistake 1 'weft set: rate: expected a value after it' link host0 up rate
	mistake 1 'weft set: lanes-up: "x": expected a number of lanes' link host0 lanes-up x
	mistake 1 'weft set: no link, NIC or port is called "spine"' link spine up
	expect "nothing has changed" "0 0 1" "$(kernel nic host0.eth0 rx-stop) $(kernel nic host0.eth0 rx-rate) $(kernel wire host0.eth0 up)"
}

# Without headroom the class loses what arrives after the pause was decided, at
# the ports that the senders are at.
lossy() {
	local lost

	expect "lab" false "$(weft show labs --json | jq '.[0].lossless')"
	weft set nic host2 rx-stop all
	send host0 host2 0 8000 || true
	weft set nic host2 rx-stop none
	sleep 0.1
	kernel rest
	weft report --json | jq .lossless > "$tmp/lossless"
	expect "accepted" "false true" "$(jq -r '"\(.lossless) \(.accepted_loss)"' "$tmp/lossless")"
	expect_in "notes" 1 9 "$(jq '.notes | length' "$tmp/lossless")"
	expect "port and class" '["leaf:0",0]' "$(jq -c '.losses[] | [.port, .class]' "$tmp/lossless")"
	lost=$(jq '.losses[0].packets' "$tmp/lossless")
	expect_in "lost" 1 100000 "$lost"
	expect "reason" "{\"headroom_full\":$lost}" "$(jq -c '.losses[0].reasons' "$tmp/lossless")"
	expect "sum" "$lost" "$(jq '.disciplines[0].lossless_dropped' "$tmp/lossless")"
	expect_match "text" '^lossless: false, as the topology accepts$' "$(weft report)"
	expect_match "text" "^lost in a lossless class: $lost packets of class 0 at leaf:0; that port lost headroom_full $lost\$" "$(weft report)"
}

ktap_begin 6
t "a congested fabric" with congested ethernet-400g
t "a stopped receiver" with stopped ethernet-400g
t "a slow receiver" with slow ethernet-400g
t "lanes, rate and state of a link" with links nvlink5
t "what weft set refuses" with refused ethernet-400g
t "losses that were accepted" with lossy ethernet-400g "lossless: false" "switch: {headroom: 0, buffer-threshold: 1MB}"
ktap_end
