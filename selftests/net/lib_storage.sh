# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What tests of storage share, on top of lib_verbs.sh: targets and controllers of NVMe
# over RDMA between nodes that are ends (user/share/examples/storage_ends.sh).

# A namespace is a file of tmpfs: one of an overlay has no size for nvmet.
readonly nvmet=/sys/kernel/config/nvmet disk=/dev/shm/weft-disk

# modules NAME... - load them, or skip
modules() {
	local module

	for module in "$@"; do
		modprobe -q "$module" || skip_all "the kernel has no module $module"
	done
}

# ends NODE... - make nodes ends of the kernel's storage
ends() {
	"$WEFT_SHARE/examples/storage_ends.sh" "$@"
}

# serve_disk ADDRESS SIZE - a target there, whose namespace is the file $disk
serve_disk() {
	local subsystem=$nvmet/subsystems/weft space=$nvmet/subsystems/weft/namespaces/1

	truncate -s "$2" $disk
	mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
	mkdir $subsystem
	echo 1 > $subsystem/attr_allow_any_host
	mkdir $space
	echo 1 > $space/buffered_io
	echo -n $disk > $space/device_path
	echo 1 > $space/enable
	mkdir $nvmet/ports/1
	echo ipv4 > $nvmet/ports/1/addr_adrfam
	echo rdma > $nvmet/ports/1/addr_trtype
	echo "$1" > $nvmet/ports/1/addr_traddr
	echo 4420 > $nvmet/ports/1/addr_trsvcid
	ln -s $subsystem $nvmet/ports/1/subsystems/weft
}

# connect_disk FROM TO [OPTION] - a controller of it, seen as /dev/nvme0n1; by addresses
connect_disk() {
	local fd id=11111111-2222-3333-4444-555555555555

	# a controller is created by a write, and the same opening reads its number
	exec {fd}<> /dev/nvme-fabrics
	echo -n "transport=rdma,traddr=$2,trsvcid=4420,host_traddr=$1,nqn=weft,hostid=$id,hostnqn=nqn.2014-08.org.nvmexpress:uuid:$id${3:+,$3}" >&$fd
	cat <&$fd
	exec {fd}>&-
	slowwait 20 test -b /dev/nvme0n1
}

# no_disk - controller and target go
no_disk() {
	echo 1 > /sys/class/nvme/nvme0/delete_controller
	slowwait 20 test ! -e /sys/class/nvme/nvme0
	rm $nvmet/ports/1/subsystems/weft
	rmdir $nvmet/ports/1
	echo 0 > $nvmet/subsystems/weft/namespaces/1/enable
	rmdir $nvmet/subsystems/weft/namespaces/1 $nvmet/subsystems/weft
	rm $disk
}

# disk_fio NAME OPTION... - fio on it, past the page cache; what it says is in $tmp/NAME
disk_fio() {
	(
		cd "$tmp"
		fio --name="$1" --filename=/dev/nvme0n1 --direct=1 --ioengine=libaio \
			--output-format=json --output="$tmp/$1" "${@:2}" > "$tmp/fio" 2>&1
	) || {
		cat "$tmp/fio" "$tmp/$1"
		return 1
	}
}
