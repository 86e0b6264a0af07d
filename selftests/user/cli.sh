#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command line without a kernel module: help, mistakes, dry runs, listings.
#
# usage: cli.sh WEFT
# shellcheck disable=SC2016 # messages quote commands
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. selftests/ktap.sh

weft=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# leaks of a process that is about to end are not worth a report
export ASAN_OPTIONS=detect_leaks=0
unset WEFT_LAB
declare -A letters

cat > "$tmp/pair.yaml" << 'END'
name: pair
profile: ethernet-400g
nodes: [{name: "host[0-1]"}]
switches: [{name: leaf}]
links: [{ends: ["host[0-1]", leaf]}]
END

readonly commands='run plan up down exec rsh show set fault traffic send events reroute report mark capture top trace bound simulate headroom draw doctor profiles topologies topology daemon web'

helps() {
	local c

	expect_match "usage" 'usage: weft COMMAND' "$("$weft" --help)"
	expect_match "version" '^weft ' "$("$weft" --version)"
	for c in $commands; do
		expect_match "summary" " $c " "$("$weft" --help)"
		expect_match "help" "usage: weft $c" "$("$weft" "$c" --help)"
	done
}

# said_options COMMAND - "LETTER NAME VALUE" of each option in its help, - for none
said_options() {
	"$weft" help "$1" | sed -nE "s/^  (    |-(.), )--([a-z-]+)( [A-Z'][^ ]*| [a-z]+[|\/][^ ]*| allreduce)?( .*)?$/\2 \3\4/p" |
		awk '/^ / { $0 = "-" $0 } { print $1, $2, $3 == "" ? "-" : $3 }'
}

# refusal ARGUMENT... - what the program says of it in place of its help
refusal() {
	"$weft" "$@" --help 2>&1 < /dev/null | grep -v '^  ' | grep -m1 '^weft ' || true
}

