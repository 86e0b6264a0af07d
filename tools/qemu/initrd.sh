#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Make DIR/initrd: what the emulated machine has before it sees the host's files. It
# loads the MODULEs, files, in this order.
#
# usage: initrd.sh DIR [MODULE]...

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$(realpath "${1:?usage: initrd.sh DIR [MODULE]...}")
shift
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

mkdir -p "$root"/{bin,modules,proc,sys,dev}
cp "$(command -v busybox)" "$root/bin/busybox"
install -m 755 "$here/init" "$root/init"
n=100
for file; do
	n=$((n + 1))
	case $file in
	*.xz) xz -dc "$file" > "$root/modules/$n.ko" ;;
	*) cp "$file" "$root/modules/$n.ko" ;;
	esac
done
(cd "$root" && find . | LC_ALL=C sort | cpio -o -H newc --quiet -R 0:0) | gzip -1 > "$out/initrd"
# weft-qemu appends another archive, which has to begin aligned
truncate -s %512 "$out/initrd"
