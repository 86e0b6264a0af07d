#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Phases: an all-reduce that knows nothing of them has the time in the report that it
# measures itself, twice the same; and programs name phases by marks.
# shellcheck disable=SC2016 # the commands expand in a node
cd "$(dirname "$0")/../.." || exit 1
. selftests/ktap.sh

weft=build/user/weft
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# all_reduce NAME [OPTION]... - 1, 4 and 16 MiB, each once to warm up and once measured
all_reduce() {
	reduce_on fat-tree-8 "$@"
}

# reduce_on TOPOLOGY NAME [OPTION]... - the same anywhere
reduce_on() {
	local topology=$1 name=$2

	shift 2
	$weft run "$topology" --clock virtual --seed 1 -q --report "$tmp/$name" "$@" \
		--mpi -- build/demo/allreduce --min 1048576 --max 16777216 --factor 4 \
		--warmup 1 --iters 1 > "$tmp/$name.table" < /dev/null
}

# own FIELD [NAME] - of the three rows of the program's table
own() {
	awk -v field="$1" '$1 ~ /^[0-9]+$/ { print $field }' "$tmp/${2:-one}.table"
}

# of FILTER [NAME] - of the phases that were measured: each second one
of() {
	jq -r ".phases[1,3,5] | $1" "$tmp/${2:-one}"
}

# within PER-MILLE WHAT - pairs on standard input are so close
within() {
	awk -v by="$1" -v what="$2" '{
		off = 1000 * ($1 - $2) / $2
		printf "# %s: %s, the program says %s\n", what, $1, $2
		bad += NF != 2 || off > by || off < -by
	}
	END { exit NR != 3 || bad }'
}

# A phase ends with the interrupt for its last packet. The program knows of that packet
# in the same instant, as computing takes no time. What is left: the first call that
# sends, the last one that receives, and messages that are too small for the phase.
own_time() {
	all_reduce one
	expect "phases" 6 "$(jq '.phases | length' "$tmp/one")"
	paste <(of '.time_ps / 1e6') <(own 2) | within 1 "us"
	paste <(of '.busbw_bytes_per_s / 1e9') <(own 4) | within 20 "GB/s"
}

# Without TCP there is no interrupt between the NIC and the program.
verbs() {
	reduce_on ib-8 verbs --net verbs
	expect "phases" 6 "$(jq '.phases | length' "$tmp/verbs")"
	paste <(of '.time_ps / 1e6' verbs) <(own 2 verbs) | within 1 "us"
}

# A ring of 8 sends 7/4 of the message from each node; headers and ACKs are 2 % at most.
own_bytes() {
	local size bytes

	paste <(own 1) <(of .nic_bytes) > "$tmp/bytes"
	while read -r size bytes; do
		expect_in "bytes of a NIC" $((size * 7 / 4)) $((size * 357 / 200)) "$bytes"
	done < "$tmp/bytes"
	expect "NICs" "8 8 8" "$(of .nics | xargs)"
	expect "losses" "0 0 0" "$(of .dropped | xargs)"
	expect "made by" "traffic traffic traffic" "$(of .by | xargs)"
	expect "over" "false false false" "$(of .open | xargs)"
	expect "utilisation" "true true true" \
		"$(of '.busiest.utilisation | . > 0.3 and . < 1' | xargs)"
}

twice() {
	all_reduce two
	cmp "$tmp/one" "$tmp/two"
}

# Without them the run is the same, and the report has none.
none() {
	all_reduce none --phases none
	expect "phases" 0 "$(jq '.phases | length' "$tmp/none")"
	jq 'del(.phases)' "$tmp/one" > "$tmp/one.rest"
	jq 'del(.phases)' "$tmp/none" > "$tmp/none.rest"
	cmp "$tmp/one.rest" "$tmp/none.rest"
}

pair() {
	$weft run pair --clock virtual -q --report "$tmp/pair" "$@" < /dev/null
}

# mark NAME FILTER - of a phase in the report of the pair
mark() {
	jq -r --arg name "$1" ".phases[] | select(.name == \$name) | $2" "$tmp/pair"
}

# Each echo request and each answer has 98 bytes.
marks() {
	pair -- sh -c 'ping -q -c 1 host1; weft mark one; sleep 0.01
		ping -q -c 3 -i 0.001 host1; weft exec host1 -- weft mark one
		ping -q -c 2 -i 0.001 host1; echo two.b > $WEFT_MARKS; cat $WEFT_MARKS
		weft exec host1 -- sh -c "sleep 0.02; echo - > \$WEFT_MARKS"
		cat $WEFT_MARKS; ping -q -c 1 host1; weft mark last' > "$tmp/out"
	expect "names" "one two.b last" "$(jq -r '.phases[].name' "$tmp/pair" | xargs)"
	expect "bytes of one" $((10 * 98)) "$(mark one .bytes)"
	expect "samples of one" 10 "$(mark one .latency.count)"
	expect_in "time of one, ns" 13000000 14500000 "$(mark one '.time_ps / 1000 | floor')"
	expect "one ends as two begins" "$(mark one '.begin_ps + .time_ps')" \
		"$(mark two.b .begin_ps)"
	expect "bytes of two" 0 "$(mark two.b .bytes)"
	expect_in "time of two, ns" 20000000 20200000 \
		"$(mark two.b '.time_ps / 1000 | floor')"
	expect "last is open" "false true" "$(mark two.b .open) $(mark last .open)"
	expect "what a reader sees" two.b "$(grep -v '[ -]' "$tmp/out" | xargs)"
}

