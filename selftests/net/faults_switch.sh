#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Faults of switches, felt by ping, iperf3, perftest and ibv_rc_pingpong: what was
# asked, no more, and nothing after it is taken back.
#
#	host0 -- leaf -- host1
#	          |
#	        host2
# shellcheck disable=SC2016 # jq has variables of its own
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_faults.sh
. "$net_dir/lib_faults.sh"
need ibv_rc_pingpong

readonly writes=50

# lab PROFILE - of three hosts; host0 knows the address of the others' links
lab() {
	gid=
	[ "$1" = ib-edr ] || gid=1
	trap 'weft down --all > /dev/null 2>&1' EXIT
	hosts "$1" 3
	pings 1 1 > /dev/null
	pings 2 1 > /dev/null
}

# pings HOST COUNT - of COUNT pings to it, a ms apart, how many were answered
pings() {
	on host0 ping -i 0.001 -c "$2" -W 1 "host$1" |
		sed -n 's/.* transmitted, \([0-9]*\) received.*/\1/p'
}

# drops REASON - at all ports
drops() {
	weft show ports --json | jq "[.[].drops.$1 // 0] | add"
}

# works GBPS - all is as before
works() {
	expect "pings to host1" 20 "$(pings 1 20)"
	expect "pings to host2" 20 "$(pings 2 20)"
	as_before "$1" "$(write_gbps)"
}

# One node is cut off, in both families; its neighbour is not. A ping each ms, and
# what is asked of its address, is counted to the packet.
blackhole() {
	local before

	lab "$1"
	before=$(write_gbps)
	inject blackhole leaf dst=host1
	expect "pings to host1" 0 "$(pings 1 20)"
	expect "pings to host2" 20 "$(pings 2 20)"
	expect "counted" "$(drops fault)" "$(did packets)"
	remove
	works "$before"
	inject blackhole leaf dst=host1
	refused pingpong
	remove
	sleep 0.1
	pingpong
}

# A window of 100 ms costs the pings in it, of those every 10 to 20 ms: 5 to 10.
blackhole_window() {
	local answered

	lab ethernet-100g
	inject blackhole leaf dst=host1 start=+205ms duration=100ms
	answered=$(on host0 ping -i 0.01 -c 40 -W 1 host1 |
		sed -n 's/.* transmitted, \([0-9]*\) received.*/\1/p')
	between 5 "$(did packets)" 10
	expect "answered" $((40 - $(did packets))) "$answered"
	expect "state" '"over"' "$(did state)"
	expect "time" 100000000000 "$(did active_ps)"
}

# Of 200 flows a quarter is hit, always or never: two packets of each, and of those
# that are hit both. Binomial: 50 +- 5 sqrt(200 / 4 * 3 / 4); and addresses, ports
# and seeds are given, so that the same ones are hit on each machine.
gray() {
	local first

	lab ethernet-100g
	inject blackhole leaf dst=host1 flows=0.25 seed=3
	flows
	first=$(did packets)
	expect_in "flows" 20 80 "$first"
	flows
	expect "again" $((2 * first)) "$(did packets)"
	expect "drops" $((2 * first)) "$(drops fault)"
	remove
	flows
	expect "after" $((2 * first)) "$(drops fault)"
}

# flows - a packet of each of 200 flows, from ports 2000 on, to host1
flows() {
	on host0 python3 - "$(address host1)" << 'EOF'
import socket
import sys
import time
for port in range(2000, 2200):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("", port))
        s.sendto(b"x", (sys.argv[1], 9))
    time.sleep(0.0001)
EOF
	sleep 0.01
}

# Nothing gets through, for any reason but the routes, which are there afterwards.
forget() {
	local before routes

	lab "$1"
	before=$(write_gbps)
	routes=$(weft show routes --json)
	inject forget leaf
	expect "pings to host1" 0 "$(pings 1 10)"
	expect "pings to host2" 0 "$(pings 2 10)"
	expect "counted" "$(drops no_route)" "$(did packets)"
	expect "routes" "$routes" "$(weft show routes --json)"
	refused pingpong
	remove
	sleep 0.1
	works "$before"
}

# port_of HOST - the number of leaf's port to it
port_of() {
	weft show ports --json |
		jq -r ".[] | select(.peer == \"$1.eth0\") | .port" | sed 's/.*://'
}

# host2 gets what is for host1, and takes none of it.
misroute() {
	local before

	lab "$1"
	before=$(write_gbps)
	inject misroute leaf dst=host1 port="$(port_of host2)"
	expect "pings to host1" 0 "$(pings 1 20)"
	expect "pings to host2" 20 "$(pings 2 20)"
	refused pingpong
	remove
	sleep 0.1
	works "$before"
	pingpong
}

# For 200 us, each 2 ms: what is on its way then is sent again, and all arrives. 500
# messages of 64 KiB take 2.6 ms at 100 Gb/s, so that one window is in it at least.
# Not at once, as programs refuse a device whose port is down.
under_way() {
	local before again

	lab "$1"
	before=$(write_gbps)
	again=$(counter retransmitted)
	inject "${@:2}" start=+500us duration=200us period=2ms
	perftest ib_write_bw -s 65536 -n 500 > /dev/null
	between 1 "$(did packets)" 1000000
	[ "$(counter retransmitted)" -gt "$again" ]
	remove
	works "$before"
}

# The same with a third host that gets the strays: its queue pairs see none.
misroute_under_way() {
	under_way "$1" misroute leaf dst=host1 port=2
	[ "$(no_qp)" -gt 0 ]
}

