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
# What is looked for is races and what the kernel has to say of them; figures
# are qemu_goodput.sh's, as the clock here is the host's and the host has other
# things to do.
WEFT_TEST_CLOCK=real/1000
. "$(dirname "$0")/../net/lib.sh"
need iperf3 jq ping mpirun

bulk() {
	serve host0
	on host1 iperf3 -J -c host0 -t 3 -P 4 > "$tmp/result"
	expect_in "bytes" 1000000 1e12 "$(jq .end.sum_received.bytes "$tmp/result")"
}

pings() {
	local n

	for n in 1 2 3; do
		on host0 ping -q -c 3 -i 0.02 -W 5 host$n
	done
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
ktap_begin 4
t "four nodes answer" pings
t "iperf3, four streams" bulk
t "an MPI all-reduce" all_reduce
t "teardown under traffic" under_traffic
ktap_end
