#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# IP over InfiniBand in the nodes of a lab, and the connection manager of RDMA over it,
# where opensm manages.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"

need opensm rping udaddy ib_send_bw fi_pingpong iperf3 rdma ip
[ "$clock" = virtual ] || skip_all "only the virtual clock is exact"
modinfo ib_ipoib > /dev/null 2>&1 || skip_all "this kernel has no module ib_ipoib"
python3 "$net_dir/ipoib.py"
