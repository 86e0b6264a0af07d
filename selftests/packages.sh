#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The Debian packages on a clean Debian 12: a root directory of its own in which
# they are installed, used by an ordinary user, and removed again.
#
# usage: packages.sh DIR      (where tools/deb/build.sh has put the packages)
#
# Needs root, and a mirror of Debian: the one that apt has here. The base system
# is kept for a week, in the cache.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. selftests/ktap.sh

readonly cache=${WEFT_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/weft}
packages=$(realpath "${1:?usage: packages.sh DIR}")
readonly packages
work=$(mktemp -d /var/tmp/weft-packages.XXXXXX)
readonly work root=$work/root

# --- the clean machine ----------------------------------------------------------

# sources - apt's own, of Debian 12: "URI SUITE", one a line
sources() {
	# shellcheck disable=SC2016 # expanded by apt-get
	apt-get indextargets --format '$(REPO_URI) $(RELEASE)' \
		'Created-By: Packages' 'Origin: Debian' 'Component: main' 2> /dev/null |
		grep ' bookworm' | sort -u
}

# base - a file with the base system, fetched at most once a week
base() {
	local file=$cache/debian-12.tar mirror

	if [ -z "$(find "$file" -mtime -7 2> /dev/null)" ]; then
		mirror=$(sources | sed -n 's/ bookworm$//p' | head -n 1)
		mkdir -p "$cache"
		debootstrap --variant=minbase bookworm "$work/base" "$mirror" \
			> "$work/debootstrap.log" 2>&1 || return 1
		tar -C "$work/base" --numeric-owner -cf "$file.new" . || return 1
		mv "$file.new" "$file"
		rm -rf "$work/base"
	fi
	echo "$file"
}

# inside COMMAND... - as root in the clean machine; its mounts end with it
inside() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --mount --pid --ipc --uts --fork bash -c '
		root=$1
		shift
		mount --rbind /dev "$root/dev"
		mount -t proc proc "$root/proc"
		mount -t tmpfs tmpfs "$root/run"
		exec chroot "$root" env -i HOME=/root LC_ALL=C.UTF-8 \
			DEBIAN_FRONTEND=noninteractive \
			PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
	' inside "$root" "$@" < /dev/null
}

# as_user COMMAND... - as an ordinary user, in the own home directory
as_user() {
	inside setpriv --reuid=1000 --regid=1000 --clear-groups --no-new-privs \
		env HOME=/home/user sh -c 'cd && exec "$@"' sh "$@"
}

apt() {
	inside apt-get -q -y -o Dpkg::Use-Pty=0 "$@" > "$work/apt.log" 2>&1 || {
		tail -n 20 "$work/apt.log"
		return 1
	}
}

# files - all of the machine but the books that apt, dpkg and ldconfig keep
files() {
	(cd "$root" && find . -xdev \
		\( -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./var/log \
		-o -path ./var/cache -o -path ./packages -o -path ./run \) -prune \
		-o -print) | LC_ALL=C sort
}

machine() {
	local tar

	tar=$(base) || skip_all "no base system: $(tail -n 1 "$work/debootstrap.log")"
	mkdir "$root"
	tar -C "$root" --numeric-owner -xf "$tar"
	sources | sed 's/^/deb /; s/$/ main/' > "$root/etc/apt/sources.list"
	inside useradd --create-home --uid 1000 user
	mkdir "$root/packages"
	cp "$packages"/weft_*.deb "$root/packages/weft.deb"
	cp "$packages"/weft-dkms_*.deb "$root/packages/weft-dkms.deb"
	apt update || skip_all "the mirror does not answer"
	apt install --no-install-recommends iputils-ping ||
		skip_all "no packages from the mirror"
	files > "$work/before"
}

# --- weft -----------------------------------------------------------------------

installs() {
	apt install --no-install-recommends /packages/weft.deb
	[ -x "$root/usr/bin/weft" ]
}

clean_of_lint() {
	command -v lintian > /dev/null || skip "lintian is missing"
	expect "what lintian says" "" \
		"$(lintian --allow-root --fail-on none "$packages"/*.deb 2>&1)"
}

