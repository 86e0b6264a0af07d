#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Kinds of spinning that are hard to tell from work, beside those of polling.sh.
. "$(dirname "$0")/lib.sh"
need ping jq

[ "$clock" = virtual ] || skip_all "the virtual clock only"
spin=$(cd "$net_dir" && realpath -e ../../build/selftests/spin ./spin 2> /dev/null | head -n 1)
[ -x "$spin" ] || skip_all "spin is not built"

# With less than 10 ms between packets ping waits by reading without blocking,
# yielding and asking for the time.
ping_polls() {
	on host0 ping -q -c 5 -i 0.002 host1 > "$tmp/ping"
	expect_match "result" '5 received, 0% packet loss' "$(cat "$tmp/ping")"
}

# A loop that counts never repeats a state, so nothing proves that it waits: it
# is interrupted after ten seconds of real time, and the verdict says so.
forced() {
	local verdict

	on host0 "$spin" counter 1 > /dev/null
	verdict=$(weft report --json | jq -r '.verdict.reasons[]')
	expect_match "verdict" '(^| )spin(,| )' "$verdict"
}

topology 100Gbps 2 | up > /dev/null || exit 1
ktap_begin 2
t "ping that polls" ping_polls
t "a loop that counts is named in the verdict" forced
ktap_end
