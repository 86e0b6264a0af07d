#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run the tests of all layers and merge their results into one list.
#
# usage: run.sh [SUITE|SUITE/TEST]...
#        run.sh --list
#        run.sh --record
#
#   static  checks of the sources
#   unit    the model in user space, under ASan and UBSan
#   user    libweft and the command line, without a kernel
#   fuzz    each fuzzer for WEFT_FUZZ_SECONDS (10), its inputs from WEFT_FUZZ_SEED (1)
#   vm      the virtual machine itself
#   kunit   the module's own units, in the virtual machine
#   host    whole runs, started from outside the virtual machine
#   net     real programs between namespaces, in the virtual machine
#   debug   the same on the kernel with lockdep, kmemleak and the like; what it runs,
#           net does not, unless net is named
#   qemu    the same module on Debian's own kernels 6.1 and 6.12
#   kasan   net and kunit on the kernel with KASAN and UBSAN; only if named
#   soak    what takes long: for the night; only if named
#
# As many tests run beside each other as there are CPUs, and one more, as each waits
# now and then; or WEFT_CHECK_LANES; the longest first, by selftests/times. --record
# puts there how long the tests of the last run took.
#
# Output is KTAP, one line for each test, then how long it took, the ten slowest, and
# last "N passed, N failed, N skipped". A test's own output is in
# build/check/SUITE/TEST.log, and is shown if it fails. The exit code is 0 if
# none failed, 4 if all were skipped, else 1.

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

readonly out=build/check times=selftests/times
# Seconds that no test takes by day, nor at night, on however slow a machine: what is ended
# by them hangs. Nothing else here, nor in the tests, is measured in real time.
readonly hang=1200 hang_soak=7200
# tests beside each other
readonly lanes=${WEFT_CHECK_LANES:-$(($(nproc) + 1))}
# what runs if nothing is named: the kernel with KASAN takes long to build
readonly default=(static unit user fuzz vm kunit host net debug qemu)
readonly suites=("${default[@]}" kasan soak)
readonly fuzz_seconds=${WEFT_FUZZ_SECONDS:-10} fuzz_seed=${WEFT_FUZZ_SEED:-1}

# --- the plan: "TEST NEEDS COMMAND", NEEDS a comma list or - ------------------

jobs_static() {
	local check

	for check in $(scripts/kcheck.sh --list | grep -vxE 'prose|sparse-.*|clang-tidy-deep'); do
		echo "$check - scripts/kcheck.sh $check"
	done
	for check in 6.1 6.12; do
		echo "sparse-$check module-$check scripts/kcheck.sh sparse-$check"
	done
	# it reads help texts
	echo "prose user scripts/kcheck.sh prose"
}

# jobs_unit - in parts, as it takes minutes of one CPU
jobs_unit() {
	local i

	for i in 1 2 3 4; do
		echo "model-$i unit build/unit/unit $i/4"
	done
}

jobs_user() {
	local suite

	for suite in $(make -s -C selftests/user list); do
		echo "$suite user,suites make -s -C selftests/user run-$suite"
	done
}

