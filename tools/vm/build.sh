#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Build the kernel of the virtual-clock machine and print where it is.
#
# usage: build.sh [FLAVOR]
#
# fast, the default, is config/base.config alone; each other file there is a
# flavour that adds its lines.
#
# The result is a directory with
#   linux   the User-Mode Linux binary
#   kdir/   a tree for "make -C kdir M=... modules"
#   lib/    its own modules, for modprobe -d
# It is made once for each combination of kernel source, configuration,
# patches, compiler and this script, kept in the cache, and only its name is
# printed from then on. Progress goes to standard error.

set -euo pipefail

readonly flavor=${1:-fast}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here
readonly cache=${WEFT_CACHE:-${XDG_CACHE_HOME:-${HOME:?set HOME or WEFT_CACHE}/.cache}/weft}
readonly tarball=${WEFT_LINUX_SOURCE:-/usr/src/linux-source-6.12.tar.xz}
readonly cc=${CC:-gcc}

# erase - what compiling.sh has on the terminal's last line
erase() {
	[ ! -t 2 ] || printf '\r\033[K' >&2
}

fail() {
	erase
	echo "tools/vm/build.sh: $*" >&2
	exit 1
}

say() {
	erase
	printf '  vm %s [%3ds] %s\n' "$flavor" "$SECONDS" "$*" >&2
}

# fragments - the configuration files of the flavour, in order of precedence
fragments() {
	echo "$here/config/base.config"
	[ "$flavor" = fast ] || echo "$here/config/$flavor.config"
}

# flavors - all there are
flavors() {
	echo fast
	find "$here/config" -name '*.config' -not -name base.config \
		-printf '%f\n' | sed 's/\.config$//' | LC_ALL=C sort
}

patches() {
	find "$here/patches" -name '*.patch' | LC_ALL=C sort
}

# key - name of this very build: everything that decides its outcome
#
# The tarball is named by path, size and time: reading 150 MB on each call
# would cost more than all the rest.
key() {
	local inputs

	mapfile -t inputs < <(fragments; patches; echo "$here/build.sh")
	{
		stat -L -c '%n %s %Y' "$tarball"
		"$cc" --version
		ld --version
		sha256sum < <(cat "${inputs[@]}")
	} | sha256sum | cut -c1-16
}

check_tools() {
	local tool missing=()

	[ -r "$tarball" ] ||
		fail "no kernel source at $tarball: apt-get install linux-source-6.12"
	for tool in "$cc" ld make flex bison bc xz patch perl depmod; do
		command -v "$tool" > /dev/null || missing+=("$tool")
	done
	[ "${#missing[@]}" -eq 0 ] ||
		fail "missing: ${missing[*]}: apt-get install build-essential flex bison bc xz-utils patch perl kmod"
}

# unpack - put the kernel source, less what UML never reads, into ./src
unpack() {
	say "unpacking $(basename "$tarball")"
	mkdir src
	tar -xf "$tarball" -C src --strip-components=1 \
		--exclude='*/drivers/gpu/*.[chS]' --exclude='*/sound/*.[chS]' \
		--exclude='*/arch/*/boot/dts/*' --exclude='*.rst' \
		--exclude='*/tools/testing/*' --exclude='*/Documentation/devicetree/*'
}

# apply_patches - all or nothing: the tree is thrown away on failure
apply_patches() {
	local p

	for p in $(patches); do
		patch -d src -p1 -F0 -s --no-backup-if-mismatch < "$p" > patch.log 2>&1 || {
			cat patch.log >&2
			fail "$(basename "$p") does not apply to $(basename "$tarball") ($(make -s -C src kernelversion))"
		}
	done
}

kmake() {
	make -s -C src ARCH=um CC="$cc" "$@"
}

# configure - write src/.config and see that every line asked for is in it
configure() {
	local line lost=()

	say "configuring"
	fragments | xargs cat > fragment
	kmake KCONFIG_ALLCONFIG="$PWD/fragment" allnoconfig > config.log 2>&1 || {
		cat config.log >&2
		fail "the kernel cannot be configured"
	}
	while read -r line; do
		grep -qxF -- "$line" src/.config || lost+=("$line")
	done < <(grep -E '^(CONFIG_|# CONFIG_.* is not set)' fragment)
	[ "${#lost[@]}" -eq 0 ] || fail "without effect in the configuration: ${lost[*]}"
}

compile() {
	say "compiling (about 4 minutes on 2 CPUs)"
	# with a line for each file, which compiling.sh counts
	make -C src ARCH=um CC="$cc" -j"$(nproc)" linux modules > build.log 2>&1 || {
		erase
		grep -E -B2 -A5 'error:|Error [0-9]' build.log | head -40 >&2
		fail "the kernel does not compile"
	}
}

# pack_kdir - keep of the source tree what an external module needs
pack_kdir() {
	say "packing"
	mkdir -p out/kdir
	(
		cd src
		find include arch/um arch/x86 scripts -type f -not -name '*.[oc]' \
			-not -name '*.cmd' -not -path '*/dt*s/*' \
			-not -path 'include/dt-bindings/*' -print0
		find scripts/mod scripts/basic scripts/genksyms -type f -print0
		find scripts/module-common.c -print0
		find . -maxdepth 1 \( -name .config -o -name Module.symvers \
			-o -name Makefile -o -name Kbuild \) -print0
	) | sort -zu | tar -C src --null -T - -cf - | tar -C out/kdir -xf -
	# so that no caller has to say ARCH=um
	sed -i '1i ARCH ?= um' out/kdir/Makefile
	[ -s out/kdir/Module.symvers ] || fail "the build left no Module.symvers"
}

# pack_modules - less what points at the tree that will be gone
pack_modules() {
	kmake INSTALL_MOD_PATH="$PWD/out" INSTALL_MOD_STRIP=1 modules_install
	rm out/lib/modules/*/build
}

# build - in a directory of its own beside the goal; the caller renames it
build() {
	local watcher

	export KBUILD_BUILD_USER=weft KBUILD_BUILD_HOST=weft
	export KBUILD_BUILD_TIMESTAMP='2024-01-01 00:00:00 UTC' KBUILD_BUILD_VERSION=1
	export SOURCE_DATE_EPOCH=1704067200 LC_ALL=C TZ=UTC
	unset ARCH CROSS_COMPILE KBUILD_OUTPUT MAKEFLAGS MFLAGS

	check_tools
	"$here/compiling.sh" "$flavor" 9>&- &
	watcher=$!
	unpack
	apply_patches
	configure
	compile
	pack_kdir
	pack_modules
	strip -o out/linux src/linux
	kill "$watcher" || true
	erase
}

main() {
	local goal work

	grep -qxF -e "$flavor" <<< "$(flavors)" ||
		fail "unknown flavour \"$flavor\": there are $(flavors | paste -sd ' ')"
	check_tools
	goal=$cache/vm-$flavor-$(key)
	if [ ! -x "$goal/linux" ]; then
		mkdir -p "$cache"
		exec 9> "$cache/.vm-build.lock"
		flock -n 9 || { say "waiting for another build"; flock 9; }
		if [ ! -x "$goal/linux" ]; then
			work=$(mktemp -d "$cache/.vm-$flavor.XXXXXX")
			# shellcheck disable=SC2064 # the name as it is now
			trap "rm -rf '$work'" EXIT
			(cd "$work" && build) >&2
			mv -T "$work/out" "$goal"
			say "done: $goal"
		fi
	fi
	echo "$goal"
}

PATH=$PATH:/usr/sbin:/sbin
main
