#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# weft run from outside the virtual machine: what it passes through, what it
# says of mistakes, and that it leaves nothing behind.
cd "$(dirname "$0")/../.." || exit 1
. selftests/ktap.sh

weft=build/user/weft
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

cat > "$tmp/pair.yaml" << 'END'
name: pair
profile: ethernet-400g
nodes: [{name: "host[0-1]"}]
switches: [{name: leaf}]
links: [{ends: ["host[0-1]", leaf]}]
END

run() {
	$weft run "$tmp/pair.yaml" --clock virtual "$@"
}

exit_code() {
	local code=0

	run -q -- sh -c 'exit 7' || code=$?
	expect "exit code" 7 $code
	code=0
	run -q --timeout 2 -- sh -c 'while :; do :; done' 2> "$tmp/err" || code=$?
	expect "time-out" 124 $code
	code=0
	run -q -- no-such-program 2> "$tmp/err" || code=$?
	expect "not found" 127 $code
	expect "message" "weft run: no-such-program: No such file or directory" \
		"$(grep no-such "$tmp/err")"
	code=0
	run -q -- sh -c 'kill -TERM $$' || code=$?
	expect "signal" 143 $code
}

# A program that takes more than there is, in a node, is named. With 276 MiB, half of the
# seeds had a program whose code was reclaimed and read again for ever.
out_of_memory() {
	local code seed said="the virtual machine ran out of memory and killed python3 of host1: --mem gives it more"

	for seed in 1 2 3 4; do
		code=0
		run -q --mem 276M --seed $seed --timeout 120 --report "$tmp/report" -- \
			weft exec host1 -- python3 -c \
			'l = [bytearray(1 << 20) for _ in range(1000)]' 2> "$tmp/err" || code=$?
		expect "exit code" 137 $code
	done
	expect_match "message" "^weft run: $said" "$(cat "$tmp/err")"
	expect "faithful" false "$(jq .verdict.faithful "$tmp/report")"
	expect_match "reason" "$said" "$(jq -r '.verdict.reasons[]' "$tmp/report")"
}

output() {
	expect "output" "a line" "$(run -q -- echo "a line" 2> "$tmp/err")"
	expect "errors" "other" "$(run -q -- sh -c 'echo other >&2' 2>&1 > "$tmp/out")"
	expect "output" "" "$(cat "$tmp/out")"
}

input() {
	expect "input" "abc" "$(echo abc | run -q -- cat)"
}

in_first_node() {
	expect "host name" host0 "$(run -q -- hostname)"
}

prints_report() {
	run -- ping -q -c 3 -i 0.01 host1 > "$tmp/out" 2>&1
	expect_match "report" '^verdict: faithful$' "$(cat "$tmp/out")"
}

# count REGEX FILE - lines that match
count() {
	grep -cE "$1" "$2" || true
}

# ib-8 has 8 links, each of two wires, and 8 NICs. A ping has two hosts: four wires and
# two NICs are busy, the link of host7 has a fault. -v has all.
idle_is_summed_up() {
	run_ib() {
		$weft run ib-8 --clock virtual "$@" -- sh -c \
			'weft fault add rate host7.eth0 rate=100Gbps > /dev/null
			 ping -q -c 1 host1 > /dev/null'
	}
	run_ib > "$tmp/brief" 2> "$tmp/err"
	expect "wires" 6 "$(count 'bps +[0-9]+ +[0-9]+ +[0-9.]+%' "$tmp/brief")"
	expect "idle wires, idle NICs" "10 more without traffic
6 more without traffic" "$(grep 'without traffic' "$tmp/brief")"
	expect "wires at fault" 2 "$(count '^(host7.eth0 +leaf0:7|leaf0:7 +host7.eth0) ' "$tmp/brief")"
	expect "NICs" 2 "$(count '^host[0-7].eth0( +[0-9]+){4}( +[0-9.]+[num]s){2}$' "$tmp/brief")"
	expect_match "losses" '^dropped by the fabric: 0 packets$' "$(cat "$tmp/brief")"
	expect "lateness" 0 "$(count '^lateness' "$tmp/brief")"
	run_ib -v > "$tmp/all" 2> "$tmp/err"
	expect "all wires" 16 "$(count 'bps +[0-9]+ +[0-9]+ +[0-9.]+%' "$tmp/all")"
	expect "nothing summed up" 0 "$(count 'without traffic' "$tmp/all")"
	expect "all lateness" 2 "$(count '^(lateness|later than)' "$tmp/all")"
}

