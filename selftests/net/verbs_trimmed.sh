#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# 32 RDMA writers into one port that trims, with "ordering: any".
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"

exact verbs_writers
python3 "$net_dir/verbs_trimmed.py"
