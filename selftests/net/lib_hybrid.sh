# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What tests of collectives on 2 hosts of 4 GPUs share, a node each with one address.
#
# hybrid-8:	gpu0 .. gpu3 = nvswitch0	gpu4 .. gpu7 = nvswitch1	eth0
#		gpuK and gpuK+4 = railK, rail0 .. rail3 = spine			eth1

readonly block=$((512 << 10))	# bytes of each collective

# collective NAME [ALGORITHM] - each NIC sends what the algorithm says
#
# ALGORITHM_bytes (NAME_bytes), of node and NIC, prints the payload that it sends and receives in a
# repetition. In InfiniBand's frames, 4106 bytes carry 4040 of payload, so that
# headers are 1.6 %; an acknowledgement for each frame received is 66 bytes, 1.6 %;
# MPI has 64 bytes for each 64 KiB, and a barrier. NVLink's frames are longer.
collective() {
	local i k tx rx got

	for i in {0..7}; do
		read -r -a got < <(sed -n "s/^$1 $i //p" "$tmp/sent")
		for k in 0 1; do
			read -r tx rx <<< "$("${2:-$1}_bytes" "$i" $k)"
			expect_in "gpu$i.eth$k" $((2 * tx)) \
				$((2 * (tx * 102 / 100 + rx * 2 / 100) + 16384)) "${got[k]}"
		done
	done
}

# A block for each of 3 peers in the host and 4 outside.
alltoall_bytes() {
	echo $(((3 + $2) * block)) $(((3 + $2) * block))
}
