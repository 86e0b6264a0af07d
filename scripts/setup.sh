#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Install what is missing on a Debian 12 machine.
#
# usage: setup.sh [--print] [GROUP]...
#
# GROUP is one of build, vm, run, check, qemu, packages; without one, all of them
# but the last, which is for "make deb" and "make package-check".
# --print shows the command instead of running it. When nothing is missing,
# nothing happens, and no privilege is needed.
set -eu

# To compile user space.
build="build-essential pkg-config libnl-3-dev libnl-genl-3-dev libcyaml-dev
libyaml-dev libjansson-dev libncurses-dev libevent-dev libprotobuf-c-dev
protobuf-c-compiler kmod"

# To compile the kernel of the virtual machine.
vm="build-essential linux-source-6.12 flex bison bc xz-utils patch perl cpio
kmod libelf-dev rsync"

# To run the demo and the programs that the tests run.
run="openmpi-bin libopenmpi-dev mpich libmpich-dev iperf3 iproute2 ethtool
tcpdump tmux iputils-ping strace procps jq python3 rdma-core ibverbs-providers ibverbs-utils rdmacm-utils
infiniband-diags opensm ibutils perftest ucx-utils libfabric-bin libibverbs-dev librdmacm-dev"

# To check the sources, what captures hold and what pages show. (Chromium takes
# 370 MB; without it the tests of pages are skipped.)
check="tshark python3-yaml python3-jsonschema python3-torch sparse cppcheck shellcheck codespell
clang clang-tidy libclang-rt-14-dev xz-utils perl git python3-docutils mandoc
bash-completion zsh bsdextrautils libxml2-utils chromium
linux-headers-amd64 linux-headers-6.12-amd64"

# To run the tests on Debian's own kernels. (The headers of 6.12 bring its image.)
qemu="qemu-system-x86 busybox-static cpio kmod xz-utils zstd linux-headers-amd64
linux-headers-6.12-amd64 fio rpcbind nfs-kernel-server"

# To make Debian packages, and to try them on a clean machine.
packages="debhelper dh-dkms python3-docutils lintian debootstrap jq"

usage() {
	echo "usage: setup.sh [--print] [build|vm|run|check|qemu|packages]..." >&2
	exit 1
}

fail() {
	echo "setup.sh: $*" >&2
	exit 1
}

packages_of() {
	case $1 in
	build) echo "$build" ;;
	vm) echo "$vm" ;;
	run) echo "$run" ;;
	check) echo "$check" ;;
	qemu) echo "$qemu" ;;
	packages) echo "$packages" ;;
	*) usage ;;
	esac
}

# wanted GROUP... - packages of the groups, each once, one a line
wanted() {
	for group in "$@"; do
		packages_of "$group"
	done | tr -s ' \t\n' '\n' | sort -u
}

# missing PACKAGE... - those that are not installed, on one line
missing() {
	dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2> /dev/null |
		awk -v want="$*" '
			$2 == "installed" { have[$1] = 1 }
			END {
				n = split(want, p, " ")
				for (i = 1; i <= n; i++)
					if (!(p[i] in have))
						printf "%s%s", sep++ ? " " : "", p[i]
			}'
}

# as_root COMMAND... - run it with root's privileges
as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

# watch LOG PACKAGES - while apt works: how many of the packages are there, and its last words
watch() {
	begin='' end='\n' period=4 seconds=0
	[ ! -t 2 ] || { begin='\r' end='\033[K' period=1; }
	while sleep $period; do
		seconds=$((seconds + period))
		# shellcheck disable=SC2059,SC2086 # the ends are formats; a list of words
		printf "$begin  %3d s, %d packages missing: %.50s$end" $seconds \
			"$(missing $2 | wc -w)" "$(tail -n 1 "$1")" >&2
	done
}

# told COMMAND... - say how far apt is; what it said itself only if it fails
told() {
	log=$(mktemp)
	watch "$log" "$lack" &
	watcher=$!
	trap 'kill $watcher 2> /dev/null || true; rm -f "$log"' EXIT
	code=0
	"$@" > "$log" 2>&1 || code=$?
	kill $watcher 2> /dev/null || true
	wait $watcher 2> /dev/null || true
	trap - EXIT
	[ ! -t 2 ] || printf '\r\033[K' >&2
	[ $code -eq 0 ] || tail -n 30 "$log" >&2
	rm -f "$log"
	return $code
}

# apt COMMAND... - what the image of a kernel needs to boot is left out where none boots from
# /boot: in a container. It took two thirds of the time.
apt() {
	told as_root env DEBIAN_FRONTEND=noninteractive INITRD="$initrd" apt-get -q -y \
		-o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" < /dev/null
}

# known PACKAGE... - whether apt could install them as its lists stand
known() {
	apt-get -qq --simulate --no-install-recommends install "$@" \
		> /dev/null 2>&1
}

# install PACKAGE... - with fresh lists only where the old ones do not serve
install() {
	if known "$@" && apt --no-install-recommends install "$@"; then
		return 0
	fi
	echo "setup.sh: refreshing the package lists"
	apt update || echo "setup.sh: not all lists could be read" >&2
	apt --no-install-recommends install "$@" ||
		fail "apt-get could not install: $*"
}

print=
if [ "${1:-}" = --print ]; then
	print=1
	shift
fi
[ $# -gt 0 ] || set -- build vm run check qemu

for group in "$@"; do
	packages_of "$group" > /dev/null
done

command -v dpkg-query > /dev/null ||
	fail "this machine has no dpkg; on Debian 12 the packages would be: $(wanted "$@" | tr '\n' ' ')"

list=$(wanted "$@")
# shellcheck disable=SC2086 # a list of words
lack=$(missing $list)

if [ "$print" ]; then
	[ -z "$lack" ] || echo "apt-get install --no-install-recommends $lack"
	exit 0
fi
[ "$lack" ] || exit 0

initrd=No
for image in /boot/vmlinuz-* /boot/grub /boot/loader; do
	[ ! -e "$image" ] || initrd=Yes
done

echo "setup.sh: installing $lack"
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo > /dev/null ||
		fail "packages are missing and neither root nor sudo is at hand; as root, run: apt-get install $lack"
	# a password is asked for before there is a line of progress
	[ ! -t 0 ] || sudo -v || true
fi
# shellcheck disable=SC2086 # a list of words
install $lack
