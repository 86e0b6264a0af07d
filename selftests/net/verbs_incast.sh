#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# 32 RDMA writers into one port: with pauses, with credits, with DCQCN.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"

exact verbs_writers
python3 "$net_dir/verbs_incast.py"
