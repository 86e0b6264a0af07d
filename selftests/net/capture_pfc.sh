#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A captured link of Ethernet with PFC, as tshark reads it.
. "$(dirname "$0")/lib.sh"
need tshark

[ "$clock" = virtual ] || skip_all "exact on the virtual clock only"
python3 "$net_dir/capture_pfc.py"
