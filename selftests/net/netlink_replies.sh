#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a socket cannot be told of, for want of room, is not there either.
. "$(dirname "$0")/lib.sh"

python3 "$net_dir/netlink_replies.py"
