#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A sender into a stopped receiver blocks, and loses nothing, with every lossless
# discipline.
. "$(dirname "$0")/lib.sh"
need tc

[ "$clock" = virtual ] || skip_all "the fabric of this test has the clock of the machine"
mkdir -p /run/netns
ip netns add a && ip netns add b || exit 1
trap 'ip netns del a; ip netns del b; cleanup' EXIT
python3 "$net_dir/back_pressure.py"
