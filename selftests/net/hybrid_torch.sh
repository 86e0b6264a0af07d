#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# torch.distributed with Gloo on 2 hosts of 4 GPUs, a node each with one address: what
# each NIC sends for a collective is what Gloo's algorithm says, inside a host over
# NVLink and between hosts over InfiniBand.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_hybrid.sh"
need jq
[ -e /usr/lib/python3/dist-packages/torch ] ||
	skip_all "torch is missing: it is in python3-torch"

collectives() {
	on gpu0 "$net_dir/torch_bytes.py" 8 gpu $block 2 allreduce alltoall bcast > "$tmp/sent"
}

# Ring: each rank sends 2 (n - 1) / n of it to the one before, which gpu0 and gpu4
# have in the other host. (gloo/allreduce.cc)
readonly ring=$((2 * 7 * block / 8))

allreduce_bytes() {
	echo $((($1 % 4 == 0) == $2 ? ring : 0)) \
		$((($1 % 4 == 3) == $2 ? ring : 0))
}

# Binomial tree: in round r each rank k below 2^r sends to rank k + 2^r. In the last
# one of three everything leaves the host. (gloo/broadcast.cc)
bcast_bytes() {
	local tx rx=0

	case $1.$2 in
	0.0) tx=$((2 * block)) ;;
	1.0 | [0-3].1) tx=$block ;;
	*) tx=0 ;;
	esac
	case $1.$2 in
	[1-3].0 | [4-7].1) rx=$block ;;
	esac
	echo $tx $rx
}

# No packet is lost or overtaken, so that TCP has no reason to send one again.
in_order() {
	expect "sent again" 0 "$(awk '{ n += $5 } END { print n + 0 }' "$tmp/sent")"
}

weft up hybrid-8 "${clock_option[@]}" > /dev/null || exit 1
ktap_begin 5
t "collectives" collectives
t "all-reduce" collective allreduce
t "all-to-all" collective alltoall
t "broadcast" collective bcast
t "nothing is sent again" in_order
weft down > /dev/null
ktap_end