# Of one who sends 64 MiB only acknowledgements come from the other. iperf3 ends the
# connection before the last of it has gone.
ports() {
	local stream='weft exec host1 -- iperf3 -s -1 -D; sleep 0.1; iperf3 -c host1 -n 64M'

	pair --phases ports=host1.eth0 -- sh -c "$stream" > /dev/null
	expect "phases of who receives" 0 "$(jq '.phases | length' "$tmp/pair")"
	pair --phases ports=host0.eth0 -- sh -c "$stream" > /dev/null
	expect_in "bytes of who sends" 60000000 70000000 \
		"$(jq '[.phases[].bytes] | add' "$tmp/pair")"
	pair --phases above=1Tbps -- sh -c "$stream" > /dev/null
	expect "phases above what the link carries" 0 "$(jq '.phases | length' "$tmp/pair")"
}

# The file's expectations are of the phase, not of the run; what is not met is told.
expectations() {
	local code=0

	cat > "$tmp/scenario.yaml" <<- 'END'
		name: steps
		expect:
		  phase: step
		  phase-within: 15ms
		  utilisation-below: 0.5
		  busbw: 10kbps
	END
	pair --scenario "$tmp/scenario.yaml" -- sh -c \
		'weft mark step; ping -q -c 10 -i 0.001 host1; weft mark --end; sleep 1' > /dev/null
	expect "outcomes" "passed passed passed passed" \
		"$(jq -r '.expectations[].outcome' "$tmp/pair" | xargs)"
	sed -i 's/15ms/5ms/' "$tmp/scenario.yaml"
	pair --scenario "$tmp/scenario.yaml" -- sh -c \
		'weft mark step; ping -q -c 10 -i 0.001 host1' > /dev/null 2> "$tmp/err" || code=$?
	expect "exit code" 123 $code
	expect_match "message" 'phase-within=5ms in step.*it took .*, and is not over' \
		"$(cat "$tmp/err")"
}

# In a lab that is up, between two streams: the second one only.
while_up() {
	pair --phases none -- sh -c 'weft exec host1 -- iperf3 -s -D; sleep 0.1
		iperf3 -c host1 -n 16M; weft set fabric phases auto; iperf3 -c host1 -n 32M
		weft set fabric phases none; iperf3 -c host1 -n 64M' > /dev/null
	expect_in "bytes" 30000000 36000000 "$(jq '[.phases[].bytes] | add' "$tmp/pair")"
	refused 1 'phases: "x": expected auto, none, or above=' \
		pair -- weft set fabric phases x
}

# refused CODE MESSAGE COMMAND...
refused() {
	local want=$1 text=$2 code=0

	shift 2
	"$@" > "$tmp/out" 2> "$tmp/err" || code=$?
	expect "exit code of $*" "$want" $code
	expect_match "message of $*" "$text" "$(cat "$tmp/err")"
}

mistakes() {
	refused 125 'phases: ports: there is no NIC "eth7"' pair --phases ports=eth7 -- true
	refused 1 '"a b": a name has up to 31 letters' pair -- weft mark 'a b'
	refused 1 '"-x": a name has up to 31 letters' pair -- weft mark -- -x
	refused 1 'this is no node' pair -- nsenter -t 1 -n weft mark x
	refused 1 'a name has up to 31 letters' pair -- \
		weft mark "$(printf '%032d' 0)"
	pair -- weft mark "$(printf '%031d' 0)"
	refused 2 'Invalid argument' pair -- sh -c 'env printf "/x\n" > $WEFT_MARKS || exit 2'
}

text() {
	$weft run pair --clock virtual -- \
		sh -c 'weft mark a; ping -q -c 3 -i 0.001 host1' > "$tmp/out" 2>&1 < /dev/null
	expect_match "heading" '^phase +begin +time +bytes +busbw' "$(cat "$tmp/out")"
	expect_match "row" '^a +[0-9.]+[mun]s +[0-9.]+ms\+ +588 ' "$(cat "$tmp/out")"
}

ktap_begin 11
t "traffic: the program's own time within 0.1 %" own_time
t "traffic: the program's own bytes" own_bytes
t "traffic: over verbs, the program's own time within 0.1 %" verbs
t "traffic: two runs have the same report" twice
t "traffic: to look for phases changes nothing" none
t "traffic: of named ports" ports
t "marks: from nodes, by command and by file" marks
t "traffic: from when on is said" while_up
t "expectations of a phase" expectations
t "mistakes" mistakes
t "a table in the text" text
ktap_end
