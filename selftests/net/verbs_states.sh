#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# States of queue pairs, and what may be posted in them, on both link layers.
. "$(dirname "$0")/lib.sh"

[ -e /sys/module/weft_rdma ] || skip_all "weft_rdma.ko is not loaded"
states=$(cd "$net_dir" && realpath -e ../../build/selftests/verbs_states \
	./verbs_states 2> /dev/null | head -n 1)
[ -x "$states" ] || skip_all "verbs_states is not built"

# lab PROFILE - one host at a switch
lab() {
	up > /dev/null << END
name: states
profile: $1
nodes: [{name: host0}, {name: host1}]
switches: [{name: leaf}]
links: [{ends: [host0, leaf]}, {ends: [host1, leaf]}]
END
}

# rdma_device NODE - the name of its first RDMA device
rdma_device() {
	on "$1" ls /sys/class/infiniband | head -n 1
}

# state GID_INDEX NUMBER
state() {
	on host0 timeout -k 1 20 "$states" "$(rdma_device host0)" "$1" "$2"
}

mapfile -t names <<< "$("$states")"
ktap_begin $((2 * ${#names[@]}))
for layer in "ib-edr 0" "ethernet-100g 1"; do
	read -r profile gid <<< "$layer"
	lab "$profile"
	for i in "${!names[@]}"; do
		t "$profile: ${names[i]}" state "$gid" "$i"
	done
	down > /dev/null
done
ktap_end