# jobs_fuzz [SECONDS SEED]
jobs_fuzz() {
	local src name needs

	for src in selftests/fuzz/*_fuzz.c user/fuzz/*_fuzz.c; do
		[ -e "$src" ] || continue
		name=$(basename "$src" .c)
		# those of libweft share most of what they are built of
		needs=-
		[[ $src != user/* ]] || needs=fuzzers
		echo "$name $needs make -s -C $(dirname "$src") run-$name SECONDS=${1:-$fuzz_seconds} SEED=${2:-$fuzz_seed}"
	done
}

jobs_vm() {
	echo "selftest vm,kernel tools/vm/selftest.sh"
}

jobs_kunit() {
	echo "module vm,fast selftests/guest.sh vm fast selftests/kunit.sh"
}

# jobs_guest FLAVOR - each program of selftests/net
jobs_guest() {
	local t

	for t in $(make -s -C selftests/net list); do
		echo "${t%.sh} vm,user,$1,helpers,demo selftests/guest.sh vm $1 selftests/net/$t"
	done
}

jobs_net() {
	jobs_guest fast
}

# What is not tried on kernels that check themselves by day: spinning is the virtual
# clock's business, not the module's; the others take long there, and use
# nothing that shorter tests do not.
readonly spinning='^polling'
readonly long='^(faults_switch|faults_nic|traffic|verbs_many|kill|dctcp|victim|topologies|hybrid_(mpi|torch)|ipoib|verbs_(classes|congestion|exact|incast|loss|middleware|perftest|programs|simulated|sockets)|faults_verbs|managed |json|two_labs|scenario|lossless|capture_rdma|mpi_windows|node_addresses|incast|reroute|top |priorities|sharp |nvls )'

# lockdep finds nvmet's own order of locks: nvmet_port_subsys_drop_link() destroys an ID of
# the connection manager under the semaphore that nvmet's handlers of such IDs take.
readonly inverted='^(nvme|storage)'

# jobs_slow FLAVOR - on a kernel that checks itself
jobs_slow() {
	jobs_guest "$1" | grep -Ev "$spinning|$long"
	echo "kunit vm,$1 selftests/guest.sh vm $1 selftests/kunit.sh"
	echo "weft_run vm,user,$1 build/user/weft run pair --clock virtual --flavor $1 -- ping -q -c 3 host1"
}

jobs_debug() {
	jobs_slow debug | grep -Ev "$inverted"
}

jobs_kasan() {
	jobs_slow kasan
}

# jobs_soak - the analyzer to its own limit; the long tests on the kernel that checks itself;
# all of them on the other, and where the machine draws other numbers; the virtual machine with
# processes under ptrace; the thousand senders, event by event; races of two CPUs, and what
# Debian's kernels do not do by day; random operations on eight CPUs; fuzzers with inputs of
# their own each time
jobs_soak() {
	local seed

	echo "clang-tidy-deep - scripts/kcheck.sh clang-tidy-deep"
	jobs_guest debug | grep -E "$long" | sed 's/^/debug-/'
	for seed in 1 2 3 4; do
		jobs_guest fast | sed "s/^/seed-$seed-/; s/ selftests/ env WEFT_TEST_SEED=$seed&/"
	done
	echo "selftest_ptrace vm,kernel env WEFT_USERSPACE=ptrace tools/vm/selftest.sh"
	echo "crowd unit env WEFT_SOAK=1 build/unit/unit crowd"
	jobs_races
	jobs_debian
	jobs_storms
	jobs_torture 2 3 4
	jobs_fuzz "${WEFT_FUZZ_SECONDS:-600}" "${WEFT_FUZZ_SEED:-0}"
}

jobs_host() {
	local t

	for t in selftests/host/*.sh; do
		[ -e "$t" ] || continue
		echo "$(basename "$t" .sh) vm,user,fast,demo,helpers $t"
	done
}

# jobs_emulated - "KERNEL-TEST NEEDS COMMAND" for lines of "VEHICLE KERNEL TEST"
jobs_emulated() {
	local vehicle v t name

	while read -r vehicle v t; do
		name=${t##*/}
		echo "$v-${name%.sh} user,demo,helpers,module-$v selftests/guest.sh $vehicle $v selftests/$t"
	done
}

