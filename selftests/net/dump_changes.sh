#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A dump that is read in parts tells of what was set between two of them.
. "$(dirname "$0")/lib.sh"
need dcb devlink

mkdir -p /run/netns
ip netns add a && ip netns add b || exit 1
trap 'ip netns del a; ip netns del b; cleanup' EXIT
python3 "$net_dir/dump_changes.py"
