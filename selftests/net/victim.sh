#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Who shares a class with those who wait gets C / n; a class of its own is a way
# around them.
. "$(dirname "$0")/lib.sh"
need iperf3 tc

[ "$clock" = virtual ] || skip_all "exact on the virtual clock only"
python3 "$net_dir/victim.py"
