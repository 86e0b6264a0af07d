#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The web page in headless Chromium: of a run with a fault that was recorded, and
# as it follows a run that goes on.
# shellcheck disable=SC2016 # a message quotes a command
cd "$(dirname "$0")/../.." || exit 1
. selftests/ktap.sh

weft=build/user/weft
web=selftests/host/web.py
export PYTHONDONTWRITEBYTECODE=1
tmp=$(mktemp -d)
trap 'kill $(jobs -p) 2> /dev/null; rm -rf "$tmp"' EXIT

command -v chromium > /dev/null || skip_all "chromium is missing: scripts/setup.sh check installs it (370 MB)"

# record - three hosts; the first one sends to the second, and at 2 ms its rate
# falls to a quarter for 400 us, twice
record() {
	cat > "$tmp/lab.yaml" <<- 'END'
		name: three
		profile: ethernet-100g
		nodes: [{name: "host[0-2]"}]
		switches: [{name: leaf}]
		links: [{ends: ["host[0-2]", leaf]}]
	END
	cat > "$tmp/job" <<- 'END'
		weft exec host1 -- iperf3 -s -1 -D > /dev/null
		sleep 0.001
		weft fault add rate 'host0.eth0>leaf:0' rate=25Gbps start=+2ms \
			duration=400us period=800us count=2 > /dev/null
		iperf3 -c host1 -n 60M > /dev/null
	END
	$weft run "$tmp/lab.yaml" --clock virtual -q --record "$tmp/run.json" \
		--interval 100us -- sh "$tmp/job"
}

page() {
	$weft report --html "$tmp/page.html" --from "$tmp/run.json"
}

# The fault's share of the link is what the wire is busy with all the same, and
# the whole run is another matter than one interval.
finished() {
	record
	page
	[ "$(jq '.faults | length' "$tmp/run.json")" -eq 1 ]
	python3 $web picture "$tmp/page.html" "$tmp/run.json"
}

at_a_time() {
	local t

	page
	t=$(jq '.faults[0].start_ps - .since_ps + 250000000' "$tmp/run.json")
	python3 $web picture "$tmp/page.html" "$tmp/run.json" "t=$t"
	# before the program began nobody sent: the colour of nothing
	python3 $web picture "$tmp/page.html" "$tmp/run.json" t=250000000
}

# A click or a key puts the cursor where it should be.
used() {
	page
	python3 $web use "$tmp/page.html" "$tmp/run.json"
}

# What looks at pictures has to see what is wrong with one.
would_see() {
	local change

	for change in '.wires[0].tx_busy_ps |= map(. / 4)' '.faults[0].start_ps += 300000000' \
		'.lab = "other"' '.faults[0].count = 1'; do
		jq "$change" "$tmp/run.json" > "$tmp/changed.json"
		page
		! python3 $web picture "$tmp/page.html" "$tmp/changed.json" || return 1
	done
}

# dom_of ADDRESS UNTIL - elements in $tmp/dom, the console's errors in $tmp/wrong
dom_of() {
	python3 $web dom "$1" "$2" > "$tmp/dom" 2> "$tmp/wrong" || {
		cat "$tmp/wrong"
		return 1
	}
}

settled="document.documentElement.dataset.ready || document.documentElement.dataset.error"

# says TEXT - a condition: the page does
says() {
	echo "document.getElementById('message').innerText.includes('$1')"
}

# message TEXT - what the page says
message() {
	expect_match "message" "$1" "$(grep -o '<p id="message".*</p>' "$tmp/dom")"
}

# A name that would be markup is text.
hostile() {
	jq '.lab = "<img src=x onerror=alert(1)>" | .wires[0].from = "<b>x</b>" |
		.faults[0].kind = "</svg><script>document.title=1</script>"' \
		"$tmp/run.json" > "$tmp/hostile.json"
	$weft report --html "$tmp/hostile.html" --from "$tmp/hostile.json"
	dom_of "file://$tmp/hostile.html" "$settled"
	grep -q '<h1 id="lab">&lt;img src=x onerror=alert(1)&gt;</h1>' "$tmp/dom"
	grep -q '&lt;b&gt;x&lt;/b&gt;' "$tmp/dom"
	expect "elements" 0 "$(grep -c '<img\|<b>\|<title>1<' "$tmp/dom")"
	expect "console" "" "$(cat "$tmp/wrong")"
}

