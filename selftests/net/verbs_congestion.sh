#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# DCQCN: the rate after one notification, and shares of one port.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"

exact verbs_writers
python3 "$net_dir/verbs_congestion.py"