# An option has the same letter in all commands, as cli.rst has it.
grammar() {
	local c letter name value n=0

	while read -r letter name; do
		letters[$name]=$letter
	done < <(sed -nE 's/^``-(.), --([a-z-]+)( [A-Z]+)?`` .*/\1 \2/p' Documentation/cli.rst)
	[ "${letters[lab]:-}" = l ]
	for c in $("$weft" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
		[ "$c" != rsh ] || continue # its options are those of ssh
		expect "help of $c" "$("$weft" "$c" --help)" "$("$weft" help "$c")"
		while read -r letter name value; do
			n=$((n + 1))
			expect "letter of $c --$name" "${letters[$name]:--}" "$letter"
			takes_it "$c" "--$name" "$value"
			[ "$letter" = - ] || takes_it "$c" "-$letter" "$value"
		done < <(said_options "$c")
		expect "no such option of $c" \
			"weft $c: there is no option \"--no-such\"; see weft $c --help" \
			"$(refusal "$c" --no-such)"
		if "$weft" help "$c" | grep -q -- --json; then
			expect_match "pretty of $c" '--pretty' "$("$weft" help "$c")"
		fi
	done
	[ "$n" -gt 80 ] || echo "only $n options were found"
	[ "$n" -gt 80 ]
}

# takes_it COMMAND OPTION VALUE - it is known, and has a value or none
takes_it() {
	if [ "$3" = - ]; then
		expect "$1 $2" "" "$(refusal "$1" "$2")"
	else
		expect "$1 $2 without a value" "weft $1: $2 needs a value; see weft $1 --help" \
			"$("$weft" "$1" "$2" 2>&1 < /dev/null)"
	fi
}

# mistake CODE MESSAGE ARGUMENT... - exactly this on standard error
mistake() {
	local want=$1 text=$2 code=0

	shift 2
	"$weft" "$@" > "$tmp/out" 2> "$tmp/err" < /dev/null || code=$?
	expect "exit code of weft $*" "$want" "$code"
	expect "message of weft $*" "$text" "$(cat "$tmp/err")"
	expect "output of weft $*" "" "$(cat "$tmp/out")"
}

mistakes() {
	mistake 1 'weft: there is no command "fly"; see weft --help' fly
	mistake 1 'weft up: expected TOPOLOGY; see weft up --help' up
	mistake 1 'weft up: "b": expected KEY=VALUE such as hosts=8 or uplink.rate=200Gbps' up pair b
	mistake 125 'weft run: expected TOPOLOGY before --; see weft run --help' run
	mistake 125 'weft run: expected -- COMMAND; see weft run --help' run pair
	mistake 125 'weft run: expected -- COMMAND; see weft run --help' run pair --
	mistake 125 'weft run: --np needs --mpi; see weft run --help' run pair --np 2 -- true
	mistake 125 'weft run: --ppn 0: expected 1 to 65536; see weft run --help' run pair --ppn 0 -- true
	mistake 125 'weft run: --net "udp": expected tcp, verbs, efa, sharp or nvls; see weft run --help' run pair --net udp -- true
	mistake 125 'weft run: --phases above: above: "": expected a rate such as 400Gbps (bps, kbps, Mbps, Gbps, Tbps); see weft run --help' run pair --phases above -- true
	mistake 125 'weft run: --phases quiet=0us: quiet: expected more than 0; see weft run --help' run pair --phases quiet=0us -- true
	mistake 125 'weft run: --phases least=1MiB,b: "b": expected auto, none, or above=RATE, least=SIZE, quiet=TIME, ports=NIC,..., with commas between them; see weft run --help' run pair --phases least=1MiB,b -- true
	mistake 1 'weft mark: expected a PHASE, or --end; see weft mark --help' mark
	mistake 1 'weft mark: expected a PHASE, or --end; see weft mark --help' mark a --end
	mistake 1 'weft mark: "a b": a name has up to 31 letters, digits and . _ : + -, the first one a letter or digit' mark 'a b'
	mistake 125 'weft exec: expected NODE -- COMMAND; see weft exec --help' exec
	mistake 1 'weft top: "a": expected options only; a lab is named by --lab; see weft top --help' top a b
	mistake 1 '{"error": {"command": "top", "message": "--json needs --once; see weft top --help", "exit_code": 1}}' top --json
	mistake 1 'weft top: --interval 1us: expected 1ms to 3600s; see weft top --help' top --interval 1us
	mistake 1 'weft top: --sort "size": expected load, pauses, held, drops, queue, marks or name; see weft top --help' top --sort size
	mistake 1 'weft trace: "a": expected options only; a lab is named by --lab; see weft trace --help' trace a b
	mistake 1 'weft trace: --for 5: expected a time such as 10ms; see weft trace --help' trace --for 5
	mistake 1 'weft trace: --count 0: expected 1 to 18446744073709551615; see weft trace --help' trace -c 0
	mistake 1 'weft capture: --for 0ms: expected a time such as 10ms; see weft capture --help' capture leaf --for 0ms
	mistake 1 'weft capture: --duration is called --for; see weft capture --help' capture leaf --duration 1ms
	mistake 1 'weft capture: --write is called --output; see weft capture --help' capture leaf --write=x
	mistake 1 'weft capture: -w is called -o; see weft capture --help' capture leaf -w x
	mistake 1 'weft report: "x": expected options only; a lab is named by --lab; see weft report --help' report x
	mistake 1 'weft down: "x": expected options only; a lab is named by --lab; see weft down --help' down x
	mistake 1 'weft down: expected --lab or --all, not both; see weft down --help' down -a -l x
	mistake 1 'weft show: there is no option "--fish"; see weft show --help' show --fish
	mistake 1 'weft show: there is no option "-q"; see weft show --help' show -q
	mistake 1 'weft show: --lab goes with one of the other kinds; see weft show --help' show labs -l x
	mistake 1 'weft show: there is no option "-x"; see weft show --help' show -xl y
	mistake 1 'weft daemon: --http and --sample need start; see weft daemon --help' daemon status --http 1
	mistake 1 'weft record: --for 0s: expected a time such as 10ms; see weft record --help' record -o x --for 0s
	mistake 1 'weft headroom: expected --length or --propagation, not both; see weft headroom --help' headroom --rate 400Gbps --length 4 --propagation 20ns
	mistake 1 'weft headroom: --react: hpcc does not use it; see weft headroom --help' headroom --rate 400Gbps --length 4 --asic hpcc --react 1us
	mistake 1 'weft headroom: --reverse: mlxsw does not use it; see weft headroom --help' headroom --rate 400Gbps --length 4 --asic mlxsw --reverse 64
	mistake 1 'weft show: --lab needs a value; see weft show --help' show --lab
	mistake 1 '{"error": {"command": "up", "message": "--json needs --dry-run; see weft up --help", "exit_code": 1}}' up pair --json
	mistake 125 'weft exec: expected a COMMAND after host0; see weft exec --help' exec host0
	mistake 125 'weft exec: expected a COMMAND after host0; see weft exec --help' exec host0 --
	mistake 1 'weft rsh: expected HOST COMMAND; see weft rsh --help' rsh -x host0
	mistake 1 'weft show: "fish": expected labs, nodes, settings, fabric, switches, links, ports, classes, nics, verbs, routes or aggregators; see weft show --help' show fish
	mistake 1 'weft set: expected nic or link, its NAME and what to change, or fabric cpu CPU, or fabric phases RULE; see weft set --help' set nic host0
	mistake 1 'weft set: "switch": expected nic, link or fabric; see weft set --help' set switch leaf up
	mistake 1 'weft set: there is no lab "none": `weft up` makes one' set --lab none nic host0 rx-stop all
	mistake 1 'weft fault: expected add, del or list; see weft fault --help' fault
	mistake 1 'weft fault: expected add KIND WHERE, del ID or --all, or list; see weft fault --help' fault add down
	mistake 1 'weft fault: expected add KIND WHERE, del ID or --all, or list; see weft fault --help' fault del
	mistake 1 'weft fault: expected add KIND WHERE, del ID or --all, or list; see weft fault --help' fault del 1 --all
	mistake 1 'weft fault: expected add KIND WHERE, del ID or --all, or list; see weft fault --help' fault list 1
	mistake 1 'weft fault: there is no lab "none": `weft up` makes one' fault list --lab none
	mistake 1 'weft traffic: expected add, del or list; see weft traffic --help' traffic
	mistake 1 'weft traffic: expected add PATTERN, del ID or --all, or list; see weft traffic --help' traffic add
	mistake 1 'weft traffic: expected add PATTERN, del ID or --all, or list; see weft traffic --help' traffic del 1 --all
	mistake 1 'weft traffic: there is no lab "none": `weft up` makes one' traffic list --lab none
	mistake 1 'weft send: there is no lab "none": `weft up` makes one' send --workload a --lab none
	mistake 1 'weft send: --workload: expected a file, or COLLECTIVE:ALGORITHM:SIZE; see weft send --help' send
	mistake 1 'weft send: --net ib: expected any, verbs or tcp; see weft send --help' send --workload a --net ib
	mistake 1 'weft send: --csv: expected neither --json nor --summary; see weft send --help' send --workload a --csv --summary
	mistake 1 'weft events: "a": expected options only; a lab is named by --lab; see weft events --help' events a b
	mistake 1 'weft events: "a": expected options only; a lab is named by --lab; see weft events --help' events a --lab b
	mistake 1 'weft events: there is no lab "none": `weft up` makes one' events -l none
	mistake 1 'weft reroute: "a": expected options only; a lab is named by --lab; see weft reroute --help' reroute a b
	mistake 1 'weft reroute: --watch changes routes, --dry-run does not; see weft reroute --help' reroute --watch --dry-run
	mistake 1 'weft reroute: there is no lab "none": `weft up` makes one' reroute --lab none
	mistake 1 'weft topology: expected NAME; see weft topology --help' topology
	mistake 1 'weft topology: none: no such file, and no such topology comes with Weft (`weft topologies` lists them)' topology none
	mistake 1 'weft topology: generate lacks the key "size"' topology torus
	mistake 1 'weft topology: size: "4y4": expected 1 to 3 sizes from 2 to 4096, such as 4x4x4' topology torus size=4y4
	mistake 1 'weft topology: hosts: "x": expected a whole number' topology dgx-h100-4 hosts=x
	mistake 1 'weft topology: unknown key "hosts": the file has no generator' topology pair hosts=4
	mistake 1 'weft topology: "hosts": expected KEY=VALUE such as hosts=8 or uplink.rate=200Gbps' topology ib-8 hosts
	mistake 1 'weft bound: --ranks 1: expected 2 to 1048576; see weft bound --help' bound pair --ranks 1
	mistake 1 'weft bound: --sizes: "4K": expected a size such as 16MiB (B, kB, MB, GB, KiB, MiB, GiB); see weft bound --help' bound pair --sizes 4K
	mistake 1 'weft bound: --sizes: expected up to 64 sizes, from 1 to 1TiB; see weft bound --help' bound pair --sizes 8KiB-4KiB
	mistake 1 'weft bound: --collective gather: expected allreduce, allgather, reduce-scatter, broadcast, reduce, alltoall, barrier or point-to-point; see weft bound --help' bound pair --collective gather
	mistake 1 'weft bound: --algorithm tree: of alltoall, expected pairwise, bruck, linear or floor; see weft bound --help' bound pair --collective alltoall --algorithm tree
	mistake 1 'weft bound: --algorithm recursive-doubling with 6 ranks: expected a power of two, and at most 2048 ranks' bound ib-8 --collective allgather --ranks 6 --algorithm recursive-doubling
	mistake 1 'weft bound: --sizes: a barrier has no data; see weft bound --help' bound pair --collective barrier --sizes 4KiB
	mistake 1 'weft bound: --net "ib": expected tcp or verbs; see weft bound --help' bound pair --net ib
	mistake 1 'weft bound: host0 and host1 meet at NICs without RDMA devices: expected --net tcp' bound nvlink-8 --net verbs
	mistake 1 'weft headroom: expected --rate and --length or --propagation; see weft headroom --help' headroom --rate 400Gbps
	mistake 1 'weft headroom: expected --rate and --length; see weft headroom --help' headroom --rate 400Gbps --asic mlx5
	mistake 1 'weft headroom: --propagation and --react: mlx5 uses --length; see weft headroom --help' headroom --rate 400Gbps --length 7 --asic mlx5 --react 1us
	mistake 1 'weft headroom: --length 4x: expected 0 to 100000; see weft headroom --help' headroom --rate 400Gbps --length 4x
	mistake 1 'weft headroom: --rate 30Gbps: IEEE 802.3 defines no reaction time at this rate: give --react; see weft headroom --help' headroom --rate 30Gbps --length 4
	mistake 1 'weft headroom: table-th5 is a table and has only 800Gbps at 5m' headroom --rate 800Gbps --length 40 --asic table-th5
	mistake 1 'weft simulate: --workload: expected a file, or COLLECTIVE:ALGORITHM:SIZE; see weft simulate --help' simulate pair
	mistake 1 'weft simulate: no-such: No such file or directory' simulate pair --workload no-such
	mistake 1 'weft simulate: algorithm "tree": of alltoall, expected one of pairwise, bruck, linear' simulate pair --workload alltoall:tree:1MiB
	mistake 1 'weft simulate: algorithm "": of barrier, expected one of recursive-doubling, dissemination, binomial, linear, double-ring, sharp' simulate pair --workload barrier::2
	mistake 1 'weft simulate: --sl 16: expected 0 to 15; see weft simulate --help' simulate pair --workload barrier:linear --sl 16
	mistake 1 'weft simulate: transport "tcp": expected rc, srd or frames' simulate pair --workload barrier:linear --transport tcp
	mistake 1 'weft simulate: none: no such file, and no such scenario comes with Weft (`weft scenario list` lists them)' simulate pair --workload barrier:linear --scenario none
	mistake 1 'weft simulate: --csv: expected neither --json nor --summary; see weft simulate --help' simulate pair --workload barrier:linear --csv --summary
	mistake 1 'weft bound: 3 ranks, 1 on each node: the topology has 2 nodes, and a collective needs 2 ranks' bound pair --ranks 3
	mistake 1 'weft up: --clock: "warp": expected a clock: virtual, real, real/auto or real/K with K from 1 to 1000000' up pair --clock warp --dry-run
	mistake 1 'weft up: --seed: "x": expected a whole number' up pair --seed x --dry-run
	mistake 1 'weft up: --name: "a/b": expected a name of 1 to 24 letters, digits and inner hyphens' up pair --name a/b --dry-run
	mistake 1 'weft up: none.yaml: no such file, and no such topology comes with Weft (`weft topologies` lists them)' up none.yaml
	mistake 1 'weft report: there is no lab "none": `weft up` makes one' report --lab none
	mistake 1 'weft daemon: expected start, stop or status; see weft daemon --help' daemon
	mistake 1 'weft daemon: expected start, stop or status; see weft daemon --help' daemon restart
	mistake 1 '{"error": {"command": "daemon", "message": "--json needs status; see weft daemon --help", "exit_code": 1}}' daemon stop --json
	mistake 1 'weft daemon: --http and --sample need start; see weft daemon --help' daemon stop --http 1
	mistake 1 'weft web: "x": expected options only; see weft web --help' web x
	mistake 1 'weft doctor: "x": expected options only; see weft doctor --help' doctor x
	mistake 1 'weft profiles: "x": expected options only; see weft profiles --help' profiles x
	mistake 1 'weft headroom: "x": expected options only; see weft headroom --help' headroom x
	mistake 1 'weft report: there is no lab "../x": `weft up` makes one' report -l ../x
}

file_mistake() {
	sed 's/400g/1g/' "$tmp/pair.yaml" > "$tmp/bad.yaml"
	mistake 1 "weft up: $tmp/bad.yaml:2:10: profile: there is no \"ethernet-1g\": \`weft profiles\` lists what there is" up "$tmp/bad.yaml"
	mistake 1 "weft up: $tmp: Is a directory" up "$tmp"
	head -c 1100000 /dev/zero | tr '\0' '#' > "$tmp/big.yaml"
	mistake 1 "weft up: $tmp/big.yaml: larger than 1 MiB" up "$tmp/big.yaml"
}

without_module() {
	[ ! -e /sys/module/weft ] || skip "the module is loaded"
	mistake 2 'weft up: the kernel module weft is not loaded: insmod weft.ko, or use `weft run` with the virtual clock' up pair --clock real
	expect "nothing left" "" "$(find /run/weft -name 'pair*' 2> /dev/null)"
}

nothing_to_do() {
	mistake 1 'weft down: there is no lab "no-such-lab": `weft up` makes one' down --lab no-such-lab
	[ -n "$(find /run/weft -name '*.json' 2> /dev/null)" ] ||
		mistake 1 'weft down: no lab is up' down
}

dry_run() {
	"$weft" up "$tmp/pair.yaml" --dry-run -v > "$tmp/plan"
	expect_match "NIC" 'nic eth0 endpoint 1 mac 02:00:0a:00:00:02 ip 10.0.0.2/16 mtu 9000' "$(cat "$tmp/plan")"
	expect_match "route" 'route leaf to 1 ports 1' "$(cat "$tmp/plan")"
	expect_match "switch" '^switch leaf ports 2 latency 425ns cut-through round-robin ecmp pfc$' "$(cat "$tmp/plan")"
	expect_match "lossless" '^lossless true$' "$(cat "$tmp/plan")"
	"$weft" up "$tmp/pair.yaml" --dry-run --json --seed 5 --clock real/7 > "$tmp/plan.json"
	expect "seed" '"5"' "$(jq .fabric.seed "$tmp/plan.json")"
	expect "clock" real/7 "$(jq -r .clock "$tmp/plan.json")"
	expect "dilation" 7 "$(jq .fabric.dilation "$tmp/plan.json")"
	expect "auto" real/500 "$("$weft" up "$tmp/pair.yaml" --dry-run --json --clock real/auto | jq -r '.real_auto, .clock' | uniq)"
	"$weft" up single-switch hosts=5 name=five --dry-run --json > "$tmp/five.json"
	expect "a generator" "five 5" "$(jq -r '"\(.fabric.name) \(.nodes | length)"' "$tmp/five.json")"
	"$weft" plan "$tmp/pair.yaml" seed=7 --json > "$tmp/seed.json"
	expect "a key of a file" '"7"' "$(jq .fabric.seed "$tmp/seed.json")"
	expect "ranks" 16 "$("$weft" bound fat-tree k=4 --json | jq .ranks)"
	mistake 1 'weft plan: "x": expected KEY=VALUE such as hosts=8 or uplink.rate=200Gbps' plan pair x
	expect "keys" "classes clock convergence_ps fabric links lossless neighbours nodes notes paths real_auto routes switches version" \
		"$(jq -r 'keys | join(" ")' "$tmp/plan.json")"
}

plan() {
	local t

	for t in pair hybrid-8; do
		expect "$t" "$("$weft" up $t --dry-run)" "$("$weft" plan $t)"
		expect "$t" "$("$weft" up $t --dry-run --json)" "$("$weft" plan $t --json)"
	done
	expect "check" "pair can be brought up: 2 nodes, 1 switches, 2 links
lossless true
deadlock-free true" "$("$weft" plan "$tmp/pair.yaml" --check)"
	expect "JSON" '{"name":"fat-tree-8","nodes":8,"switches":4,"links":16,"lossless":true,"deadlock_free":true,"notes":[],"version":2}' \
		"$("$weft" plan fat-tree-8 --check --json | jq -c .)"
	mistake 1 'weft plan: expected TOPOLOGY; see weft plan --help' plan --check
	mistake 1 'weft plan: none: no such file, and no such topology comes with Weft (`weft topologies` lists them)' plan none --check
}

# What is alike is said once: 8 nodes, 2 leaves, 2 spines, and links of two kinds. Each
# leaf and each spine has a route to each of 8 NICs or more. With -v all is there.
plan_of_what_is_alike() {
	"$weft" plan fat-tree-8 > "$tmp/plan"
	expect "alike" "7 more alike: host1..host7
1 more alike: leaf1
1 more alike: spine1
7 more alike: host1-leaf0..host7-leaf1
7 more alike: leaf0-spine0..leaf1-spine1" "$(grep alike "$tmp/plan")"
	expect "settings" 9 "$(grep -c '^  set ' "$tmp/plan")"
	expect_in "lines" 10 24 "$(wc -l < "$tmp/plan")"
	"$weft" plan fat-tree-8 -v > "$tmp/all"
	expect "nodes, switches, links" "8 4 16" "$(awk '{ n[$1]++ }
		END { print n["node"], n["switch"], n["link"] }' "$tmp/all")"
	expect "routes" "routes $(grep -c ^route "$tmp/all"); -v prints them" \
		"$(grep ^routes "$tmp/plan")"
	expect "settings" 72 "$(grep -c '^  set ' "$tmp/all")"
	expect "the same lines" "" "$(grep -vxFf "$tmp/all" "$tmp/plan" |
		grep -v 'alike\|^routes')"
}