# What a daemon has at first.
one_sample() {
	jq '.time_ps |= .[:1] | .wires |= map(map_values(if type == "array" then .[:1] else . end))' \
		"$tmp/run.json" > "$tmp/one.json"
	$weft report --html "$tmp/one.html" --from "$tmp/one.json"
	dom_of "file://$tmp/one.html" "$settled"
	grep -q '<html[^>]*data-ready="1"' "$tmp/dom"
	message '></p>'
	expect "console" "" "$(cat "$tmp/wrong")"
}

# An error of the page is on the page.
empty_run() {
	jq '.wires = [] | .switches = []' "$tmp/run.json" > "$tmp/none.json"
	$weft report --html "$tmp/none.html" --from "$tmp/none.json"
	dom_of "file://$tmp/none.html" "$settled"
	message 'nothing is recorded in this file'
	grep -q '<html[^>]*data-error' "$tmp/dom"
}

# A browser that was killed leaves no files.
nothing_left() {
	mkdir "$tmp/own"
	page
	TMPDIR=$tmp/own dom_of "file://$tmp/page.html" "$settled"
	expect "files" "" "$(ls -A "$tmp/own")"
}

# server MODE - in weftd's place; its address in $url
server() {
	rm -f "$tmp/port"
	python3 $web server user/share/web "$1" "$tmp/run.json" > "$tmp/port" &
	for _ in $(seq 100); do
		[ -s "$tmp/port" ] && break
		sleep 0.1
	done
	url="http://127.0.0.1:$(cat "$tmp/port")/#token=sesame"
}

# live MODE UNTIL [WORDS] - words to add to the address
live() {
	trap 'kill $(jobs -p)' EXIT
	server "$1"
	dom_of "$url${3:-}" "$2"
}

# Each time five samples more, and the cursor is at the last one.
follows() {
	local n

	live goes-on "document.documentElement.dataset.ready >= 20"
	n=$(sed -n 's/.*<html[^>]*data-ready="\([0-9]*\)".*/\1/p' "$tmp/dom")
	expect "samples" 0 $((n % 5))
	message '></p>'
	grep -q '<span id="live">' "$tmp/dom"
	grep -q '<button id="follow"[^>]*aria-pressed="true"' "$tmp/dom"
	expect "time" "$(jq --argjson n "$n" '.time_ps[$n - 1] - .since_ps' "$tmp/run.json")" \
		"$(sed -n 's/.*id="timeline"[^>]*aria-valuenow="\([0-9]*\)".*/\1/p' "$tmp/dom")"
	expect "console" "" "$(cat "$tmp/wrong")"
}

# shown FILE - what a page shows of all samples: table and plots
shown() {
	python3 - "$1" <<- 'END'
		import re, sys
		text = open(sys.argv[1], encoding="utf-8").read()
		for part in (r"<tbody>.*?</tbody>", r'<div id="plots">.*?</section>',
		             r'<div id="timeline".*?</svg>'):
		    print(re.search(part, text, re.S)[0])
	END
}

# A run that came bit by bit is the one that is in a file.
joined() {
	local n

	n=$(jq '.time_ps | length' "$tmp/run.json")
	live goes-on "document.documentElement.dataset.ready >= $n" "&span=all"
	expect "phases" "$(jq '.report.phases | length' "$tmp/run.json")" \
		"$(grep -o '<rect class="phase"' "$tmp/dom" | wc -l)"
	shown "$tmp/dom" > "$tmp/bit-by-bit"
	expect "console" "" "$(cat "$tmp/wrong")"
	page
	dom_of "file://$tmp/page.html#span=all&t=$(jq '.time_ps[-1] - .since_ps' "$tmp/run.json")" \
		"$settled"
	shown "$tmp/dom" | cmp - "$tmp/bit-by-bit"
}

no_lab() {
	live empty "$(says 'No lab is up: `weft up TOPOLOGY`')"
	grep -q '<main hidden' "$tmp/dom"
}

lab_gone() {
	live gone "$(says 'Lab three is gone')"
	grep -q 'data-ready' "$tmp/dom"
}