# Each of 16 hosts pings the next one. 8 wires and 8 NICs are shown, and those with
# trouble; they and those that are counted are all.
alike_is_summed_up() {
	# shellcheck disable=SC2016 # the shell inside does
	$weft run fat-tree-16 --clock virtual -- sh -c 'for i in $(seq 0 15); do
		weft exec host$i -- ping -q -c 1 host$(((i + 1) % 16)) > /dev/null & done; wait' \
		> "$tmp/brief" 2> "$tmp/err"
	expect "wires" 64 "$(awk '/^from/ { on = 1 } /^nic/ { on = 0 }
		on && / [0-9]+Gbps / { n++ } on && / more/ { n += $1 }
		END { print n }' "$tmp/brief")"
	expect_match "busy wires" '^[0-9]+ more, each used at most [0-9.]+%$' "$(cat "$tmp/brief")"
	expect_match "busy NICs" '^8 more, lat. p99 at most [0-9.]+[nu]s$' "$(cat "$tmp/brief")"
	expect_in "lines" 20 40 "$(sed -n '/^weft report/,$p' "$tmp/brief" | wc -l)"
}

# 12 echoes, 100 ms apart, are 12 phases. Marks are always shown, and so is the last
# phase, which has not ended. 8 of the other 11 are shown.
phases_are_summed_up() {
	run_phases() {
		run --phases above=1Mbps,least=1KiB,quiet=1ms "$@" -- sh -c \
			'weft mark begin; weft mark end
			 ping -q -s 8000 -c 12 -i 0.1 host1 > /dev/null'
	}
	run_phases > "$tmp/brief" 2> "$tmp/err"
	expect "shown" "9 2" "$(count '^traffic-' "$tmp/brief") $(count '^(begin|end) ' "$tmp/brief")"
	expect_match "counted" '^3 more, each of at most [0-9]+ bytes$' "$(cat "$tmp/brief")"
	run_phases -v > "$tmp/all" 2> "$tmp/err"
	expect "all" 12 "$(count '^traffic-' "$tmp/all")"
}

# Ports without traffic are counted, and what all nodes have is said once.
shows_what_is_busy() {
	$weft run -q ib-8 --clock virtual -- sh -c 'ping -q -c 1 host1 > /dev/null
		weft show ports; echo; weft show settings; echo; weft show ports -v
		echo; weft show settings -v; echo; weft show ports -j' > "$tmp/out"
	awk -v RS= -v dir="$tmp/part" '{ print > (dir NR) }' "$tmp/out"
	expect "ports" "5 12 more without traffic" \
		"$(grep -vc without "$tmp/part1") $(tail -1 "$tmp/part1")"
	expect "settings" "9 9" "$(count '^all ' "$tmp/part2") $(($(wc -l < "$tmp/part2") - 1))"
	expect "all ports" 17 "$(wc -l < "$tmp/part3")"
	expect "all settings" 73 "$(wc -l < "$tmp/part4")"
	expect "JSON" 16 "$(jq length "$tmp/part5")"
}

