#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Build the modules for one kernel, in a directory of their own, so that builds
# for several kernels do not disturb each other.
#
# usage: build-module.sh KDIR OUTDIR [make arguments]
#
# KDIR is what "make -C" wants: /lib/modules/VERSION/build, or the kdir that
# tools/vm/build.sh made. The modules end up in OUTDIR/kernel/. Another call
# builds again only what changed. Examples of arguments: W=1 C=1 WEFT_DEBUG=1.
#
# Without arguments, modules that were built before from the same sources for the same
# kernel, in whatever clone, are taken from the cache. It keeps the last 48 builds, also
# those with arguments that only have the sources looked at (C, CF, W).
set -eu

[ $# -ge 2 ] || { sed -n '6s/^# //p' "$0" >&2; exit 1; }

top=$(cd "$(dirname "$0")/.." && pwd)
kdir=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2

[ -e "$kdir/Makefile" ] ||
	{ echo "build-module: no kernel build tree at $kdir" >&2; exit 1; }

# What was built for another kernel goes: its headers may be older than the products.
if [ "$(cat "$out/.kdir" 2> /dev/null)" != "$(realpath "$kdir")" ]; then
	find "$out" -name '*.o' -delete
	rm -rf "$out/pch"
	realpath "$kdir" > "$out/.kdir"
fi

# Files that are gone here must go there; products there stay.
(cd "$top" && find Kbuild kernel -name Kbuild -o -name '*.[ch]') | LC_ALL=C sort > "$out/.sources.new"
if [ -e "$out/.sources" ]; then
	LC_ALL=C comm -23 "$out/.sources" "$out/.sources.new" | while read -r gone; do
		rm -f "$out/$gone"
	done
fi
mv "$out/.sources.new" "$out/.sources"
(cd "$top" && xargs cp -u --parents -t "$out" < "$out/.sources")

# $MAKEFLAGS of a calling make would change what KDIR's Makefile does.
unset MAKEFLAGS MFLAGS
compile() {
	make -j"$(nproc)" -C "$kdir" M="$out" "$@"
}

# compile_quickly - with headers that are compiled once; again with what of them is ours
#
# For kernels of the virtual machine. For others modules are as anybody builds them: some
# tests count instructions there.
compile_quickly() {
	sample=kernel/core/fabric
	export WEFT_PCH="$out/pch" WEFT_PCH_SAMPLES="$out/$sample.c"
	set -- CC="$top/tools/linux_cc.sh gcc"
	if [ ! -d "$WEFT_PCH" ] || [ "$(find "$out/kernel/compat" -newer "$WEFT_PCH")" ]; then
		rm -rf "$WEFT_PCH" "$out/$sample.o"
		mkdir "$WEFT_PCH"
		compile "$@" "$sample.o"
	fi
	compile "$@" modules
}

# only_looks ARGUMENT... - whether the outcome is the same with them
only_looks() {
	for word; do
		case $word in
		C=* | CF=* | W=*) ;;
		*) return 1 ;;
		esac
	done
}

# What changes the outcome without being in the name of a build is not kept.
if ! only_looks "$@" || [ -n "${WEFT_DEBUG:-}${KCFLAGS:-}${LLVM:-}${CC:-}" ]; then
	compile "$@" modules
	exit
fi

kept=${WEFT_CACHE:-${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/weft}/modules

# decides - everything that decides the outcome of the build, or an error
decides() {
	realpath "$kdir" && gcc --version &&
		(cd "$kdir" && sha256sum Module.symvers include/generated/autoconf.h \
			include/generated/utsrelease.h) &&
		(cd "$top" && sha256sum scripts/build-module.sh tools/linux_cc.sh && xargs sha256sum) \
			< "$out/.sources"
}

# products FROM TO - copy all that the users of OUTDIR need
products() {
	mkdir -p "$2/kernel" && cp "$1"/kernel/*.ko "$2/kernel/" && cp "$1/Module.symvers" "$2/"
}

facts=$(decides) || { compile "$@" modules; exit; }
build=$kept/$(echo "$facts" | sha256sum | cut -c1-16)
if [ $# -eq 0 ] && [ -e "$build" ]; then
	# The objects there may be those of other flags: they have to be linked again.
	rm -f "$out"/kernel/.*.ko.cmd
	products "$build" "$out"
	touch "$build"
	exit
fi
if [ $# -eq 0 ] && grep -qx CONFIG_UML=y "$kdir/include/config/auto.conf"; then
	compile_quickly
else
	compile "$@" modules
fi

# A cache that is full or not ours is no error. Elsewhere the same may be built now.
mkdir -p "$kept" 2> /dev/null || exit 0
new=$(mktemp -d "$kept/.new.XXXXXX" 2> /dev/null) || exit 0
trap 'rm -rf "$new"' EXIT
chmod 755 "$new"
products "$out" "$new" || exit 0
mv -T "$new" "$build" 2> /dev/null || exit 0
find "$kept" -mindepth 1 -maxdepth 1 -name '[!.]*' -printf '%T@ %p\n' | sort -rn | tail -n +49 | cut -d ' ' -f 2- |
	xargs -r -d '\n' rm -rf || :
