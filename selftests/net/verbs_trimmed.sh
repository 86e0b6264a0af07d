#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# 32 RDMA writers into one port that trims, with "ordering: any".
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"

WEFT_VERBS_WRITERS=$(built verbs_writers) || skip_all "verbs_writers is not built"
export WEFT_VERBS_WRITERS
[ "$clock" = virtual ] || skip_all "only the virtual clock is exact"
python3 "$net_dir/verbs_trimmed.py"
