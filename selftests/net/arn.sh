#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Adaptive routing over two ways, of which one is cut beyond the next switch. Without notices each
# other packet goes there and is lost, and the connection repeats it. With them what is lost is
# what was sent until a notice came, once in arn-hold.
#
# host0 and host1 are at a switch each, a and b. Between these are near and far. The link of far
# and b is down. A packet of 4096 bytes of a write has 4194 bytes on the wire.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need jq

[ "$clock" = virtual ] || skip_all "only the virtual clock is exact"
loss=$(built verbs_loss) || skip_all "verbs_loss is not built"

readonly MESSAGES=200 TIMEOUT=10
# ps that 16 packets of a write of 64 KiB take at 100 Gb/s
readonly LAW=$((16 * 4194 * 80))

# ways HOLD - routes are not repaired
ways() {
	up > /dev/null <<- END
		name: test
		profile: ethernet-100g
		lossless: false
		switch: {select: adaptive, arn-hold: $1, arn-queue: 1MiB}
		nic: {verbs: {ordering: any, reorder-time: 5us, congestion: none}}
		nodes: [{name: "host[0-1]"}]
		switches: [{name: a}, {name: b}, {name: near}, {name: far}]
		links:
		  - {ends: [host0, a]}
		  - {ends: [host1, b]}
		  - {ends: ["a", near]}
		  - {ends: ["a", far]}
		  - {ends: [near, b]}
		  - {ends: [far, b]}
	END
	weft fault add down "far>b" > /dev/null
}

# share - run, and print the part of the wire's speed that was reached
share() {
	awk -v law=$LAW -v found="$("$loss" host0 host1 $MESSAGES $TIMEOUT)" \
		'BEGIN { printf "%.3f\n", law / found }'
}

# told SWITCH WHICH - notices that it sent or heard
told() {
	weft show switches --json | jq ".[] | select(.name == \"$1\") | .arn_$2"
}

lost() {
	weft report --json | jq .dropped
}

without() {
	local part

	ways 0s
	part=$(share)
	echo "$part of the wire, $(lost) lost"
	awk -v x="$part" 'BEGIN { exit !(x < 0.6) }'
	[ "$(lost)" -gt $((MESSAGES * 16 / 2)) ]
	down > /dev/null
}

# One notice a round: the run takes some 1.1 ms, and a notice holds 200 us.
with() {
	local part sent

	ways 200us
	part=$(share)
	sent=$(told far sent)
	echo "$part of the wire, $(lost) lost, $sent notices"
	awk -v x="$part" 'BEGIN { exit !(x > 0.9) }'
	expect "heard" "$sent" "$(told a heard)"
	[ "$sent" -ge 5 ] && [ "$sent" -le 8 ]
	[ "$(lost)" -le $((6 * sent)) ]
	expect "sent by the others" "0 0" "$(told near sent) $(told b sent)"
	down > /dev/null
}

ktap_begin 2
t "a link that is down beyond the next switch" without
t "the same with notices" with
ktap_end
