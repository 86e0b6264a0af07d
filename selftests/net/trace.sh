#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# weft trace: where each picosecond of a packet's way went, against the law.
#
#	host0, host1 -- leaf0 -- spine -- leaf1 -- host2, host3
#
# All wires have 400 Gb/s, a byte takes 20 ps, 24 bytes come on top of each
# frame, and 37 ns to the far end; a switch takes 450 ns, a NIC 280 ns to send and
# 230 ns to receive.
# shellcheck disable=SC2016 # programs of jq
. "$(dirname "$0")/lib.sh"
need jq ping ibv_rc_pingpong ss

[ "$clock" = virtual ] || skip_all "times are exact on the virtual clock only"

readonly WIRE=37000 SWITCH=450000 TX=280000 RX=230000

# lab FORWARD [PROFILE [DOWN [NIC [PORT]]]] - DOWN: rate of the links of host2, host3
lab() {
	up > /dev/null <<- END
	name: test
	profile: ${2:-ethernet-400g}
	link: {rate: 400Gbps, propagation: 37ns, overhead: 24, min-frame: 60}
	switch: {latency: 450ns, forward: $1}
	nic: {mtu: 4000, tx-latency: 280ns, rx-latency: 230ns${4:+, $4}}
	${5:+port: {$5\}}
	nodes: [{name: "host[0-3]"}]
	switches: [{name: leaf0}, {name: leaf1}, {name: spine}]
	links:
	  - {ends: ["host[0-1]", leaf0]}
	  - {ends: ["host[2-3]", leaf1], rate: ${3:-400Gbps}}
	  - {ends: ["leaf[0-1]", spine]}
	END
}

# with TEST ARGUMENT... - a test in such a lab
with() {
	trap 'down > /dev/null' EXIT
	lab "${@:2}"
	"$1"
}

# tracing ARGUMENT... - begin a trace in the background; its pid is $tracer
tracing() {
	: > "$tmp/err"
	weft trace "$@" > "$tmp/trace" 2> "$tmp/err" &
	tracer=$!
	slowwait 5 grep -q ^tracing "$tmp/err"
}

# stop - end it, when all packets have arrived
stop() {
	sleep 0.01
	kill -INT "$tracer"
	wait "$tracer"
}

# got PROGRAM - a line of what was traced
got() {
	jq -rs "$1" "$tmp/trace"
}

# send FROM TO COUNT BYTES - datagrams handed in at one instant
send() {
	on "$1" python3 -c 'import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
for i in range(int(sys.argv[2])):
    s.sendto(bytes(int(sys.argv[3])), (sys.argv[1], 9))' "$2" "$3" "$4"
}

readonly PORTS="host0.eth0 leaf0:2 spine:1 leaf1:0"
# what is told of a hop: latency, wait, sending, wire, rest
readonly TIMES='"\(.latency_ps) \(.wait_ps) \(.serialisation_ps) \(.propagation_ps) \(.rest_ps)"'

# ping has 14 + 20 + 8 + 986 = 1028 bytes, with what comes on top 1052.
readonly SEND=$((1052 * 20))

# Each hop has its own times; their sum is what the NIC's histogram has.
store_forward() {
	local send=${1:-$SEND}
	local total=$((TX + 4 * (send + WIRE) + 3 * SWITCH + RX))

	tracing --json --flow 'host0>host2:icmp' -c 1
	on host0 ping -q -c 1 -s 986 host2
	wait "$tracer"
	expect "ports" "$PORTS" "$(got '[.[0].hops[].port] | join(" ")')"
	expect "hops" "$TX 0 $send $WIRE 0
$SWITCH 0 $send $WIRE 0
$SWITCH 0 $send $WIRE 0
$SWITCH 0 $send $WIRE $RX" "$(got ".[0].hops[] | $TIMES")"
	expect "end" "delivered host2.eth0 $total" \
		"$(got '.[0] | "\(.fate) \(.at) \(.total_ps)"')"
	expect "the NIC says" "1 $total $total" "$(weft report --json | jq -r '
		.nics[] | select(.name == "host2.eth0").latency |
		"\(.count) \(.min_ps) \(.max_ps)"')"
	expect "cut through" "false" "$(got '[.[0].hops[].cut_through] | any')"
	expect "one after the other" true "$(got '.[0].hops as $h |
		[range(3) | $h[.].arrived_ps == $h[. + 1].time_ps] | all')"
}

# In packets of 256 bytes, each with 24 on top: 5 of them; and whole flits of 16.
nvlink() {
	store_forward $(((5 * 24 + 65 * 16) * 20))
}

