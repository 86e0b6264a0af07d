#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The interface of verbs to processes, fuzzed by an ordinary user, while others
# send on the same device. Nothing hangs, others get all that is theirs, and
# afterwards the device works. That the kernel's log stays clean, and that nothing
# leaks, is what in_guest.sh adds.
#
# WEFT_FUZZ_SECONDS (10) is about how long it takes on each link layer, WEFT_FUZZ_SEED
# makes other commands. The same seed makes the same ones.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need setpriv ibv_rc_pingpong ss

program=$(built verbs_fuzz) || skip_all "verbs_fuzz is not built"
program=$(for_all "$program")/verbs_fuzz
# a kernel that checks itself takes ten times as long for each
rate=8000
[ ! -e /proc/lockdep ] || rate=2000
readonly rate commands=$((${WEFT_FUZZ_SECONDS:-10} * rate)) seed=${WEFT_FUZZ_SEED:-1}

# pingpong GID_INDEX MESSAGES - of which each is compared
pingpong() {
	pair 18515 ibv_rc_pingpong -g "$1" -c -n "$2"
}

# fuzz PROFILE GID_INDEX
fuzz() {
	local beside

	star "$1" 2
	pingpong "$2" $((2 * rate)) &
	beside=$!
	on host0 setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$program" weft0 "$(uverbs_of weft0)" "$2" "$commands" "$seed"
	wait $beside
	pingpong "$2" 10
}

ktap_begin 2
t "InfiniBand: $commands commands, seed $seed" fuzz ib-edr 0
t "Ethernet: $commands commands, seed $seed" fuzz ethernet-100g 1
ktap_end
