#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The same messages by verbs in a lab, and in weft simulate.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"

exact verbs_messages
python3 "$net_dir/verbs_simulated.py"
