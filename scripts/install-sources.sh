#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Put the sources of the modules into a directory, as DKMS wants them:
# "dkms add DIR" takes it from there.
#
# usage: install-sources.sh DIR
set -eu

to=${1:?usage: install-sources.sh DIR}
case $to in
/*) ;;
*) to=$PWD/$to ;;
esac
cd "$(dirname "$0")/.."
version=$(sed -n 's/.*WEFT_VERSION[[:space:]]*"\(.*\)".*/\1/p' kernel/version.h)

# What an earlier version had, and this one has not, must not be compiled.
rm -rf "$to"
find Kbuild kernel -name Kbuild -o -name '*.[ch]' | while read -r file; do
	install -D -m 644 "$file" "$to/$file"
done
install -m 644 COPYING "$to"
sed "s/#MODULE_VERSION#/$version/" scripts/dkms.conf.in > "$to/dkms.conf"
chmod 644 "$to/dkms.conf"
