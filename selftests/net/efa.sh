#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# NICs of the EFA kind: unmodified programs, and SRD by its laws.
#
# A message of n bytes has F(n) = n + 98 + 24 bytes on the wire: 14 Ethernet, 40 IPv6, 8 UDP,
# 12 BTH, 8 DETH, 8 of SRD, 4 immediate data, 4 ICRC; and what the profile adds. A packet
# of a read has 12 more: a RETH, but no immediate data.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need jq fi_info fi_pingpong ibv_devinfo mpirun tshark

flows=$(built efa_flows) || skip_all "efa_flows is not built: it needs efadv.h"
storm=$(built efa_storm) || skip_all "efa_storm is not built"
bytes=$(built mpi_bytes) || skip_all "mpi_bytes is not built"

readonly MTU=8928 MESSAGES=3000
readonly FLOW=$((MTU * MESSAGES))
readonly PS=$((MESSAGES * (MTU + 98 + 24) * 80))	# of the flow at 100 Gb/s

# paths N [LINE]... - 8 links of a quarter of the NICs' rate between two switches, N paths
paths() {
	local i n=$1

	shift
	{
		cat <<- END
			name: test
			profile: efa-100g
			nic: {verbs: {paths: $n}}
			nodes: [{name: "host[0-1]"}]
			switches: [{name: a}, {name: b}]
		END
		[ $# = 0 ] || printf '%s\n' "$@"
		echo "links:"
		echo "  - {ends: [host0, a]}"
		echo "  - {ends: [host1, b]}"
		for ((i = 0; i < 8; i++)); do
			echo "  - {ends: [a, b], name: path$i, rate: 25Gbps}"
		done
	} | up > /dev/null
}

# flow MODE BYTES - ns of a flow from host0 to host1, whose bytes are right
flow() {
	local ns wrong

	echo "host0 host1 $2" > "$tmp/flows"
	read -r ns wrong < <(timeout 100 "$flows" "$1" "$tmp/flows")
	expect "wrong bytes" 0 "$wrong" >&2 || return
	echo "$ns"
}

# part PS NS - the part of the law's speed that was reached
part() {
	awk -v law="$1" -v ns="$2" 'BEGIN { printf "%.4f\n", law / 1000 / ns }'
}

# counter NODE NAME - of its verbs
counter() {
	weft show verbs --json | jq ".[$1].$2"
}

# devices - each node has one, and rdma-core and libfabric know it
devices() {
	local i out

	for i in {0..7}; do
		out=$(on "host$i" ibv_devinfo -v)
		expect_match "device of host$i" "hca_id:[[:space:]]*rdmap$i\$" "$out"
		expect_match "vendor" 'vendor_id:[[:space:]]*0x1d0f' "$out"
		expect_match "state" 'PORT_ACTIVE' "$out"
		expect_match "GID" 'GID\[ *0\]:[[:space:]]*fe80:' "$out"
		out=$(weft exec --net efa "host$i" -- fi_info -p efa)
		expect_match "domain of host$i" "domain: rdmap$i-rdm" "$out"
		expect_match "datagrams of host$i" "domain: rdmap$i-dgrm" "$out"
	done
	i=/sys/class/infiniband/rdmap3/device
	expect "vendor and device" "0x1d0f 0xefa1" "$(on host3 cat $i/vendor $i/device | xargs)"
	expect_match "driver" '/efa$' "$(on host3 realpath $i/driver)"
}

# pingpong TYPE - libfabric's own program, which compares each byte
pingpong() {
	weft exec --net efa host4 -- timeout 30 fi_pingpong -p efa -e "$1" -c > "$tmp/server" &
	sleep 0.5
	weft exec --net efa host0 -- timeout 30 fi_pingpong -p efa -e "$1" -c 10.0.0.5
	wait $!
	expect_match "sizes of the server" '^4k .* =10 ' "$(cat "$tmp/server")"
}

# collectives [VARIABLE=VALUE]... - Open MPI over OFI
collectives() {
	local size

	for size in 4 1024 65536 1000000; do
		weft exec --net efa host0 -- env "$@" mpirun -np 8 "$bytes" $size 2 \
			allreduce allgather alltoall > /dev/null || return
	done
}

# reads - what one node has answered
reads() {
	collectives FI_EFA_USE_DEVICE_RDMA=1
	expect_in "reads of host1" 1 1000 "$(counter 1 rx_reads)"
}

# latency - a message alone. Both NICs, two cables, a switch that cuts through, and the
# wire's time; the clock is read before and after, which takes a few ns
latency() {
	local ns law

	star efa-100g 2
	flow latency 8 > /dev/null
	ns=$(flow latency 8)
	law=$(awk 'BEGIN { print 350 + 2 * 25.25 + 425 + (8 + 98 + 24) * 0.08 + 300 }')
	down > /dev/null
	expect_in "ns of 8 bytes" "$law" "$(awk -v l="$law" 'BEGIN { print l + 5 }')" "$ns"
}

# simulated SWITCHES - weft simulate says to the ns what a lab takes; the clock is read before
# and after, which takes a few ns more
simulated() {
	local bytes ns sim

	chain efa-100g "$1"
	for bytes in 1 8928 8929 100000 4194304; do
		flow plain $bytes > /dev/null
		ns=$(flow plain $bytes)
		echo "host0 host1 $bytes" > "$tmp/one"
		sim=$(weft simulate "$tmp/topology.yaml" --workload "$tmp/one" --json |
			jq .now_ps)
		echo "$bytes bytes: $ns ns, simulated $sim ps"
		expect_in "ns of $bytes bytes" "$(awk -v s="$sim" 'BEGIN { print s / 1000 }')" \
			"$(awk -v s="$sim" 'BEGIN { print s / 1000 + 5 }')" "$ns"
	done
	down > /dev/null
}

# speed N MODE LOW HIGH - the part of the NIC's rate that one flow gets by N paths
speed() {
	local ns ps=$PS

	paths "$1"
	[ "$2" = send ] || ps=$((ps + MESSAGES * 12 * 80))
	ns=$(flow "$2" $FLOW)
	echo "$ns ns"
	expect "sent again" 0 "$(counter 0 retransmitted)"
	down > /dev/null
	expect_in "part" "$3" "$4" "$(part $ps "$ns")"
}

# fails - a path takes nothing any more, and says so to nobody: what was on it is lost and
# comes one timeout (1 ms) later; packets after that avoid it, so a later flow is not slower
fails() {
	local ns alone later

	paths 64
	alone=$(flow send $FLOW)
	weft fault add loss path3 probability=1 > /dev/null
	ns=$(flow send $FLOW)
	later=$(flow send $FLOW)
	echo "alone $alone ns, with the failure $ns, later $later," \
		"$(counter 0 timeouts) timeouts"
	expect_in "timeouts" 1 64 "$(counter 0 timeouts)"
	expect_in "ns with the failure" "$alone" $((alone + 1100000)) "$ns"
	expect_in "ns later" $((alone * 99 / 100)) $((alone * 101 / 100)) "$later"
	down > /dev/null
}

# lossy - a path that loses 1 of 1000 packets, data and acknowledgements: each that is lost
# is sent once more, and nothing waits for it
lossy() {
	local again i ns=0

	paths 64
	weft fault add loss path3 probability=0.001 seed=1 > /dev/null
	for i in {1..16}; do
		ns=$((ns + $(flow send $FLOW)))
	done
	again=$(counter 0 retransmitted)
	echo "$ns ns, $again sent again"
	down > /dev/null
	expect_in "sent again" 1 100 "$again"
	expect_in "part" 0.98 1 "$(part $((16 * PS)) "$ns")"
}

# crowd - 8 senders: together they send less at first than the switch holds, and the link is
# never idle
crowd() {
	local i

	star efa-100g 9
	for i in {1..8}; do
		echo "host$i host0 2000000"
	done > "$tmp/flows"
	timeout 100 "$flows" send "$tmp/flows" > "$tmp/out"
	expect "wrong bytes" "0 0 0 0 0 0 0 0" "$(cut -d ' ' -f 2 "$tmp/out" | xargs)"
	# all of it has to cross one link
	expect_in "part" 0.99 1 "$(part $((8 * 224 * 80 * (MTU + 98 + 24))) \
		"$(sort -n "$tmp/out" | tail -n 1 | cut -d ' ' -f 1)")"
	down > /dev/null
}

# same - two runs with one seed
same() {
	local i

	for i in 1 2; do
		paths 64
		weft fault add loss path3 probability=0.05 seed=5 > /dev/null
		flow send $FLOW > "$tmp/same$i"
		expect_in "sent again" 1 1000 "$(counter 0 retransmitted)"
		weft report --json | jq -S 'del(.lab)' >> "$tmp/same$i"
		down > /dev/null
	done
	cmp "$tmp/same1" "$tmp/same2"
}

# goes - the NIC goes under traffic: the program gets an error, and another NIC works on
goes() {
	star efa-100g 4
	echo "host0 host1 60000000" > "$tmp/long"
	timeout 100 "$flows" send "$tmp/long" > "$tmp/out" 2>&1 &
	sleep 0.001
	weft del nic host0 > /dev/null 2>&1 || on host0 ip link del eth0
	wait $! && { echo "ended well"; return 1; }
	echo "host2 host3 1000000" > "$tmp/flows"
	timeout 100 "$flows" send "$tmp/flows" > "$tmp/out"
	expect_match "bytes of others" '^[0-9]+ 0$' "$(cat "$tmp/out")"
	down > /dev/null
}

# hostile SEED - random writes to rings and doorbells: WEFT_EFA_WRITES of them, which is for
# the machines that check memory
hostile() {
	star efa-100g 4
	timeout 200 "$storm" host0 "${WEFT_EFA_WRITES:-100000}" "$1"
	echo "host2 host3 1000000" > "$tmp/flows"
	timeout 100 "$flows" send "$tmp/flows" > "$tmp/out"
	expect_match "bytes of others" '^[0-9]+ 0$' "$(cat "$tmp/out")"
	# enough of it got somewhere
	expect_in "requests" 10000 1e6 "$(counter 0 tx_messages)"
	expect_in "reads" 500 1e6 "$(counter 0 rx_reads)"
	down > /dev/null
}

# maps - the module goes while a program has rings of it mapped. On the virtual clock a read of
# some of them is executed by the module, which therefore stays as long as they do.
maps() {
	local line pid

	star efa-100g 2
	coproc storm_process { exec "$storm" host0 0 1; }
	pid=$!
	read -r line <&"${storm_process[0]}"
	expect "program" "0 writes, nothing else changed" "$line"
	if [ "$clock" = virtual ]; then
		rmmod weft_rdma 2> /dev/null && { echo "it went"; return 1; }
	else
		rmmod weft_rdma
		expect "devices" "" "$(on host1 rdma dev)"
	fi
	eval "exec ${storm_process[1]}>&-"
	wait $pid
	[ "$clock" = virtual ] && rmmod weft_rdma
	insmod "$WEFT_MODULES/weft_rdma.ko"
	down > /dev/null
	star efa-100g 2
	echo "host0 host1 1000000" > "$tmp/flows"
	timeout 100 "$flows" send "$tmp/flows" > "$tmp/out"
	expect_match "bytes" '^[0-9]+ 0$' "$(cat "$tmp/out")"
	down > /dev/null
}

# captured - frames as Wireshark has them: opcode and length of three packets of a flow, and of
# the acknowledgement of each
captured() {
	local pid

	star efa-100g 2
	weft capture host0 -o "$tmp/capture" -c 6 2> /dev/null &
	pid=$!
	sleep 0.01
	flow send 20000 > /dev/null
	wait $pid
	expect "frames" "0xe5 9026 0xe5 9026 0xe5 2242 0xf1 102 0xf1 102 0xf1 102" \
		"$(tshark -r "$tmp/capture" -T fields -e infiniband.bth.opcode -e frame.len 2> /dev/null |
			awk '{ printf "0x%02x %s\n", $1, $2 }' | xargs)"
	down > /dev/null
}