# Nodes that differ in one link's rate are not alike in their links.
plan_of_what_differs() {
	cat > "$tmp/differs.yaml" <<- 'END'
		name: differs
		profile: ethernet-400g
		nodes: [{name: "host[0-3]"}]
		switches: [{name: leaf}]
		links:
		  - {ends: ["host[0-1]", leaf]}
		  - {ends: [host2, leaf], rate: 100Gbps}
		  - {ends: [host3, leaf]}
	END
	expect "links" "link host0-leaf
1 more alike: host1-leaf
link host2-leaf
link host3-leaf" "$("$weft" plan "$tmp/differs.yaml" | sed -n '/^link/,/^route/p' |
		grep -v '^route' | sed 's/^\(link [^ ]*\).*/\1/')"
}

# What may deadlock is refused with the ports, unless that is accepted.
plan_of_ring() {
	local way='lossless classes may deadlock: ports can wait for each other, class 0: s0:1 > s1:2 > s2:2 > s3:2 > s0:1'

	expect "accepted" "ring-4 can be brought up: 4 nodes, 4 switches, 8 links
lossless true
deadlock-free false
note $way" "$("$weft" plan ring-4 --check)"
	expect "JSON" "[false,[\"$way\"]]" \
		"$("$weft" plan ring-4 --check --json | jq -c '[.deadlock_free, .notes]')"
	sed 's/allow-cycles: on/allow-cycles: off/' user/share/topologies/ring-4.yaml > "$tmp/ring.yaml"
	mistake 1 "weft plan: $way; to accept that, say \"routing: {allow-cycles: on}\"" plan "$tmp/ring.yaml" --check
}

