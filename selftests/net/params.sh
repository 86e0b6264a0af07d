#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# All parameters of switches, links and NICs can be read as they were set, and
# set as they were read.
. "$(dirname "$0")/lib.sh"

python3 "$net_dir/params.py"
