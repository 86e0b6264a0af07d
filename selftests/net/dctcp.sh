#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The kernel's DCTCP holds the queue of a switch at K + N packets.
. "$(dirname "$0")/lib.sh"
need tc

[ "$clock" = virtual ] || skip_all "the fabric of this test has the clock of the machine"
grep -qw dctcp /proc/sys/net/ipv4/tcp_available_congestion_control ||
	skip_all "the kernel has no DCTCP"
python3 "$net_dir/dctcp.py"
