#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Rings of switches that deadlock, what breaks that, and rings that do not.
. "$(dirname "$0")/lib.sh"
need tc

[ "$clock" = virtual ] || skip_all "the fabric of this test has the clock of the machine"
python3 "$net_dir/deadlock.py"
