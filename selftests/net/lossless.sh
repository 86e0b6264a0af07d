#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# UDP and TCP into receivers that are stopped or slow, on profiles as they ship.
. "$(dirname "$0")/lib.sh"
need tc

[ "$clock" = virtual ] || skip_all "exact on the virtual clock only"
python3 "$net_dir/lossless.py"
