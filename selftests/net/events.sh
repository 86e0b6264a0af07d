#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The family's multicast group tells of each change of a fabric.
. "$(dirname "$0")/lib.sh"

python3 "$net_dir/events.py"