runs() {
	as_user weft run pair -- ping -c 1 host1 > "$work/run.log" 2>&1 || {
		cat "$work/run.log"
		return 1
	}
	expect_match "ping" '1 received' "$(cat "$work/run.log")"
	expect_match "verdict" '^verdict: faithful$' "$(cat "$work/run.log")"
}

own_files() {
	local owner

	as_user sh -c '
		printf "%s\n" "name: own" "profile: ethernet-400g" \
			"generate: {kind: single-switch, hosts: 2}" > own.yaml
		weft run ./own.yaml --report own.json -q -- true'
	owner=$(stat -c %u "$root/home/user/own.json")
	rm "$root/home/user/"own.*
	expect "owner of the report" 1000 "$owner"
}

verbs() {
	expect "devices" "weft0" "$(as_user weft run ib-8 -q -- \
		weft exec host0 -- ls /sys/class/infiniband)"
}

knows_its_parts() {
	as_user weft doctor --json > "$work/doctor" || true
	expect "parts of weft that are there" "true true true true" \
		"$(jq -r '[.findings[] | select(.what |
		test("virtual machine|profiles")) | .found] | join(" ")' "$work/doctor")"
}

removed() {
	apt purge --autoremove weft
	files > "$work/after"
	expect "what is left, and what is gone" "" \
		"$(diff "$work/before" "$work/after")"
}

# --- weft-dkms ------------------------------------------------------------------

release() {
	(shopt -s nullglob
	set -- "$root"/usr/src/linux-headers-"$1".*-amd64
	echo "${1##*/linux-headers-}")
}

dkms_installs() {
	apt install --no-install-recommends /packages/weft-dkms.deb \
		linux-headers-amd64 linux-headers-6.12-amd64
	expect_match "status" '^weft/' "$(inside dkms status)"
}

# modules KERNEL - those that DKMS has for it
modules() {
	find "$root/lib/modules/$(release "$1")/updates/dkms" -name 'weft*.ko*' \
		-printf '%f\n' | sed 's/\.xz$//' | sort | tr '\n' ' '
}

dkms_builds() {
	local version

	version=$(inside dkms status | sed -n 's,^weft/\([^,: ]*\).*,\1,p' | head -n 1)
	inside dkms install -m weft -v "$version" -k "$(release "$1")" \
		> "$work/dkms.log" 2>&1 || {
		cat "$work/dkms.log" "$root"/var/lib/dkms/weft/*/build/make.log
		return 1
	}
	expect "modules" "weft.ko weft_rdma.ko " "$(modules "$1")"
}

# Without hardware virtualisation this takes half a minute.
dkms_loads() {
	local dir

	[ "$(release "$1")" = "$(tools/qemu/headers.sh --release "$1" 2> /dev/null)" ] ||
		skip "the headers installed here are not of $(release "$1")"
	dir=$root/lib/modules/$(release "$1")/updates/dkms
	tools/qemu/weft-qemu --kernel "$1" --timeout 200 -- sh -c "
		modprobe -a ib_uverbs rdma_cm &&
		insmod $dir/weft.ko* && insmod $dir/weft_rdma.ko* &&
		grep -q '^weft_rdma ' /proc/modules"
}

dkms_removed() {
	apt purge weft-dkms
	expect "files" "" "$(find "$root" -xdev -not -path "$root/packages/*" \
		-not -path "$root/var/log/*" -name '*weft*')"
}

[ "$(id -u)" -eq 0 ] || skip_all "needs root"
command -v debootstrap > /dev/null ||
	skip_all "debootstrap is missing: scripts/setup.sh packages installs it"
ls "$packages"/weft_*.deb "$packages"/weft-dkms_*.deb > /dev/null || exit 1
trap 'rm -rf "$work"' EXIT
machine

ktap_begin 13
t "lintian has nothing to say" clean_of_lint
t "weft installs" installs
t "an ordinary user runs a program on the virtual clock" runs
t "with files of one's own" own_files
t "nodes have RDMA devices" verbs
t "weft finds its parts" knows_its_parts
t "removal leaves nothing" removed
t "weft-dkms installs" dkms_installs
for kernel in 6.1 6.12; do
	t "DKMS builds the modules for $kernel" dkms_builds $kernel
	t "they load in $kernel" dkms_loads $kernel
done
t "removal of weft-dkms leaves nothing" dkms_removed
ktap_end
