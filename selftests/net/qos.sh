#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Priorities, ECN and trimming, from one socket to the other.
. "$(dirname "$0")/lib.sh"

two_nodes
python3 "$net_dir/qos.py"
