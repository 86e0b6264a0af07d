#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Topologies from what ibnetdiscover printed, by the command line.
#
# usage: import.sh WEFT
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. selftests/ktap.sh

weft=$1
data=selftests/user/data
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# leaks of a process that is about to end are not worth a report
export ASAN_OPTIONS=detect_leaks=0

# What is imported can be planned, and a switch of the dump has its neighbours.
plans() {
	"$weft" topology --import $data/fat-tree-8.ibnet > "$tmp/f.yaml"
	"$weft" up "$tmp/f.yaml" --dry-run --json > "$tmp/plan.json"
	expect "nodes" "$(seq -f 'node%02g' 7 14 | xargs)" \
		"$(jq -r '[.nodes[].name] | join(" ")' "$tmp/plan.json")"
	expect "switches" 4 "$(jq '.switches | length' "$tmp/plan.json")"
	expect "links" "$(grep -c '^\[.*"SwitchIB' $data/fat-tree-8.ibnet)" \
		"$(jq '.links | length' "$tmp/plan.json")"
	expect "lossless" true "$(jq .lossless "$tmp/plan.json")"
	"$weft" topology --import - < $data/fat-tree-8.ibnet | cmp - "$tmp/f.yaml"
	"$weft" topology --import $data/odd.ibnet > "$tmp/odd.yaml"
	"$weft" up "$tmp/odd.yaml" --dry-run > "$tmp/plan"
	"$weft" draw "$tmp/odd.yaml" > "$tmp/odd.svg"
}

# mistake MESSAGE ARGUMENT... - exactly this on standard error, and code 1
mistake() {
	local text=$1 code=0

	shift
	"$weft" topology "$@" > "$tmp/out" 2> "$tmp/err" < /dev/null || code=$?
	expect "exit code of topology $*" 1 "$code"
	expect "message of topology $*" "$text" "$(cat "$tmp/err")"
	expect "output of topology $*" "" "$(cat "$tmp/out")"
}

mistakes() {
	mistake 'weft topology: --import excludes all other options and arguments; see weft topology --help' pair --import x
	mistake '{"error": {"command": "topology", "message": "--import excludes all other options and arguments; see weft topology --help", "exit_code": 1}}' --json --import x
	mistake 'weft topology: none.ibnet: No such file or directory' --import none.ibnet
	mistake "weft topology: $tmp: Is a directory" --import "$tmp"
	mistake 'weft topology: standard input: there is no channel adapter with a link: expected the output of ibnetdiscover' --import -
	sed '/^\[34\]/s/4xEDR/4xEXTRA/' $data/fat-tree-8.ibnet > "$tmp/bad"
	mistake "weft topology: $tmp/bad:$(grep -n -m1 EXTRA "$tmp/bad" | cut -d: -f1):$(grep -m1 EXTRA "$tmp/bad" |
		awk '{ print index($0, "EXTRA") }'): expected a speed: SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR" \
		--import "$tmp/bad"
	head -c 70000000 /dev/zero > "$tmp/big"
	mistake "weft topology: $tmp/big: larger than 64 MiB" --import "$tmp/big"
}

ktap_begin 2
t "plans" plans
t "mistakes" mistakes
ktap_end
