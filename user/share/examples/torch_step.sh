#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# torch_step.py on the nodes host0, host1, ... of a lab.
#
# usage: weft run ib-8 -- torch_step.sh RANKS [WIDTH [STEPS]]
set -eu

ranks=${1:?usage: torch_step.sh RANKS [WIDTH [STEPS]]}
shift
program=$(dirname "$0")/torch_step.py
pids=
rank=1
while [ "$rank" -lt "$ranks" ]; do
	weft exec "host$rank" -- /usr/bin/python3 "$program" "$rank" "$ranks" host0 "$@" &
	pids="$pids $!"
	rank=$((rank + 1))
done
weft exec host0 -- /usr/bin/python3 "$program" 0 "$ranks" host0 "$@"
for pid in $pids; do
	wait "$pid"
done
