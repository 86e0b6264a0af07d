#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Errors of verbs between two nodes, on both link layers: what ends how, in which
# time, and that no byte is written that should not be.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"

[ "$clock" = virtual ] || skip_all "only the virtual clock is exact"
program=$(built verbs_errors) || skip_all "verbs_errors is not built"

# A test that fails with the link down leaves it to the next one as it was.
run() {
	timeout -k 1 100 "$program" host0 host1 "$2" || {
		weft set link host1.eth0 up
		return 1
	}
}

both_layers "$program" run
