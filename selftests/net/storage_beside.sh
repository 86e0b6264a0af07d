#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Storage beside training: how the kernel's NVMe over RDMA and an all-reduce of Open MPI
# share a link. All of it in fabric time.
#
#	host0 --.                .-- host1	host0 reads a disk of host1, 100 Gb/s each;
#	        s0 ------------ s1		host2 and host3 train, 50 Gb/s each;
#	host2 --'                '-- host3	100 Gb/s between the switches; RoCE
#
# Storage has priority 0, training priority 3 (UCX_IB_SL). Storage asks for the link from
# s1 to s0 at all times, as fio has 16 commands of 1 MiB outstanding. Training asks for it
# with an all-reduce of B bytes, in which each rank sends B bytes to the other one. With
# H = 82 bytes of headers and overhead a packet (verbs_exact.sh) that takes
#
#	w = 8 (B + B / 4096 H) / 100 Gb/s
#
# of that link, and 2 w of host3's. If the scheduler gives training the share p of the link
# while both wait, an all-reduce that takes a alone takes
#
#	t = a - 2 w + max(2 w, w / p)
#
# and storage has the rest of the link's time, 1 - w / t.
#
#	strict		p = 1: training does not feel storage, but for the packet on the wire
#	round robin	p = 1 / (1 + 3) with weights of 3 for storage and 1 for training
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
# shellcheck source=lib_storage.sh
. "$net_dir/lib_storage.sh"
need jq rdma fio mpirun
[ "$clock" = virtual ] || skip_all "only the virtual clock is exact"
modules nvme-rdma nvmet-rdma

program=$(realpath -e "$net_dir/../../build/demo/allreduce") ||
	skip_all "build/demo/allreduce is not built: make demo-program"
readonly program header=82 block=4194304

# lab [LINE]... - with a disk of 64 MiB
lab() {
	{
		echo "name: test"
		echo "profile: ethernet-100g"
		echo "nic: {verbs: {congestion: none}}"
		printf '%s\n' "$@"
		echo 'nodes: [{name: "host[0-3]"}]'
		echo 'switches: [{name: s0}, {name: s1}]'
		echo 'links:'
		echo '  - {ends: [host0, s0]}'
		echo '  - {ends: [host1, s1]}'
		echo '  - {ends: [host2, s0], rate: 50Gbps}'
		echo '  - {ends: [host3, s1], rate: 50Gbps}'
		echo '  - {ends: [s0, s1]}'
	} | up > /dev/null
	ends host0 host1
	serve_disk 10.0.0.2 64M
	connect_disk 10.0.0.1 10.0.0.2
}

# got NODE - bytes by verbs
got() {
	weft show verbs --json | jq --arg nic "$1." \
		'.[] | select(.nic | startswith($nic)) | .rx_bytes'
}

# soon NODE BYTES - until it has got so many more; each look takes real time
soon() {
	local goal

	goal=$(($(got "$1") + $2))
	until [ "$(got "$1")" -gt $goal ]; do
		sleep 0.002
	done
}

# all_reduce WARMUP ITERATIONS - between host2 and host3, in the background
all_reduce() {
	UCX_IB_SL=3 weft exec --net verbs host2 -- mpirun -np 2 --host host2,host3 \
		-x UCX_IB_SL "$program" --min $block --max $block --warmup "$1" \
		--iters "$2" > "$tmp/ranks" 2>&1 &
}

# took - us of an all-reduce, in the mean
took() {
	awk -v b=$block '$1 == b { print $2 }' "$tmp/ranks"
}

# both - begin reads, then all-reduces. MPI takes a tenth of a second to start, in which fio
# would read much: so fio stops, and goes on in the warm-up.
both() {
	fio --name=disk --filename=/dev/nvme0n1 --direct=1 --ioengine=libaio --rw=read \
		--bs=1M --size=64M --io_size=100G --iodepth=16 --thread \
		--output="$tmp/disk.out" &
	reader=$!
	soon host0 $((1 << 20))
	kill -STOP $reader
	all_reduce 6 12
	ranks=$!
	soon host2 $block
	kill -CONT $reader
	soon host0 $((16 << 20))
}

# beside P - both get what the law says
beside() {
	local alone training storage law

	all_reduce 1 5
	wait $!
	alone=$(took)
	both
	training=$(got host2) storage=$(got host0)
	sleep 0.004
	training=$(($(got host2) - training)) storage=$(($(got host0) - storage))
	wait $ranks
	kill $reader
	wait $reader || true
	# the time of an all-reduce, and the share of storage
	law=$(awk -v a="$alone" -v b=$block -v h=$header -v p="$1" 'BEGIN {
		w = 8 * (b + b / 4096 * h) / 1e5
		t = a - 2 * w + (p < 0.5 ? w / p : 2 * w)
		print t, 1 - w / t
	}')
	within 1 "${law% *}" "$(took)"
	within 1 "${law#* }" "$(awk -v s=$storage -v t=$training 'BEGIN { print s / (s + t) }')"
}

strict() {
	lab "port: {weights: [14, 14, 14, 0, 14, 14, 14, 14]}"
	beside 1
	no_disk
	weft down > /dev/null
	ends --over
}

robin() {
	lab "port: {weights: [3, 0, 0, 1]}"
	beside 0.25
	no_disk
}

ktap_begin 2
t "training has strict priority: it is as fast as alone, and storage has the rest" strict
t "storage has three times the weight of training" robin
ktap_end