# Only the NIC waits for the last bit.
cut_through() {
	local total=$((TX + SEND + 4 * WIRE + 3 * SWITCH + RX))

	tracing --json --flow 'host0>host2:icmp' -c 1
	on host0 ping -q -c 1 -s 986 host2
	wait "$tracer"
	expect "total" $total "$(got '.[0].total_ps')"
	expect "cut through" "true true true false" \
		"$(got '[.[0].hops[].cut_through] | join(" ")')"
	expect "sum" $total "$(got '.[0].hops | map(.latency_ps + .wait_ps +
		.propagation_ps + .rest_ps + (if .cut_through then 0 else
		.serialisation_ps end)) | add')"
}

# Ten frames of 14 + 20 + 8 + 958 = 1000 bytes at one instant: number i waits for
# i others at the NIC, at 1024 x 20 ps each; at a last link of 100 Gb/s, where
# each takes four times as long, for three times as long again.
burst() {
	local i send=$((1024 * 20)) want=""

	tracing --json --flow 'host0>host2:udp/9' -c 10
	send host0 "$(address host2)" 10 958
	wait "$tracer"
	for i in {0..9}; do
		want+="$((i * send)) 0 0 $((3 * i * send)) $((i * 1000 + 1000))"$'\n'
	done
	expect "waiting" "$want" "$(got 'sort_by(.packet)[] |
		"\([.hops[].wait_ps] | join(" ")) \(.hops[0].queued)"')"$'\n'
	expect "held back" 0 "$(got '[.[].hops[].held_back_ps] | add')"
}

# What a fault loses ends there; what it delays says by how much.
fault() {
	weft fault add loss 'leaf0:2>spine:0' probability=1 duration=5ms
	tracing --json --flow 'host0>host2' -c 1
	on host0 ping -q -c 1 -W 0.004 -s 986 host2 || true
	wait "$tracer"
	expect "end" "lost leaf0:2 fault 2" \
		"$(got '.[0] | "\(.fate) \(.at) \(.reason) \(.hops | length)"')"
	sleep 0.01
	weft fault add delay 'spine:1>leaf1:2' delay=5us
	tracing --json --flow 'host0>host2' -c 1
	on host0 ping -q -c 1 -s 986 host2
	wait "$tracer"
	expect "delay" 5000000 "$(got '.[0].hops[2].rest_ps')"
}

# The last wire is down: the switch has the packet, and no queue for it.
link_down() {
	weft fault add down 'leaf1:0>host2'
	tracing --json --flow 'host0>host2' -c 1
	on host0 ping -q -c 1 -W 0.004 -s 986 host2 || true
	wait "$tracer"
	expect "end" "lost leaf1:0 link_down 3 $((TX + 3 * (SEND + WIRE + SWITCH) - SWITCH))" \
		"$(got '.[0] |
		"\(.fate) \(.at) \(.reason) \(.hops | length) \(.total_ps)"')"
}

# A copy for each of the others, made by the leaves; the spine has one way only.
broadcast() {
	local all

	all=$(on host0 ip -4 -o addr show scope global | awk '{ print $6; exit }')
	tracing --json --flow '>:udp/9'
	send host0 "$all" 1 958
	stop
	expect "who has it" "host1.eth0 host2.eth0 host3.eth0" \
		"$(got '[.[] | select(.fate == "delivered").at] | sort | join(" ")')"
	expect "copies" "null 1 1" "$(got 'sort_by(.packet) |
		[.[].copy_of | tostring] | join(" ")')"
	expect "times" "$(got 'map(.total_ps) | max')" \
		$((TX + 4 * (1024 * 20 + WIRE) + 3 * SWITCH + RX))
}

# One message of 1000 bytes: 14 + 20 + 8 + 12 + 1000 + 4 = 1058 bytes on RoCE;
# 8 + 12 + 1000 + 4 + 2 = 1026 on InfiniBand, which are the frame and the 24 bytes
# on top of it. Only at the NIC it may have to wait, for an acknowledgement.
verbs() {
	local length=$1 source=$2 pid

	shift 2
	[ -e /sys/module/weft_rdma ] || skip "weft_rdma.ko is not loaded"
	tracing --json --flow 'host0>host2:verbs'
	on host0 ibv_rc_pingpong -m 1024 -n 1 -s 1000 "$@" &
	pid=$!
	slowwait 5 listens host0 18515
	on host2 ibv_rc_pingpong -m 1024 -n 1 -s 1000 "$@" "$(address host0)"
	wait $pid
	stop
	# the first message is host2's, the answer host0's
	expect_match "what" "^verbs $source > .* qp [0-9]+ psn [0-9]+ opcode 4\$" \
		"$(got 'map(select(.length > 900))[0].what')"
	expect "packets" 1 "$(got 'map(select(.length > 900)) | length')"
	got 'map(select(.length > 900))[0]' > "$tmp/message"
	expect "where" "delivered host2.eth0 4" "$(jq -r \
		'"\(.fate) \(.at) \(.hops | length)"' "$tmp/message")"
	expect "sending" "$(((length + 24) * 20))" "$(jq \
		'[.hops[].serialisation_ps] | unique[]' "$tmp/message")"
	expect "sum" "$((3 * SWITCH + 4 * (WIRE + (length + 24) * 20) + RX))" \
		"$(jq '.total_ps - .hops[0].latency_ps -
			.hops[0].wait_ps' "$tmp/message")"
}

