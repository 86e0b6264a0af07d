#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Memory, completion queues and shared receive queues, on both link layers.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"

program=$(built verbs_objects) || skip_all "verbs_objects is not built"

run() {
	loop "$program" "$@"
}

both_layers "$program" run