no_answer() {
	live dies "$(says 'weftd does not answer')"
	grep -q 'data-ready' "$tmp/dom"
}

no_token() {
	trap 'kill $(jobs -p)' EXIT
	server goes-on
	for wrong in "" "#token=" "#token=sesam"; do
		dom_of "${url%%#*}$wrong" "$(says '`weft web` prints the address')"
		grep -q '<main hidden' "$tmp/dom"
	done
}

# lab_up - `weft run` with weftd in the machine: its address in $url
#
# The job sends until $tmp/enough is there; when somebody looks on, a fault begins.
lab_up() {
	cat > "$tmp/job" <<- END
		weft exec host1 -- iperf3 -s -D > /dev/null
		sleep 0.001
		until [ -e "$tmp/looked" ]; do iperf3 -c host1 -n 10M > /dev/null; done
		weft fault add rate 'host0.eth0>leaf:0' rate=25Gbps start=+2ms \\
			duration=10ms period=20ms count=2 > /dev/null
		until [ -e "$tmp/enough" ]; do iperf3 -c host1 -n 10M > /dev/null; done
	END
	$weft run "$tmp/lab.yaml" --clock virtual -q --web "$1" --interval 1ms \
		--rw "$tmp" -- sh "$tmp/job" 2> "$tmp/said" &
	for _ in $(seq 600); do
		url=$(sed -n 's/^web page: //p' "$tmp/said")
		[ -z "$url" ] || return 0
		sleep 0.1
	done
	cat "$tmp/said"
	return 1
}

# weftd itself, in the virtual machine, and the lab is at work meanwhile
from_weftd() {
	local port code

	trap 'kill $(jobs -p) 2> /dev/null || :' EXIT
	port=$(python3 $web port)
	lab_up "$port"
	python3 $web live "$url" "$tmp/looked" || return
	touch "$tmp/enough"
	code=0
	wait $! || code=$?
	expect "exit code" 0 $code
	expect "complaints" "" "$(grep -v '^web page: ' "$tmp/said")"
	! (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null
}

# Five hundred links, each with a thousand samples' worth of numbers.
large() {
	$weft draw dgx-h100-32 --json > "$tmp/drawing.json"
	jq -n --slurpfile d "$tmp/drawing.json" '$d[0] as $d |
		[range(200)] as $n |
		{ weft_run: 2, lab: "large", topology: "dgx-h100-32", clock: "virtual",
		  seed: 1, since_ps: 0, time_ps: ($n | map(. * 1000000)),
		  switches: [], faults: [], events: [], drawing: $d, report: null,
		  wires: [$d.links | to_entries[] | .key as $k | .value as $l |
			(["\($l.ends[0]).eth0", "\($l.ends[1]):\($k)"] | ., reverse) as $p |
			{ link: $l.name, from: $p[0], to: $p[1], rate_bps: $l.rate_bps,
			  discipline: $l.discipline,
			  tx_bytes: $n, tx_busy_ps: ($n | map(. * ($k % 100) * 50)) }] }' \
		> "$tmp/large.json"
	$weft report --html "$tmp/large.html" --from "$tmp/large.json"
	dom_of "file://$tmp/large.html" "$settled"
	grep -q 'data-ready="200"' "$tmp/dom"
	expect "links" "$(jq '.drawing.lines | length * 2' "$tmp/large.json")" \
		"$(grep -o '<path class="wire[^>]*data-from' "$tmp/dom" | wc -l)"
	message '></p>'
	expect "console" "" "$(cat "$tmp/wrong")"
}

ktap_begin 16
t "a finished run: colours, marks of faults, text, nothing over anything" finished
t "the same at a time of the run" at_a_time
t "mouse and keys" used
t "these tests see what is wrong" would_see
t "names are text" hostile
t "a single sample" one_sample
t "an empty recording" empty_run
t "a lab that is up: the page follows" follows
t "it joins what came bit by bit" joined
t "a lab at work, from weftd: colours, marks, text" from_weftd
t "no lab is up" no_lab
t "a lab goes" lab_gone
t "weftd goes" no_answer
t "a browser without the token" no_token
t "five hundred links" large
t "no file is left" nothing_left
ktap_end
