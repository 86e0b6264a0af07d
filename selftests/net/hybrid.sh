#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Several disciplines in one fabric: each of four hosts has a NIC on NVLink, one
# on InfiniBand and one on Ethernet, and what is sent to an address takes the
# network that the address is in.
. "$(dirname "$0")/lib.sh"
need jq iperf3

readonly size=1000000	# bytes, per network

# sent NODE - bytes that its NICs have sent, in order
sent() {
	on "$1" ip -j -s link |
		jq '.[] | select(.ifname | startswith("eth")) | .stats64.tx.bytes'
}

disciplines() {
	expect disciplines 'credit nvlink pfc' "$(weft show nics --json |
		jq -r '[.[].discipline] | unique | join(" ")')"
}

# own_network K - a transfer to 10.K.0.2 takes NIC K, and no other. The client
# ends before its last bytes are sent, and the end of the transfer before comes
# late: hence half, and two segments without data.
own_network() {
	local before after k

	serve host1
	mapfile -t before < <(sent host0)
	on host0 iperf3 -c "10.$1.0.2" -n $size > "$tmp/iperf"
	mapfile -t after < <(sent host0)
	for k in 0 1 2; do
		echo "eth$k: ${before[k]}, then ${after[k]}"
		if [ "$k" = "$1" ]; then
			[ $((after[k] - before[k])) -gt $((size / 2)) ]
		else
			[ $((after[k] - before[k])) -le $((2 * 66)) ]
		fi
	done
}

weft up hybrid-4 > /dev/null || exit 1
ktap_begin 4
t "a NIC of each discipline at every host" disciplines
t "10.0.0.0/16 is on NVLink" own_network 0
t "10.1.0.0/16 is on InfiniBand" own_network 1
t "10.2.0.0/16 is on Ethernet" own_network 2
weft down > /dev/null
ktap_end
