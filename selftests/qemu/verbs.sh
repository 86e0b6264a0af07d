#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# RDMA programs on a real kernel with two CPUs and a clock that runs 1000 times
# slower than the wall's.
#
#	host0 --.
#	host1 -- leaf		100 Gb/s, so 100 Mb/s of this machine
#	host2 --'
#	host3 -'
#
# As in qemu_smoke.sh, what is looked for is races, and what the kernel has to
# say of them. The machine may be too slow for the bandwidth, but it must never
# be faster than the fabric:
#
#	A write of 64 KiB is 16 packets of 4 KiB, each with 58 bytes of headers
#	(Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4) and 24 of FCS, preamble and
#	gap, the first with a RETH of 16 more: 65536 of 66864 bytes are payload.
#	That is 98.01 of 100 Gb/s, so 11.68 MiB/s of the wall.
WEFT_TEST_CLOCK=real/1000
. "$(dirname "$0")/../net/lib.sh"
# shellcheck source=../net/lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need jq rdma ss ibv_rc_pingpong ib_write_bw mpirun

readonly profiles="ethernet-100g ib-edr"

# pingpong PROFILE - as shipped, each message checked by the receiver
pingpong() {
	local kind gid=(-g 1)

	star "$1" 2
	[ "$1" != ib-edr ] || gid=()
	for kind in rc uc ud srq; do
		pair 18515 ibv_${kind}_pingpong "${gid[@]}" -c -s 2048 -n 200 ||
			return 1
		grep 'bytes in' "$tmp/client"
	done
}

bandwidth() {
	local found

	star ethernet-100g 2
	found=$(perftest ib_write_bw -s 65536 -n 500 -N) || return 1
	echo "$found"
	expect_in "MiB/s of the wall" 0.5 11.7 "$(awk '{ print $4 }' <<< "$found")"
}

all_reduce() {
	topology 100Gbps 4 > "$tmp/topology.yaml"
	weft run "$tmp/topology.yaml" --clock real/1000 --net verbs \
		--report "$tmp/report" --mpi -- \
		"$net_dir/../../build/demo/allreduce" \
		--min 65536 --max 262144 --iters 2
	expect "clock" '"real/1000"' "$(jq .clock "$tmp/report")"
	expect_in "bytes by verbs" 1000000 1e12 \
		"$(jq '[.. | .verbs? | objects | .tx_bytes] | add' "$tmp/report")"
}

# packets - that host0 has sent
packets() {
	weft show verbs --json | jq '.[0].tx_packets'
}

# sent N - whether it has sent more than that
sent() {
	[ "$(packets)" -gt "$1" ]
}

# endless - a transfer without end between host0 and host1; weft becomes the program
endless() {
	local before

	before=$(packets)
	weft exec host1 -- ib_write_bw -F -s 65536 -n 100000000 \
		> "$tmp/server" 2>&1 &
	server=$!
	slowwait 5 listens host1 18515
	weft exec host0 -- ib_write_bw -F -s 65536 -n 100000000 \
		"$(address host1)" > "$tmp/client" 2>&1 &
	client=$!
	slowwait 10 sent $((before + 200)) && kill -0 "$server" "$client" && return
	cat "$tmp/server" "$tmp/client"
	return 1
}

# queue_pairs - of programs, in both hosts
queue_pairs() {
	local node

	for node in host0 host1; do
		on $node rdma -j resource show qp | jq '.[] | select(.type == "RC")'
	done | jq -s length
}

no_queue_pairs() {
	[ "$(queue_pairs)" -eq 0 ]
}

# killed - either process in mid-transfer; nothing is left, and the next pair works
killed() {
	local victim

	star ethernet-100g 2
	for victim in server client; do
		endless || return 1
		expect_in "queue pairs" 2 2 "$(queue_pairs)"
		kill -KILL "${!victim}"
		sleep 0.5
		kill -KILL "$server" "$client" 2> /dev/null || true
		wait
		slowwait 2 no_queue_pairs || return 1
	done
	pair 18515 ibv_rc_pingpong -g 1 -c -n 50
}

# unloaded - the devices go away under their programs, and the lab stays
unloaded() {
	local code=0

	star ethernet-100g 2
	endless || return 1
	rmmod weft_rdma
	expect "devices" "" "$(on host0 ls /sys/class/infiniband)"
	wait "$client" || code=$?
	kill -KILL "$server" 2> /dev/null || true
	wait
	expect_in "exit code of the client" 1 255 "$code"
	on host0 ping -q -c 1 -W 5 host1
	down > /dev/null
	insmod "$WEFT_MODULES/weft_rdma.ko"
	star ethernet-100g 2
	pair 18515 ibv_rc_pingpong -g 1 -c -n 50
}

ktap_begin 6
for p in $profiles; do
	t "pingpongs over $p" pingpong $p
done
t "ib_write_bw is not faster than the fabric" bandwidth
t "an MPI all-reduce by UCX" all_reduce
t "killed in mid-transfer" killed
t "unloaded under traffic" unloaded
ktap_end