# A fat tree of 16 hosts has 32 links of two wires each, and one is at 100 Gb/s. Of what
# differs in its names only, 8 rows are shown. Of the ports through which 16 hosts send,
# 8 are shown, and those that had to wait.
shows_what_differs() {
	# shellcheck disable=SC2016 # the shell inside does
	$weft run -q fat-tree-16 --clock virtual -- sh -c '
		weft set link host15-leaf3 rate 100Gbps
		weft show links; echo; weft show nodes; echo; weft show nics; echo
		weft show links -v; echo; weft show links -j; echo
		for i in $(seq 0 15); do
			weft exec host$i -- ping -q -c 1 host$(((i + 1) % 16)) > /dev/null &
		done; wait; weft show ports; echo; weft show ports -j' > "$tmp/out"
	awk -v RS= -v dir="$tmp/part" '{ print > (dir NR) }' "$tmp/out"
	expect "links" "10 2 54 more like host0.eth0" "$(count 'Gbps' "$tmp/part1") $(
		count ' 100Gbps ' "$tmp/part1") $(tail -1 "$tmp/part1")"
	expect "nodes" "8 8 more like host0" "$(count ' 9000$' "$tmp/part2") $(tail -1 "$tmp/part2")"
	expect "NICs" "8 8 more like host0.eth0" "$(count '^host' "$tmp/part3") $(tail -1 "$tmp/part3")"
	expect "all links" 65 "$(wc -l < "$tmp/part4")"
	expect "JSON" 64 "$(jq length "$tmp/part5")"
	expect "ports" "$(jq length "$tmp/part7")" "$(awk '/eth0|:/ { n++ }
		/ more/ { n += $1 } END { print n }' "$tmp/part6")"
	expect_match "busy ports" '^[0-9]+ more, each sent at most 2 packets$' "$(cat "$tmp/part6")"
	expect_in "rows" 10 20 "$(wc -l < "$tmp/part6")"
}

# The clock does not see what a program computes, and the report says so.
computing() {
	run --report "$tmp/report" -- true > "$tmp/out" 2> "$tmp/err"
	expect_match "text" '^note: computing took no time: rates of computing that programs print mean nothing$' \
		"$(cat "$tmp/out")"
	expect "JSON" 1 "$(jq '[.verdict.notes[] | select(contains("computing took no time"))] | length' \
		"$tmp/report")"
}

# Programs see fabric time only, so the line of progress has to say how slow it is. Those
# that measure for seconds have options that keep them short, and a page names them.
time_is_said() {
	local page=Documentation/troubleshooting.rst options

	printf '#!/bin/sh\necho "$@"\n' > "$tmp/launcher"
	chmod +x "$tmp/launcher"
	expect_match "progress" ' --progress ' "$(WEFT_VM=$tmp/launcher run -- true)"
	expect "quiet" 0 "$(WEFT_VM=$tmp/launcher run -q -- true | grep -c -e --progress)"
	# shellcheck disable=SC2016 # marks of the page
	expect_in "rows of iperf3, qperf, sockperf" 3 3 \
		"$(grep -cE '^ +``(iperf3|qperf|sockperf)`` .*``-[nt] ' $page)"
	command -v iperf3 > /dev/null || skip "iperf3 is missing"
	# shellcheck disable=SC2016 # marks of the page
	for options in $(sed -n 's/^ *``iperf3`` .* ``\(-n [^`]*\)``, or ``\(-n [^`]*\)``.*/\1\n\2/p' \
			$page | tr ' ' _); do
		run -q --report "$tmp/report" -- sh -c "weft exec host1 -- iperf3 -s -1 -D
			sleep 1; iperf3 -c host1 ${options//_/ } > /dev/null"
		expect_in "ps with ${options//_/ }" 1000000000000 1500000000000 \
			"$(jq .time_ps "$tmp/report")"
	done
}

writes_report() {
	run -q --report "$tmp/report" -- ping -q -c 3 -i 0.01 host1
	expect "verdict" true "$(jq .verdict.faithful "$tmp/report")"
	expect "clock" virtual "$(jq -r .clock "$tmp/report")"
	expect_in "packets" 6 100 "$(jq '[.nics[].tx_packets] | add' "$tmp/report")"
}

# Kernels differ in the layout of what they share with the module, so each has
# a module of its own.
no_module() {
	local code=0

	run -q --flavor nope -- true > "$tmp/out" 2> "$tmp/err" || code=$?
	expect "exit code" 125 $code
	expect "output" "" "$(cat "$tmp/out")"
	expect_match "message" '--flavor nope: no module .*make debug' "$(cat "$tmp/err")"
}

# mistake REGEX - the topology on standard input is refused with such a text
mistake() {
	local code=0

	cat > "$tmp/bad.yaml"
	$weft run "$tmp/bad.yaml" -- true > "$tmp/out" 2> "$tmp/err" || code=$?
	expect "exit code" 125 $code
	expect "output" "" "$(cat "$tmp/out")"
	expect_match "message" "$1" "$(cat "$tmp/err")"
}

mistakes() {
	local code=0

	sed 's/nodes:/nodse:/' "$tmp/pair.yaml" | mistake 'bad.yaml:3:'
	sed 's/ethernet-400g/no-such/' "$tmp/pair.yaml" | mistake 'bad.yaml:2:10: .*no-such'
	sed 's/leaf\]}\]/laef]}]/' "$tmp/pair.yaml" | mistake 'bad.yaml:5:.*laef'
	sed '/^name/d' "$tmp/pair.yaml" | mistake 'bad.yaml:.*name'
	echo 'link: {rate: fast}' | cat "$tmp/pair.yaml" - | mistake 'bad.yaml:6:14: .*fast'
	$weft run "$tmp/none.yaml" -- true 2> "$tmp/err" || code=$?
	expect "exit code" 125 $code
	expect_match "message" 'none.yaml: no such file' "$(cat "$tmp/err")"
}

# ours - processes that this test has started in or around a virtual machine
ours() {
	grep -lsz "^WEFT_TEST_MARK=$tmp\$" /proc/[0-9]*/environ |
		grep -v "^/proc/\($$\|self\|$BASHPID\)/"
}

nothing_left() {
	local files

	files=$(find "$tmp" | sort)
	sleep 3 | WEFT_TEST_MARK=$tmp run -q -- cat &
	sleep 2
	[ "$(ours | wc -l)" -gt 0 ] || {
		echo "no process while it runs: this test would see none"
		return 1
	}
	wait $!
	WEFT_TEST_MARK=$tmp run -q -- sh -c 'sleep 1000 & exit 3' || true
	slowly_gone
	expect "files" "$files" "$(find "$tmp" | sort)"
}

slowly_gone() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ -n "$(ours)" ] || return 0
		sleep 0.2
	done
	echo "still there: $(ours)"
	return 1
}

