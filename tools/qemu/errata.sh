#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Build errata/stale_int3.c for a kernel of the emulated machine, and print where it is.
#
# usage: errata.sh 6.1|6.12|FLAVOR
#
# It is built once for each release and source, and kept in the cache.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here
readonly cache=${WEFT_CACHE:-${XDG_CACHE_HOME:-${HOME:?set HOME or WEFT_CACHE}/.cache}/weft}
readonly kernel=${1:?usage: errata.sh 6.1|6.12|FLAVOR}

kdir=$("$here/headers.sh" "$kernel")
key=$({ echo "$kdir"; cat "$here"/errata/*; } | sha256sum | cut -c1-12)
goal=$cache/qemu-errata-$key
if [ ! -e "$goal" ]; then
	mkdir -p "$cache"
	work=$(mktemp -d "$cache/.errata.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	cp "$here"/errata/* "$work"
	# $MAKEFLAGS of a calling make would change what KDIR's Makefile does.
	env -u MAKEFLAGS -u MFLAGS make -s -C "$kdir" M="$work" modules > "$work/log" 2>&1 || {
		cat "$work/log" >&2
		echo "tools/qemu/errata.sh: stale_int3 cannot be built for Linux $kernel" >&2
		exit 1
	}
	mkdir "$work/out"
	mv "$work/stale_int3.ko" "$work/out"
	mv -T "$work/out" "$goal" 2> /dev/null || [ -e "$goal" ]
fi
echo "$goal/stale_int3.ko"
