#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Build a kernel for the emulated machine that checks itself, from the distribution's
# linux-source-6.12, and print where it is.
#
# usage: build.sh FLAVOR
#
# Each file of config/ but base.config is a flavour; patches/FLAVOR are for it. The result is
# a directory as kernel.sh has them for Debian's kernels, and in it
#   kdir/   a tree for "make -C kdir M=... modules"

set -euo pipefail

readonly flavor=${1:?usage: build.sh FLAVOR}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here

readonly me=tools/qemu/build.sh who="qemu $flavor" arch=x86_64 goals=(bzImage modules)
readonly scripts=("$here/build.sh" "$here/initrd.sh" "$here/init")
mapfile -t patches < <(find "$here/patches/$flavor" -name '*.patch' 2> /dev/null | LC_ALL=C sort)
readonly patches
readonly fragments=("$here/config/base.config" "$here/../linux.config"
	"$here/config/$flavor.config")
# shellcheck source=../linux.sh
. "$here/../linux.sh"

pack() {
	pack_kdir arch/x86
	pack_modules
	cp src/arch/x86/boot/bzImage out/linux
	"$here/initrd.sh" out
}

[ -r "${fragments[2]}" ] || fail "unknown flavour \"$flavor\""
provide "qemu-$flavor" initrd