one_address() {
	"$weft" up hybrid-8 --dry-run --verbose > "$tmp/plan"
	expect_match "node" '^node gpu4 ip 10\.255\.0\.5$' "$(cat "$tmp/plan")"
	expect "paths" "path gpu4 to gpu0..gpu3 nics eth1
path gpu4 to gpu5..gpu7 nics eth0" "$(grep '^path gpu4 ' "$tmp/plan")"
	expect "JSON" '["gpu0","gpu3",["eth1"]]' "$("$weft" up hybrid-8 --dry-run --json |
		jq -c '.paths[] | select(.node == "gpu4" and .first == "gpu0") | [.first, .last, .nics]')"
	expect "bound" 8 "$("$weft" bound hybrid-8 --json | jq .ranks)"
}

own_profile() {
	mkdir -p "$tmp/sub"
	printf 'name: own\nlink: {rate: 7Gbps}\n' > "$tmp/sub/own.yaml"
	sed 's,ethernet-400g,./sub/own.yaml,' "$tmp/pair.yaml" > "$tmp/own.yaml"
	expect "rate" 7000000000 "$(cd / && "$weft" up "$tmp/own.yaml" \
		--dry-run --json | jq '.links[0].wires[0].rate_bps')"
}

# lossless_with PROFILE SEGMENTATION HOSTS - a switch of that kind loses nothing
lossless_with() {
	cat > "$tmp/any.yaml" << END
name: any
profile: $1
nic: {segmentation: $2}
generate: {kind: single-switch, hosts: $3}
END
	expect "$1 with $2" true "$("$weft" up "$tmp/any.yaml" --dry-run --json |
		jq .lossless)"
}

shipped() {
	local t

	expect "profiles" "$(printf '%s\n' efa-100g efa-400g
		for t in 100g 10g 200g 25g 400g 40g 50g 800g uec-400g uec-800g; do
			echo "ethernet-$t"
		done
		for t in ddr edr fdr fdr10 hdr ndr qdr sdr xdr; do
			echo "ib-$t"
		done
		seq -f nvlink%g 5
		seq -f pcie%g-x16 3 6)" \
		"$("$weft" profiles --json | jq -r '.[].name')"
	for t in $("$weft" topologies --json | jq -r '.[].name'); do
		expect "name of $t" "$t" "$("$weft" up "$t" --dry-run --json |
			jq -r .fabric.name)"
	done
	for t in $("$weft" profiles --json | jq -r '.[].name' | grep -v '^efa'); do
		lossless_with "$t" mtu 16
		lossless_with "$t" train 16
	done
	expect "hosts" 32 "$("$weft" up fat-tree-32 --dry-run --json | jq '.nodes | length')"
}

# what is printed is what comes to the same plan; a file as it is stays as it is
designs() {
	local t

	expect "pair" "$(cat user/share/topologies/pair.yaml)" "$("$weft" topology pair)"
	expect "fat-tree-8" "name: fat-tree-8
description: 8 hosts, 2 leaves, 2 spines, 400 Gb/s
profile: ethernet-400g
nic: {segmentation: train}
nodes:
- {name: 'host[0-7]'}
switches:
- {name: 'leaf[0-1]'}
- {name: 'spine[0-1]'}
links:
- {ends: ['host[0-3]', leaf0]}
- {ends: ['host[4-7]', leaf1]}
- {ends: ['leaf[0-1]', 'spine[0-1]'], join: all, count: 2}" "$("$weft" topology fat-tree-8)"
	for t in dgx-h100-4 gb200-nvl72 torus-3x3 dragonfly-12 fat-tree-k4; do
		"$weft" topology "$t" > "$tmp/$t.yaml"
		expect "$t" "$("$weft" up "$t" --dry-run)" \
			"$("$weft" up "$tmp/$t.yaml" --dry-run)"
	done
	"$weft" topology torus size=2x3 host-link.rate=1Gbps name=mine --json > "$tmp/torus"
	expect "JSON" '["mine",6,6,15,[2,3]]' \
		"$(jq -c '[.name, (.nodes, .switches, .links | length), .torus]' "$tmp/torus")"
	expect "ends" '[{"node":"host1-2","nic":0},{"switch":"s1-2","port":0}]' \
		"$(jq -c '.links[5].ends' "$tmp/torus")"
	expect "rates" '[1000000000,400000000000]' "$(jq -c '[.links[].rate_bps] | unique' "$tmp/torus")"
	expect "place" '[1,2]' "$(jq -c '.switches[5].at' "$tmp/torus")"
}

# A message of 4096 bytes on ib-8 takes 4122 bytes of a wire of 400 Gb/s; 280 and 230 ns of
# NICs, two cables of 25.25 ns and 330 ns of a switch. Then 8 ranks of a ring take 14 such
# messages, and 13 of them follow an acknowledgement of 30 bytes on their wire.
simulations() {
	local alone=$((4122 * 20 + 280000 + 230000 + 2 * 25250 + 330000))

	printf 'a: host0 host1 4kB delay 1us\nb: host1 host2 0 after a\n' > "$tmp/messages"
	"$weft" simulate ib-8 --workload point-to-point:direct:4KiB --json > "$tmp/one"
	expect "alone" $alone "$(jq '.flows[0] | .end_ps - .start_ps' "$tmp/one")"
	expect "ideal" $alone "$(jq '.flows[0].ideal_ps' "$tmp/one")"
	expect "start" 1000000 "$("$weft" simulate ib-8 --workload "$tmp/messages" --json |
		jq '.flows[0].start_ps')"
	expect "after" true "$("$weft" simulate ib-8 --workload "$tmp/messages" --json |
		jq '.flows[1].start_ps == .flows[0].end_ps')"
	expect "ring" $((14 * alone + 13 * 30 * 20)) "$("$weft" simulate ib-8 --workload allreduce:ring:32KiB \
		--json --summary | jq .summary.last_end_ps)"
	expect "csv" 113 "$("$weft" simulate ib-8 --workload allreduce:ring:32KiB --csv | wc -l)"
	expect "a part" 1 "$("$weft" simulate ib-8 --workload "$tmp/messages" --for 2700ns --json |
		jq .summary.ended)"
	printf 'name: x\ntimeline:\n- {at: 1us, node: host1, do: kill}\n' > "$tmp/kill.yaml"
	mistake 1 "weft simulate: $tmp/kill.yaml:3:3: do: a simulation has no processes to end; expected freeze or thaw, or in place of it the fault down of the node's links" simulate ib-8 --workload barrier:linear --scenario "$tmp/kill.yaml"
	printf 'name: x\ntimeline:\n- {at: 1us, set: nic, on: host1, rx-rate: 1Gbps}\n' > "$tmp/set.yaml"
	mistake 1 "weft simulate: $tmp/set.yaml:3:3: set: a simulation sets nothing; expected faults, traffic and frozen nodes; the faults rate, lanes, slow and hang do the same" simulate ib-8 --workload barrier:linear --scenario "$tmp/set.yaml"
	printf 'name: x\ntimeline:\n- {traffic: incast, to: host1, window: 9}\n' > "$tmp/window.yaml"
	mistake 1 "weft simulate: $tmp/window.yaml:3:3: window: a simulation has no limit of packets in the fabric; expected none" simulate ib-8 --workload barrier:linear --scenario "$tmp/window.yaml"
	printf 'name: x\ntimeline:\n- {traffic: incast, to: host1, size: 9000}\n' > "$tmp/size.yaml"
	mistake 1 "weft simulate: $tmp/size.yaml:3:3: size: longer than a frame of the NIC's MTU" simulate ib-8 --workload barrier:linear --scenario "$tmp/size.yaml"
	printf 'name: x\ntimeline:\n- {traffic: incast, to: host1, at: {mark: one}}\n' > "$tmp/mark.yaml"
	mistake 1 "weft simulate: $tmp/mark.yaml:3:3: at: a simulation has no phases; expected a time, traffic or bytes" simulate ib-8 --workload barrier:linear --scenario "$tmp/mark.yaml"
	printf 'name: x\nexpect: {phase: one, no-drops: true}\n' > "$tmp/judge.yaml"
	mistake 1 "weft simulate: $tmp/judge.yaml: expect: phase: a simulation has no phases and no programs, and does not measure goodput in between; expected lossless, no-drops, no-deadlock, finished-within, busbw or utilisation-below" simulate ib-8 --workload barrier:linear --scenario "$tmp/judge.yaml"
	mistake 1 "weft simulate: --junit needs --scenario; see weft simulate --help" simulate ib-8 --workload barrier:linear --junit "$tmp/x.xml"
	printf 'name: x\ntimeline:\n- {at: 1us, fault: rate, on: host1, kmin: 1kB}\n' > "$tmp/word.yaml"
	mistake 1 "weft simulate: $tmp/word.yaml:3:3: kmin: not a parameter of kind rate" simulate ib-8 --workload barrier:linear --scenario "$tmp/word.yaml"
	# the receiver's wire has half of the rate: 20 ps a byte more for the second half of the way
	printf 'name: slow\ntimeline:\n- {at: 0s, fault: rate, on: "leaf0>host7", rate: 200Gbps}\n' > "$tmp/slow.yaml"
	expect "a slow wire" $((alone + 4122 * 20)) "$("$weft" simulate ib-8 --scenario "$tmp/slow.yaml" \
		--workload point-to-point:direct:4KiB --csv | awk -F, 'NR == 2 { print $7 }')"
	expect "twice" "$("$weft" simulate fat-tree-8 --workload alltoall:linear:1MiB --csv --seed 7)" \
		"$("$weft" simulate fat-tree-8 --workload alltoall:linear:1MiB --csv --seed 7)"
}

