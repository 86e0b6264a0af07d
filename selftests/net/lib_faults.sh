# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What tests of faults and of traffic share, on top of lib.sh: a fault, and figures
# of programs between host0 and host1. $writes says how many messages ib_write_bw
# sends, of 64 KiB each.
# shellcheck disable=SC2154 # what lib.sh and the test have set

# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need jq ping iperf3 ib_write_bw

[ "$clock" = virtual ] || skip_all "only the virtual clock is exact"

# rtt - us, of one ping
rtt() {
	on host0 ping -c 1 -W 1 host1 | sed -n 's/.*time=\([0-9.]*\) ms.*/\1/p' |
		awk '{ printf "%.0f\n", $1 * 1000 }'
}

# gbps - of iperf3
gbps() {
	serve host1
	on host0 iperf3 -c host1 -n 20M --json |
		jq '.end.sum_received.bits_per_second / 1e9'
	wait
}

# write_gbps - of ib_write_bw
write_gbps() {
	perftest ib_write_bw -s 65536 -n "$writes" --report_gbits | awk '{ print $4 }'
}

# as_before BEFORE AFTER - a figure of perftest's, which rounds to hundredths after it
# has measured how fast its clock is, and so not always to the same one
as_before() {
	within 0 "$1" "$2" 0.011
}

# counter NAME - of host0's verbs
counter() {
	weft show verbs --json | jq ".[0].$1"
}

# counted NAME - a counter of all RDMA devices
counted() {
	weft show verbs --json | jq "map(.$1) | add"
}

# pingpong [ARGUMENT]... - of ibv_rc_pingpong from host0 to host1, in $tmp/client and
# $tmp/server; $gid is the index of their addresses, none with LIDs
pingpong() {
	set -- timeout 8 ibv_rc_pingpong ${gid:+-g "$gid"} "$@"
	on host1 "$@" > "$tmp/server" 2>&1 &
	slowwait 5 listens host1 18515
	on host0 "$@" "$(address host1)" > "$tmp/client" 2>&1 ||
		{ kill %% 2> /dev/null; wait; return 1; }
	wait
}

# inject ARGUMENT... - a fault, whose number is in $fault
inject() {
	fault=$(weft fault add "$@" --json | jq .id)
	[ -n "$fault" ]
}

# remove - that fault
remove() {
	weft fault del "$fault" > /dev/null
}

# did KEY - what the fault in $fault did
did() {
	weft fault list --json | jq ".[] | select(.id == $fault) | .$1"
}

# between LEAST FOUND MOST
between() {
	expect_in "figure" "$1" "$3" "$2"
}
