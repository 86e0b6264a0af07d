#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The one-way time of a packet over an idle path is the closed form.
#
#	host0 -- s1 -- ... -- sh -- host1
#
# A frame of L bytes (FCS excluded) takes max(L, 60) + 24 bytes on the wire:
# FCS, preamble and gap. At rate C that is t = 8 (max(L, 60) + 24) / C. With
# propagation p, pipeline d, and tx and rx at the hosts:
#
#	store-and-forward	tx + (h + 1)(t + p) + h d + rx
#	cut-through		tx + t + (h + 1) p + h d + rx
#
# as each switch waits for the whole packet, or for its head only. Clocks read
# in ns, so the measured value is within 1 ns of it.
. "$(dirname "$0")/lib.sh"

[ "$clock" = virtual ] || skip_all "exact on the virtual clock only"

lengths="64 65 128 256 512 1000 1024 1500 2048 4096 8192 8999 9000"
p=37 d=450 tx=600 rx=350 # ns

# path SWITCHES FORWARD RATE
path() {
	local i

	echo "name: path"
	echo "profile: ethernet-400g"
	echo "link: {rate: $3, propagation: ${p}ns, overhead: 24, min-frame: 60}"
	echo "switch: {latency: ${d}ns, forward: $2}"
	echo "nic: {mtu: 9000, tx-latency: ${tx}ns, rx-latency: ${rx}ns}"
	echo "nodes: [{name: host0}, {name: host1}]"
	echo "switches: [{name: \"s[1-$1]\"}]"
	echo "links:"
	echo "  - {ends: [host0, s1]}"
	for ((i = 1; i < $1; i++)); do
		echo "  - {ends: [s$i, s$((i + 1))]}"
	done
	echo "  - {ends: [s$1, host1]}"
}

# compare SWITCHES FORWARD GBPS - lines "LENGTH NS" on standard input
compare() {
	awk -v h="$1" -v forward="$2" -v gbps="$3" \
	    -v p=$p -v d=$d -v tx=$tx -v rx=$rx '
		{
			frame = ($1 < 60 ? 60 : $1) + 24
			wire = frame * 8 / gbps
			copies = forward == "cut-through" ? 1 : h + 1
			want = tx + copies * wire + (h + 1) * p + h * d + rx
			n++
			if ($2 < want - 1 || $2 > want + 1) {
				print $1 " bytes: expected " want " ns, got " $2
				bad = 1
			}
		}
		END { exit bad || !n }'
}

one_way() {
	path "$1" "$2" "${3}Gbps" | up > /dev/null
	# shellcheck disable=SC2086 # a list of numbers
	python3 "$net_dir/one_way.py" host0 "$(address host0)" \
		host1 "$(address host1)" $lengths > "$tmp/times" || return 1
	expect lines "$(wc -w <<< "$lengths")" "$(wc -l < "$tmp/times")"
	compare "$@" < "$tmp/times"
	down
}

ktap_begin 12
for forward in cut-through store-forward; do
	for h in 1 2 3; do
		for gbps in 400 800; do
			t "$forward, $h switches, $gbps Gb/s" \
				one_way $h $forward $gbps
			weft down > /dev/null 2>&1
		done
	done
done
ktap_end