freeze() {
	printf 'name: x\ntimeline:\n%s\n' "$1" > "$tmp/frozen.yaml"
}

# frozen ENTRY - when the messages start, in ps, with an entry of the time line
frozen() {
	freeze "$1"
	"$weft" simulate ib-8 --workload "$tmp/messages" --scenario "$tmp/frozen.yaml" --json |
		jq -r '[.flows[].start_ps] | join(" ")'
}

# b of 3 us is computed when a has ended: with a freeze from t to u before it is, u - t later.
# A message that is computed in the instant of a freeze starts at its end.
freezes() {
	local alone=$((4026 * 20 + 280000 + 230000 + 2 * 25250 + 330000)) us=1000000

	printf 'a: host0 host1 4kB delay 1us\nb: host1 host2 4kB delay 3us after a\n' > "$tmp/messages"
	expect "while it computes" "$us $((us + alone + 8 * us))" \
		"$(frozen '- {at: 3us, node: host1, do: freeze, for: 5us}')"
	expect "others" "$us $((us + alone + 3 * us))" \
		"$(frozen '- {at: 1us, node: host3, do: freeze, for: 50us}')"
	expect "when it has computed" "$((10 * us)) $((10 * us + alone + 3 * us))" \
		"$(frozen '- {at: 1us, node: host0, do: freeze, for: 9us}')"
	expect "in turns" "$((3 * us)) $((3 * us + alone + 3 * us))" \
		"$(frozen '- {at: 0s, node: host0, do: freeze, for: 1us, every: 2us, times: 3}')"
	expect "one thaw for two" "$us $((us + alone + 6 * us))" "$(frozen "- {at: 6us, node: host1, do: thaw}
- {at: 3us, node: host1, do: freeze}
- {at: 4us, node: host1, do: freeze, for: 1us}
- {at: 6us, node: host1, do: freeze}
- {at: 7us, node: host1, do: thaw}")"
	freeze '- {at: 3us, node: host1, do: freeze}'
	mistake 1 "weft simulate: $tmp/frozen.yaml:3:3: node: it never goes on, and what it should send would never end; expected for, or thaw later" simulate ib-8 --workload barrier:linear --scenario "$tmp/frozen.yaml"
	freeze '- {at: {bytes: 1kB, of: host0}, node: host1, do: freeze, for: 1us}'
	mistake 1 "weft simulate: $tmp/frozen.yaml:3:3: at: a simulation freezes nodes at known times; expected a time" simulate ib-8 --workload barrier:linear --scenario "$tmp/frozen.yaml"
}

# parts ARGUMENT... - the parts of a critical path: messages, computing, as alone, longer, held
parts() {
	"$weft" simulate ib-8 "$@" --json --summary | jq -r '.summary | .critical_path as $p |
		if .end_ps == ($p | .computing_ps + .alone_ps + .longer_ps + .held_ps) then
			$p | "\(.messages) \(.computing_ps) \(.alone_ps) \(.longer_ps) \(.held_ps)"
		else "they do not add up: \(.)" end'
}

# Times of messages of 4000 and 8000 bytes, alone; on one wire a packet of 4096 bytes is the
# longest, and one of 3904 follows. c waits for b, which ends later than a; d waits for none.
critical() {
	local late=$((280000 + 230000 + 2 * 25250 + 330000)) us=1000000 one two w

	one=$((4026 * 20 + late))
	two=$(((4122 + 3930) * 20 + late))
	cat > "$tmp/messages" <<- 'END'
		a: host0 host1 4kB delay 1us
		b: host2 host1 8kB delay 2us
		c: host1 host3 4kB at 9us after a,b delay 3us
		d: host4 host5 4kB
	END
	expect "alone" "2 $((5 * us)) $((one + two)) 0 $((7 * us - two))" "$(parts --workload "$tmp/messages")"
	expect "its messages" "b c" "$("$weft" simulate ib-8 --workload "$tmp/messages" --critical --csv |
		awk -F, 'NR > 1 { print $1 }' | xargs)"
	expect "JSON" "b c" "$("$weft" simulate ib-8 --workload "$tmp/messages" --critical --json |
		jq -r '[.flows[].name] | join(" ")')"
	expect "table" "b c" "$("$weft" simulate ib-8 --workload "$tmp/messages" --critical |
		awk 'NR > 1 && !NF { exit } NR > 1 { print $1 }' | xargs)"
	# two share the receiver's wire, and the one that comes first does not delay the other's end
	printf 'host0 host1 4kB\nhost2 host1 4kB\n' > "$tmp/messages"
	expect "longer" "1 0 $one $((4026 * 20)) 0" "$(parts --workload "$tmp/messages")"
	# each of two waits so long, and both are from one node to the other
	printf '%s\n' 'x: host2 host1 4kB' 'a: host0 host1 4kB' 'y: host2 host1 4kB after x,a' \
		'b: host0 host1 4kB after x,a' > "$tmp/messages"
	expect "worst" "[\"host1\",$((2 * 4026 * 20)),true]" "$("$weft" simulate ib-8 --workload "$tmp/messages" \
		--json --summary | jq -c '.summary.critical_path | [.worst.to, .longer_ps, .longer_ps >= .worst.longer_ps]')"
	# a node that is frozen before it computes
	printf 'host0 host1 4kB delay 1us\n' > "$tmp/messages"
	freeze '- {at: 500ns, node: host0, do: freeze, for: 4us}'
	expect "frozen" "1 $us $one 0 $((4 * us))" \
		"$(parts --workload "$tmp/messages" --scenario "$tmp/frozen.yaml")"
	# all wait for the node that is frozen: the path of each reduction goes through it
	freeze '- {at: 0s, node: host3, do: freeze, for: 30us}'
	expect "reduction" "host3 host7 host7" "$("$weft" simulate ib-8 --workload allreduce:sharp:64KiB:3 \
		--scenario "$tmp/frozen.yaml" --critical --csv | awk -F, 'NR > 1 { print $2 }' | xargs)"
	expect "held" "30000000" "$(parts --workload allreduce:sharp:64KiB:3 --scenario "$tmp/frozen.yaml" |
		awk '{ print $5 }')"
	for w in allreduce:ring:64KiB:3 poisson:hadoop:0.5:50us allreduce:rabenseifner:100kB \
			training:gpt3-175b:layers=4,hidden=1024,vocabulary=0,tensor=1,pipeline=2; do
		expect_match "$w" '^[1-9][0-9]* [0-9]+ [1-9][0-9]* [0-9]+ [0-9]+$' "$(parts --workload "$w")"
	done
	expect "nothing" "0 0 0 0 0" "$(parts --workload "$tmp/messages" --for 1ns)"
	mistake 1 "weft simulate: --critical: expected no --summary, which has no table; see weft simulate --help" simulate ib-8 --workload barrier:linear --critical --summary
}