# mixed - a node with a device of another kind is refused by name
mixed() {
	star ethernet-100g 2
	expect_match "refusal" 'another kind than EFA' \
		"$(weft exec --net efa host0 -- true 2>&1)"
	down > /dev/null
}

trap 'weft down --all > /dev/null 2>&1; cleanup' EXIT
[ -n "${WEFT_MODULES:-}" ] || skip_all "WEFT_MODULES does not say where weft_rdma.ko is"
exact=11
[ "$clock" = virtual ] || exact=0
ktap_begin $((10 + exact))
weft up efa-8 "${clock_option[@]}" > /dev/null
t "each node has a device" devices
t "fi_pingpong, reliable" pingpong rdm
t "fi_pingpong, datagrams" pingpong dgram
t "Open MPI, four paths" collectives
t "Open MPI, reads" reads
down > /dev/null
sed 's/spine\[0-3\]/spine[0-1]/g' "$WEFT_SHARE/topologies/efa-8.yaml" | up > /dev/null
t "Open MPI, two paths" collectives
down > /dev/null
if [ "$clock" = virtual ]; then
	t "8 bytes by a switch" latency
	t "a lab and a simulation: one switch" simulated 1
	t "a lab and a simulation: three switches" simulated 3
	t "one path: a quarter" speed 1 send 0.249 0.251
	t "64 paths: all of the NIC's rate" speed 64 send 0.97 1
	t "64 paths: a read" speed 64 read 0.97 1
	t "a path that fails" fails
	t "a lossy path" lossy
	t "8 senders to one" crowd
	t "the same seed, the same bytes" same
	t "a capture" captured
fi
t "a NIC goes under traffic" goes
t "the module goes, mappings stay" maps
t "a hostile program" hostile "$((RANDOM + 1))"
t "other kinds are refused" mixed
ktap_end
