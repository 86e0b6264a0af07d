#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run the tests of all layers and merge their results into one list.
#
# usage: run.sh [--list] [SUITE|SUITE/TEST]...
#
#   static  checks of the sources
#   unit    the model in user space, under ASan and UBSan
#   user    libweft and the command line, without a kernel
#   fuzz    each fuzzer for WEFT_FUZZ_SECONDS (10), its inputs from WEFT_FUZZ_SEED (1)
#   vm      the virtual machine itself
#   kunit   the module's own units, in the virtual machine
#   host    whole runs, started from outside the virtual machine
#   net     real programs between namespaces, in the virtual machine
#   debug   the same on the kernel with lockdep, kmemleak and the like
#   qemu    the same module on Debian's own kernels 6.1 and 6.12
#   kasan   net and kunit on the kernel with KASAN and UBSAN; only if named
#
# Output is KTAP, one line for each test, and last "N passed, N failed, N
# skipped". A test's own output is in build/check/SUITE/TEST.log, and is shown
# if it fails. The exit code is 0 if none failed, 4 if all were skipped, else 1.

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

readonly out=build/check
# what runs if nothing is named: the kernel with KASAN takes long to build
readonly default=(static unit user fuzz vm kunit host net debug qemu)
readonly suites=("${default[@]}" kasan)
readonly fuzz_seconds=${WEFT_FUZZ_SECONDS:-10} fuzz_seed=${WEFT_FUZZ_SEED:-1}

# --- the plan: "TEST TIMEOUT NEEDS COMMAND", NEEDS a comma list or - ----------

jobs_static() {
	local check

	for check in $(scripts/kcheck.sh --list); do
		case $check in
		sparse-* | clang-tidy) echo "$check 900 - scripts/kcheck.sh $check" ;;
		*) echo "$check 300 - scripts/kcheck.sh $check" ;;
		esac
	done
}

jobs_unit() {
	echo "model 1200 - make -s -C selftests/unit check"
}

jobs_user() {
	echo "all 600 user make -s -C user check"
}

