#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# IP over InfiniBand between all pairs of nodes, on four topologies that opensm manages.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"

need opensm ip
[ "$clock" = virtual ] || skip_all "the real clock waits for the subnet manager"
modinfo ib_ipoib > /dev/null 2>&1 || skip_all "this kernel has no module ib_ipoib"
python3 "$net_dir/ipoib.py" pairs
