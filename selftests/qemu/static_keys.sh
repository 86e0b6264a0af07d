#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Static keys are switched on one CPU while another executes the instructions that change:
# the kernel's for timestamps of packets, with the first socket that wants some and after
# the last, and the module's for trails, with the first trail of any fabric and after
# the last. The kernel must not die of it, nor of what the emulator makes of it (see
# Documentation/testing.rst, "Stale breakpoints").
#
#	host0 -- leaf -- host1		400 Gb/s, so 400 Mb/s of this machine
WEFT_TEST_CLOCK=real/1000
. "$(dirname "$0")/../net/lib.sh"
need python3 ping taskset

# traffic - over both keys, on CPU 1, for as long as the test switches them
traffic() {
	while [ -e "$tmp/go" ]; do
		on host0 taskset -c 1 ping -q -f -c 200 host1 || return 1
	done > "$tmp/ping"
}

# kernel - a socket that wants timestamps, 3,000 times
kernel() {
	taskset -c 0 python3 - <<-'END'
		import socket
		SO_TIMESTAMP = 29
		for _ in range(3000):
		    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
		        sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMP, 1)
	END
}

# module - a trail begins, and ends with its socket, 300 times
module() {
	taskset -c 0 python3 - "$net_dir" <<-'END'
		import sys
		sys.path.insert(0, sys.argv[1])
		from netlink import Weft
		for _ in range(300):
		    ear = Weft()
		    ear.do("trail-start", {"fabric": 0})
		    ear.socket.close()
	END
}

# switched NAME - packets cross the instructions all the while, and none is lost
switched() {
	local pid

	touch "$tmp/go"
	traffic &
	pid=$!
	"$1"
	rm "$tmp/go"
	wait $pid
	tail -n 2 "$tmp/ping"
	expect "losses" "" "$(grep "packet loss" "$tmp/ping" | grep -v " 0% packet loss" || true)"
}

topology 400Gbps 2 | up > /dev/null || exit 1
ktap_begin 2
t "the kernel's own, 3,000 times" switched kernel
t "the module's, 300 times" switched module
ktap_end
