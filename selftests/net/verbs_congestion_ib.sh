#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# InfiniBand congestion control: delays of the table, and how often it is notified.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"

need ibccquery ibccconfig

exact verbs_writers
python3 "$net_dir/verbs_congestion_ib.py"
