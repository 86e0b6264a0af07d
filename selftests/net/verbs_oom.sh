#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# An allocation in the kernel fails while a program uses verbs: it is told so, or
# nothing comes of it, all that it has can be destroyed, and the next one works.
#
# Kernels with CONFIG_FAULT_INJECTION let the Nth allocation of one task fail;
# the program counts N up until it needs no more than that.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"

[ -w /proc/thread-self/fail-nth ] ||
	skip_all "the kernel has no CONFIG_FAULT_INJECTION"
knobs=/sys/kernel/debug/failslab
[ -d $knobs ] || skip_all "the kernel has no CONFIG_FAILSLAB"
echo N > $knobs/ignore-gfp-wait
echo 0 > $knobs/verbose
churn=$(built verbs_churn) || skip_all "verbs_churn is not built"

# program PROFILE GID_INDEX
program() {
	hosts "$1" 2
	trap 'weft down > /dev/null' EXIT
	on host0 "$churn" weft0 "$2" fail
}

# device PROFILE GID_INDEX - it comes and goes, and works at the end
device() {
	hosts "$1" 2
	trap 'weft down > /dev/null' EXIT
	python3 "$net_dir/rdma_link.py" host0 weft0 eth0
	yes | on host0 "$churn" weft0 "$2" hold 10
}

ktap_begin 4
t "InfiniBand: a program without memory" program ib-edr 0
t "Ethernet: a program without memory" program ethernet-100g 1
t "InfiniBand: a device without memory" device ib-edr 0
t "Ethernet: a device without memory" device ethernet-100g 1
ktap_end
