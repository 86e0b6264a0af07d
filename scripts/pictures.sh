#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Make the pictures of Documentation/pictures anew, with what was built:
#
#   fat-tree-8.svg  as "weft draw" has it; a test compares the two
#   page.png        the page of a run, in Chromium: the cable of host0 flaps three times
#
# usage: pictures.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly weft=build/user/weft pictures=Documentation/pictures
work=$(mktemp -d)
readonly work
trap 'rm -rf "$work"' EXIT

# The licence goes behind the line of XML that has to be the first.
tree() {
	$weft draw fat-tree-8 |
		sed '1a <!-- SPDX-License-Identifier: GPL-2.0-or-later; drawn by: weft draw fat-tree-8 -->' \
		> "$pictures/fat-tree-8.svg"
}

# An expectation of the scenario is not met, which is what the picture shows.
page() {
	local code=0

	$weft run -q fat-tree-8 --clock virtual --seed 1 --scenario link-flap \
		--record "$work/run.json" --interval 50us --mpi -- \
		build/demo/allreduce --min 4194304 --max 67108864 || code=$?
	[ $code -eq 123 ] || return $code
	$weft report --html "$work/page.html" --from "$work/run.json"
	PYTHONDONTWRITEBYTECODE=1 python3 selftests/host/web.py shoot \
		"file://$work/page.html#port=host0.eth0" "$pictures/page.png"
}

command -v chromium > /dev/null || {
	echo "pictures.sh: chromium is missing: scripts/setup.sh check installs it" >&2
	exit 1
}
tree
page
