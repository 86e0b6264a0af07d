#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How long polls of completion queues wait, on both link layers.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"

program=$(built verbs_polls) || skip_all "verbs_polls is not built"
[ "$clock" = virtual ] || skip_all "on a real clock everything takes time"

run() {
	loop "$program" "$@"
}

both_layers "$program" run
