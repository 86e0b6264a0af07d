#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Control frames in captures: pauses, credits and flits, and who is refused.
. "$(dirname "$0")/lib.sh"

two_nodes
python3 "$net_dir/capture_control.py"
