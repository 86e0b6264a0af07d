#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# All that commands print as JSON is as Documentation/json/weft.schema.json has it: types
# and keys, in labs of all families, with faults, traffic and phases.
. "$(dirname "$0")/lib.sh"
need jq
python3 -c 'import jsonschema' 2> /dev/null || skip_all "python3-jsonschema is missing"

trap 'weft down --all > /dev/null 2>&1; cleanup' EXIT

# like DEFINITION COMMAND... - what it prints is as defined: to be judged
like() {
	local file

	file=$(mktemp -p "$tmp" "$1.XXXXXX")
	"${@:2}" > "$file" || [ -s "$file" ] || {
		echo "no output: ${*:2}"
		return 1
	}
	printf '%s\t%s\t%s\n' "$1" "$file" "${*:2}" >> "$tmp/printed"
}

# judged COMMAND... - so is all that it printed
judged() {
	rm -f "$tmp/printed"
	"$@"
	python3 "$net_dir/json_schema.py" < "$tmp/printed"
}

# with TOPOLOGY TEST [ARGUMENT]... - a test with such a lab
with() {
	trap 'weft daemon stop > /dev/null 2>&1; weft down --all > /dev/null' EXIT
	weft up "$1" "${clock_option[@]}" > /dev/null
	"${@:2}"
}

nics() {
	weft show nics --json | jq -r '.[].name'
}

# busy - faults, traffic and phases of a lab with NICs that are named
busy() {
	local nic other sw

	nic=$(nics | sed -n 1p)
	other=$(nics | sed -n 2p)
	sw=$(weft show switches --json | jq -r '.[0].name')
	like fault weft fault add loss "$nic" probability=0.1 burst=3 seed=7 --json
	like fault weft fault add delay "$other" delay=1us jitter=100ns --json
	like fault weft fault add rate "$other" rate=1Gbps period=2ms duration=1ms count=2 --json
	like fault weft fault add blackhole "$sw" dst="$nic" flows=0.25 --json
	like fault weft fault add down "$nic" start=+1ms duration=1ms --json
	like traffic weft traffic add incast to="$other" rate=5Gbps on=1ms off=2ms \
		seed=9 --json
	weft exec "${nic%%.*}" -- weft mark step > /dev/null
	sleep 0.01
	weft exec "${nic%%.*}" -- weft mark --end > /dev/null
}

# all_of TOPOLOGY
all_of() {
	local kind

	for kind in labs nodes settings fabric switches links ports classes nics verbs routes; do
		like "$kind" weft show "$kind" --json
	done
	like report weft report --json
	busy
	for kind in labs ports classes nics; do
		like "$kind" weft show "$kind" --json
	done
	like report weft report --json
	like faults weft fault list --json
	like traffic weft traffic list --json
	like top weft top --once --json
	like packet weft trace --json --count 20 --for 2ms
	like reroute weft reroute --json
	like results weft assert --json lossless no-drops utilisation-below=0.0001 phase=step
	weft assert --json utilisation-below=0.0001 phase=step > "$tmp/assert" || true
	expect "phase" step "$(jq -r '.[0].phase' "$tmp/assert")"
	weft record -o "$tmp/run.json" --for 2ms > /dev/null
	like run cat "$tmp/run.json"
	like plan weft plan "$1" --json
	like check weft plan "$1" --check --json
	like bound weft bound "$1" --json
	# NICs without verbs have interrupt moderation, which is not simulated
	[ "$1" = hybrid-8 ] ||
		like simulation weft simulate "$1" --workload allgather:ring:64KiB --json
	[ "$1" = hybrid-8 ] || [ "$(weft show verbs --json)" = "[]" ] ||
		like send weft send --workload allgather:ring:64KiB --json
	like drawing weft draw "$1" --json
	like fault weft fault del 0 --json
	like faults weft fault del --all --json
	like traffic weft traffic del --all --json
}

# Events come as they happen, until the command is ended: of objects, of a phase, and of
# the trigger that it meets.
events() {
	local pid kinds

	weft events --json > "$tmp/events" &
	pid=$!
	sleep 0.01
	weft fault add down host0 duration=1ms > /dev/null
	weft set nic host0 rx-rate 1Gbps
	weft fault add loss host0 probability=0.1 at=mark=step duration=1ms > /dev/null
	weft exec host0 -- weft mark step > /dev/null
	weft exec host0 -- weft mark --end > /dev/null
	sleep 0.01
	kill $pid
	like event cat "$tmp/events"
	kinds=$(jq -r .event "$tmp/events" | sort -u | tr '\n' ' ')
	expect_match "kinds" 'fault .*nic .*phase .*trigger ' "$kinds"
}

daemon() {
	cat > "$tmp/scenario.yaml" << 'END'
name: test
timeline:
  - {on: host0, at: 1ms, fault: loss, probability: 0.1, for: 1ms}
expect:
  no-drops: true
END
	like daemon weft daemon status --json
	weft daemon start > /dev/null
	like daemon weft daemon status --json
	like web weft web --json
	like scenario weft scenario start "$tmp/scenario.yaml" --json
	like scenario weft scenario status --json
	sleep 0.1
	like scenario weft scenario status --json
	like scenario weft scenario stop --json
	weft daemon stop > /dev/null
}

# What needs no lab.
others() {
	local topology

	like doctor weft doctor --json
	like profiles weft profiles --json
	like topologies weft topologies --json
	like labs weft show --json
	like topology weft topology torus size=2x3 --json
	like topology weft topology fat-tree k=4 --json
	# frames in a drawing, coordinates, classes that depend on the ports
	for topology in gb200-nvl72-8 torus-3x3 dragonfly-12; do
		like plan weft plan $topology --json
		like drawing weft draw $topology --json
	done
	like headroom weft headroom --rate 400Gbps --propagation 200ns --json
	like headroom weft headroom --rate 400Gbps --length 40 --asic spectrum-3 --lanes 8 --json
	weft show nodes --json 2> "$tmp/error" || true
	like error cat "$tmp/error"
}

# The version is one: of what is printed, of reports, of the schema.
version() {
	local version

	version=$(jq -r '.title | sub(".* "; "")' "$net_dir/../../Documentation/json/weft.schema.json")
	expect "doctor" "$version" "$(weft doctor --json | jq .version)"
	expect "plan" "$version" "$(weft plan pair --json | jq .version)"
	expect "json.rst" "$version" "$(sed -n 's/^All JSON of Weft has one version, now \([0-9]*\)\..*/\1/p' \
		"$net_dir/../../Documentation/json.rst")"
	weft up pair "${clock_option[@]}" > /dev/null
	expect "report" "$version" "$(weft report --json | jq .version)"
	weft record -o "$tmp/run.json" --for 1ms > /dev/null
	expect "run file" "$version" "$(jq .weft_run "$tmp/run.json")"
	weft down > /dev/null
}

ktap_begin 8
for topology in fat-tree-8 ib-8 nvlink-8 hybrid-8; do
	t "all of $topology" with $topology judged all_of $topology
done
t "events" with pair judged events
t "of weftd" with pair judged daemon
t "what needs no lab" judged others
t "version" version
ktap_end
