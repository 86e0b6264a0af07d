#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The same messages by verbs in a lab, and in weft simulate.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"

WEFT_VERBS_MESSAGES=$(built verbs_messages) || skip_all "verbs_messages is not built"
export WEFT_VERBS_MESSAGES
[ "$clock" = virtual ] || skip_all "only the virtual clock is exact"
python3 "$net_dir/verbs_simulated.py"
