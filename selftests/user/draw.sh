#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command that draws: what comes with Weft, output, mistakes.
#
# usage: draw.sh WEFT
# shellcheck disable=SC2016 # a message quotes a command
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. selftests/ktap.sh

weft=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# leaks of a process that is about to end are not worth a report
export ASAN_OPTIONS=detect_leaks=0

# well_formed FILE
well_formed() {
	python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1"
}

# Each object once, whatever comes with Weft.
shipped() {
	local t n=0

	for t in $("$weft" topologies --json | jq -r '.[].name'); do
		"$weft" draw "$t" > "$tmp/$t.svg"
		"$weft" draw "$t" --json > "$tmp/$t.json"
		well_formed "$tmp/$t.svg"
		expect "nodes of $t" "$(jq -r '.nodes[].name' "$tmp/$t.json" | sort)" \
			"$(sed -n 's/^<g class="node" data-name="\([^"]*\)".*/\1/p' "$tmp/$t.svg" | sort)"
		expect "switches of $t" "$(jq -r '.switches[].name' "$tmp/$t.json" | sort)" \
			"$(sed -n 's/^<g class="switch" data-name="\([^"]*\)".*/\1/p' "$tmp/$t.svg" | sort)"
		expect "lines of $t" "$(jq '.lines | length' "$tmp/$t.json")" \
			"$(grep -c '^<path class="link [^>]*><title>' "$tmp/$t.svg")"
		n=$((n + 1))
	done
	[ $n -ge 12 ]
}

# The same numbers as in what `weft up` would make of the file.
counts() {
	"$weft" draw fat-tree-32 --json > "$tmp/f.json"
	"$weft" up fat-tree-32 --dry-run --json > "$tmp/plan.json"
	expect "nodes" "$(jq -c '[.nodes[].name]' "$tmp/plan.json")" "$(jq -c '[.nodes[].name]' "$tmp/f.json")"
	expect "links" "$(jq '.links | length' "$tmp/plan.json")" "$(jq '.links | length' "$tmp/f.json")"
	expect "links by line" "$(jq '[.lines[].links] | add' "$tmp/f.json")" "$(jq '.links | length' "$tmp/f.json")"
	expect "frames" 32 "$(jq '[.frames[].nodes] | add' "$tmp/f.json")"
	expect "in frames" '[0,8,16,24]' "$(jq -c '[.nodes | to_entries[] | select(.key % 8 == 0) | .value.frame * 8]' "$tmp/f.json")"
	expect "rate" 400000000000 "$(jq '.links[0].rate_bps' "$tmp/f.json")"
	expect "layout" tiers "$(jq -r .layout "$tmp/f.json")"
	expect "keys" "discipline ends line name rate_bps" "$(jq -r '.links[0] | keys | join(" ")' "$tmp/f.json")"
}

# The picture in the README is what the command draws, and a line with the licence.
documented() {
	"$weft" draw fat-tree-8 > "$tmp/f.svg"
	sed '/SPDX-License-Identifier/d' Documentation/pictures/fat-tree-8.svg |
		cmp - "$tmp/f.svg" || {
		echo "# scripts/pictures.sh makes it anew"
		return 1
	}
}

# A generator and its numbers, as `weft topology` takes them.
generated() {
	"$weft" topology torus size=3x3 profile=ib-hdr > "$tmp/t.yaml"
	"$weft" draw torus size=3x3 profile=ib-hdr > "$tmp/t.svg"
	"$weft" draw "$tmp/t.yaml" | cmp - "$tmp/t.svg"
	expect "layout" torus "$("$weft" draw "$tmp/t.yaml" --json | jq -r .layout)"
	"$weft" draw dragonfly p=2 a=4 h=2 profile=ib-ndr --json > "$tmp/d.json"
	expect "layout" circle "$(jq -r .layout "$tmp/d.json")"
	expect "nodes" 72 "$(jq '.nodes | length' "$tmp/d.json")"
}

# mistake CODE MESSAGE ARGUMENT... - exactly this on standard error
mistake() {
	local want=$1 text=$2 code=0

	shift 2
	"$weft" draw "$@" > "$tmp/out" 2> "$tmp/err" < /dev/null || code=$?
	expect "exit code of draw $*" "$want" "$code"
	expect "message of draw $*" "$text" "$(cat "$tmp/err")"
	expect "output of draw $*" "" "$(cat "$tmp/out")"
}

mistakes() {
	mistake 1 'weft draw: expected TOPOLOGY; see weft draw --help'
	mistake 1 'weft draw: "ib-8": expected KEY=VALUE such as hosts=8 or uplink.rate=200Gbps' pair ib-8
	mistake 1 'weft draw: none.yaml: no such file, and no such topology comes with Weft (`weft topologies` lists them)' none.yaml
	mistake 1 "weft draw: $tmp: Is a directory" pair -o "$tmp"
	mistake 1 "weft draw: $tmp/no/x.svg: No such file or directory" pair --output "$tmp/no/x.svg"
	printf 'name: a\nprofile: ib-edr\nnodes: [{name: h}]\n' > "$tmp/bad.yaml"
	mistake 1 "weft draw: $tmp/bad.yaml:3:8: node \"h\" has no link" "$tmp/bad.yaml"
}

output() {
	"$weft" draw pair -o "$tmp/a.svg" > "$tmp/out"
	"$weft" draw pair > "$tmp/b.svg"
	expect "nothing printed" "" "$(cat "$tmp/out")"
	cmp "$tmp/a.svg" "$tmp/b.svg"
	if "$weft" draw pair > /dev/full 2> "$tmp/err"; then
		echo "a full disk went unnoticed"
		return 1
	fi
	expect "full disk" "weft draw: output: No space left on device" "$(cat "$tmp/err")"
}

# A label may hold anything.
labels() {
	cat > "$tmp/l.yaml" << 'EOF'
name: labels
profile: ib-edr
nodes: [{name: "h[0-1]"}]
switches: [{name: s}]
links: [{ends: [h0, s], name: "<&\"ü]]>"}, {ends: [h1, s]}]
EOF
	"$weft" draw "$tmp/l.yaml" > "$tmp/l.svg"
	well_formed "$tmp/l.svg"
	expect "label" 1 "$(grep -c '&lt;&amp;&quot;ü\]\]&gt;' "$tmp/l.svg")"
}

ktap_begin 7
t "what comes with weft" shipped
t "as the plan has it" counts
t "what a generator makes" generated
t "mistakes" mistakes
t "output" output
t "labels" labels
t "the picture in the README" documented
ktap_end
