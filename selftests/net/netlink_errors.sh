#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every request that the kernel refuses is refused with the right error and a
# text that says what is wrong.
. "$(dirname "$0")/lib.sh"

python3 "$net_dir/netlink_errors.py"
