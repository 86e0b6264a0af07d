#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Generate the netlink family from its specification, with the generator of
# the distribution's kernel source.
#
# usage: ynl-regen.sh [--check]
#
# Writes kernel/netlink/nl_gen.[ch] and kernel/include/uapi/linux/weft.h; with --check
# it changes nothing and fails when they are not current.
#
# The generator wants the schemas one level above the specs and a file called
# MAINTAINERS above itself (without it, it loops for ever: hence the timeout).
# So it runs in a temporary tree.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
src=${LINUX_SOURCE:-/usr/src/linux-source-6.12.tar.xz}
spec=Documentation/netlink/specs/weft.yaml

[ -r "$src" ] || { echo "ynl-regen: $src is missing: apt-get install linux-source-6.12" >&2; exit 1; }

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

tar -C "$tmp" --strip-components=1 --wildcards -xf "$src" \
	'*/Documentation/netlink/genetlink*.yaml' '*/tools/net/ynl/*'
touch "$tmp/MAINTAINERS"
mkdir -p "$tmp/Documentation/netlink/specs"
cp "$top/$spec" "$tmp/$spec"

gen() {
	(cd "$tmp" && timeout 60 /usr/bin/python3 tools/net/ynl/ynl-gen-c.py \
		--spec "$spec" --mode "$1" "--$2" -o "$3")
}

gen kernel header nl_gen.h
gen kernel source nl_gen.c
gen uapi header weft.h

put() {
	if [ "${check:-}" ]; then
		cmp "$tmp/$1" "$top/$2" || { echo "ynl-regen: $2 is not current: run scripts/ynl-regen.sh" >&2; exit 1; }
	else
		cmp -s "$tmp/$1" "$top/$2" || cp "$tmp/$1" "$top/$2"
	fi
}

[ "${1:-}" != --check ] || check=1
put nl_gen.h kernel/netlink/nl_gen.h
put nl_gen.c kernel/netlink/nl_gen.c
put weft.h kernel/include/uapi/linux/weft.h