ordinary_user() {
	local kernel

	[ "$(id -u)" -eq 0 ] || skip "is one already"
	getent passwd nobody > /dev/null || skip "there is no user nobody"
	kernel=$(tools/vm/build.sh fast)/linux
	[ -x "$kernel" ] || return 1
	su -s /bin/sh nobody -c "test -x $kernel && test -x $PWD/$weft" ||
		skip "the tree or the cache is not open to others"
	chmod 755 "$tmp"
	mkdir -m 777 "$tmp/work"
	(cd "$tmp/work" && su -s /bin/sh nobody -c \
		"$OLDPWD/$weft run $tmp/pair.yaml -q -- ping -q -c 1 host1")
}

# batch_job - in a job of Slurm too, the nodes are the lab's, for Open MPI and for MPICH
batch_job() {
	local mpi name
	local -a job=(SLURM_{JOB_ID,JOBID,NNODES,JOB_NUM_NODES,TASKS_PER_NODE}"=1"
		SLURM_{NODELIST,JOB_NODELIST}"=elsewhere")

	for mpi in mpirun.openmpi mpirun.mpich; do
		command -v $mpi > /dev/null || skip "$mpi is missing"
		name=$(env "${job[@]}" $weft run -q pair --clock virtual -- \
			$mpi -np 2 hostname | sort | paste -sd ' ')
		expect "$mpi" "host0 host1" "$name"
	done
}

ktap_begin 19
t "exit code" exit_code
t "a program that takes all memory" out_of_memory
t "output and errors" output
t "standard input" input
t "the command runs in the first node" in_first_node
t "prints a report" prints_report
t "what is idle is summed up" idle_is_summed_up
t "what is alike is summed up" alike_is_summed_up
t "phases are summed up" phases_are_summed_up
t "weft show has what is busy" shows_what_is_busy
t "weft show has once what is alike" shows_what_differs
t "computing took no time" computing
t "how slow the time is, and what keeps programs short" time_is_said
t "writes a report" writes_report
t "mistakes: file, line, column, what was expected" mistakes
t "a kernel without a module for it" no_module
t "nothing is left behind" nothing_left
t "works as an ordinary user" ordinary_user
t "MPI in a job of a batch system" batch_job
ktap_end
