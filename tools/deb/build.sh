#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Make the Debian packages weft and weft-dkms of this tree.
#
# usage: build.sh DIR
#
# The packages are put into DIR. Their version is that of the module, with the
# time of the last commit, so that a later build is an upgrade. The files are
# those of "make install".
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$here/../.." && pwd)
readonly here tree

fail() {
	echo "tools/deb/build.sh: $*" >&2
	exit 1
}

# epoch - time of the last commit; of this day, where there is no git
epoch() {
	git -C "$tree" log -1 --format=%ct 2> /dev/null || date -d 00:00 +%s
}

version() {
	local release

	release=$(sed -n 's/.*WEFT_VERSION[[:space:]]*"\(.*\)".*/\1/p' \
		"$tree/kernel/version.h")
	echo "$release~git$(date -u -d "@$(epoch)" +%Y%m%d%H%M%S)"
}

changelog() {
	cat << END
weft ($(version)) bookworm; urgency=medium

  * Built from the tree as of this time.

 -- Weft maintainers <maintainers@weft.example>  $(date -u -R -d "@$(epoch)")
END
}

# kernel_source - the package that the virtual machine's kernel is made of
kernel_source() {
	dpkg-query -W -f '${source:Package} (= ${source:Version})' \
		linux-source-6.12 2> /dev/null ||
		fail "linux-source-6.12 is missing: scripts/setup.sh installs it"
}

# prepare DIR - what dpkg-buildpackage wants to find
prepare() {
	mkdir -p "$1/debian"
	cp "$here"/{control,rules,not-installed,*.install,*.lintian-overrides} \
		"$1/debian"
	# its format has no comments
	sed '/^#/d' "$here/copyright" > "$1/debian/copyright"
	cp "$tree/scripts/dkms.conf.in" "$1/debian/weft-dkms.dkms"
	changelog > "$1/debian/changelog"
}

main() {
	local out work tool

	for tool in dpkg-buildpackage dh dh_dkms rst2man; do
		command -v $tool > /dev/null ||
			fail "$tool is missing: scripts/setup.sh packages installs it"
	done
	mkdir -p "${1:?usage: build.sh DIR}"
	out=$(cd "$1" && pwd)
	work=$out/work
	rm -rf "$work" "$out"/weft{,-dkms}_*
	prepare "$work"

	# debhelper gives the build a home directory of its own
	export WEFT_CACHE=${WEFT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/weft}
	export WEFT_TREE=$tree WEFT_KERNEL SOURCE_DATE_EPOCH
	WEFT_KERNEL=$(kernel_source)
	SOURCE_DATE_EPOCH=$(epoch)
	unset MAKEFLAGS MFLAGS MAKELEVEL
	(cd "$work" && dpkg-buildpackage -b -us -uc) > "$out/build.log" 2>&1 || {
		tail -n 30 "$out/build.log" >&2
		fail "the packages could not be built; all is in $out/build.log"
	}
	rm -rf "$work"
	ls "$out"/*.deb
}

main "$@"
