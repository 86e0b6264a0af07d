#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The dcb tool of iproute2 reads and sets a NIC, and its traffic feels it.
. "$(dirname "$0")/lib.sh"
need dcb ethtool tc

[ "$clock" = virtual ] || skip_all "the fabric of this test has the clock of the machine"
mkdir -p /run/netns
ip netns add a && ip netns add b || exit 1
trap 'ip netns del a; ip netns del b; cleanup' EXIT
python3 "$net_dir/dcb.py"
