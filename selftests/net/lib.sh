# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What the tests of this directory share. They run as root where weft.ko is
# loaded: in the virtual machine, in the emulated one, or on a real one.

net_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly net_dir
# shellcheck source=../ktap.sh
. "$net_dir/../ktap.sh"

PATH=$net_dir/../../build/user:$PATH
export WEFT_SHARE=${WEFT_SHARE:-$(cd "$net_dir/../../user/share" && pwd)}
# bytes compiled by other runs have no place in a reproducible one
export PYTHONDONTWRITEBYTECODE=1

tmp=$(mktemp -d)

# The clock: virtual in the virtual machine, elsewhere what the caller says.
clock=${WEFT_TEST_CLOCK:-real/1000}
clock_option=(--clock "$clock")
if grep -q time-travel=inf-cpu /proc/cmdline; then
	clock=virtual
	clock_option=()
fi
readonly clock clock_option

need() {
	local tool

	for tool in "$@"; do
		command -v "$tool" > /dev/null || skip_all "$tool is missing"
	done
}

# built PROGRAM - where a program of this directory is
built() {
	(cd "$net_dir" && realpath -e "../../build/selftests/$1" "./$1" 2> /dev/null) |
		head -n 1 | grep .
}

# for_all FILE... - a directory with copies that every user may read: the tree may lie below a
# home that is open to its owner only
for_all() {
	chmod 711 "$tmp"
	mkdir -p "$tmp/for_all"
	cp "$@" "$tmp/for_all"
	chmod -R a+rX "$tmp/for_all"
	echo "$tmp/for_all"
}

# cleanup - called at the end, whatever the end is
cleanup() {
	local left

	left=$(jobs -p)
	# shellcheck disable=SC2086 # a list of numbers
	[ -z "$left" ] || kill $left 2> /dev/null
	weft down > /dev/null 2>&1
	rm -rf "$tmp"
}

[ "$(id -u)" -eq 0 ] || skip_all "not root"
[ -e /sys/module/weft ] || skip_all "weft.ko is not loaded"
need weft ip python3
trap cleanup EXIT
trap 'exit 1' INT TERM

# up [ARGUMENT]... - bring the topology on standard input up
up() {
	cat > "$tmp/topology.yaml"
	weft up "$tmp/topology.yaml" "${clock_option[@]}" "$@"
}

# down - take away what is up, if anything is
down() {
	weft down --all
}

# on NODE COMMAND... - run a command in a node
on() {
	weft exec "$1" -- "${@:2}"
}

# topology RATE NODES [LINE]... - a switch and its nodes
topology() {
	local line rate=$1 last=$(($2 - 1))

	shift 2
	echo "name: test"
	echo "profile: ethernet-400g"
	for line in "$@"; do
		echo "$line"
	done
	echo "nodes: [{name: \"host[0-$last]\", mtu: 9000}]"
	echo "switches: [{name: leaf}]"
	echo "links: [{ends: [\"host[0-$last]\", leaf], rate: $rate}]"
}

# two_nodes - the namespaces a and b, with nothing but the test's own packets,
# until the end; for a fabric that the test makes by itself
two_nodes() {
	local node

	[ "$clock" = virtual ] || skip_all "the fabric of this test has the clock of the machine"
	mkdir -p /run/netns
	for node in a b; do
		ip netns add $node || exit 1
		ip netns exec $node sysctl -eqw net.ipv6.conf.default.disable_ipv6=1
	done
	trap 'ip netns del a; ip netns del b; cleanup' EXIT
}

# refuses CODE REGEX ARGUMENT... - weft does, with that exit code and reason
refuses() {
	local want=$1 text=$2 code=0

	shift 2
	weft "$@" > /dev/null 2> "$tmp/err" || code=$?
	expect "exit code of weft $*" "$want" $code
	expect_match "weft $*" "$text" "$(cat "$tmp/err")"
}

# address NODE - its first address
address() {
	on "$1" ip -4 -o addr show scope global |
		awk '{ sub(/\/.*/, "", $4); print $4; exit }'
}

# device NODE - its first NIC
device() {
	on "$1" ip -o link show type weft | awk -F '[ :@]+' '{ print $2; exit }'
}

# drawn WHAT MEAN FOUND - how often something was drawn that is drawn independently
# each time. By Bernstein's inequality a number further than t from its mean m comes
# with less than 2 exp(-t^2 / (2 m + 2 t / 3)); that is 2 exp(-L) where
# t = L / 3 + sqrt(L^2 / 9 + 2 L m), and with L = 22 it is 6e-10.
drawn() {
	awk -v what="$1" -v m="$2" -v x="$3" 'BEGIN {
		L = 22
		t = L / 3 + sqrt(L * L / 9 + 2 * L * m)
		if (x == x + 0 && x >= m - t && x <= m + t) exit 0
		print what ": expected " m " +- " t ", got \"" x "\""
		exit 1
	}'
}

# slowwait SECONDS COMMAND... - until the command succeeds; it sleeps between
# two attempts, as time that nobody sleeps through does not pass here
slowwait() {
	local left=$(($1 * 100)) pause=0.001

	shift
	until "$@"; do
		left=$((left - 1))
		[ $left -gt 0 ] || {
			echo "not in time: $*"
			return 1
		}
		# most are there at once; what goes on meanwhile takes real time
		sleep "$pause"
		pause=0.01
	done
}

# listening NODE PORT - whether a program there waits for connections
listening() {
	[ -n "$(on "$1" ss -Hltn "sport = :$2")" ]
}

# traffic_over - whether all generators have sent what they had to
traffic_over() {
	[ "$(weft traffic list --json | jq -c 'map(.state) | unique')" = '["over"]' ]
}

# listens NODE PORT - whether a TCP server is there
listens() {
	on "$1" ss -Hltn "sport = :$2" | grep -q .
}

# is_free NODE PORT - whether no TCP server is there
is_free() {
	! listens "$@"
}

# serve NODE - an iperf3 server for one client, in the background
serve() {
	slowwait 5 is_free "$1" 5201
	on "$1" iperf3 -s -1 -p 5201 > "$tmp/server.$1" 2>&1 &
	slowwait 5 listens "$1" 5201
}