# judged CODE EXPECTATIONS ARGUMENT... - simulate with expectations; the results are in $tmp/results
judged() {
	local code=0

	printf 'name: x\nexpect: %s\n' "$2" > "$tmp/judge.yaml"
	"$weft" simulate ib-8 --scenario "$tmp/judge.yaml" --report "$tmp/report.json" \
		--junit "$tmp/junit.xml" "${@:3}" > /dev/null 2> "$tmp/results" || code=$?
	expect "exit code" "$1" $code
}

# The first and the last node of each topology that comes with Weft reach each other by name.
reachable() {
	local t ends

	for t in $("$weft" topologies | awk '{ print $1 }'); do
		ends=$("$weft" plan "$t" --json | jq -r '[.nodes[0].name, .nodes[-1].name] | join("+")')
		expect_match "$t" '^messages that ended +1 of 1,' \
			"$("$weft" simulate "$t" --workload "point-to-point:direct:1KiB@$ends" --summary 2>&1)"
	done
}

# Of n domains of g nodes each, a node sends its buffer 2 (g - 1) / g times over NVLink, and
# 1 / g of it 2 (n - 1) / n times on its rail. Rails wait for nobody else: two steps over
# NVLink and 2 (n - 1) on a rail take less than 1.2 times what the wires are busy.
hierarchy() {
	local mib=1048576 n=2 g=4 s=64

	"$weft" simulate hybrid-8 --workload allreduce:hierarchical:${s}MiB --json \
		--report "$tmp/report.json" > "$tmp/hier"
	expect "messages" $((2 * n * g * (g - 1) + g * 2 * (n - 1) * n)) "$(jq .messages "$tmp/hier")"
	expect "bytes" $((2 * n * (g - 1) * s * mib + 2 * (n - 1) * s * mib)) \
		"$(jq .summary.bytes "$tmp/hier")"
	expect "transports" "rc and frames" "$(jq -r .transport "$tmp/hier")"
	expect "who waits" 0 "$(jq '[.flows[] | select(.start_ps == 0)] | length - '$((n * g * (g - 1))) "$tmp/hier")"
	expect "busy" true "$(jq --argjson last "$(jq .summary.last_end_ps "$tmp/hier")" \
		'[.links[] | select(.from | test("^gpu|^host|^node"))] | group_by(.discipline) |
		map(map(.tx_busy_ps) | max) | add | . < $last and $last < 1.2 * .' "$tmp/report.json")"
	mistake 1 'weft simulate: algorithm hierarchical: the NVLink domain of host0 has 1 nodes; expected 2 or more' \
		simulate ib-8 --workload allreduce:hierarchical:1MiB
	# switches reduce on the rails: each of the g groups has n nodes
	"$weft" simulate hybrid-8 --workload allreduce:hierarchical-sharp:${s}MiB --json > "$tmp/hier"
	expect "messages" $((2 * n * g * (g - 1) + g * n)) "$(jq .messages "$tmp/hier")"
	expect "bytes" $((2 * n * (g - 1) * s * mib + n * s * mib)) "$(jq .summary.bytes "$tmp/hier")"
	expect "who waits" 0 "$(jq '[.flows[] | select(.start_ps == 0)] | length - '$((n * g * (g - 1))) "$tmp/hier")"
	expect "all end" true "$(jq '.messages == .summary.ended' "$tmp/hier")"
}

# In switches: one line for each node, from itself to itself; a barrier has no bytes.
reductions() {
	"$weft" simulate ib-8 --workload allreduce:sharp:1MiB --csv > "$tmp/sharp"
	expect "lines" 9 "$(wc -l < "$tmp/sharp")"
	expect "each" 8 "$(awk -F, '$2 == $3 && $4 == 1048576 && $6 > 0' "$tmp/sharp" | wc -l)"
	expect "the same end" 1 "$(tail -n +2 "$tmp/sharp" | cut -d, -f6 | sort -u | wc -l)"
	expect "a barrier" "8 0" "$("$weft" simulate ib-8 --workload barrier:sharp --json |
		jq -r '"\(.summary.ended) \(.summary.bytes)"')"
	mistake 1 'weft simulate: host0 has no NVLink NIC at a switch, which could reduce' \
		simulate ib-8 --workload allreduce:nvls:1MiB
	mistake 1 'weft simulate: 2 parts: expected at most 1; NVLink, PCIe, wires without propagation, with bit errors or with faults, nodes that wait for each other'"'"'s messages, and switches that reduce or have notices, are not cut' \
		simulate fat-tree-8 --workload allreduce:sharp:1MiB --parts 2
}

# curves - of the picture: values and the largest of each
curves() {
	python3 -c 'import sys, xml.dom.minidom
for p in xml.dom.minidom.parse(sys.argv[1]).getElementsByTagName("path"):
    if p.getAttribute("data-n"):
        print(p.getAttribute("data-n"), p.getAttribute("data-most"))' "$tmp/cdf.svg"
}

# Open-loop flows, and their slowdowns by size.
open_loop() {
	"$weft" simulate fat-tree-8 --workload poisson:hadoop:0.3:100us --json --summary > "$tmp/open"
	expect "all ended" true "$(jq '.messages > 100 and .messages == .summary.ended' "$tmp/open")"
	expect "sizes" true "$(jq '([.by_size[].ended] | add) == .messages and (.by_size | length) > 2' "$tmp/open")"
	expect "order" true "$(jq '[.by_size[].above_bytes] | . == sort and .[0] == 0' "$tmp/open")"
	expect_match "table" '^up to 10 kB +[0-9]+ +1\.[0-9]+ ' \
		"$("$weft" simulate fat-tree-8 --workload poisson:hadoop:0.3:100us --summary)"
	"$weft" simulate fat-tree-8 --workload poisson:hadoop:0.3:100us --summary --cdf "$tmp/cdf.svg" > /dev/null
	curves | sort > "$tmp/curves"
	expect "curves" "$(jq '2 * .messages' "$tmp/open")" "$(awk '{ n += $1 } END { print n }' "$tmp/curves")"
	expect "the longest" "$(jq .summary.max_ps "$tmp/open")" "$(cut -d' ' -f2 "$tmp/curves" | sort -g | tail -1)"
	"$weft" simulate ib-8 --workload alltoall:linear:1MiB@host[0-3] --workload point-to-point:direct:1MiB@host[4-5] \
		--summary --cdf "$tmp/cdf.svg" > /dev/null
	expect "by job" "1 1 12 12" "$(curves | cut -d' ' -f1 | sort -n | xargs)"
	expect_match "none" 'no message has ended: there is nothing to plot' \
		"$("$weft" simulate ib-8 --workload point-to-point:direct:1MiB --for 1us --csv --cdf "$tmp/cdf.svg" 2>&1)"
	mistake 1 "weft simulate: $tmp/none/cdf.svg: No such file or directory" \
		simulate ib-8 --workload point-to-point:direct:1MiB --cdf "$tmp/none/cdf.svg"
	mistake 1 'weft simulate: "poisson:hadoop": a load is above 0 and at most 1; expected poisson:SIZES:LOAD:TIME[:SEED][@NODES], as in poisson:websearch:0.5:1ms' \
		simulate ib-8 --workload poisson:hadoop
}

