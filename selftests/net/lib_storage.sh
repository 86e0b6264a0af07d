# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What tests of storage share, on top of lib_verbs.sh: targets and controllers of NVMe
# over RDMA between nodes that are ends (user/share/examples/storage_{ends,disk}.sh).

readonly disk=/dev/shm/weft-disk

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
	"$WEFT_SHARE/examples/storage_disk.sh" serve "$@"
}

# connect_disk FROM TO [OPTIONS] - a controller of it, seen as /dev/nvme0n1; by addresses
connect_disk() {
	"$WEFT_SHARE/examples/storage_disk.sh" connect "$@"
}

# no_disk - controller and target go
no_disk() {
	"$WEFT_SHARE/examples/storage_disk.sh" close
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
