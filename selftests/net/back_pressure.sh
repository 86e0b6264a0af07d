#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A sender into a stopped receiver blocks, and loses nothing, with every lossless
# discipline.
. "$(dirname "$0")/lib.sh"
need tc

two_nodes
python3 "$net_dir/back_pressure.py"
