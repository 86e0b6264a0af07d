#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Print a directory with checkpatch.pl and kernel-doc of the distribution's
# kernel source. They are unpacked once and kept in the cache.
set -eu

src=${WEFT_LINUX_SOURCE:-/usr/src/linux-source-6.12.tar.xz}
cache=${WEFT_CACHE:-${XDG_CACHE_HOME:-${HOME:?set HOME or WEFT_CACHE}/.cache}/weft}

[ -r "$src" ] || {
	echo "kernel-scripts.sh: $src is missing: scripts/setup.sh vm installs it" >&2
	exit 4
}

key=$(stat -L -c '%n %s %Y' "$src" | sha256sum | cut -c1-16)
dir=$cache/kernel-scripts-$key
if [ ! -x "$dir/checkpatch.pl" ]; then
	mkdir -p "$cache"
	tmp=$(mktemp -d "$cache/.kernel-scripts.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	tar -C "$tmp" --strip-components=2 --wildcards -xf "$src" \
		'*/scripts/checkpatch.pl' '*/scripts/const_structs.checkpatch' \
		'*/scripts/spelling.txt' '*/scripts/kernel-doc'
	mv -T "$tmp" "$dir" 2> /dev/null || [ -x "$dir/checkpatch.pl" ]
fi
echo "$dir"