roce() {
	verbs 1058 '[0-9.]+' -g 1
}

# Credits count blocks, which takes nothing from the wire's time.
infiniband() {
	verbs 1002 'lid 1'
}

# host2 takes nothing for 5 ms. One datagram finds the credits of the last link
# gone, and waits for them: as long as the port counted for its class.
held_back() {
	weft set nic host2 rx-stop all
	tracing --json --flow 'host0>host2:udp/9'
	send host0 "$(address host2)" 60 1958
	sleep 0.005
	weft set nic host2 rx-stop none
	stop
	expect "packets" 60 "$(got 'length')"
	expect "never longer than it waited" true \
		"$(got '[.[].hops[] | .held_back_ps <= .wait_ps] | all')"
	expect "at the last port" "$(weft show classes --json | jq '[.[] |
		select(.port == "leaf1:0").wait_ps] | max')" \
		"$(got '[.[].hops[] | select(.port == "leaf1:0").held_back_ps] | max')"
	expect_in "in ms" 4 6 \
		"$(got '[.[].hops[].held_back_ps] | max / 1e9 | floor')"
}

# Four frames of 14 + 20 + 8 + 1000 bytes, handed in and sent as one.
train() {
	tracing --json --flow 'host0>host2:udp/9' -c 1
	on host0 python3 -c 'import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_UDP, 103, 1000)	# UDP_SEGMENT
s.sendto(bytes(4000), (sys.argv[1], 9))' "$(address host2)"
	wait "$tracer"
	expect "train" "4 $((4 * 1042)) $((4 * (1042 + 24) * 20))" "$(got \
		'.[0] | "\(.frames) \(.length) \(.hops[0].serialisation_ps)"')"
}

# The same for people.
text() {
	tracing -c 1 --flow 'host0>host2'
	on host0 ping -q -c 1 -s 986 host2
	wait "$tracer"
	expect_match "title" \
		'^packet 1: host0.eth0 > host2.eth0, 1028 bytes, icmp [0-9.]+ > [0-9.]+$' \
		"$(sed -n 1p "$tmp/trace")"
	expect "a hop" "leaf0:2 spine:0 450.000 0.000 (0.000) 21.040 37.000 0.000" \
		"$(awk '$2 == "leaf0:2" { $1 = ""; print substr($0, 2) }' "$tmp/trace")"
	expect "end" "  delivered at host2.eth0 after 2092.160 ns" \
		"$(tail -n 1 "$tmp/trace")"
}

refusals() {
	expect "no flow" \
		'weft trace: flow "host0": expected SRC>DST[:PROTOCOL[/PORT]]' \
		"$(weft trace --flow host0 2>&1)"
	expect "no node" 'weft trace: no node or NIC is called "host9"' \
		"$(weft trace --flow 'host0>host9' 2>&1)"
	expect_match "protocol" 'protocol "sctp": expected tcp, udp' \
		"$(weft trace --flow 'host0>host2:sctp' 2>&1)"
	expect_match "port" 'only tcp and udp have ports' \
		"$(weft trace --flow 'host0>host2:icmp/3' 2>&1)"
	expect_match "port" 'expected a number up to 65535' \
		"$(weft trace --flow '>:tcp/65536' 2>&1)"
	expect_match "lab" 'nowhere' "$(weft trace --lab nowhere 2>&1)"
}

# Nothing is on its way: it ends by itself; so it does with the lab.
ends() {
	tracing --for 5ms --lab test
	wait "$tracer"
	expect "nothing" "" "$(cat "$tmp/trace")"
	tracing --lab test
	on host0 ping -q -f -c 100000 host2 > /dev/null &
	slowwait 5 test -s "$tmp/trace"
	down
	wait "$tracer"
	lab store-forward
}

ktap_begin 14
t "each hop, stored and forwarded" with store_forward store-forward
t "each hop, cut through" with cut_through cut-through
t "waiting behind others" with burst store-forward ethernet-400g 100Gbps
t "faults" with fault store-forward
t "a link that is down" with link_down store-forward
t "copies" with broadcast store-forward
t "RoCE" with roce store-forward
t "InfiniBand" with infiniband store-forward ib-ndr
t "held back by credits" with held_back store-forward ib-ndr 400Gbps "" "credit-buffer: [16KiB]"
t "trains" with train store-forward ethernet-400g 400Gbps "segmentation: train"
t "text" with text store-forward
t "refusals" with refusals store-forward
t "NVLink" with nvlink store-forward nvlink5
t "ends" with ends store-forward
ktap_end
