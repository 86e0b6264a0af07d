#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The devlink tool of iproute2 shows each switch, its ports and its buffer, and
# sets what the buffer may hold.
. "$(dirname "$0")/lib.sh"
need devlink tc

[ "$clock" = virtual ] || skip_all "the fabric of this test has the clock of the machine"
mkdir -p /run/netns
ip netns add a && ip netns add b || exit 1
trap 'ip netns del a; ip netns del b; cleanup' EXIT
python3 "$net_dir/devlink.py"
