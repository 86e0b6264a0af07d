# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What the builds of Linux share: tools/vm/build.sh, tools/qemu/build.sh. It is made once
# for each combination of source, configuration, patches, compiler and scripts, from the
# distribution's source, and kept in the cache.
#
# The caller sets
#   me, who    the script, for errors; vehicle and flavour, for progress
#   arch       the architecture, as make names it
#   goals      what make builds
#   fragments  files of configuration, in order of precedence
#   patches    files, in order
#   scripts    files of its own that decide the outcome
#   skip       directories of drivers that make shall not enter, as a regular expression
# and has a function pack() that fills ./out from ./src.

# shellcheck disable=SC2154 # all these are the caller's
linux=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly linux
readonly cache=${WEFT_CACHE:-${XDG_CACHE_HOME:-${HOME:?set HOME or WEFT_CACHE}/.cache}/weft}
readonly tarball=${WEFT_LINUX_SOURCE:-/usr/src/linux-source-6.12.tar.xz}
readonly cc=${CC:-gcc}
# for linux_cc.sh: a file of the kernel and one of a module, in all configurations
readonly samples=(kernel/exit.c drivers/net/netdevsim/bus.c)

# erase - what compiling.sh has on the terminal's last line
erase() {
	[ ! -t 2 ] || printf '\r\033[K' >&2
}

fail() {
	erase
	echo "$me: $*" >&2
	exit 1
}

say() {
	erase
	printf '  %s [%3ds] %s\n' "$who" "$SECONDS" "$*" >&2
}

# key - name of this very build: everything that decides its outcome
#
# The tarball is named by path, size and time: reading 150 MB on each call
# would cost more than all the rest.
key() {
	{
		stat -L -c '%n %s %Y' "$tarball"
		"$cc" --version
		ld --version
		sha256sum < <(cat "${fragments[@]}" "${patches[@]}" "${scripts[@]}" \
			"$linux/linux.sh" "$linux/linux_cc.sh")
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

# unpack - put the kernel source, less what nothing here reads, into ./src
unpack() {
	local dir unread=()

	for dir in sound drivers/{accel,clk,gpu,iio,media,pinctrl,scsi,staging} \
		drivers/net/{ethernet,wireless} arch/{arm,arm64,mips,powerpc} tools/perf; do
		unread+=("--exclude=*/$dir/*.[chS]")
	done
	say "unpacking $(basename "$tarball")"
	mkdir src
	tar -xf "$tarball" -C src --strip-components=1 "${unread[@]}" \
		--exclude='*/arch/*/boot/dts/*' --exclude='*.rst' \
		--exclude='*/tools/testing/*' --exclude='*/Documentation/devicetree/*'
	[ -z "${skip:-}" ] || sed -i -E "\,^obj-y.*\+= ($skip)/\$,d" src/drivers/Makefile
}

# apply_patches - all or nothing: the tree is thrown away on failure
apply_patches() {
	local p

	for p in "${patches[@]}"; do
		patch -d src -p1 -F0 -s --no-backup-if-mismatch < "$p" > patch.log 2>&1 || {
			cat patch.log >&2
			fail "$(basename "$p") does not apply to $(basename "$tarball") ($(make -s -C src kernelversion))"
		}
	done
}

# kmake ARGUMENT... - make(1) in the source tree. It takes no compiler with a space.
kmake() {
	ln -sf "$linux/linux_cc.sh" cc
	make -C src ARCH="$arch" CC="../cc $cc" "$@"
}

# configure - write src/.config and see that every line asked for is in it
configure() {
	local line lost=()

	say "configuring"
	cat "${fragments[@]}" > fragment
	kmake -s KCONFIG_ALLCONFIG="$PWD/fragment" allnoconfig > config.log 2>&1 || {
		cat config.log >&2
		fail "the kernel cannot be configured"
	}
	while read -r line; do
		grep -qxF -- "$line" src/.config || lost+=("$line")
	done < <(grep -E '^(CONFIG_|# CONFIG_.* is not set)' fragment)
	[ "${#lost[@]}" -eq 0 ] || fail "without effect in the configuration: ${lost[*]}"
}

compile() {
	say "compiling (3 to 6 minutes on 2 CPUs)"
	mkdir pch
	export WEFT_PCH=$PWD/pch WEFT_PCH_SAMPLES=${samples[*]}
	# with a line for each file, which compiling.sh counts
	{
		kmake -j"$(nproc)" "${samples[@]/%.c/.o}" && kmake -j"$(nproc)" "${goals[@]}"
	} > build.log 2>&1 || {
		erase
		grep -E -B2 -A5 'error:|Error [0-9]' build.log | head -40 >&2
		fail "the kernel does not compile"
	}
}

# pack_kdir DIR... - keep of the source tree what an external module needs; DIRs are the
# architecture's
pack_kdir() {
	say "packing"
	mkdir -p out/kdir
	(
		cd src
		find include "$@" scripts -type f -not -name '*.[oc]' \
			-not -name '*.cmd' -not -path '*/dt*s/*' \
			-not -path 'include/dt-bindings/*' -print0
		find scripts/mod scripts/basic scripts/genksyms -type f -print0
		find scripts/module-common.c -print0
		find . -path ./tools/objtool/objtool -print0
		find . -maxdepth 1 \( -name .config -o -name Module.symvers \
			-o -name Makefile -o -name Kbuild \) -print0
	) | sort -zu | tar -C src --null -T - -cf - | tar -C out/kdir -xf -
	[ -s out/kdir/Module.symvers ] || fail "the build left no Module.symvers"
}

# pack_modules - less what points at the tree that will be gone
pack_modules() {
	kmake -s INSTALL_MOD_PATH="$PWD/out" INSTALL_MOD_STRIP=1 modules_install
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
	"$linux/compiling.sh" "$who" 9>&- &
	watcher=$!
	unpack
	apply_patches
	configure
	compile
	pack
	# here, as it takes seconds
	rm -rf src
	kill "$watcher" || true
	erase
}

# provide NAME FILE - print the directory of the build, which has FILE, and make it first
# if there is none
provide() {
	local goal work

	check_tools
	goal=$cache/$1-$(key)
	if [ ! -e "$goal/$2" ]; then
		mkdir -p "$cache"
		exec 9> "$cache/.$1.lock"
		flock -n 9 || { say "waiting for another build"; flock 9; }
		if [ ! -e "$goal/$2" ]; then
			work=$(mktemp -d "$cache/.$1.XXXXXX")
			# shellcheck disable=SC2064 # the name as it is now
			trap "rm -rf '$work'" EXIT
			# "set -e" does not reach into the caller's $(provide)
			(cd "$work" && build) >&2 || exit 1
			mv -T "$work/out" "$goal" || exit 1
			say "done: $goal"
		fi
	fi
	echo "$goal"
}

PATH=$PATH:/usr/sbin:/sbin
