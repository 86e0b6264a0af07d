#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# k senders at line rate into one port: each gets 1/k of it, within 2 %, and the
# sum is the line rate.
#
#	host1 --.
#	host2 -- leaf -- host0		10 Gb/s each
#	hostk --'
#
# Each ingress port may hold 64 KiB of the buffer, and the queue has room for all
# of them. Each port's share is full, so a packet is admitted when one of the same
# port leaves; what leaves is then in proportion to what is held, for either order
# of service. (Without a limit for each port, whoever sends a nanosecond earlier
# would get each place that becomes free, as packets of one length come in a fixed
# order.)
#
# Frames of 1514 bytes take 1538 on the wire: at 10 Gb/s the port carries
# 10e9 / (8 * 1538) = 812,744 a second, and n of them in the time looked at
# with n within one of time times that.
. "$(dirname "$0")/lib.sh"

[ "$clock" = virtual ] || skip_all "exact on the virtual clock only"
readonly length=1514 gbps=10

shares() {
	local i senders=()

	topology ${gbps}Gbps $(($1 + 1)) "port: {discipline: drop-tail}" \
		"switch: {arbiter: $2, buffer: 2MiB, buffer-per-port: 64KiB, queue-limit: 2MiB}" |
		up > /dev/null
	for ((i = 1; i <= $1; i++)); do
		senders+=("host$i" "$(address host$i)")
	done
	python3 "$net_dir/incast.py" "$3" $length host0 "$(address host0)" \
		"${senders[@]}" > "$tmp/shares"
	awk -v k="$1" -v len=$length -v gbps=$gbps '
		$1 == "span" { span = $2; next }
		{ count[$1] = $2; sum += $2 }
		END {
			line = span * gbps / 8 / (len + 24)
			if (sum < line - 1 || sum > line + 1) {
				print "sum " sum ", line rate " line
				bad = 1
			}
			for (n in count)
				if (count[n] < 0.98 * line / k ||
				    count[n] > 1.02 * line / k) {
					print n ": " count[n] ", expected " line / k
					bad = 1
				}
			exit bad || !k
		}' "$tmp/shares"
}

ktap_begin 5
for arbiter in fifo round-robin; do
	for k in 2 4; do
		t "$k senders, $arbiter" shares $k $arbiter 20
		down > /dev/null
	done
done
t "8 senders, round-robin" shares 8 round-robin 20
ktap_end