# A step of training: 2 passes of 2 layers forward and 4 backward, each 2 * 24 H^2 + 4 S H
# operations for each of S tokens, at 10^12 a second. There is one replica.
training() {
	local step=training:gpt3-175b:layers=4,hidden=1024,sequence=64,vocabulary=0,tensor=1,pipeline=2,tflops=1
	local work=$(((24 * 1024 + 4 * 64) * 1024 * 64 * 2))

	"$weft" simulate ib-8 --workload "$step,micro-batches=1@host[0-1]" --json > "$tmp/step"
	expect "computing, ps" $((3 * work)) "$(jq .summary.computing_ps "$tmp/step")"
	expect "messages" "2 2" "$(jq -r '"\(.messages) \(.summary.ended)"' "$tmp/step")"
	expect "end, ps" true "$(jq '.summary.end_ps == 2 * .summary.computing_ps + 2 * .summary.max_ps' "$tmp/step")"
	expect "passes" "forward0.stage0 forward0.stage1 backward0.stage1 backward0.stage0" \
		"$(jq -r '[.flows[] | select(.name | test("ward"))] | sort_by(.end_ps)[].name' "$tmp/step" | xargs)"
	expect_match "summary" '^with computing +[0-9.]+ms, of which a node computes up to [0-9.]+ms$' \
		"$("$weft" simulate ib-8 --workload "$step@host[0-1]" --summary)"
	printf 'layers: 4\nhidden: 8\ntflops: x\n' > "$tmp/model.yaml"
	mistake 1 "weft simulate: $tmp/model.yaml:1:1: sequence is missing: expected 1 to 10000000" \
		simulate ib-8 --workload "training:$tmp/model.yaml"
	mistake 1 "weft simulate: $tmp/model.yaml:3:9: tflops \"x\": expected 1 to 1000000" \
		simulate ib-8 --workload "training:$tmp/model.yaml:sequence=1"
	expect_match "key" 'unknown key "layer" in the file: expected one of name, .*, layers, ' \
		"$("$weft" simulate ib-8 --workload training:gpt3-175b:layer=1 2>&1)"
	mistake 1 'weft simulate: training: 8 nodes: expected a multiple of tensor * pipeline = 32' \
		simulate ib-8 --workload training:gpt3-175b
	mistake 1 'weft simulate: none: No such file or directory' simulate ib-8 --workload training:none
}

# A message of 4096 bytes, as above, and its acknowledgement of 30 bytes the same way back.
# So the last packet is there after the message, which ends $alone after the begin, plus
# 600 ns and 280 ns of the NICs, two cables, the switch and the 30 bytes.
judgements() {
	local alone=$((4122 * 20 + 280000 + 230000 + 2 * 25250 + 330000))
	local whole=$((2 * alone - 4092 * 20)) one=(--workload point-to-point:direct:4KiB)

	judged 0 "{lossless: true, no-drops: true, no-deadlock: true, finished-within: ${alone}ps}" "${one[@]}"
	expect "met" 4 "$(grep -c '^ok ' "$tmp/results")"
	expect "time, ps" $whole "$(jq .time_ps "$tmp/report.json")"
	expect "faithful" true "$(jq .verdict.faithful "$tmp/report.json")"
	expect "wires of the message" "host0.eth0 leaf0:7" "$(jq -r '.links[] | select(.tx_bytes > 4096) |
		select(.tx_packets == 1) | .from' "$tmp/report.json" | xargs)"
	judged 123 "{finished-within: $((alone - 1))ps}" "${one[@]}"
	expect_match "late" '^FAILED  finished-within=.*: it took ' "$(cat "$tmp/results")"
	expect_match "JUnit" '<testsuite .*tests="1" failures="1"' "$(cat "$tmp/junit.xml")"
	judged 123 "{finished-within: 1s}" "${one[@]}" --for 600ns
	expect_match "not ended" ': 1 message had not ended after 600ns;' "$(cat "$tmp/results")"
	judged 123 "{busbw: 400Gbps, utilisation-below: 0.04}" "${one[@]}" --json
	expect "failed" 2 "$(grep -c '^FAILED ' "$tmp/results")"
	expect "in the report" "failed failed" \
		"$(jq -r '.expectations[].outcome' "$tmp/report.json" | xargs)"
	"$weft" simulate ib-8 "${one[@]}" --summary --record "$tmp/record.json" --interval 1us > /dev/null
	expect "samples" "0 1000000 $whole" "$(jq -r '.time_ps | .[]' "$tmp/record.json" | xargs)"
	expect "a wire" "[0,1,0]" "$(jq -c '.wires[] | select(.from == "host0.eth0").tx_packets' "$tmp/record.json")"
	"$weft" report --html "$tmp/page.html" --from "$tmp/record.json"
	expect_match "page" 'simulated' "$(cat "$tmp/page.html")"
	mistake 1 "weft simulate: --interval needs --record; see weft simulate --help" simulate ib-8 "${one[@]}" --interval 1us
	mistake 1 'weft simulate: /nonexistent/x: No such file or directory' simulate ib-8 \
		"${one[@]}" --report /nonexistent/x
}

# Seven senders of 400 kB over 100 Gb/s whose packets are marked behind 50 kB: DCQCN makes
# them slower than the wire that they share. With congestion: none they cannot be marked, and
# fill it: 7 times 98 packets of at most 4178 bytes, less than 231 us with all latencies.
reactions() {
	local i slow fast

	{
		printf 'name: x\nprofile: ethernet-100g\nport: {ecn: {kmin: 50kB, kmax: 50kB, pmax: 1}}\n'
		printf 'nodes: [{name: "h[0-7]"}]\nswitches: [{name: s}]\nlinks: [{ends: ["h[0-7]", s]}]\n'
	} > "$tmp/marks.yaml"
	sed '2 a nic: {verbs: {congestion: none}}' "$tmp/marks.yaml" > "$tmp/alone.yaml"
	for i in 1 2 3 4 5 6 7; do
		echo "h$i h0 400kB"
	done > "$tmp/incast"
	slow=$("$weft" simulate "$tmp/marks.yaml" --workload "$tmp/incast" --json --summary)
	fast=$("$weft" simulate "$tmp/alone.yaml" --workload "$tmp/incast" --json --summary)
	expect "marked, and not" "true false" "$(jq '.marked_packets > 0' <<< "$slow$fast" | xargs)"
	expect "fast" true "$(jq '.summary.last_end_ps < 231e6' <<< "$fast")"
	expect "slow" true "$(jq -s '.[0].summary.last_end_ps > 1.5 * .[1].summary.last_end_ps' <<< "$slow$fast")"
}

# A binomial broadcast of 1 byte by 32 ranks, as LogGOPSim has it: 31 sends and receives.
# Each rank but the first sends when it has received, and so the start of each send is the
# end of its rank's receive.
published_schedule() {
	local file=${WEFT_TRACES:-}/binary_tree_32.goal

	[ -f "$file" ] || skip "no published trace: set WEFT_TRACES to their folder"
	"$weft" simulate fat-tree k=8 --workload "$file" --csv > "$tmp/schedule"
	expect "operations, without those that start too early or late" "31 31 31" "$(awk -F, '
		NR == 1 { next }
		{ split($1, name, "."); rank = name[1] }
		$2 == $3 { ended[rank] = $6; recvs++; next }
		{ sends++; right += $5 == ended[rank] + 0 }
		END { print recvs, sends, right }' "$tmp/schedule")"
}

# Two ranks, which the fuzzer has in one file behind two bytes: 7 us of work, a message of
# 1000 bytes, and a ring of two all-reduces 4 KiB, that is, two rounds of 2 KiB.
traces() {
	local both=user/fuzz/workload/corpus/ranks.et

	tail -c +3 "$both" | head -c 98 > "$tmp/t.0.et"
	tail -c +101 "$both" > "$tmp/t.1.et"
	"$weft" simulate pair --workload "$tmp/t.0.et" --csv > "$tmp/trace"
	expect "on the wire" "0.n2 1000,0.n3.message 2048,1.n3.message 2048,1.n3.message 2048,0.n3.message 2048" \
		"$(awk -F, '$4 > 0 && NR > 1 { print $1, $4 }' "$tmp/trace" | paste -sd ,)"
	expect "work" "0.n1,host0,host0,0,7000000,7000000,0," "$(grep '^0\.n1,' "$tmp/trace")"
	expect "start" 7000000 "$(awk -F, '$1 == "0.n2" { print $5 }' "$tmp/trace")"
	mistake 1 "weft simulate: $tmp/t.1.et: expected the trace of rank 0, PREFIX.0.et" \
		simulate pair --workload "$tmp/t.1.et"
	mistake 1 "weft simulate: $tmp/none.0.et: No such file or directory" \
		simulate pair --workload "$tmp/none.0.et"
	cp "$tmp/t.0.et" "$tmp/t.2.et"
	mistake 1 "weft simulate: $tmp/t.2.et: the topology has 2 nodes, and each rank is one" \
		simulate pair --workload "$tmp/t.0.et"
}