# jobs_qemu - most of what looks for races has two CPUs with the one kernel; at night all of
# it with both. Most of what 6.1 does is for the night, too, and what the virtual machine
# does by day.
jobs_qemu() {
	jobs_emulated <<- END
		two 6.12 net/teardown.sh
		two 6.12 qemu/torture.sh
		two 6.12 qemu/pinned.sh
		two 6.12 qemu/static_keys.sh
		one 6.12 qemu/qemu_smoke.sh
		one 6.12 qemu/verbs.sh
		one 6.12 net/verbs_kernel.sh
		one 6.12 qemu/nfs.sh
		one 6.12 qemu/srp.sh
		one 6.12 qemu/rds.sh
		one 6.12 qemu/qemu_unfaithful.sh
		icount 6.12 qemu/qemu_goodput.sh
		icount 6.12 qemu/dilation.sh
		icount 6.12 qemu/hop.sh
		icount 6.12 qemu/verbs_cost.sh
		icount 6.12 qemu/verbs_bounds.sh
		icount 6.12 qemu/hostile.sh
		one 6.1 qemu/qemu_smoke.sh
		one 6.1 net/verbs_kernel.sh
	END
}

jobs_races() {
	jobs_emulated <<- END
		two 6.1 qemu/qemu_smoke.sh
		two 6.1 net/teardown.sh
		two 6.1 qemu/verbs.sh
		two 6.1 net/efa.sh
		two 6.12 net/efa.sh
		two 6.12 qemu/qemu_smoke.sh
		two 6.12 qemu/verbs.sh
	END
}

# jobs_debian - what by day the virtual machine does, or the newer of Debian's kernels
jobs_debian() {
	jobs_emulated <<- END
		one 6.12 qemu/ipoib.sh
		one 6.12 net/nvme.sh
		one 6.12 net/link_tools.sh
		one 6.1 qemu/ipoib.sh
		one 6.1 net/nvme.sh
		one 6.1 net/link_tools.sh
		one 6.1 qemu/nfs.sh
		one 6.1 qemu/qemu_unfaithful.sh
		icount 6.1 qemu/qemu_goodput.sh
	END
}

# jobs_storms - of a hostile user, longer than by day
jobs_storms() {
	jobs_emulated <<- END | sed 's/^/long-/; s/ selftests/ env WEFT_HOSTILE_SECONDS=3&/'
		icount 6.12 qemu/hostile.sh
		icount 6.1 qemu/hostile.sh
	END
}

# jobs_torture SEED... - random operations on eight CPUs of both kernels, of one that
# checks memory and locks, and of one that looks for races, for up to half an hour each
jobs_torture() {
	local seed v

	for seed; do
		for v in 6.12 6.1 kasan kcsan; do
			jobs_emulated <<< "eight $v qemu/torture.sh" |
				sed "s/^/seed-$seed-/; s/ selftests/ env WEFT_TORTURE_SEED=$seed WEFT_TORTURE_OPERATIONS=100000&/"
		done
	done
}

# Of them, guests of two CPUs on the real clock. Beside another test they take three
# times as long, as what one CPU holds the other waits for, in a loop.
readonly real=' selftests/guest\.sh two '

# plan - "SUITE TEST NEEDS COMMAND" for each test chosen
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

# each_once PLAN - what a kernel that checks itself runs, the other need not run by day: it
# would find the same, to the nanosecond
each_once() {
	awk 'FNR == NR { if ($1 == "debug") twin[$2]; next }
	     $1 != "net" || !($2 in twin)' "$1" "$1"
}

# chosen SUITE - whether some of it is asked for
chosen() {
	local want

	for want in "${wants[@]}"; do
		[ "${want%%/*}" = "$1" ] && return 0
	done
	return 1
}

# known - whether each that is asked for is in the plan: a misspelt one would pass unseen
known() {
	local want

	for want in "${wants[@]}"; do
		awk -v want="$want" '$1 == want || $1 "/" $2 == want { found = 1 }
			END { exit !found }' "$tmp/plan" && continue
		echo "run.sh: no such test: $want; run.sh --list names them" >&2
		return 1
	done
}

# --- what the tests need, each built once -------------------------------------

