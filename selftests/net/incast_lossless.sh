#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# 64 TCP flows into one port: nothing is lost with pauses, with credits and with
# flits; without, but with the same buffer, something is.
. "$(dirname "$0")/lib.sh"
need tc

[ "$clock" = virtual ] || skip_all "the fabric of this test has the clock of the machine"
python3 "$net_dir/incast_lossless.py"
