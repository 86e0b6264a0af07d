#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# NVMe over fabrics, by the kernel's own initiator and target: nvme-rdma and nvmet-rdma,
# unmodified. The namespace is a file of the target's end; what is written over the wire
# is compared with it.
. "$(dirname "$0")/../net/lib.sh"
# shellcheck source=../net/lib_verbs.sh
. "$net_dir/lib_verbs.sh"
# shellcheck source=lib_storage.sh
. "$(dirname "$0")/lib_storage.sh"
need jq rdma fio
modules nvme-rdma nvmet-rdma

readonly target=/sys/kernel/config/nvmet
readonly mib=8

# serve_disk - a target at 10.9.0.2, whose namespace is $tmp/disk
serve_disk() {
	local subsystem=$target/subsystems/weft space=$target/subsystems/weft/namespaces/1

	mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
	truncate -s $((4 * mib))M "$tmp/disk"
	mkdir $subsystem
	echo 1 > $subsystem/attr_allow_any_host
	mkdir $space
	echo 1 > $space/buffered_io
	echo -n "$tmp/disk" > $space/device_path
	echo 1 > $space/enable
	mkdir $target/ports/1
	echo ipv4 > $target/ports/1/addr_adrfam
	echo rdma > $target/ports/1/addr_trtype
	echo 10.9.0.2 > $target/ports/1/addr_traddr
	echo 4420 > $target/ports/1/addr_trsvcid
	ln -s $subsystem $target/ports/1/subsystems/weft
}

# connect - a controller of it, seen as /dev/nvme0n1
connect() {
	local fd id=11111111-2222-3333-4444-555555555555

	# a controller is created by a write, and the same opening reads its number
	exec {fd}<> /dev/nvme-fabrics
	echo -n "transport=rdma,traddr=10.9.0.2,trsvcid=4420,host_traddr=10.9.0.1,nqn=weft,nr_io_queues=2,hostid=$id,hostnqn=nqn.2014-08.org.nvmexpress:uuid:$id" >&$fd
	cat <&$fd
	exec {fd}>&-
	slowwait 20 test -b /dev/nvme0n1
}

# copied - a file to the namespace, and back; the target's file has it too
copied() {
	dd if=/dev/urandom of="$tmp/data" bs=1M count=$mib status=none
	dd if="$tmp/data" of=/dev/nvme0n1 bs=1M oflag=direct status=none
	dd if=/dev/nvme0n1 of="$tmp/back" bs=1M count=$mib iflag=direct status=none
	cmp "$tmp/data" "$tmp/back"
	cmp -n $((mib << 20)) "$tmp/data" "$tmp/disk"
}

# verified - blocks at random, each with its checksum, several at a time
verified() {
	cd "$tmp"
	fio --name=verified --filename=/dev/nvme0n1 --direct=1 --rw=randwrite \
		--bsrange=4k-64k --size=${mib}M \
		--io_size=2M --iodepth=8 --ioengine=libaio --verify=crc32c \
		--verify_fatal=1 > "$tmp/fio" 2>&1 || {
		cat "$tmp/fio"
		return 1
	}
}

# registered - the initiator has regions, and all went over the wire
registered() {
	expect_in "regions of end0" 100 1e6 \
		"$(rdma -j resource show | jq '.[] | select(.ifname == "rend0") | .mr')"
	expect_in "bytes by verbs" $((2 * mib << 20)) 1e12 \
		"$(weft show verbs --json | jq 'map(.tx_bytes) | add')"
}

# gone - controller, target and modules go without a trace
gone() {
	echo 1 > /sys/class/nvme/nvme0/delete_controller
	slowwait 20 test ! -e /sys/class/nvme/nvme0
	rm $target/ports/1/subsystems/weft
	rmdir $target/ports/1
	echo 0 > $target/subsystems/weft/namespaces/1/enable
	rmdir $target/subsystems/weft/namespaces/1 $target/subsystems/weft
	slowwait 20 modprobe -qr nvme-rdma nvmet-rdma
	expect_match "regions" '^0$' \
		"$(rdma -j resource show | jq 'map(.mr) | add')"
}

two_ends ethernet-100g

ktap_begin 6
t "a target listens" serve_disk
t "a controller connects" connect
t "data come back as they were written" copied
t "blocks at random are verified" verified
t "by fast registration over the wire" registered
t "all goes" gone
ktap_end