jobs_fuzz() {
	local src name

	for src in selftests/fuzz/*_fuzz.c user/fuzz/*_fuzz.c; do
		[ -e "$src" ] || continue
		name=$(basename "$src" .c)
		echo "$name $((fuzz_seconds + 300)) - make -s -C $(dirname "$src") run-$name SECONDS=$fuzz_seconds SEED=$fuzz_seed"
	done
}

jobs_vm() {
	echo "selftest 600 vm,kernel tools/vm/selftest.sh"
}

jobs_kunit() {
	echo "module 300 vm,fast selftests/guest.sh vm fast selftests/kunit.sh"
}

# timeout_of DIR - seconds that a test of DIR may take, as kselftest has it
timeout_of() {
	sed -n 's/^timeout=//p' "$1/settings"
}

# jobs_guest VEHICLE FLAVOR NEEDS [FACTOR] - each program of selftests/net
jobs_guest() {
	local t limit

	limit=$(($(timeout_of selftests/net) * ${4:-1}))
	for t in $(make -s -C selftests/net list); do
		echo "${t%.sh} $limit $3 selftests/guest.sh $1 $2 selftests/net/$t"
	done
}

jobs_net() {
	jobs_guest vm fast vm,user,fast,helpers
}

# jobs_slow FLAVOR - on a kernel that checks itself
#
# Spinning is the virtual clock's business, not the module's; the others take
# minutes there, and use nothing that shorter tests do not.
jobs_slow() {
	jobs_guest vm "$1" "vm,user,$1,helpers" 4 |
		grep -Ev '^(polling|kill|dctcp|victim|topologies|hybrid_(mpi|torch)|verbs_(classes|congestion|exact|incast|loss|middleware|perftest))'
	echo "kunit 900 vm,$1 selftests/guest.sh vm $1 selftests/kunit.sh"
	echo "weft_run 120 vm,user,$1 build/user/weft run pair --clock virtual --flavor $1 -- ping -q -c 3 host1"
}

jobs_debug() {
	jobs_slow debug
}

jobs_kasan() {
	jobs_slow kasan
}

jobs_host() {
	local t

	for t in selftests/host/*.sh; do
		[ -e "$t" ] || continue
		echo "$(basename "$t" .sh) 600 vm,user,fast,demo,helpers $t"
	done
}

jobs_qemu() {
	local v vehicle t needs

	for v in 6.1 6.12; do
		needs=user,demo,helpers,module-$v
		while read -r vehicle t; do
			echo "$v-$t 900 $needs selftests/guest.sh $vehicle $v $t.sh"
		done <<- END
			qemu selftests/qemu/qemu_smoke
			icount selftests/qemu/qemu_goodput
			qemu selftests/qemu/qemu_unfaithful
			qemu selftests/net/link_tools
			qemu selftests/net/teardown
			qemu selftests/qemu/verbs
		END
	done | awk '{ sub(/selftests\/(qemu|net)\//, "", $1); print }'
}

# plan - "SUITE TEST TIMEOUT NEEDS COMMAND" for each test chosen
plan() {
	local suite want line

	for suite in "${suites[@]}"; do
		chosen "$suite" || continue
		"jobs_$suite" | while read -r line; do
			for want in "${wants[@]}"; do
				case "$suite/${line%% *}" in
				"$want" | "$want"/*)
					echo "$suite $line"
					break
					;;
				esac
			done
		done
	done
}

# chosen SUITE - whether some of it is asked for
chosen() {
	local want

	for want in "${wants[@]}"; do
		[ "${want%%/*}" = "$1" ] && return 0
	done
	return 1
}

# --- what the tests need, each built once -------------------------------------

build_user() { make -s user; }
build_vm() { make -s vm; }
build_kernel() { make -s vm-kernel; }
build_fast() { make -s module-vm; }
build_debug() { make -s debug; }
build_kasan() { make -s kasan; }
build_demo() { make -s demo-program; }
build_helpers() { make -s -C selftests/net helpers; }
build_module-6.1() { make -s modules KDIR="$(tools/qemu/headers.sh 6.1)"; }
build_module-6.12() { make -s modules KDIR="$(tools/qemu/headers.sh 6.12)"; }

# need NAME - build it unless that was done; both lanes may ask at once, and one
# that has what it needs does not wait for the other one's
need() {
	local log=$out/build/$1.log mark=$tmp/built-$1

	[ -e "$mark" ] && return "$(cat "$mark")"
	(
		flock 9
		[ -e "$mark" ] && exit "$(cat "$mark")"
		say "# building $1"
		"build_$1" > "$log" 2>&1 < /dev/null
		echo $? > "$mark.new"
		mv "$mark.new" "$mark"
		exit "$(cat "$mark")"
	) 9> "$tmp/lock-build"
}

# --- running ------------------------------------------------------------------

say() {
	flock "$tmp/lock-say" printf '%s\n' "$*"
}

# excerpt LOG - what matters of it, as KTAP diagnostics
excerpt() {
	if grep -q '^ *not ok' "$1"; then
		grep -B 12 '^ *not ok' "$1" | grep -v '^ *ok ' | tail -n 60
	else
		tail -n 40 "$1"
	fi | sed 's/^/# | /'
}

# report SUITE TEST LOG CODE - print its results under the next numbers
report() {
	local state name reason n

	awk -v code="$4" -f selftests/ktap.awk "$3" |
	while IFS=$'\034' read -r state name reason; do
		n=$(($(wc -l < "$tmp/results") + 1))
		echo "$state" >> "$tmp/results"
		name=$1/$2${name:+: $name}
		case $state in
		pass) echo "ok $n $name" ;;
		skip) echo "ok $n $name # SKIP $reason" ;;
		*) echo "not ok $n $name" ;;
		esac
	done
}

# run_job SUITE TEST TIMEOUT NEEDS COMMAND...
run_job() {
	local suite=$1 test=$2 limit=$3 needs=$4 log=$out/$1/$2.log x code start

	shift 4
	mkdir -p "$out/$suite"
	for x in ${needs//,/ }; do
		[ "$x" = - ] && continue
		need "$x" && continue
		cp "$out/build/$x.log" "$log"
		echo "$x cannot be built" >> "$log"
		finish "$suite" "$test" "$log" 1 0
		return
	done
	start=$SECONDS
	timeout -k 10 "$limit" "$@" > "$log" 2>&1 < /dev/null &
	echo $! > "$tmp/running-$BASHPID"
	wait $!
	code=$?
	rm "$tmp/running-$BASHPID"
	finish "$suite" "$test" "$log" "$code" $((SECONDS - start))
}

# finish SUITE TEST LOG CODE SECONDS - all its lines at once, beside other lanes
finish() {
	(
		flock 9
		report "$1" "$2" "$3" "$4" > "$tmp/report"
		cat "$tmp/report"
		! grep -q '^not ok' "$tmp/report" || excerpt "$3"
		[ "$5" -lt 2 ] || echo "# $1/$2 took $5 s"
	) 9> "$tmp/lock-say"
}

# planned SUITE... - their tests, a line of the plan each
planned() {
	local suite

	for suite in "$@"; do
		grep "^$suite " "$tmp/plan"
	done
}

# lane - the tests on standard input, one after the other, less those that another
# lane has begun
lane() {
	local line words

	while read -r line; do
		read -ra words <<< "$line"
		mkdir "$tmp/begun-${words[0]}-${words[1]}" 2> /dev/null || continue
		run_job "${words[@]}"
	done
}

# interrupt - end what runs in both lanes; each test is in a group of its own
interrupt() {
	trap '' INT TERM
	cat "$tmp"/running-* 2> /dev/null | xargs -r kill
	kill 0
	exit 1
}

count() {
	grep -c "^$1\$" "$tmp/results"
}

main() {
	if [ "${1:-}" = --list ]; then
		wants=("${suites[@]}")
		plan | cut -d ' ' -f 1-2 | tr ' ' /
		exit 0
	fi
	case ${1:-} in
	-*) sed -n '3,/^$/s/^# \{0,1\}//p' "$0" >&2; exit 1 ;;
	esac
	wants=("$@")
	[ $# -gt 0 ] || wants=("${default[@]}")

	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	trap interrupt INT TERM
	mkdir -p "$out/build"
	: > "$tmp/results"
	plan > "$tmp/plan"
	[ -s "$tmp/plan" ] || {
		echo "run.sh: no such test; run.sh --list names them" >&2
		exit 1
	}

	echo "KTAP version 1"
	# One lane computes on the host, one waits for a guest with one CPU; the
	# first one to be through takes from the other one's end.
	{
		planned static unit user fuzz
		planned host net debug kasan | tac
	} | lane &
	planned vm kunit host net debug kasan | lane
	wait
	# These guests have two CPUs and the real clock: nothing beside them.
	planned qemu | lane

	echo "1..$(wc -l < "$tmp/results")"
	echo "$(count pass) passed, $(count fail) failed, $(count skip) skipped"
	[ "$(count fail)" -eq 0 ] || exit 1
	[ "$(count pass)" -gt 0 ] || exit 4
}

main "$@"