build_unit() { make -s -j"$(nproc)" -C selftests/unit all; }
build_user() { make -s user; }
build_suites() { make -s -j"$(nproc)" -C selftests/user all; }
build_vm() { make -s vm; }
build_kernel() { make -s vm-kernel; }
build_fast() { make -s module-vm; }
build_debug() { make -s debug; }
build_kasan() { make -s kasan; }
build_fuzzers() { make -s -j"$(nproc)" -C user/fuzz all; }
build_demo() { make -s demo-program; }
build_helpers() { make -s -j"$(nproc)" -C selftests/net helpers && make -s -C tools/bench hop verbs queue; }
build_module-6.1() { build_emulated 6.1; }
build_module-6.12() { build_emulated 6.12; }
build_module-kasan() { build_emulated kasan; }
build_module-kcsan() { build_emulated kcsan; }

# build_emulated KERNEL - the check with sparse compiles the modules, too, and leaves them in
# the cache: where it is wanted, it comes first. What it finds, its test says.
build_emulated() {
	! grep -q "^static sparse-$1 " "$tmp/plan" || scripts/kcheck.sh "sparse-$1" || :
	make -s modules KDIR="$(tools/qemu/headers.sh "$1")"
}

# all in the order in which they are built, those first that tests of seconds need
readonly builds=(vm user kernel fast helpers demo unit suites debug fuzzers module-6.12 module-6.1 kasan module-kasan
	module-kcsan)

# build NEED... - one after the other, as they share directories
build() {
	local name start=$SECONDS

	for name in "${builds[@]}"; do
		[[ " $* " == *" $name "* ]] || continue
		[ ! -e "$tmp/built-$name" ] || continue
		say "# building $name"
		"build_$name" > "$out/build/$name.log" 2>&1 < /dev/null
		echo $? > "$tmp/built-$name.new"
		mv "$tmp/built-$name.new" "$tmp/built-$name"
	done
	[ -e "$tmp/build-time" ] || echo $((SECONDS - start)) > "$tmp/build-time"
}

# built NEEDS - whether all of that is built, or could not be
built() {
	local name

	for name in ${1//,/ }; do
		[ "$name" = - ] || [ -e "$tmp/built-$name" ] || return 1
	done
}

# --- running ------------------------------------------------------------------

say() {
	flock "$tmp/lock-say" printf '%s\n' "$*"
}

# excerpt LOG - what matters of it, as KTAP diagnostics
excerpt() {
	if grep -q '^ *not ok' "$1"; then
		grep -B 12 -A 40 '^ *not ok' "$1" | grep -v '^ *ok ' | tail -n 80
	else
		tail -n 40 "$1"
	fi | sed 's/^/# | /'
}

# report SUITE TEST LOG CODE - print its results under the next numbers
report() {
	local state name reason n

	n=$(wc -l < "$tmp/results")
	awk -v code="$4" -f selftests/ktap.awk "$3" |
	while IFS=$'\034' read -r state name reason; do
		n=$((n + 1))
		echo "$state" >> "$tmp/results"
		name=$1/$2${name:+: $name}
		case $state in
		pass) echo "ok $n $name" ;;
		skip) echo "ok $n $name # SKIP $reason" ;;
		*) echo "not ok $n $name" ;;
		esac
	done
}

# run_job SUITE TEST NEEDS COMMAND...
run_job() {
	local suite=$1 test=$2 needs=$3 log=$out/$1/$2.log limit=$hang x code start

	shift 3
	[ "$suite" != soak ] || limit=$hang_soak
	mkdir -p "$out/$suite"
	for x in ${needs//,/ }; do
		[ "$x" = - ] || [ "$(cat "$tmp/built-$x")" = 0 ] && continue
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
		echo "$1/$2 $5" >> "$tmp/times"
	) 9> "$tmp/lock-say"
}

# longest_first - lines of the plan by how long they took; what has never run may
# take long, and kernels that check themselves take four times as long
longest_first() {
	awk 'FNR == NR { if (!/^#/) took[$1] = $2; next }
	     {
		t = $1 "/" $2
		if (!(t in took) && $1 ~ /^(debug|kasan)$/ && "net/" $2 in took)
			took[t] = 4 * took["net/" $2]
		print (t in took ? took[t] : 60), $0
	     }' "$times" - |
		sort -s -k 1,1nr | cut -d ' ' -f 2-
}

