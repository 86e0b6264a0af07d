#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The whole chain once on a real kernel with two CPUs and a clock that runs
# 1000 times slower than the wall's.
#
#	host0 --.
#	host1 -- leaf		400 Gb/s, so 400 Mb/s of this machine
#	host2 --'
#	host3 -'
#
# Goodput of TCP at MTU 9000 is 8948 of 9038 bytes on the wire (see
# ../net/tcp_goodput.sh): 396.0 Gb/s of fabric time, within 3 %.
WEFT_TEST_CLOCK=real/1000
. "$(dirname "$0")/../net/lib.sh"
need iperf3 jq ping mpirun

# The last line is up to the machine's speed, so nothing else may be at work.
goodput() {
	local gbps

	serve host0
	on host1 iperf3 -J -c host0 -t 4 -O 1 > "$tmp/result"
	# bits per second of the wall, times 1000, in Gb/s
	gbps=$(jq '.end.sum_received.bits_per_second * 1000 / 1e9' "$tmp/result")
	echo "goodput $gbps Gb/s"
	expect_in "goodput in Gb/s of fabric time" 384.1 407.9 "$gbps"
}

pings() {
	local n

	for n in 1 2 3; do
		on host0 ping -q -c 3 -i 0.02 -W 5 host$n
	done
}

faithful() {
	local report

	report=$(weft report --json)
	jq -c '.verdict, .host_drops' <<< "$report"
	expect "faithful" true "$(jq .verdict.faithful <<< "$report")"
	expect "packets lost for the host's sake" 0 \
		"$(jq '[.host_drops[]?] | add // 0' <<< "$report")"
}

all_reduce() {
	down
	topology 400Gbps 4 > "$tmp/topology.yaml"
	weft run "$tmp/topology.yaml" --clock real/1000 --report "$tmp/report" \
		--mpi -- "$net_dir/../../build/demo/allreduce" \
		--min 262144 --max 1048576 --iters 1
	expect "clock" '"real/1000"' "$(jq .clock "$tmp/report")"
}

under_traffic() {
	topology 400Gbps 4 | up
	serve host0
	on host1 iperf3 -c host0 -t 60 > /dev/null 2>&1 &
	on host2 ping -q -f -w 60 host3 > /dev/null 2>&1 &
	sleep 2
	ip netns del host3
	sleep 0.5
	down
	wait
	expect "NICs" "" "$(ip -o link show type weft)"
	expect "namespaces" "" "$(ip netns list)"
}

topology 400Gbps 4 | up > /dev/null || exit 1
ktap_begin 5
t "four nodes answer" pings
t "iperf3 reaches the closed form within 3 %" goodput
t "the run was faithful" faithful
t "an MPI all-reduce" all_reduce
t "teardown under traffic" under_traffic
ktap_end
