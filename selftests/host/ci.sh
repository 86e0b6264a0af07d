#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The workflows of Documentation/ci: their commands, in a project like the one that
# they are for.
cd "$(dirname "$0")/../.." || exit 1
. selftests/ktap.sh

tree=$PWD
tmp=$(mktemp -d)
trap 'leave; rm -rf "$tmp"' EXIT

# leave - the jobs share this tree, and noted their kernels by the way through $tmp
leave() {
	local note kernel

	for note in build/vm/kernel-*; do
		kernel=$(realpath "$(cat "$note")") || continue
		echo "$kernel" > "$note.$$"
		mv "$note.$$" "$note"
	done
}

# what the cache of CI has kept
readonly cache=${WEFT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/weft}

# project DIR - a collective and a scenario, and Weft beside them
project() {
	mkdir -p "$1/ci"
	cp Documentation/ci/collective.c "$1"
	cp Documentation/ci/scenario.yaml "$1/ci"
	ln -s "$tree" "$1/weft"
	ln -s "$cache" "$1/.weft-cache"
}

# execute SERVICE - every step, as the service's runner would
execute() {
	selftests/host/ci_steps.py "$1" "Documentation/ci/$1.yml" > "$tmp/$1.sh"
	: > "$tmp/path"
	env -C "$tmp/$1" GITHUB_PATH="$tmp/path" CI_PROJECT_DIR="$tmp/$1" \
		bash -eo pipefail "$tmp/$1.sh" < /dev/null
}

runs() {
	project "$tmp/$1"
	execute "$1"
}

# leaves SERVICE - what CI keeps of it
leaves() {
	local dir=$tmp/$1

	expect "verdict" true "$(jq .verdict.faithful "$dir/report.json")"
	expect "faults" "delay down" "$(jq -r '[.faults[].kind] | unique | join(" ")' "$dir/report.json")"
	expect "cases" "command finished-within=5s no-deadlock" "$(cases "$dir/junit.xml")"
	expect "drawing" svg "$(root "$dir/fabric.svg")"
}

# cases FILE - names of the test cases that passed
cases() {
	python3 - "$1" <<- END
		import sys
		from xml.etree import ElementTree
		print(*sorted(c.get("name") for c in ElementTree.parse(sys.argv[1]).iter("testcase")
		              if c.find("failure") is None))
	END
}

# root FILE - its element without name space
root() {
	python3 - "$1" <<- END
		import sys
		from xml.etree import ElementTree
		print(ElementTree.parse(sys.argv[1]).getroot().tag.split("}")[-1])
	END
}

# An expectation that cannot be met fails the job at that step, with its code.
fails() {
	local code=0

	sed -i 's/finished-within: .*/finished-within: 1ns/' "$tmp/github/ci/scenario.yaml"
	execute github > "$tmp/out" 2>&1 || code=$?
	cat "$tmp/out"
	expect "code" 123 $code
	expect "cases" "no-deadlock" "$(cases "$tmp/github/junit.xml")"
}

ktap_begin 5
t "workflow of GitHub Actions" runs github
t "what it leaves" leaves github
t "an expectation that is not met" fails
t "job of GitLab CI" runs gitlab
t "what that leaves" leaves gitlab
ktap_end
