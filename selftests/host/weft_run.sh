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

# A program that takes more than there is, in a node, is named.
out_of_memory() {
	local code=0 said="the virtual machine ran out of memory and killed python3 of host1: --mem gives it more"

	run -q --mem 256M --report "$tmp/report" -- weft exec host1 -- \
		python3 -c 'l = [bytearray(1 << 20) for _ in range(1000)]' 2> "$tmp/err" || code=$?
	expect "exit code" 137 $code
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
	[ "$(id -u)" -eq 0 ] || skip "is one already"
	getent passwd nobody > /dev/null || skip "there is no user nobody"
	[ -x "$(tools/vm/build.sh fast)/linux" ] || return 1
	su -s /bin/sh nobody -c "test -x $(tools/vm/build.sh fast)/linux" ||
		skip "the cache is not open to others"
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

ktap_begin 12
t "exit code" exit_code
t "a program that takes all memory" out_of_memory
t "output and errors" output
t "standard input" input
t "the command runs in the first node" in_first_node
t "prints a report" prints_report
t "writes a report" writes_report
t "mistakes: file, line, column, what was expected" mistakes
t "a kernel without a module for it" no_module
t "nothing is left behind" nothing_left
t "works as an ordinary user" ordinary_user
t "MPI in a job of a batch system" batch_job
ktap_end