# ASTRA-sim's all-reduce of 8 ranks as one node of each is the ring. As sends, receives and
# computations of 7 us, each node of a rank waits for the one before, and a receive for its
# send: the one before it in the file of the rank before.
published_traces() {
	local dir=${WEFT_TRACES:-}

	[ -f "$dir/all_reduce.0.et" ] || skip "no published trace: set WEFT_TRACES to their folder"
	expect "one node" "$("$weft" simulate ib-8 --workload allreduce:ring:1MiB --json | jq .summary.last_end_ps)" \
		"$("$weft" simulate ib-8 --workload "$dir/all_reduce.0.et" --json | jq .summary.last_end_ps)"
	"$weft" simulate ib-8 --workload "$dir/custom_allreduce.0.et" --csv > "$tmp/custom"
	expect "sends, receives, computations, those that start too early or late" "112 112 56 0" \
		"$(awk -F, 'NR > 1 && match($1, /^[0-9]+\.(COMM_SEND|COMM_RECV|COMP)_NODE_tb0_step/) {
			split($1, name, "."); step = substr($1, RLENGTH + 1)
			kind = substr(name[2], 1, 6); n[kind]++
			start[name[1], kind, step] = $5; end[name[1], kind, step] = $6
		}
		END {
			for (rank = 0; rank < 8; rank++)
				for (last = step = 0; step < 28; step++) {
					if ((rank, "COMM_S", step) in end) {
						bad += start[rank, "COMM_S", step] != last
						last = end[rank, "COMM_S", step]
						continue
					}
					sent = end[(rank + 7) % 8, "COMM_S", step - 1]
					last = sent > last ? sent : last
					bad += end[rank, "COMM_R", step] != last
					if ((rank, "COMP_N", step) in end) {
						last += 7000000
						bad += end[rank, "COMP_N", step] != last
					}
				}
			print n["COMM_S"], n["COMM_R"], n["COMP_N"], bad + 0
		}' "$tmp/custom")"
}

# 14 steps of 9038 wire bytes at 400 Gb/s; latencies of 14 neighbouring pairs, 10
# on one leaf (2 * 25.25 + 425 ns), 4 between leaves (4 * 25.25 + 3 * 425 ns), each
# with 280 + 230 ns of its NICs
bounds() {
	"$weft" bound fat-tree-8 --sizes 71584 --json > "$tmp/bound"
	expect "ring" 19929640 "$(jq '.bounds[0].seconds.ring * 1e12 | round' "$tmp/bound")"
	expect "lines" 15 "$("$weft" bound fat-tree-8 --algorithm ring | grep -c '^[0-9]* 0\.[0-9]*$')"
	expect "rows" 15 "$("$weft" bound fat-tree-8 | grep -c '^[0-9]*[KM]iB .*[0-9]\*.*[0-9]$')"
	expect "least" recursive-doubling "$(jq -r '.bounds[0].least' \
		<("$weft" bound ib-8 --sizes 4KiB --json))"
	expect "barrier" 1 "$("$weft" bound fat-tree-8 --collective barrier | grep -c '^0B')"
	# what no algorithm beats is below each of them, by verbs, too
	expect "floor" true "$("$weft" bound ib-8 --net verbs --json |
		jq '[.bounds[] | .floor_seconds <= ([.seconds[]] | min)] | all' 2>&1)"
}

# 50 B/ns * (2 * 200 + 1158.4) ns = 77920; + 9216 + 84 + 2 * 9216 = 105652
headroom() {
	"$weft" headroom --rate 400Gbps --propagation 200ns --json > "$tmp/headroom"
	expect "generic" 105652 "$(jq .xoff "$tmp/headroom")"
	expect "terms add up" 105652 "$(jq '[.terms[].millibytes] | add / 1000' "$tmp/headroom")"
	expect "hpcc" 30000 "$("$weft" headroom --rate 400Gbps \
		--propagation 200ns --asic hpcc --json | jq .xoff)"
	"$weft" headroom --rate 400Gbps --length 40m --asic spectrum-3 --lanes 8 > "$tmp/headroom"
	expect_match "factor" '144/64 \* *20202\.021  on the cable' "$(cat "$tmp/headroom")"
	expect_match "xoff" '^xoff 77824 ' "$(grep xoff "$tmp/headroom")"
	expect_match "size" '^size 124928$' "$(grep size "$tmp/headroom")"
}

scenarios() {
	local s

	for s in $("$weft" scenario list); do
		"$weft" scenario check "$s" roce-8 > /dev/null
	done
	expect "listed" "$(cd user/share/scenarios && echo *.yaml)" \
		"$("$weft" scenario list | sed 's/$/.yaml/' | tr '\n' ' ' | sed 's/ $//')"
	printf 'name: x\ntimeline:\n  - {node: host9, do: kill}\n' > "$tmp/x.yaml"
	expect "fits any" "scenario x: 1 entries" "$("$weft" scenario check "$tmp/x.yaml")"
	mistake 1 "weft scenario: $tmp/x.yaml:3:5: there is no node \"host9\": \`weft show nodes\` lists them" scenario check "$tmp/x.yaml" pair
	mistake 125 "weft run: $tmp/x.yaml:3:5: there is no node \"host9\": \`weft show nodes\` lists them" run pair --scenario "$tmp/x.yaml" -- true
	mistake 125 'weft run: none: no such file, and no such scenario comes with Weft (`weft scenario list` lists them)' run pair --scenario none -- true
	mistake 125 'weft run: --junit needs --scenario; see weft run --help' run pair --junit x -- true
	mistake 1 'weft scenario: expected check, play, start, status, stop or list; see weft scenario --help' scenario
	mistake 1 'weft scenario: expected check FILE [TOPOLOGY], play FILE, start FILE, status, stop, or list; a lab is named by --lab; see weft scenario --help' scenario check
	mistake 1 'weft scenario: expected check FILE [TOPOLOGY], play FILE, start FILE, status, stop, or list; a lab is named by --lab; see weft scenario --help' scenario check a b --junit c
	mistake 1 'weft assert: expected an EXPECTATION; see weft assert --help' assert -l lab
	mistake 1 'weft assert: busbw needs a program: `weft run --scenario` judges it' assert -l lab busbw=1Gbps
	mistake 1 'weft assert: lossless: "2": expected true or false' assert -l lab lossless=2
}

doctor() {
	local code=0

	"$weft" doctor --json > "$tmp/doctor" || code=$?
	expect "exit code" "$code" "$(jq 'if .healthy then 0 else 1 end' "$tmp/doctor")"
	expect "every finding has a fix" 0 \
		"$(jq '[.findings[] | select(.fix == "")] | length' "$tmp/doctor")"
}

ktap_begin 32
t "help" helps
t "one grammar" grammar
t "mistakes on the command line" mistakes
t "mistakes in files" file_mistake
t "without the module" without_module
t "down with nothing up" nothing_to_do
t "dry run" dry_run
t "what a topology comes to" plan
t "a plan of what is alike" plan_of_what_is_alike
t "a plan of what differs" plan_of_what_differs
t "what may deadlock" plan_of_ring
t "one address per node" one_address
t "a profile of one's own" own_profile
t "what comes with weft" shipped
t "topologies as files" designs
t "bound" bounds
t "simulate" simulations
t "simulate frozen nodes" freezes
t "simulate, and what the end waits for" critical
t "simulate and judge" judgements
t "simulate open-loop flows" open_loop
t "simulate a step of training" training
t "simulate NVLink and rails" hierarchy
t "simulate from end to end of each topology" reachable
t "simulate reductions in switches" reductions
t "senders that slow down" reactions
t "a schedule of LogGOPSim" published_schedule
t "traces of Chakra" traces
t "traces of ASTRA-sim" published_traces
t "headroom" headroom
t "scenarios and expectations" scenarios
t "doctor" doctor
ktap_end