# no_qp - packets that host2's verbs had no use for
no_qp() {
	weft show verbs --json | jq '[.[] | select(.nic | startswith("host2")) | .no_qp] | add // 0'
}

# carrier HOST STATE - of its NIC
carrier() {
	[ "$(on "$1" cat "/sys/class/net/$(device "$1")/carrier")" = "$2" ]
}

# All hosts lose their carrier for 50 ms, as one fault, and the routes are there.
reboot() {
	local before

	lab "$1"
	before=$(write_gbps)
	inject reboot leaf start=+10ms duration=50ms
	carrier host0 1
	sleep 0.03
	carrier host0 0
	carrier host1 0
	carrier host2 0
	expect "state" '"active"' "$(did state)"
	sleep 0.05
	carrier host0 1
	carrier host2 1
	expect "state" '"over"' "$(did state)"
	expect "time" 50000000000 "$(did active_ps)"
	sleep 0.1
	works "$before"
}

# Two senders at once need a buffer. With one of 20 kB lossy packets are lost, and
# iperf3's bytes come all the same.
buffer() {
	local before

	lab "$1"
	before=$(write_gbps)
	inject buffer leaf size=20kB
	two_senders
	between 1 "$(did packets)" 1000000
	expect "no room" "$(did packets)" \
		$(($(drops buffer_full) + $(drops port_limit) + $(drops headroom_full)))
	remove
	works "$before"
	before=$(drops buffer_full)
	two_senders
	expect "after" "$before" "$(drops buffer_full)"
}

# two_senders - host0 and host2 send 10 MB to host1, each
two_senders() {
	on host1 iperf3 -s -1 -p 5201 > /dev/null &
	on host1 iperf3 -s -1 -p 5202 > /dev/null &
	slowwait 5 listens host1 5201
	slowwait 5 listens host1 5202
	on host2 iperf3 -c host1 -p 5202 -n 10M > /dev/null &
	on host0 iperf3 -c host1 -p 5201 -n 10M > /dev/null
	wait
}

# What reports and lists say of a fault of a switch, with keys that stay.
told() {
	local keys='["active_ps","control","dst","duration_ps","effect","flows_ppb","id","kind","late_ps","packets","seed","start_ps","state","switch","when","windows"]'

	lab ethernet-100g
	fault=0
	weft fault add blackhole leaf dst=host1 dst=host2 flows=0.5 > "$tmp/add"
	expect_match "plan" '^fault 0: leaf: drops packets to host1.eth0, host2.eth0 of a share of 0.5 of the flows; from .* until it is removed$' "$(cat "$tmp/add")"
	expect "keys" "$keys" "$(weft fault list --json | jq -c '.[0] | keys')"
	expect "report" "$keys" "$(weft report --json | jq -c '.faults[0] | keys')"
	expect "names" '["host1.eth0","host2.eth0"]' "$(did dst | jq -c .)"
	expect_match "text" '^    0 blackhole +leaf +active ' "$(weft report)"
	expect_match "removed" '^fault 0: removed; acted ' "$(weft fault del 0)"
}

refusals() {
	lab ib-edr
	refuses 1 'no switch is called "host0"' fault add reboot host0
	refuses 1 'no switch is called "lea"' fault add forget lea
	refuses 1 'expected a node, a NIC, or all' fault add blackhole leaf dst=host9
	refuses 1 'expected a share' fault add blackhole leaf flows=2
	refuses 2 'not a parameter of kind blackhole' fault add blackhole leaf port=1
	refuses 2 'not a parameter of kind forget' fault add forget leaf dst=host1
	refuses 2 'kind misroute needs port' fault add misroute leaf dst=host1
	refuses 2 'counted from 0' fault add misroute leaf port=1000
	refuses 2 'kind buffer needs size' fault add buffer leaf
	refuses 2 'links of discipline credit account for room themselves' \
		fault add buffer leaf size=1MiB
	refuses 2 'start is over' fault add reboot leaf start=1ps
	expect "nothing came of it" '[]' "$(weft fault list --json)"
}

# Switches that have faults, and whose timers run, go with the lab.
torn_down() {
	lab ethernet-100g
	inject reboot leaf duration=1ms period=2ms
	inject buffer leaf size=10kB
	inject forget leaf start=+900s
	weft down
}

ktap_begin 18
t "ethernet-100g: a node is cut off" blackhole ethernet-100g
t "ib-edr: a node is cut off" blackhole ib-edr
t "a window of 100 ms costs the packets in it" blackhole_window
t "a flow is hit always or never" gray
t "ethernet-100g: no routes" forget ethernet-100g
t "ib-edr: no routes" forget ib-edr
t "ethernet-100g: the wrong port" misroute ethernet-100g
t "ib-edr: the wrong port" misroute ib-edr
t "ethernet-100g: a reboot takes all carriers along" reboot ethernet-100g
t "ib-edr: a reboot takes all carriers along" reboot ib-edr
t "ethernet-100g: verbs across reboots" under_way ethernet-100g reboot leaf
t "ib-edr: verbs without routes now and then" under_way ib-edr forget leaf
t "ib-edr: verbs across a blackhole" under_way ib-edr blackhole leaf dst=host1
t "ethernet-100g: verbs go astray" misroute_under_way ethernet-100g
t "a smaller buffer loses packets" buffer ethernet-100g
t "what is told" told
t "refusals" refusals
t "with the lab" torn_down
ktap_end
