#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What RDMA costs beside the kernel's own rxe (Documentation/cost.rst): 8 bytes until they
# are seen take at most a third of its time, and writes of 64 KiB have at least 10 times its
# rate. The machine's clock counts instructions. The kernel around both is another one in each
# update, so 2 % more are not a failure.
. "$(dirname "$0")/../net/lib.sh"
need rdma modprobe

rows() {
	tools/bench/verbs.sh --windows 2 > "$tmp/rows"
	cat "$tmp/rows"
	expect "rows" 6 "$(grep -cE "^(weft|rxe) .* median" "$tmp/rows")"
}

# times A B - how many times B is A
times() {
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.4f\n", a / b }'
}

# best DEVICE WHAT - us (latency) or MB/s (bytes of a write)
best() {
	sed -nE "s/^$1 +$2 +([0-9.]+) .* best.*/\\1/p" "$tmp/rows"
}

until_seen() {
	expect_in "rxe's time, in ours" 2.94 10 "$(times "$(best rxe latency)" "$(best weft latency)")"
}

of_64_kib() {
	expect_in "our rate, in rxe's" 9.8 100 "$(times "$(best weft 65536)" "$(best rxe 65536)")"
}

ktap_begin 3
t "all are measured" rows
t "8 bytes" until_seen
t "writes of 64 KiB" of_64_kib
ktap_end
