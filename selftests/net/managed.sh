#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# InfiniBand that the unmodified opensm manages: tools, failure of a link, standby.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"

need opensm ibnetdiscover iblinkinfo ibv_rc_pingpong ping pkill
[ "$clock" = virtual ] || skip_all "only the virtual clock repeats"
python3 "$net_dir/managed.py"
