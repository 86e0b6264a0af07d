#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recording as a page, and what is said of mistakes with either.
#
# usage: page.sh WEFT
# shellcheck disable=SC2016 # a message quotes a command
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. selftests/ktap.sh

weft=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# leaks of a process that is about to end are not worth a report
export ASAN_OPTIONS=detect_leaks=0

# run_file LAB - a recording with this name, as a string of JSON
run_file() {
	cat <<- END
		{"weft_run": 2, "lab": $1, "topology": "t", "clock": "virtual",
		 "seed": 1, "since_ps": 0, "time_ps": [0, 1], "wires": [],
		 "switches": [], "faults": [], "events": [], "drawing": null,
		 "report": null}
	END
}

# run_of PAGE - the recording in a page, as a browser finds it: the element ends
# at the first end tag
run_of() {
	python3 - "$1" <<- 'END'
		import json, re, sys
		text = open(sys.argv[1]).read()
		found = re.findall(r'<script type="application/json" id="run">'
		                   r'(.*?)</script', text, re.S | re.I)
		print(json.dumps([json.loads(f) for f in found], sort_keys=True))
	END
}

# One element of a script for each file of the page, one for the run.
elements() {
	run_file '"lab"' > "$tmp/run.json"
	"$weft" report --html "$tmp/page.html" --from "$tmp/run.json"
	expect "scripts" $(($(grep -c '<script src=' user/share/web/index.html) + 1)) \
		"$(grep -c '^<script' "$tmp/page.html")"
	expect "ends" "$(grep -c '^<script' "$tmp/page.html")" \
		"$(grep -oi '</script' "$tmp/page.html" | wc -l)"
	expect "styles" 1 "$(grep -c '^<style>' "$tmp/page.html")"
	expect "run" "$(jq -cS '[.]' "$tmp/run.json")" "$(run_of "$tmp/page.html" | jq -cS .)"
}

alone() {
	run_file '"lab"' > "$tmp/run.json"
	"$weft" report --html "$tmp/page.html" --from "$tmp/run.json"
	! grep -nE '<script src|rel="stylesheet"|@import|https?://' "$tmp/page.html" |
		grep -v 'http://www.w3.org/2000/svg'
}

# Names that would end the element, or begin another one.
escaped() {
	local name

	for name in '</script><script>alert(1)</script>' '<!--<script>' '</SCRIPT >' \
		'&lt;\u2028' 'ü€'; do
		run_file "$(jq -n --arg n "$name" '$n')" > "$tmp/run.json"
		"$weft" report --html "$tmp/page.html" --from "$tmp/run.json"
		expect "run" "$(jq -cS '[.]' "$tmp/run.json")" \
			"$(run_of "$tmp/page.html" | jq -cS .)"
		run_of "$tmp/page.html" | jq -e '.[0].lab' > /dev/null
		expect "raw $name" 0 "$(sed -n '/id="run"/p' "$tmp/page.html" |
			sed 's/^<script[^>]*>//; s/<\/script>$//' | grep -c '<')"
	done
}

# mistake CODE REGEX ARGUMENT... - weft says that and nothing else
mistake() {
	local want=$1 text=$2 code=0

	shift 2
	"$weft" "$@" > "$tmp/out" 2> "$tmp/err" || code=$?
	expect "exit code of $*" "$want" $code
	expect "output" "" "$(cat "$tmp/out")"
	expect_match "message" "$text" "$(cat "$tmp/err")"
}

page_mistakes() {
	run_file '"lab"' > "$tmp/run.json"
	echo '{"weft_run": 1,' > "$tmp/cut.json"
	echo '{"version": 1}' > "$tmp/report.json"
	run_file '"lab"' | sed 's/"weft_run": 2/"weft_run": 3/' > "$tmp/later.json"
	run_file '"lab"' | sed 's/"wires": \[\]/"wires": {}/' > "$tmp/odd.json"
	mistake 1 'none.json' report --html "$tmp/p.html" --from "$tmp/none.json"
	mistake 1 'cut.json:[12]:[0-9]*: ' report --html "$tmp/p.html" --from "$tmp/cut.json"
	for f in report later odd; do
		mistake 1 "$f.json: not a recording: .weft run --record" \
			report --html "$tmp/p.html" --from "$tmp/$f.json"
	done
	mistake 1 'no/p.html: No such' report --html "$tmp/no/p.html" --from "$tmp/run.json"
	mistake 1 '--from needs --html' report --from "$tmp/run.json"
	mistake 1 'expected --lab or --from, not both' report --lab lab --html "$tmp/p.html" --from "$tmp/run.json"
	mistake 1 '--html excludes' report --html "$tmp/p.html" --json
	[ ! -e "$tmp/p.html" ]
}

record_mistakes() {
	mistake 1 'expected --output FILE' record
	mistake 1 '--interval: "soon": expected a time' record -o f --interval soon
	mistake 1 '--interval 10ns: expected at least 1us' record -o f --interval 10ns
	mistake 1 '--for long: expected a time such as 10ms' record -o f --for long
	mistake 125 '--interval needs --record' run pair --interval 1ms -- true
	mistake 125 'expected at least 1us' run pair --record f --interval 1ns -- true
}

ktap_begin 5
t "a page has its scripts, its style and the run in it" elements
t "a page needs no other file" alone
t "names cannot end the element that they are in" escaped
t "mistakes with pages" page_mistakes
t "mistakes with recordings" record_mistakes
ktap_end
