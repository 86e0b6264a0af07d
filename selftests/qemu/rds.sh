#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reliable Datagram Sockets, unmodified, over RoCE. The kernel's RDS over RDMA knows the
# initial namespace only, so two nodes are its ends there. What is sent is compared, and the
# counters of verbs say that it went as RDMA.
. "$(dirname "$0")/../net/lib.sh"
# shellcheck source=../net/lib_verbs.sh
. "$net_dir/lib_verbs.sh"
# shellcheck source=../net/lib_storage.sh
. "$net_dir/lib_storage.sh"
need jq rdma
modules rds_rdma

program=$(dirname "$0")/rds.py
readonly program blocks=64

sent() {
	weft show verbs --json | jq 'map(.tx_bytes) | add'
}

# exchanged - all blocks arrive as they were; headers of RDS and RoCE are 3 % of a fragment of
# 4 KiB, and there are acknowledgements
exchanged() {
	local before bytes=$((blocks * 32768))

	before=$(sent)
	timeout 100 python3 "$program" serve 10.0.0.2 $blocks > "$tmp/server" 2>&1 &
	slowwait 20 grep -q ready "$tmp/server"
	timeout 100 python3 "$program" send 10.0.0.1 10.0.0.2 $blocks > "$tmp/client" 2>&1 || {
		cat "$tmp/server" "$tmp/client"
		return 1
	}
	wait $!
	expect "sender" "$blocks blocks" "$(cat "$tmp/client")"
	expect_in "bytes by verbs" $bytes $((bytes * 110 / 100)) $(($(sent) - before))
}

# gone - RDS leaves its devices
gone() {
	modprobe -r rds_rdma
	weft down > /dev/null
}

hosts ethernet-100g 2
ends host0 host1

ktap_begin 2
t "datagrams arrive as they were sent" exchanged
t "RDS goes" gone
ktap_end
