#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Workloads in a lab by weft send, by verbs and TCP, and the same in weft simulate.
. "$(dirname "$0")/lib.sh"

[ "$clock" = virtual ] || skip_all "only the virtual clock is exact"
[ -e "$(dirname "$(command -v weft)")/verbs/weft-verbs.so" ] ||
	skip_all "weft is built without libibverbs"
python3 "$net_dir/send.py"
