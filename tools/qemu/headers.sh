#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Print the build tree of Debian's kernel 6.1 or 6.12 as its headers package
# installs it, or of a kernel that build.sh makes; or the release that it is for.
#
# usage: headers.sh [--release] 6.1|6.12|FLAVOR
#
# linux-headers-amd64 and linux-headers-6.12-amd64 depend on the packages of one
# release each; where several are installed, the newest counts.
set -eu

what=path
if [ "$1" = --release ]; then
	what=release
	shift
fi

case $1 in
[0-9]*) ;;
*)
	dir=$("$(dirname "$0")/build.sh" "$1")/kdir
	[ $what = path ] || dir=$(cat "$dir/include/config/kernel.release")
	echo "$dir"
	exit
	;;
esac

newest=
for dir in /usr/src/linux-headers-"$1".*-amd64; do
	[ -f "$dir/Module.symvers" ] || continue
	newest=$(printf '%s\n' "$newest" "$dir" | sort -V | tail -n 1)
done
[ "$newest" ] || {
	echo "headers.sh: no headers of Linux $1: scripts/setup.sh build installs them" >&2
	exit 1
}

case $what in
path) echo "$newest" ;;
release) echo "${newest#/usr/src/linux-headers-}" ;;
esac
