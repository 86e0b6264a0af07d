#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The training step of Documentation/tutorials, on ib-8: 4 layers of 1 MiB, 500 us of
# compute for each.
#
# In an all-reduce between n ranks each of them sends and receives 2 (n - 1) / n of the
# data at least: for 8 ranks and 1 MiB at 400 Gb/s 36.7 us, at 100 Gb/s 146.8 us. So the
# serial step takes 2 ms and four times as much, and by the slow cable four times that.
# Over sockets messages travel while a rank computes: the other step is shorter, and
# not shorter than compute and the last layer's messages.
cd "$(dirname "$0")/../.." || exit 1
. selftests/ktap.sh

weft=build/user/weft
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# us STEP WHAT - what the program printed, in us
us() {
	awk -v step="$1" -v what="$2" '$1 == step {
		for (i = 2; i <= NF; i++)
			if ($i == what)
				print int($(i + 1) * 1000 + 0.5)
		if (what == "step")
			print int($2 * 1000 + 0.5)
	}' "$tmp/out"
}

# train LEAST [OPTION]... - the messages of a layer take LEAST us at least
train() {
	local least=$1

	shift
	mpicc -O2 -Wall -Wextra -Werror -o "$tmp/train_step" \
		Documentation/tutorials/train_step.c || return
	$weft run -q ib-8 --clock virtual "$@" --mpi -- "$tmp/train_step" 4 1 500 \
		> "$tmp/out" || return
	cat "$tmp/out"
	expect "compute" 2000 "$(us serial compute)"
	expect_in "exposed, serial" $((4 * least)) $((12 * least)) "$(us serial exposed)"
	expect_in "step, overlap" $((2000 + least)) "$(us serial step)" "$(us overlap step)"
}

slow_cable() {
	cat > "$tmp/slow.yaml" <<- END
		name: slow
		timeline: [{at: 0ms, fault: rate, on: host3, rate: 100Gbps}]
	END
	train 146 --scenario "$tmp/slow.yaml"
}

refused() {
	mpicc -O2 -o "$tmp/train_step" Documentation/tutorials/train_step.c
	"$tmp/train_step" 4 0 500 > "$tmp/out" 2>&1 && return 1
	expect "words" 'train_step: "0" is not a number from 1 to 64' "$(cat "$tmp/out")"
}

command -v mpicc > /dev/null || skip_all "mpicc is missing: scripts/setup.sh run installs it"
ktap_begin 3
t "a training step" train 36
t "a slow cable" slow_cable
t "a number that is none" refused
ktap_end
