#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Verbs that only the kernel has: the local DMA key, fast registration, local and remote
# invalidation, ib_drain_qp(). The tests are those of weft_verbs_test.ko, see
# kernel/tests/verbs. They run between two hosts: over InfiniBand, over Ethernet, and
# over a link with bit errors, where packets are sent again and no request may be
# executed twice.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need jq

readonly module=$WEFT_MODULES/weft_verbs_test.ko
[ -e "$module" ] || skip_all "weft_verbs_test.ko is not built"

# run NAME [PARAMETER]... - load the module where a lab is up; results go to $tmp/NAME
run() {
	local name=$1

	shift
	dmesg -C
	insmod "$module" "devices=$(rdma_device host0),$(rdma_device host1)" \
		"$@" && rmmod weft_verbs_test
	dmesg | sed -n 's/.*weft_verbs_test: //p' > "$tmp/$name"
	weft show verbs --json | jq '.[0].retransmitted' > "$tmp/$name.again"
	down > /dev/null
}

# holds NAME NUMBER - was that test passed? If not, what the module said before
holds() {
	grep -q "^ok $2 " "$tmp/$1" && return
	awk -v n="$2" '/^(not )?ok / { if ($2 == n || $3 == n) exit; text = ""; next }
		{ text = text $0 "\n" } END { printf "%s", text }' "$tmp/$1"
	return 1
}

# complete NAME - did the module come to its end?
complete() {
	expect_match "the last line" '^1\.\.[1-9]' "$(tail -n 1 "$tmp/$1")"
}

hosts ib-edr 2
run ib-edr
hosts ethernet-100g 2
run ethernet-100g
up > /dev/null <<- END
	name: test
	profile: ib-edr
	lossless: false
	nodes: [{name: "host[0-1]"}]
	links: [{ends: [host0, host1], ber: 1e-6}]
END
run lossy lossy=1 rounds=300

ktap_begin $(($(cat "$tmp"/{ib-edr,ethernet-100g,lossy} | grep -cE '^(not )?ok ') + 4))
for name in ib-edr ethernet-100g lossy; do
	while read -r number text; do
		t "$name: $text" holds "$name" "$number"
	done <<< "$(sed -nE 's/^(not )?ok //p' "$tmp/$name")"
	t "$name: all tests were run" complete "$name"
done
t "lossy: packets were sent again" expect_in again 20 1e6 "$(cat "$tmp/lossy.again")"
ktap_end
