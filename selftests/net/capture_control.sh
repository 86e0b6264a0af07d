#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Control frames in captures: pauses, credits and flits, and who is refused.
. "$(dirname "$0")/lib.sh"

[ "$clock" = virtual ] || skip_all "the fabric of this test has the clock of the machine"
mkdir -p /run/netns
for node in a b; do
	ip netns add $node || exit 1
	# nothing but the test's own packets
	ip netns exec $node sysctl -eqw net.ipv6.conf.default.disable_ipv6=1
done
trap 'ip netns del a; ip netns del b; cleanup' EXIT
python3 "$net_dir/capture_control.py"
