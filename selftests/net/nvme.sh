#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# NVMe over fabrics, by the kernel's own initiator and target: nvme-rdma and nvmet-rdma,
# unmodified. The namespace is a file of the target's end; what is written over the wire
# is compared with it.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
# shellcheck source=lib_storage.sh
. "$net_dir/lib_storage.sh"
need jq rdma fio
modules nvme-rdma nvmet-rdma

readonly mib=8

# copied - a file to the namespace, and back; the target's file has it too
copied() {
	dd if=/dev/urandom of="$tmp/data" bs=1M count=$mib status=none
	dd if="$tmp/data" of=/dev/nvme0n1 bs=1M oflag=direct status=none
	dd if=/dev/nvme0n1 of="$tmp/back" bs=1M count=$mib iflag=direct status=none
	cmp "$tmp/data" "$tmp/back"
	cmp -n $((mib << 20)) "$tmp/data" $disk
}

# verified - blocks at random, each with its checksum, several at a time
verified() {
	disk_fio verified --rw=randwrite --bsrange=4k-64k --size=${mib}M --io_size=2M \
		--iodepth=8 --verify=crc32c --verify_fatal=1
}

# registered - the initiator has regions, and all went over the wire
registered() {
	expect_in "regions of host0" 100 1e6 \
		"$(rdma -j resource show | jq '.[] | select(.ifname == "weft0") | .mr')"
	expect_in "bytes by verbs" $((2 * mib << 20)) 1e12 \
		"$(weft show verbs --json | jq 'map(.tx_bytes) | add')"
}

# gone - controller, target and modules go without a trace
gone() {
	no_disk
	slowwait 20 modprobe -qr nvme-rdma nvmet-rdma
	expect_match "regions" '^0$' \
		"$(rdma -j resource show | jq 'map(.mr) | add')"
}

hosts ethernet-100g 2
ends host0 host1

ktap_begin 6
t "a target listens" serve_disk 10.0.0.2 $((4 * mib))M
t "a controller connects" connect_disk 10.0.0.1 10.0.0.2 nr_io_queues=2
t "data come back as they were written" copied
t "blocks at random are verified" verified
t "by fast registration over the wire" registered
t "all goes" gone
ktap_end
