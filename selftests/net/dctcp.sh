#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The kernel's DCTCP holds the queue of a switch at K + N packets.
. "$(dirname "$0")/lib.sh"
need tc

[ "$clock" = virtual ] || skip_all "the fabric of this test has the clock of the machine"
python3 "$net_dir/dctcp.py"
