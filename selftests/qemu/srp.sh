#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# SCSI over RDMA, by the kernel's own initiator and target: ib_srp and ib_srpt,
# unmodified, over InfiniBand. They use the connection manager of InfiniBand itself, whose
# devices need no address of IP and stay in their nodes; the path comes from opensm.
. "$(dirname "$0")/../net/lib.sh"
# shellcheck source=../net/lib_verbs.sh
. "$net_dir/lib_verbs.sh"
# shellcheck source=../net/lib_storage.sh
. "$net_dir/lib_storage.sh"
need jq opensm
modules ib_srp ib_srpt sd_mod target_core_file

readonly target=/sys/kernel/config/target mib=8

# gid NODE - without colons
gid() {
	on "$1" cat "/sys/class/infiniband/$(rdma_device "$1")/ports/1/gids/0" |
		tr -d :
}

# initiator - the name of host0's: no extension, and its GUID
initiator() {
	printf '0x%016x%s\n' 0 "$(gid host0 | tail -c 17)"
}

subnet_up() {
	on host2 opensm -f "$tmp/opensm.log" -d 2 > /dev/null 2>&1 &
	slowwait 60 grep -q "SUBNET UP" "$tmp/opensm.log"
}

# listens_there - host1 has a disk, which is a file
listens_there() {
	local acl port

	port=$target/srpt/0x$(gid host1)
	mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
	truncate -s $((2 * mib))M "$tmp/disk"
	mkdir -p $target/core/fileio_0/disk "$port/weft/lun/lun_0"
	echo "fd_dev_name=$tmp/disk,fd_dev_size=$((2 * mib << 20))" > $target/core/fileio_0/disk/control
	echo 1 > $target/core/fileio_0/disk/enable
	ln -s $target/core/fileio_0/disk "$port/weft/lun/lun_0/disk"
	acl=$port/weft/acls/$(initiator)
	mkdir -p "$acl/lun_0"
	ln -s "$port/weft/lun/lun_0" "$acl/lun_0/disk"
	echo 1 > "$port/weft/enable"
}

# connects - host0's adapter logs in; the disk has a name of SCSI
connects() {
	local id to

	id=$(printf %016x "$(cat /sys/module/ib_srpt/parameters/srpt_service_guid)")
	to=/sys/class/infiniband_srp/srp-$(rdma_device host0)-1/add_target
	echo "id_ext=$id,ioc_guid=$id,dgid=$(gid host1),pkey=ffff,service_id=$id" > "$to"
	slowwait 20 test -b /dev/sda
}

copied() {
	dd if=/dev/urandom of="$tmp/data" bs=1M count=$mib status=none
	dd if="$tmp/data" of=/dev/sda bs=1M conv=nocreat oflag=direct status=none
	dd if=/dev/sda of="$tmp/back" bs=1M count=$mib iflag=direct status=none
	cmp "$tmp/data" "$tmp/back"
	expect_in "bytes by verbs" $((2 * mib << 20)) 1e12 \
		"$(weft show verbs --json | jq 'map(.tx_bytes) | add')"
}

gone() {
	local acl port

	port=$target/srpt/0x$(gid host1)
	echo 1 > /sys/block/sda/device/delete
	modprobe -r ib_srp
	echo 0 > "$port/weft/enable"
	acl=$port/weft/acls/$(initiator)
	rm "$acl/lun_0/disk" "$port/weft/lun/lun_0/disk"
	rmdir "$acl/lun_0" "$acl"
	rmdir "$port/weft/lun/lun_0" "$port/weft" "$port" "$target/srpt" $target/core/fileio_0/disk \
		$target/core/fileio_0
	modprobe -r ib_srpt
	pkill -x opensm
	weft down > /dev/null
}

hosts ib-edr 3 "subnet-manager: external"

ktap_begin 5
t "opensm brings the ports up" subnet_up
t "a target listens" listens_there
t "an initiator logs in" connects
t "data come back as they were written" copied
t "all goes" gone
ktap_end
