#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Faults that faults.sh and faults_switch.sh have ping and iperf3 feel, felt by
# perftest and ibv_rc_pingpong: as much of it as was asked, and nothing afterwards.
#
#	host0 -- leaf -- host1
#	          |
#	        host2
# shellcheck disable=SC2016 # jq has variables of its own
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_faults.sh
. "$net_dir/lib_faults.sh"
need ib_write_lat ibv_rc_pingpong

readonly writes=500	# 33 MB, 2.6 ms at 100 Gb/s

# lab PROFILE - of three hosts; they know each other's address of the link
lab() {
	gid=
	[ "$1" = ib-edr ] || gid=1
	trap 'weft down --all > /dev/null 2>&1' EXIT
	hosts "$1" 3
	on host0 ping -c 1 -W 1 host1 > /dev/null
	on host1 ping -c 1 -W 1 host0 > /dev/null
	on host2 ping -c 1 -W 1 host1 > /dev/null
}

# lat ROUNDS FIELD... - us, one way, of ib_write_lat: 3 is the least, 4 the most, 6 the mean
lat() {
	perftest ib_write_lat -s 64 -n "$1" | awk -v fields="${*:2}" '{
		n = split(fields, f)
		for (i = 1; i <= n; i++) printf "%s%s", $f[i], i < n ? " " : "\n" }'
}

# figure TEXT - what awk makes of that expression
figure() {
	awk "BEGIN { printf \"%.3f\n\", $1 }"
}

# sent NAME - a counter of host0's port
sent() {
	weft show ports --json | jq ".[] | select(.port == \"host0.eth0\") | .$1"
}

# Of 100 us, and of 50 us more for each packet, drawn uniformly. A ping has them once.
# Of the one-way latency, which is half of the way there and back, it is the half;
# and a write leaves right behind the acknowledgement of what came before, and does not
# overtake it: the mean is that of the greater of two draws, 100 + 50 * 2/3.
#
# The mean of 200 pings has a deviation of 50 / sqrt(12 * 200) = 1.02 us. As a uniform
# draw is no further out than a normal one of its deviation, 6.64 of these, 6.8 us,
# are passed with 2 exp(-22) = 6e-10 at most; ping rounds by 1 us. Of half of the
# greater of two draws it is 50 / 2 / sqrt(18 * 1000) = 0.186 us for 1000 rounds, and by
# Bernstein's inequality 6.64 * 0.186 + 22 * 16.7 / 3000 = 1.36 us. No ping in the
# lowest 10 us comes with 0.8^200 = 4e-20, no round with 0.96^1000 = 2e-18.
jitter() {
	local before least most mean low high middle

	lab ethernet-100g
	before=$(rtt)
	read -r least most mean <<< "$(lat 100 3 4 6)"
	inject delay 'host0>leaf' delay=100us jitter=50us seed=7
	read -r low middle high <<< "$(on host0 ping -i 0.001 -c 200 host1 |
		awk -F '[ /]' '/^rtt/ { print $7 * 1000, $8 * 1000, $9 * 1000 }')"
	expect_in "ping, least" $((before + 99)) $((before + 110)) "$low"
	expect_in "ping, mean" $((before + 117)) $((before + 133)) "$middle"
	expect_in "ping, most" $((before + 140)) $((before + 151)) "$high"
	read -r low high middle <<< "$(lat 1000 3 4 6)"
	expect_in "least" "$(figure "$least + 49.99")" "$(figure "$least + 55")" "$low"
	expect_in "most" "$(figure "$most + 70")" "$(figure "$most + 75.01")" "$high"
	expect_in "mean" "$(figure "$mean + 66.67 - 1.36")" "$(figure "$mean + 66.67 + 1.36")" "$middle"
	remove
	read -r low high middle <<< "$(lat 100 3 4 6)"
	as_before "$least" "$low"
	as_before "$most" "$high"
	as_before "$mean" "$middle"
}

# Each packet is held back 900 us, and there is one at a time: an acknowledgement and
# the write behind it are held back alike.
late() {
	local before

	lab ethernet-100g
	before=$(lat 100 6)
	inject reorder 'host0>leaf' probability=1 delay=900us
	expect_in "late" "$(figure "$before + 449.98")" "$(figure "$before + 450.02")" "$(lat 100 6)"
	remove
	as_before "$before" "$(lat 100 6)"
}

# took - ns, of ibv_rc_pingpong
took() {
	local from

	from=$(date +%s%N)
	pingpong -c -n 4000 > /dev/null
	echo $(($(date +%s%N) - from))
}

# A link that is away for 10 ms costs the packet that is under way then, and that
# is sent again when its timeout is over: ibv_rc_pingpong's is 14, 4.096 us * 2^14.
# It began when that packet was handed over, less than a round before.
away() {
	local before

	lab "$1"
	took > /dev/null
	before=$(took)
	inject flap host1 duration=10ms period=10s start=+5ms
	expect_in "us more" 67080 67109 $((($(took) - before) / 1000))
	expect "times" 1 "$(did windows)"
	expect "time" 10000000000 "$(did active_ps)"
	expect_in "timeouts, of both" 1 2 "$(counted timeouts)"
	remove
	expect_in "after" -1 1 $((($(took) - before) / 1000))
}