# take QUEUE - remove its first line whose needs are built, and print it; fails with
# 1 if there is no line left, with 2 if all that is left needs something unbuilt
take() {
	local i lines words

	(
		flock 9
		mapfile -t lines < "$1"
		for i in "${!lines[@]}"; do
			read -ra words <<< "${lines[i]}"
			built "${words[2]}" || continue
			echo "${lines[i]}"
			unset "lines[i]"
			printf '%s\n' "${lines[@]}" | sed '/^$/d' > "$1"
			exit 0
		done
		[ ${#lines[@]} -gt 0 ] && exit 2
		exit 1
	) 9> "$tmp/lock-queue"
}

# lane QUEUE - tests of it, one after the other, beside other lanes
lane() {
	local line words code

	while :; do
		line=$(take "$1") && {
			read -ra words <<< "$line"
			run_job "${words[@]}"
			continue
		}
		code=$?
		[ $code -ne 1 ] || return
		sleep 0.2
	done
}

# all QUEUE LANES - all tests of it; the first lane builds what they need before it
# joins the others, which meanwhile take those that need nothing, or what is there
all() {
	local i

	for ((i = 1; i < $2; i++)); do
		lane "$1" &
	done
	# shellcheck disable=SC2046 # a list of words
	{
		build $(cut -d ' ' -f 3 "$tmp/plan" | tr , '\n' | sort -u)
		lane "$1"
	} &
	wait
}

# slowest - of this run, and how long all of it took
slowest() {
	[ "$(wc -l < "$tmp/times")" -gt 1 ] || return
	echo "# $SECONDS s on $(nproc) CPUs; builds took the first $(cat "$tmp/build-time")"
	echo "# the ten slowest:"
	sort -k 2,2nr "$tmp/times" | head -n 10 | awk '{ printf "# %5d s %s\n", $2, $1 }'
}

# record - keep how long the tests of the last run took; forget those that are gone
record() {
	[ -s "$out/times" ] || {
		echo "run.sh: no test has run" >&2
		exit 1
	}
	wants=("${suites[@]}")
	{
		sed '/^[^#]/d' "$times"
		awk 'FILENAME == "-" { t = $1 "/" $2; if (t in took) print t, took[t]; next }
		     /^[^#]/ { took[$1] = $2 }' "$times" "$out/times" - < <(plan) | sort
	} > "$out/times.new"
	cp "$out/times.new" "$times"
}

# interrupt - end what runs in all lanes; each test is in a group of its own
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
	if [ "${1:-}" = --record ]; then
		record
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
	: > "$tmp/times"
	plan > "$tmp/plan"
	known || exit 1
	if [ $# -eq 0 ]; then
		each_once "$tmp/plan" > "$tmp/once"
		mv "$tmp/once" "$tmp/plan"
	fi

	echo "KTAP version 1"
	# Guests of two CPUs on the real clock come last, as many as there are pairs
	# of CPUs: what they find, races, they find if both CPUs run.
	longest_first < "$tmp/plan" | grep -v "$real" > "$tmp/queue"
	longest_first < "$tmp/plan" | grep "$real" > "$tmp/queue-real"
	all "$tmp/queue" "$lanes"
	all "$tmp/queue-real" $((lanes > 4 ? (lanes - 1) / 2 : 1))

	cp "$tmp/times" "$out/times"
	echo "1..$(wc -l < "$tmp/results")"
	slowest
	echo "$(count pass) passed, $(count fail) failed, $(count skip) skipped"
	[ "$(count fail)" -eq 0 ] || exit 1
	[ "$(count pass)" -gt 0 ] || exit 4
}

main "$@"
