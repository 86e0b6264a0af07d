#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Memory, completion queues and shared receive queues, on both link layers.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"

program=$(built verbs_objects) || skip_all "verbs_objects is not built"

# The last two have a device that tells of few objects.
parameter=/sys/module/weft_rdma/parameters/max_objects
few=40

run() {
	case $("$program" | sed -n "$(($2 + 1))p") in
	"objects have their limits" | "and can be had again")
		limited "$@"
		;;
	*)
		loop "$program" "$@"
		;;
	esac
}

# limited GID_INDEX TEST - on a device that is made anew for it
limited() {
	local device was err=0

	device=$(rdma_device host0)
	was=$(cat $parameter)
	on host0 rdma link del "$device"
	echo $few > $parameter
	on host0 rdma link add "$device" type weft netdev eth0
	echo "$was" > $parameter
	loop "$program" "$@" || err=$?
	on host0 rdma link del "$device"
	on host0 rdma link add "$device" type weft netdev eth0
	return $err
}

both_layers "$program" run
