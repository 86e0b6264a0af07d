#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Build the kernel of the virtual-clock machine and print where it is.
#
# usage: build.sh [FLAVOR]
#
# fast, the default, is tools/linux.config with config/base.config and storage.config alone;
# each other file there is a flavour that adds its lines, debug without storage.config.
#
# The result is a directory with
#   linux   the User-Mode Linux binary
#   kdir/   a tree for "make -C kdir M=... modules"
#   lib/    its own modules, for modprobe -d
# It is made once for each combination of kernel source, configuration,
# patches, compiler and scripts, kept in the cache, and only its name is
# printed from then on. Progress goes to standard error.

set -euo pipefail

readonly flavor=${1:-fast}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here

readonly me=tools/vm/build.sh who="vm $flavor" arch=um goals=(linux modules)
readonly scripts=("$here/build.sh")
# directories of drivers that have many others below, and nothing to compile
readonly skip='bus|pwm|leds|video|clk|soc|gpu|dax|cxl|i2c/ i3c/ media|firmware|mmc|iommu|ufs|firewire'
fragments=("$here/config/base.config" "$here/../linux.config")
[ "$flavor" = fast ] || fragments+=("$here/config/$flavor.config")
[ "$flavor" = debug ] || fragments+=("$here/config/storage.config")
mapfile -t patches < <(find "$here/patches" -name '*.patch' | LC_ALL=C sort)
# shellcheck source=../linux.sh
. "$here/../linux.sh"

# flavors - all there are
flavors() {
	echo fast
	find "$here/config" -name '*.config' -not -name base.config -not -name storage.config \
		-printf '%f\n' | sed 's/\.config$//' | LC_ALL=C sort
}

# libc_is_known - every function of the C library that is called is one of those in
# inside_libc.h, and so has the base of FS that it wants
libc_is_known() {
	local known=src/arch/um/include/shared/skas/inside_libc.h others

	others=$(nm -D --undefined-only src/linux | awk '{ sub(/@.*/, "", $2); print $2 }' |
		grep -vxE '__gmon_start__|__libc_start_main|malloc|calloc|free' |
		grep -vxFf <(sed -n 's/^[A-Z]*(\([a-z0-9_]*\)[,)].*/\1/p' $known) || true)
	[ -z "$others" ] || fail "inside_libc.h lacks $(xargs <<< "$others")"
}

pack() {
	libc_is_known
	pack_kdir arch/um arch/x86
	# so that no caller has to say ARCH=um
	sed -i '1i ARCH ?= um' out/kdir/Makefile
	pack_modules
	strip -o out/linux src/linux
}

grep -qxF -e "$flavor" <<< "$(flavors)" ||
	fail "unknown flavour \"$flavor\": there are $(flavors | paste -sd ' ')"
goal=$(provide "vm-$flavor" linux)

# The launcher looks there first (machine.c). A tree that is another user's stays as it is.
note=$here/../../build/vm/kernel-$flavor
if mkdir -p "${note%/*}" 2> /dev/null && { echo "$goal" > "$note.$$"; } 2> /dev/null; then
	mv "$note.$$" "$note"
fi
echo "$goal"
