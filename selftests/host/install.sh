#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# make install: what lies where, that weft works from there with nothing in its
# environment, and that make uninstall leaves nothing.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. selftests/ktap.sh

work=$(mktemp -d)
readonly work prefix=$work/root/opt/weft
trap 'rm -rf "$work"' EXIT

make_into() {
	make -s "$1" DESTDIR="$work/root" PREFIX=/opt/weft > "$work/log" 2>&1 || {
		tail -n 20 "$work/log"
		return 1
	}
}

installs() {
	local file

	make_into install
	for file in bin/weft sbin/weftd libexec/weft/weft-vm libexec/weft/weft-vm-init \
		libexec/weft/fast/linux lib/weft/vm/weft.ko \
		lib/weft/vm/weft_rdma.ko share/weft/profiles/ib-ndr.yaml \
		share/weft/topologies/pair.yaml share/weft/web/index.html \
		share/weft/examples/torch_nodes.py share/weft/examples/torch_step.py \
		share/weft/web/app.js share/zsh/site-functions/_weft \
		share/bash-completion/completions/weft; do
		[ -s "$prefix/$file" ] || { echo "no $file"; return 1; }
	done
	expect_match "unit" "^ExecStart=/opt/weft/sbin/weftd\$" \
		"$(cat "$prefix/share/weft/systemd/weftd.service")"
	expect "files that others may write" "" \
		"$(find "$prefix" -not -type l -perm /022)"
}

man_pages() {
	/usr/bin/python3 -c 'import docutils' 2> /dev/null || skip "docutils is missing"
	expect "pages" "$(cd user/man && printf '%s\n' *.[158].rst |
		sed -E 's,(.*)\.(.)\.rst,man\2/\1.\2,' | sort)" \
		"$(cd "$prefix/share/man" && find . -type f | sed 's,^\./,,' | sort)"
}

# As any shell finds it: no variable of ours, another working directory.
runs() {
	(cd "$work" && env -i PATH="$prefix/bin:$PATH" HOME="$work" \
		weft run pair -- ping -c 1 host1) > "$work/run" 2>&1 || {
		cat "$work/run"
		return 1
	}
	expect_match "ping" '1 received' "$(cat "$work/run")"
}

# Nothing of the build tree is needed: it is out of sight.
runs_alone() {
	unshare --mount true 2> /dev/null || skip "needs root"
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --mount sh -c '
		mount -t tmpfs tmpfs build &&
		cd / && exec env -i PATH="$1/bin:$PATH" HOME=/ \
			weft run ib-8 -q -- ls /sys/class/infiniband
	' sh "$prefix" > "$work/run" 2>&1 || {
		cat "$work/run"
		return 1
	}
	expect "devices of the first node" weft0 "$(cat "$work/run")"
}

# The sources are those that the modules are made of, and name their version.
sources() {
	local dir

	dir=$(echo "$prefix"/src/weft-*)
	expect "directory" "weft-$(modinfo -F version build/module-vm/kernel/weft.ko)" \
		"${dir##*/}"
	expect "difference from the tree" "" \
		"$(diff -rq kernel "$dir/kernel" | grep -v '^Only in kernel')"
	expect "sources left out" "" "$(diff -rq kernel "$dir/kernel" |
		grep '^Only in kernel.*\.[ch]$')"
	expect_match "version" "^PACKAGE_VERSION=\"${dir##*-}\"\$" \
		"$(cat "$dir/dkms.conf")"
}

uninstalls() {
	mkdir -p "$prefix/share/man/man1"
	touch "$prefix/bin/other" "$prefix/share/man/man1/other.1"
	make_into uninstall
	expect "what is left" "bin/other share/man/man1/other.1 " \
		"$(find "$prefix" -not -type d -printf '%P\n' | sort | tr '\n' ' ')"
	expect "directories that are left" "" \
		"$(find "$prefix" -type d -name 'weft*' -not -path "$prefix")"
}

ktap_begin 7
t "make install" installs
t "man pages" man_pages
t "weft runs from there" runs
t "and needs nothing of the build tree" runs_alone
t "the modules' sources" sources
t "make uninstall" uninstalls
t "make uninstall with nothing there" make_into uninstall
ktap_end
