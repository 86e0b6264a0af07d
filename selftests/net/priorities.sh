#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two pairs of iperf3 with a DSCP each: the one that is stopped gets nothing, the
# other one the line rate.
. "$(dirname "$0")/lib.sh"
need iperf3 dcb tc

[ "$clock" = virtual ] || skip_all "exact on the virtual clock only"
python3 "$net_dir/priorities.py"
