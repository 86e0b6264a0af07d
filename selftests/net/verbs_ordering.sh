#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Verbs over paths that reorder and lose packets, with "ordering: any": as fast as
# the wire, nothing repeated in vain, each byte at its place.
#
# host0 and host1 are at a switch each. Between the switches are 8 links, which
# packets take in turn. The first is the shortest, each of the others 1 us longer than
# the one before: a packet may come 7 us later than one that was sent after it, and
# so may an acknowledgement. The reorder time is 20 us. With 64 links each is 125 ns
# longer, so a packet may come 7.9 us later.
#
# A packet of 4096 bytes has F = 4178 bytes on the wire, and a write's has a RETH of
# 16 more: all of them with "any", the first of 16 with "strict".
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need jq

[ "$clock" = virtual ] || skip_all "only the virtual clock is exact"
loss=$(built verbs_loss) || skip_all "verbs_loss is not built"
order=$(built verbs_order) || skip_all "verbs_order is not built"

readonly MESSAGES=400 TIMEOUT=10
# ps that 16 packets of a write of 64 KiB take at 100 Gb/s
readonly ANY=$((16 * (4178 + 16) * 80)) STRICT=$(((16 * 4178 + 16) * 80))

# paths ORDERING BER BER1 [LINKS [CONGESTION]] - BER is that of all links, BER1 that of the
# second path
paths() {
	local i links=${4:-8}

	{
		cat <<- END
			name: test
			profile: ethernet-100g
			lossless: false
			nic: {verbs: {ordering: $1, reorder-time: 20us, congestion: ${5:-none},
			  target-delay: 40us}}
			nodes: [{name: "host[0-1]"}]
			switches: [{name: a, select: spray}, {name: b, select: spray}]
			links:
			  - {ends: [host0, a], ber: $2}
			  - {ends: [host1, b], ber: $2}
		END
		for ((i = 0; i < links; i++)); do
			echo "  - {ends: [a, b], name: path$i," \
				"propagation: $((25 + 8000 * i / links))ns," \
				"ber: $([ $i = 1 ] && echo "$3" || echo "$2")}"
		done
	} | up > /dev/null
}

# counter NODE NAME - of its verbs
counter() {
	weft show verbs --json | jq ".[$1].$2"
}

# share LAW FOUND - the part of the law's speed that was reached
share() {
	awk -v law="$1" -v found="$2" 'BEGIN { printf "%.4f\n", law / found }'
}

# speed ORDERING LAW LOW HIGH AGAIN LINKS [CONGESTION] - the part of the wire that writes get;
# something is sent again, or nothing
speed() {
	local again found part

	paths "$1" 0 0 "$6" "${7:-none}"
	found=$("$loss" host0 host1 $MESSAGES $TIMEOUT)
	part=$(share "$2" "$found")
	again=$(counter 0 retransmitted)
	echo "$1: $found ps a message, $part of the wire, $again sent again," \
		"$(counter 1 out_of_sequence) ahead"
	down > /dev/null
	[ $((again > 0)) = "$5" ] &&
		awk -v x="$part" -v lo="$3" -v hi="$4" 'BEGIN { exit !(x >= lo && x <= hi) }'
}

# repeated - a path that loses 1 of 1000 packets: a packet takes 1 / (1 - p / 8) times as
# long, and each that was lost is sent again once. Switches cut through: the last NIC finds
# the bit errors of the path
repeated() {
	local found lost again late

	# 8 * 4194 bits
	paths any 0 2.98e-8
	found=$("$loss" host0 host1 $((8 * MESSAGES)) $TIMEOUT)
	again=$(counter 0 retransmitted)
	late=$(counter 0 timeouts)
	lost=$(weft report --json | jq ".nics[] | select(.name == \"host1.eth0\") | .dropped")
	echo "$lost lost, $again sent again, $late timeouts"
	down > /dev/null
	drawn "lost" "$(awk -v n=$((16 * 8 * MESSAGES)) 'BEGIN { print n / 8 * 1e-3 }')" "$lost"
	expect "sent again" "$lost" "$again"
	expect "timeouts" 0 "$late"
	within 1 "$(awk -v t=$ANY -v n=$((16 * 8 * MESSAGES)) -v r="$again" \
		'BEGIN { printf "%.0f", t * (n + r) / n }')" "$found"
}

# data TEST - over paths that reorder and lose 1 of 1000
data() {
	timeout -k 1 100 "$loss" host0 host1 "$1"
}

# tell TEST - of verbs_order
tell() {
	timeout -k 1 100 "$order" host0 host1 "$1"
}

mapfile -t names <<< "$("$loss")"
mapfile -t orders <<< "$("$order")"
# no test of unreliable connections, which drop what another packet has overtaken
ktap_begin $((5 + ${#names[@]} + ${#orders[@]}))
for links in 8 64; do
	t "strict over $links paths: less than half of the wire" \
		speed strict $STRICT 0 0.5 1 $links
	t "any over $links paths: all of the wire" speed any $ANY 0.97 1 0 $links
done
t "any over 8 paths, Swift: all of the wire" speed any $ANY 0.97 1 0 8 swift
t "any: a lossy path costs what is lost" repeated
paths any 2.4e-7 2.4e-7
for i in "${!names[@]}"; do
	[[ ${names[i]} != unreliable* ]] || continue
	t "any: ${names[i]}" data "$i"
done
down > /dev/null
paths any 0 0
t "${orders[0]}" tell 0
t "${orders[1]}" tell 1
weft set nic host1 verbs.ordering strict > /dev/null
t "${orders[3]}" tell 3
down > /dev/null
paths strict 0 0
t "${orders[2]}" tell 2
down > /dev/null
ktap_end
