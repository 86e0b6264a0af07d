#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Bandwidth and latency of perftest against what the links and the model of the
# NIC allow, on the virtual clock.
#
#	host0 -- s0 -- ... -- host1
#
# Bytes of a packet of RC on the wire, payload aside, padded to 4:
#
#	InfiniBand	LRH 8, BTH 12, ICRC 4, VCRC 2			26
#	RoCE v2		Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4,
#			FCS, preamble and gap 24			82
#	first or only packet of a write: RETH 16 more
#
# Bandwidth: N messages of M packets each last N times their bytes on the wire,
# plus once the way there and back, which does not count with 64 MiB in all.
# perftest's MB are 2^20 bytes.
#
# Latency of a message of M packets over h switches, from the post to where the
# far end sees it: tx-latency of the NIC; all packets on the first wire; h + 1
# cables of 5 m; h switches in cut-through, which forward the first bit;
# rx-latency after the last one. perftest prints hundredths of a microsecond.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need ib_write_bw ib_write_lat ib_send_bw ib_send_lat ib_read_bw jq

[ "$clock" = virtual ] || skip_all "only the virtual clock is exact"

readonly CABLE=25.25	# ns

# facts of a profile: rate in Gb/s, header bytes, MTU of verbs, switch latency in ns
facts() {
	case $1 in
	ib-edr) echo 100 26 4096 90 ;;
	ib-ndr) echo 400 26 4096 330 ;;
	ethernet-100g) echo 100 82 4096 425 ;;
	ethernet-400g) echo 400 82 4096 425 ;;
	esac
}

# wire_bytes HEADER MTU SIZE EXTRA - of a message, with EXTRA in its first packet
wire_bytes() {
	local packets=$((($3 + $2 - 1) / $2))

	[ $packets -gt 0 ] || packets=1
	echo $(((($3 + 3) / 4) * 4 + packets * $1 + $4))
}

# nic KEY - of the NICs, in ns
nic() {
	weft show nics --json | jq ".[0].$1 / 1000"
}

# bandwidth PROFILE TOOL EXTRA SIZE - EXTRA header bytes in the first packet
bandwidth() {
	local header mtu rate bytes found law
	read -r rate header mtu _ < <(facts "$1")

	found=$(perftest "$2" -n $((67108864 / $4)) -s "$4") || return 1
	bytes=$(wire_bytes "$header" "$mtu" "$4" "$3")
	law=$(awk -v s="$4" -v b="$bytes" -v r="$rate" \
		'BEGIN { print s / b * r * 1e9 / 8 / 1048576 }')
	within 1 "$law" "$(awk '{ print $4 }' <<< "$found")" 0.01
}

# A read's response carries the data; its first packet has an AETH of 4 bytes,
# and so has the last one.
bandwidths() {
	local size

	chain "$1" 1 || return 1
	bandwidth "$1" ib_write_bw 16 65536 || return 1
	bandwidth "$1" ib_send_bw 0 65536 || return 1
	bandwidth "$1" ib_read_bw 8 65536 || return 1
	for size in 4096 16384 1048576; do
		bandwidth "$1" ib_write_bw 16 $size || return 1
	done
}

# latency PROFILE TOOL EXTRA SIZE SWITCHES
latency() {
	local cut header mtu rate bytes found law
	read -r rate header mtu cut < <(facts "$1")

	found=$(perftest "$2" -n 20 -s "$4") || return 1
	bytes=$(wire_bytes "$header" "$mtu" "$4" "$3")
	law=$(awk -v b="$bytes" -v r="$rate" -v h="$5" -v cut="$cut" -v cable=$CABLE \
		-v tx="$(nic tx_latency_ps)" -v rx="$(nic rx_latency_ps)" 'BEGIN {
			print (tx + b * 8 / r + (h + 1) * cable + h * cut + rx) / 1000
		}')
	within 2 "$law" "$(awk '{ print $5 }' <<< "$found")" 0.005
}

latencies() {
	local size

	chain "$1" "$2" || return 1
	for size in 2 4096 32768; do
		latency "$1" ib_write_lat 16 $size "$2" || return 1
		latency "$1" ib_send_lat 0 $size "$2" || return 1
	done
}

profiles="ib-edr ib-ndr ethernet-100g ethernet-400g"
ktap_begin 12
for p in $profiles; do
	t "bandwidth of $p" bandwidths $p
done
for p in $profiles; do
	for h in 1 3; do
		t "latency of $p over $h switches" latencies $p $h
	done
done
ktap_end
