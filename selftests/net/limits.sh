#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Memory that users without privileges may use, and what counts as such.
. "$(dirname "$0")/lib.sh"
need unshare

readonly memory=/proc/sys/net/weft/user_memory
readonly ENTRY=4096	# bytes of the entry in sysfs of a NIC
was=$(cat $memory)
readonly was

# leave - at the end of a test: the limit is as before, the NICs are gone
leave() {
	local i

	echo "$was" > $memory
	for i in $(seq 20); do
		ip link del "n$i" 2> /dev/null || true
	done
}

# limited COMMAND... - with memory for 16 NICs and a half
limited() {
	trap leave EXIT
	echo $((ENTRY * 33 / 2)) > $memory
	"$@"
}

# made - how many of 20 NICs a user can make in a namespace of his own, and why not more
made() {
	# shellcheck disable=SC2016 # the shell in the namespace expands
	unshare -Urn sh -c 'for i in $(seq 20); do
		ip link add "n$i" type weft 2> "$1" || break
	done
	ip -o link show type weft | wc -l' sh "$tmp/why"
}

# given_back - the next user has as many: the kernel ends a namespace some time after
# its last process
given_back() {
	[ "$(made)" = 16 ]
}

nics() {
	expect "NICs" 16 "$(made)"
	expect_match "reason" \
		"users have as much memory as net.weft.user_memory allows" \
		"$(cat "$tmp/why")"
	slowwait 5 given_back
}

# The first user namespace is not limited, nor does it use up what users have.
privileged() {
	local i

	for i in $(seq 20); do
		ip link add "n$i" type weft
	done
	expect "NICs of a user" 16 "$(made)"
}

ktap_begin 2
t "NICs that are attached to nothing" limited nics
t "NICs of the first namespace do not count" limited privileged
ktap_end