# Of N packets with p each as many are lost as the binomial law says; they are sent
# again, and all arrives. An error of bits hits a packet with 1 - exp(-bits * ber),
# which is close to bits * ber.
losses() {
	local a bytes mean packets

	lab "$1"
	a=$(write_gbps)
	packets=$(sent tx_packets)
	bytes=$(sent tx_bytes)
	inject "${@:3}" seed=7
	write_gbps > /dev/null
	write_gbps > /dev/null
	packets=$(($(sent tx_packets) - packets))
	bytes=$(($(sent tx_bytes) - bytes + packets * $(overhead)))
	mean=$(awk -v packets=$packets -v bytes=$bytes "BEGIN { print $2 }")
	echo "of $packets packets $(did packets), $mean expected"
	drawn "lost" "$mean" "$(did packets)"
	[ "$(counted retransmitted)" -ge "$(did packets)" ]
	remove
	as_before "$a" "$(write_gbps)"
	pingpong -c
}

# overhead - bytes of the wire that a packet takes beside its own
overhead() {
	weft show links --json | jq '.[0].overhead'
}

# Each packet comes twice, one right behind the other: half of the rate is left.
# The responder knows each second one; nothing has to be sent again.
twice() {
	local a

	lab ethernet-100g
	a=$(write_gbps)
	inject duplicate 'host0>leaf' probability=1
	expect_in "rate" "$(figure "$a * 0.49")" "$(figure "$a * 0.51")" "$(write_gbps)"
	# Of 64 KiB in packets of 4096 bytes.
	expect "known" $((writes * 16)) "$(counted duplicates)"
	expect "sent again" 0 "$(counted retransmitted)"
	remove
	as_before "$a" "$(write_gbps)"
}

# What is held back is overtaken, and is asked for again. Of 8000 packets 32 are held
# back, and some of those that are sent again: none with exp(-32).
overtaken() {
	local a

	lab ethernet-100g
	a=$(write_gbps)
	inject reorder 'host0>leaf' probability=0.004 delay=20us seed=7
	write_gbps > /dev/null
	expect_in "held back" 1 200 "$(did packets)"
	[ "$(counted out_of_sequence)" -gt 0 ]
	[ "$(counted retransmitted)" -gt 0 ]
	remove
	as_before "$a" "$(write_gbps)"
	pingpong -c
}

# Of queue pairs a part is hit: these get nothing through, the others all without a
# packet sent again. So it is with the connections by which both sides meet. Which ones
# follows from addresses, numbers of queue pairs, ports and seeds: all are given, the
# port of the connection as the only one that host0 has, so that the same ones are
# hit on each machine.
gray() {
	local hit=0 through=0 again port

	lab "$1"
	inject blackhole leaf dst=host1 flows=0.3 seed="$2"
	for port in $(seq 40000 40009); do
		only_port "$port"
		again=$(counted retransmitted)
		if pingpong -c -n 10 > /dev/null; then
			expect "sent again" "$again" "$(counted retransmitted)"
			through=$((through + 1))
		elif grep -q 'remote address' "$tmp/client"; then
			grep -q 'transport retry counter exceeded' "$tmp/client"
			hit=$((hit + 1))
		fi
	done
	echo "$through got through, $hit were hit"
	expect_in "got through" 1 9 $through
	expect_in "hit" 1 9 $hit
	remove
	for port in $(seq 40010 40011); do
		only_port "$port"
		pingpong -c -n 10
	done
}

# only_port PORT - that host0's connections come from
only_port() {
	on host0 sysctl -qw net.ipv4.ip_local_port_range="$1 $1"
}

# Two who write to one need a buffer. In one of 20 kB, which is less than what lossless
# classes keep for themselves, packets find no room; all bytes arrive all the same.
small() {
	local again

	lab ethernet-100g
	two_writers
	expect "before" 0 "$(counted retransmitted)"
	inject buffer leaf size=20kB
	two_writers
	expect_in "no room" 1 1000000 "$(did packets)"
	again=$(counted retransmitted)
	expect_in "sent again" 1 1000000 "$again"
	remove
	two_writers
	expect "after" "$again" "$(counted retransmitted)"
}

# two_writers - host0 and host2 write to host1
two_writers() {
	on host1 ib_write_bw -F -s 65536 -n $writes -p 18516 > /dev/null 2>&1 &
	slowwait 5 listens host1 18516
	on host2 ib_write_bw -F -s 65536 -n $writes -p 18516 "$(address host1)" > /dev/null 2>&1 &
	perftest ib_write_bw -s 65536 -n $writes > /dev/null
	wait
}

ktap_begin 13
t "jitter is drawn for each packet" jitter
t "packets are held back" late
t "ethernet-100g: a flap of 10 ms costs one timeout" away ethernet-100g
t "ib-edr: a flap of 10 ms costs one timeout" away ib-edr
t "ethernet-100g: loss within the binomial interval" losses ethernet-100g 'packets * 4e-3' loss 'host0>leaf' probability=4e-3
t "ib-edr: loss within the binomial interval" losses ib-edr 'packets * 4e-3' loss 'host0>leaf' probability=4e-3
t "ethernet-100g: bit errors" losses ethernet-100g 'bytes * 3.2e-7' corrupt 'host0>leaf' ber=4e-8
t "ib-edr: bit errors" losses ib-edr 'bytes * 3.2e-7' corrupt 'host0>leaf' ber=4e-8
t "duplicates" twice
t "packets are overtaken" overtaken
t "ethernet-100g: a queue pair is hit always or never" gray ethernet-100g 7
t "ib-edr: a queue pair is hit always or never" gray ib-edr 7
t "a smaller buffer loses packets" small
ktap_end
