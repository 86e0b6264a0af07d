#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# States of queue pairs, and what may be posted in them, on both link layers.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"

program=$(built verbs_states) || skip_all "verbs_states is not built"

run() {
	loop "$program" "$@"
}

both_layers "$program" run
