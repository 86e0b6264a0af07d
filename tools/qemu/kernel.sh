#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fetch Debian's kernel 6.1 or 6.12, or have build.sh make another one, and print where
# it is: a directory in the cache with
#   linux        the kernel; Debian's uncompressed, as 6.1, emulated, takes as long to
#                unpack itself as to boot
#   lib/modules  its modules, less those for hardware
#   initrd       what it needs to reach the host's files
#
# usage: kernel.sh 6.1|6.12|FLAVOR
#
# The release is that of the installed headers, so that a module built against
# them fits. Where the image is installed too, nothing is fetched.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here
readonly cache=${WEFT_CACHE:-${XDG_CACHE_HOME:-${HOME:?set HOME or WEFT_CACHE}/.cache}/weft}

# What the guest needs before it sees the host's files.
readonly early="virtio_pci virtio_console 9pnet_virtio 9p overlay"

# What a test may ask for; all else under these is left out.
readonly keep="kernel/net kernel/lib kernel/crypto kernel/arch kernel/fs/9p
kernel/fs/netfs kernel/fs/fscache kernel/fs/overlayfs kernel/fs/nls
kernel/drivers/virtio kernel/drivers/char/virtio_console.ko
kernel/drivers/infiniband/core kernel/drivers/infiniband/sw kernel/fs/configfs
kernel/drivers/net/dummy.ko kernel/drivers/net/veth.ko
kernel/drivers/net/ifb.ko kernel/drivers/net/tun.ko
kernel/block kernel/drivers/block/null_blk kernel/drivers/nvme
kernel/drivers/infiniband/ulp kernel/drivers/target kernel/drivers/scsi/scsi_mod.ko
kernel/drivers/scsi/scsi_common.ko kernel/drivers/scsi/scsi_transport_srp.ko
kernel/drivers/scsi/sd_mod.ko kernel/fs/nfs kernel/fs/nfsd kernel/fs/lockd
kernel/fs/nfs_common kernel/fs/exportfs"

fail() {
	echo "tools/qemu/kernel.sh: $*" >&2
	exit 1
}

say() {
	echo "  qemu $release: $*" >&2
}

# fetch - put the files of the image package into ./image
fetch() {
	local deb

	say "fetching linux-image-$release"
	apt-get -q download "linux-image-$release" > fetch.log 2>&1 || {
		cat fetch.log >&2
		fail "linux-image-$release cannot be fetched; apt-get update may help"
	}
	deb=$(echo linux-image-*.deb)
	dpkg-deb -x "$deb" image
	rm "$deb"
}

# installed - whether the image package of this release is installed here
installed() {
	[ -r "/boot/vmlinuz-$release" ] &&
		[ -d "/lib/modules/$release/kernel/net" ]
}

# field SIZE OFFSET FILE - a number in the header of a bzImage
field() {
	od -An -t "u$1" -j "$2" -N "$1" "$3" | tr -d ' '
}

# payload FILE - what the bzImage unpacks at its start. Its header says where it lies (boot
# protocol: setup_sects, payload_offset, payload_length); the last four bytes are its size.
payload() {
	local sectors offset length

	sectors=$(field 1 $((0x1f1)) "$1")
	offset=$(field 4 $((0x248)) "$1")
	length=$(field 4 $((0x24c)) "$1")
	dd if="$1" bs=1M iflag=skip_bytes,count_bytes status=none \
		skip=$(((sectors + 1) * 512 + offset)) count=$((length - 4))
}

# uncompressed FILE - the kernel of a bzImage, an ELF file
uncompressed() {
	payload "$1" > compressed
	case $(od -An -t x1 -N 4 compressed | tr -d ' ') in
	fd377a58) xz -dc < compressed ;;
	28b52ffd) zstd -dc < compressed ;;
	*) fail "$1 is compressed neither by xz nor by zstd, as Debian's kernels are" ;;
	esac
	rm compressed
}

# pick FROM - copy the kernel and the modules worth keeping into ./out
pick() {
	local from=$1/lib/modules/$release to=$PWD/out/lib/modules/$release kept

	mkdir -p "$to"
	uncompressed "$1/boot/vmlinuz-$release" > out/linux
	cp "$from"/modules.{order,builtin,builtin.modinfo} "$to/"
	(
		cd "$from"
		for kept in $keep; do
			find . -path "./$kept/*" -o -path "./$kept" -o -path "./$kept.xz"
		done | cpio -pdm --quiet "$to"
	)
	depmod -b out "$release"
}

# early_modules - files of the modules that the initrd loads, in order
early_modules() {
	local module

	for module in $early; do
		modprobe -d out -S "$release" --show-depends "$module" |
			sed -n 's/^insmod \([^ ]*\).*/\1/p'
	done | awk '!seen[$0]++'
}

key() {
	cat "$here"/{kernel.sh,initrd.sh,init} | sha256sum | cut -c1-12
}

build() {
	if installed; then
		pick ''
	else
		fetch
		pick image
	fi
	early_modules | xargs -d '\n' "$here/initrd.sh" out
}

tool() {
	command -v "$1" > /dev/null || fail "$1 is missing: scripts/setup.sh qemu installs it"
}

main() {
	local goal work t

	for t in busybox cpio depmod modprobe xz zstd; do
		tool $t
	done
	case ${1:?usage: kernel.sh 6.1|6.12|FLAVOR} in
	[0-9]*) ;;
	*) exec "$here/build.sh" "$1" ;;
	esac
	release=$("$here/headers.sh" --release "$1")
	goal=$cache/qemu-$release-$(key)
	if [ ! -e "$goal/initrd" ]; then
		mkdir -p "$cache"
		work=$(mktemp -d "$cache/.qemu.XXXXXX")
		# shellcheck disable=SC2064 # the name as it is now
		trap "rm -rf '$work'" EXIT
		(cd "$work" && build) >&2
		mv -T "$work/out" "$goal" 2> /dev/null || [ -e "$goal/initrd" ]
	fi
	echo "$goal"
}

PATH=$PATH:/usr/sbin:/sbin
main "$@"
