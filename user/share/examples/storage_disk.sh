#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A disk over the fabric: NVMe over RDMA, by the kernel's own target and initiator.
#
# usage: storage_disk.sh serve ADDRESS SIZE           a target, whose disk is in memory
#        storage_disk.sh connect FROM TO [OPTIONS]    a controller of it: /dev/nvme0n1
#        storage_disk.sh close                        both go
#
# The addresses are those of nodes that are ends (storage_ends.sh). OPTIONS are the
# kernel's, as in keep_alive_tmo=1,reconnect_delay=1.
set -euo pipefail

# The file is in tmpfs: one of an overlay has no size for nvmet.
readonly nvmet=/sys/kernel/config/nvmet disk=/dev/shm/weft-disk
readonly subsystem=$nvmet/subsystems/weft port=$nvmet/ports/1
readonly space=$subsystem/namespaces/1

usage() {
	sed -n 's/^# usage: /usage: /p; s/^#        storage/       storage/p' "$0" >&2
	exit 1
}

serve() {
	modprobe nvmet-rdma
	mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
	truncate -s "$2" $disk
	mkdir $subsystem
	echo 1 > $subsystem/attr_allow_any_host
	mkdir $space
	echo 1 > $space/buffered_io
	echo -n $disk > $space/device_path
	echo 1 > $space/enable
	mkdir $port
	echo ipv4 > $port/addr_adrfam
	echo rdma > $port/addr_trtype
	echo "$1" > $port/addr_traddr
	echo 4420 > $port/addr_trsvcid
	ln -s $subsystem $port/subsystems/weft
}

connect() {
	local fd id=11111111-2222-3333-4444-555555555555

	modprobe nvme-rdma
	# a controller is created by a write, and the same opening reads its number
	exec {fd}<> /dev/nvme-fabrics
	echo -n "transport=rdma,traddr=$2,trsvcid=4420,host_traddr=$1,nqn=weft,hostid=$id,hostnqn=nqn.2014-08.org.nvmexpress:uuid:$id${3:+,$3}" >&$fd
	cat <&$fd
	exec {fd}>&-
	until [ -b /dev/nvme0n1 ]; do sleep 0.1; done
}

close() {
	if [ -e /sys/class/nvme/nvme0 ]; then
		echo 1 > /sys/class/nvme/nvme0/delete_controller
		while [ -e /sys/class/nvme/nvme0 ]; do sleep 0.1; done
	fi
	[ -d $subsystem ] || return 0
	rm $port/subsystems/weft
	rmdir $port
	echo 0 > $space/enable
	rmdir $space $subsystem
	rm $disk
}

case "${1:-} $#" in
serve\ 3 | connect\ [34] | close\ 1) "$@" ;;
*) usage ;;
esac
