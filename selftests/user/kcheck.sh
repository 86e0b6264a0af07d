#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The checks of scripts/kcheck.sh look at the files of the project, in a tree in which
# other files lie about.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. selftests/ktap.sh

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# check [FILE]... - what the check for licences says, and its exit code
check() {
	local code=0

	"$tmp/scripts/kcheck.sh" spdx "$@" || code=$?
	echo "$code"
}

readonly missing="no SPDX-License-Identifier in the first three lines"

licences() {
	mkdir "$tmp/scripts"
	cp scripts/kcheck.sh "$tmp/scripts"
	git -C "$tmp" init -q
	git -C "$tmp" add scripts
	expect "only with a licence" 0 "$(check)"
	echo "name: mine" > "$tmp/left.yaml"
	expect "a file that a program left" 0 "$(check)"
	expect "the same by its name" "left.yaml: $missing"$'\n'1 "$(check left.yaml)"
	git -C "$tmp" add left.yaml
	expect "the same after git add" "left.yaml: $missing"$'\n'1 "$(check)"
	rm "$tmp/left.yaml"
	expect "a file that is gone" 0 "$(check)"
}

ktap_begin 1
t "files of the project and others" licences
ktap_end
