#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Test what weft-vm promises, on the machine it will run on.
#
# usage: selftest.sh [--flavor FLAVOR] [NAME...]
#
# Output is KTAP; exit code 0 all passed, 1 something failed, 4 nothing could
# be tested. NAME picks tests by the names in the output.

# SC2015: "A && B || C" is meant as such; SC2016: the guest expands, not we
# shellcheck disable=SC2015,SC2016

set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
flavor=fast
[ "${1:-}" != --flavor ] || { flavor=$2; shift 2; }
work=$(mktemp -d "${TMPDIR:-/tmp}/weft-vm-selftest.XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0
count=0
pick=" $* "

fail_early() {
	echo "1..0 # SKIP $1"
	exit 4
}

make -s -C "$here" >&2 || fail_early "the launcher does not build"
vm_dir=${WEFT_VM_DIR:-$("$here/build.sh" "$flavor")} || fail_early "the kernel does not build"
bin=$(cd "$here/../../build/vm" && pwd)
cd "$work" || exit 1

vm() {
	"$bin/weft-vm" --vm-dir "$vm_dir" --timeout 60 "$@"
}

# t NAME FUNCTION - run one test; what it prints is shown if it fails
t() {
	local name=$1 text

	[ "$pick" = "  " ] || case $pick in *" $name "*) ;; *) return ;; esac
	count=$((count + 1))
	if text=$("$2" 2>&1); then
		echo "ok $count $name"
	elif [ "${text%%:*}" = skip ]; then
		echo "ok $count $name # SKIP${text#skip:}"
	else
		failed=$((failed + 1))
		while IFS= read -r line; do echo "# $line"; done <<< "$text"
		echo "not ok $count $name"
	fi
}

# expect WHAT WANTED GOT
expect() {
	[ "$2" = "$3" ] && return
	echo "$1: expected \"$2\", got \"$3\""
	return 1
}

# wait_for CONDITION... - for up to ten seconds
wait_for() {
	local i

	for ((i = 0; i < 200; i++)); do
		"$@" > /dev/null 2>&1 && return
		sleep 0.05
	done
	echo "did not happen: $*"
	return 1
}

gone() {
	! kill -0 "$1" 2> /dev/null
}

# machines LAUNCHER - pids of the kernel and of all processes below it
machines() {
	local children child

	read -ra children 2> /dev/null < "/proc/$1/task/$1/children"
	for child in "${children[@]}"; do
		echo "$child"
		machines "$child"
	done
}

exit_code() {
	local code

	for code in 0 1 7 125 255; do
		vm -- sh -c "exit $code" < /dev/null
		expect "exit code" "$code" $? || return
	done
}

killed_by_signal() {
	vm -- sh -c 'kill -9 $$' < /dev/null
	expect "SIGKILL" 137 $? || return
	vm -- sh -c 'kill -TERM $$' < /dev/null
	expect "SIGTERM" 143 $?
}

not_runnable() {
	vm -- no-such-command < /dev/null
	expect "absent" 127 $? || return
	vm -- /etc/passwd < /dev/null
	expect "not executable" 126 $?
}

wrong_usage() {
	local words

	for words in "" "--seed x -- true" "--clock sun -- true" "--mem 1 -- true" \
		"--timeout 0 -- true" "--env X -- true" "--rw /no/such -- true" \
		"--dir /no/such -- true" "--vm-dir /no/such -- true" "--what -- true" \
		"--forward 0 -- true" "--forward 65536 -- true" "--forward x -- true" \
		"--flavor fas -- true" "--flavor fast|debug -- true" "--flavor | -- true"; do
		# shellcheck disable=SC2086 # words
		"$bin/weft-vm" $words < /dev/null > out 2> err
		expect "exit code of \"$words\"" 125 $? || return
		[ -s err ] && [ ! -s out ] || { echo "no message for \"$words\""; return 1; }
	done
}

separate_outputs() {
	vm -- sh -c 'printf out; printf err >&2' < /dev/null > out 2> err
	expect code 0 $? && expect out out "$(cat out)" && expect err err "$(cat err)"
}

binary_clean() {
	head -c 1500000 /dev/urandom > random
	vm -- sh -c 'cat; cat >&2 < random' < random > out 2> err || return
	cmp random out && cmp random err
}

stdin_file() {
	seq 1 50000 > lines
	expect sum "$(cksum < lines)" "$(vm -- cksum < lines)"
}

stdin_pipe() {
	seq 1 50000 > lines
	# shellcheck disable=SC2002 # a pipe is the point
	expect sum "$(cksum < lines)" "$(cat lines | vm -- cksum)"
}

stdin_slow_pipe() {
	expect lines "one two" "$( (echo one; sleep 1; echo two) | vm -- xargs)"
}

stdin_null() {
	expect bytes 0 "$(vm -- wc -c < /dev/null)"
}

stdin_shared_file() {
	seq 1 3 > lines
	{ vm -- head -c 2 > out; read -r next; } < lines
	expect "left for the next reader" 2 "$next"
}

output_closed() {
	vm -- sh -c 'yes; echo "$?" > code' < /dev/null | head -1 > /dev/null
	expect "yes ended by" 141 "$(cat code)"
}

# wait for a word in a file, send a signal, see the command's answer
signal_answer() {
	local pid

	rm -f out
	# a shell lets its background commands ignore INT and QUIT
	env --default-signal=INT,QUIT "$bin/weft-vm" --vm-dir "$vm_dir" --timeout 20 -- \
		sh -c "trap 'echo got; exit 3' $1; echo ready; while :; do sleep 1; done" \
		< /dev/null > out &
	pid=$!
	wait_for grep -q ready out || { kill -9 $pid; return 1; }
	kill -"$1" $pid
	wait $pid
	expect "exit code after $1" 3 $? && expect "answer to $1" got "$(tail -1 out)"
}

signals() {
	local sig

	for sig in INT TERM HUP QUIT USR1; do
		signal_answer $sig || return
	done
}

terminal() {
	python3 "$here/selftest_tty.py" "$bin/weft-vm" --vm-dir "$vm_dir" --timeout 60
}

progress() {
	mkdir -p progress && python3 "$here/selftest_progress.py" "$bin/weft-vm" progress
}

no_terminal() {
	vm -- sh -c 'test -t 0 || test -t 1 || test -t 2' < /dev/null > out 2> err
	expect "any terminal" 1 $?
}

root_read_only() {
	vm -- sh -c 'touch /weft-new' < /dev/null && return 1
	vm -- sh -c 'touch /usr/weft-new' < /dev/null && return 1
	[ ! -e /weft-new ] && [ ! -e /usr/weft-new ]
}

layers_vanish() {
	vm -- sh -c 'for d in /tmp /var /etc /run /root /dev/shm "$HOME"; do
		echo x > $d/weft-new && cat $d/weft-new || exit 1; done' < /dev/null > out
	expect code 0 $? || return
	! ls /tmp/weft-new /var/weft-new /etc/weft-new /run/weft-new "$HOME/weft-new" 2> /dev/null
}

layers_show_host() {
	expect passwd "$(cksum < /etc/passwd)" "$(vm -- cksum /etc/passwd < /dev/null | cut -d' ' -f1-2)" &&
		echo hidden > outside && mkdir -p deep &&
		expect "file of /tmp" hidden "$(cd deep && vm -- cat "$work/outside" < /dev/null)"
}

cwd_writable() {
	mkdir -p sub/dir
	(cd sub/dir && vm -- sh -c 'pwd; echo text > new; mkdir d; ln -s new l; mv new old' < /dev/null > out)
	expect code 0 $? && expect pwd "$work/sub/dir" "$(cat sub/dir/out)" &&
		expect file text "$(cat sub/dir/old)" && [ -d sub/dir/d ]
}

rw_writable() {
	mkdir -p here there
	vm --dir here --rw there -- sh -c 'echo a > a; echo b > ../there/b' < /dev/null &&
		expect a a "$(cat here/a)" && expect b b "$(cat there/b)" || return
	vm --dir here -- sh -c 'echo c > /usr/c' < /dev/null && return 1
	vm --dir here -- sh -c 'echo c > ../there/c' < /dev/null
	[ ! -e there/c ] || { echo "written without --rw"; return 1; }
}

environment() {
	export WEFT_TEST_A="one two" WEFT_TEST_B=old
	expect variables "one two/new/virtual" "$(vm --env WEFT_TEST_B=new -- \
		sh -c 'printf %s "$WEFT_TEST_A/$WEFT_TEST_B/$WEFT_VM"' < /dev/null)"
}

arguments() {
	expect words "a b||\$x|'|" "$(vm -- printf '%s|' 'a b' '' "\$x" "'" < /dev/null)"
}

devices() {
	vm -- sh -c 'for f in /dev/null /dev/ptmx /dev/shm /dev/fd/0 /proc/1/status \
		/sys/kernel/tracing/events /sys/kernel/debug /sys/fs/cgroup/cgroup.procs; do
		[ -e $f ] || { echo "no $f"; exit 1; }; done' < /dev/null
}

loopback() {
	vm -- ping -c1 -W1 127.0.0.1 < /dev/null > out || { cat out; return 1; }
}

forward() {
	python3 "$here/selftest_forward.py" "$bin/weft-vm" --vm-dir "$vm_dir" --timeout 60
}

# The machine's random numbers are those of its seed: others can have them too.
forward_secret() {
	vm --forward 41999 -- printenv WEFT_VM_SECRET < /dev/null > out1
	vm --forward 41999 -- printenv WEFT_VM_SECRET < /dev/null > out2
	vm -- printenv WEFT_VM_SECRET < /dev/null > out3
	grep -qxE '[0-9a-f]{64}' out1 && grep -qxE '[0-9a-f]{64}' out2 &&
		! cmp -s out1 out2 && [ ! -s out3 ]
}

namespaces() {
	vm -- sh -c 'ip netns add a && ip link add v0 type veth peer name v1 netns a &&
		ip addr add 10.0.0.1/24 dev v0 && ip link set v0 up &&
		ip -n a addr add 10.0.0.2/24 dev v1 && ip -n a link set v1 up &&
		sleep 1.5 && ping -c1 -W1 10.0.0.2' < /dev/null > out 2>&1 || { cat out; return 1; }
}

log_file() {
	vm --log kernel.log -- sh -c 'echo weft-mark > /dev/kmsg; echo visible' < /dev/null > out 2> err
	expect out visible "$(cat out)" && expect err "" "$(cat err)" &&
		grep -q weft-mark kernel.log
}

time_out() {
	"$bin/weft-vm" --vm-dir "$vm_dir" --timeout 1 --clock real -- sleep 100 < /dev/null 2> err
	expect code 124 $? && grep -q time-out err
}

panic() {
	vm --mem 128M -- sh -c 'echo 2 > /proc/sys/vm/panic_on_oom; tail /dev/zero' < /dev/null > out 2> err
	expect code 125 $? && grep -q "machine crashed" err && grep -q "Kernel panic.*emory" err
}

boot_failure() {
	"$bin/weft-vm" --vm-dir "$vm_dir" --timeout 30 --kernel root=none --kernel init=/no/such -- true \
		< /dev/null 2> err
	expect code 125 $? && grep -q "machine crashed" err
}

# everything a run could leave: processes, files in the usual places
nothing_left() {
	local mark=weft-left-$$

	mkdir -p home temp
	HOME=$work/home TMPDIR=$work/temp vm --kernel $mark -- \
		sh -c 'sleep 1000 & sleep 1000 & exit 0' < /dev/null
	expect files "" "$(find home temp -mindepth 1)" &&
		expect processes "" "$(pgrep -f $mark || :)"
}

kill_launcher() {
	local pid pids p

	rm -f out
	mkdir -p home temp
	HOME=$work/home TMPDIR=$work/temp "$bin/weft-vm" --vm-dir "$vm_dir" --clock real -- sh -c 'echo ready; sleep 1000' < /dev/null > out &
	pid=$!
	wait_for grep -q ready out || return
	pids=$(machines $pid)
	[ "$(wc -w <<< "$pids")" -ge 3 ] || { echo "too few processes: $pids"; return 1; }
	kill -9 $pid
	wait $pid 2> /dev/null
	for p in $pids; do
		wait_for gone "$p" || return
	done
	expect files "" "$(find home temp -mindepth 1)"
}

ordinary_user() {
	[ "$(id -u)" = 0 ] || { echo "skip: already one"; return 1; }
	command -v runuser > /dev/null || { echo "skip: needs runuser"; return 1; }
	chmod 755 "$work"
	mkdir -p user/bin user/home
	cp "$bin/weft-vm" "$bin/weft-vm-init" "$vm_dir/linux" user/bin/
	chown -R nobody user
	(cd user/home && HOME="$work/user/home" runuser -u nobody -- ../bin/weft-vm --vm-dir "$work/user/bin" \
		--timeout 60 -- sh -c 'id -u; echo x > new; echo y > /etc/new; echo z > ~root/new; ip netns add a;
		ip link add v0 type veth peer name v1 netns a; touch /usr/new 2>/dev/null; cat new /etc/new ~root/new' \
		< /dev/null > out)
	expect code 0 $? && expect output "0 x y z" "$(xargs < user/home/out)" &&
		expect owner nobody "$(stat -c %U user/home/new)"
}

# large_files - whether a file of a tmpfs of the caller's has large pages, of which the host has some
large_files() {
	unshare -Urm sh -c 'large() { awk "/^ShmemHugePages:/ { print \$2 }" /proc/meminfo; }
		mount -t tmpfs -o huge=always none /mnt && before=$(large) &&
		head -c 64M /dev/zero > /mnt/file && [ $(($(large) - before)) -ge 32768 ]' 2> /dev/null ||
		{ echo "skip: the host does not let users mount, or has no large pages now"; return 1; }
}

# idle SCRIPT TEST [COMMAND]... - call TEST PID of a machine, started by a command, in which
# SCRIPT has run
idle() {
	local pid code=0

	rm -f out
	"${@:3}" "$bin/weft-vm" --vm-dir "$vm_dir" --clock real -- sh -c "$1; echo ready; sleep 1000" \
		< /dev/null > out & pid=$!
	wait_for grep -q ready out && "$2" "$(machines $pid | head -n 1)" || code=$?
	kill $pid
	wait $pid
	return $code
}

# large_kib PID - KiB that the machine has mapped in large pages
large_kib() {
	awk '/^ShmemPmdMapped:/ { kib += $2 } END { print kib + 0 }' "/proc/$1/smaps"
}

# given_kib PID - KiB that the host has given out for the machine's memory
given_kib() {
	stat -L -c '%s %b' "/proc/$1"/fd/* | awk '$1 >= 2^30 { kib = $2 / 2 } END { print kib + 0 }'
}

# where nobody may mount, the machine runs in small ones
large_pages() {
	local kib

	large_files || return
	kib=$(idle : large_kib)
	[ "${kib:-0}" -ge 8192 ] || { echo "only $kib KiB"; return 1; }
	kib=$(idle : large_kib unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"' sh)
	expect "without privilege" 0 "$kib"
}

# is_ahead PID - an eighth of what is used, which is 100 MiB and more
is_ahead() {
	[ $(($(given_kib "$1") - $(large_kib "$1"))) -ge 12288 ]
}

will_be_ahead() {
	wait_for is_ahead "$1"
}

memory_ahead() {
	large_files && idle 'head -c 100M /dev/zero > /dev/shm/file' will_be_ahead
}

two_at_once() {
	local a b

	vm -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do /bin/true; done; echo one' < /dev/null > out1 & a=$!
	vm -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do /bin/true; done; echo two' < /dev/null > out2 & b=$!
	wait $a && wait $b && expect first one "$(cat out1)" && expect second two "$(cat out2)"
}

# cpu_of LAUNCHER - CPUs on which its machine may run
cpu_of() {
	local pids

	mapfile -t pids < <(machines "$1")
	[ ${#pids[@]} -ge 3 ] && taskset -cp "${pids[0]}" | sed 's/.*: //'
}

cpus_apart() {
	local a b both root=-r

	[ "$(nproc)" -ge 2 ] || { echo "skip: one CPU"; return 1; }
	[ "$(id -u)" -ne 0 ] || root=
	# in a network of their own, where no other machine of this host has a CPU
	unshare $root -n sh -c 'for i in 1 2; do "$@" & echo $! >> pids; done; wait' sh \
		"$bin/weft-vm" --vm-dir "$vm_dir" --clock real -- sleep 3 < /dev/null & both=$!
	wait_for grep -c '' pids > /dev/null
	sleep 0.2
	{ read -r a && read -r b; } < pids || return
	wait_for cpu_of "$a" && wait_for cpu_of "$b" || return
	cpu_of "$a" > cpu1
	cpu_of "$b" > cpu2
	wait $both
	[ -s cpu1 ] && ! cmp -s cpu1 cpu2 || { echo "both on \"$(cat cpu1)\""; return 1; }
}

virtual_sleep() {
	local start=$SECONDS

	expect uptime "1002.00" "$(vm -- sh -c 'sleep 1000; cut -d" " -f1 /proc/uptime' < /dev/null)" &&
		[ $((SECONDS - start)) -lt 30 ]
}

real_sleep() {
	local start

	start=$(date +%s%N)
	vm --clock real -- sleep 1 < /dev/null
	[ $(($(date +%s%N) - start)) -ge 1000000000 ]
}

start_time() {
	expect start "2023-11-14 22:13:22" "$(vm -- date -u '+%F %T' < /dev/null)"
}

same_seed() {
	local words='head -c 64 /dev/urandom | cksum; cat /proc/sys/kernel/random/boot_id; cat /proc/self/maps; date +%N'

	vm --seed 5 -- sh -c "$words" < /dev/null > out1
	vm --seed 5 -- sh -c "$words" < /dev/null > out2
	vm --seed 6 -- sh -c "$words" < /dev/null > out3
	[ -s out1 ] && cmp out1 out2 || return
	! cmp -s out1 out3
}

# in a guest: a path of 100 Gb/s and 5 us to another name space
readonly path='ip netns add a && ip link add v0 type veth peer name v1 netns a &&
	ip addr add 10.0.0.1/24 dev v0 && ip link set v0 up && ip -n a addr add 10.0.0.2/24 dev v1 &&
	ip -n a link set v1 up && tc qdisc add dev v0 root netem rate 100gbit delay 5us limit 100000 &&
	ip netns exec a tc qdisc add dev v1 root netem rate 100gbit delay 5us limit 100000 && sleep 2'

# between WHAT LOW HIGH GOT
between() {
	[ "$4" -ge "$2" ] && [ "$4" -le "$3" ] && return
	echo "$1: expected $2 to $3, got \"$4\""
	return 1
}

# Three rounds of 3 ms: no way of waiting may add more than the few readings
# of the clock, of 1 ns each, and the timer slack of 1 ns of each round.
spin_exact() {
	local way

	for way in poll epoll select ready recv yield memory child file; do
		between "$way" 9000000 9000100 "$(vm -- "$bin/selftest_spin" $way 3000 3 < /dev/null)" || return
	done
}

# A wait by the clock is seen late by at most one look, of 1/64 of the wait or
# 131 us; and reading it once more to print the result is another look.
spin_clock() {
	between clock 300000 320000 "$(vm -- "$bin/selftest_spin" clock 100 3 < /dev/null)" &&
		between tsc 300000 320000 "$(vm -- "$bin/selftest_spin" tsc 100 3 < /dev/null)" &&
		between "clock, 1 s" 1000000000 1000262200 "$(vm -- "$bin/selftest_spin" clock 1000000 1 < /dev/null)"
}

# The model's name, the line of its own, and the counter agree. UCX reads the
# first, perftest the second, and both compare it with the third.
cpu_rate() {
	vm -- sh -c "cat /proc/cpuinfo; $bin/selftest_spin rate 2000 1" < /dev/null > out
	expect "model name" "UML @ 1.00GHz" "$(sed -n 's/^model name\t: //p' out)" &&
		expect "cpu MHz" 1000.000 "$(sed -n 's/^cpu MHz\t\t: //p' out)" &&
		expect "counter" 1000.00 "$(tail -n 1 out)"
}

# Who waited for memory before does not run for another 10 ms before that is
# known: without, 500 times would take 5 s of the host's.
spin_again() {
	local start

	start=$(date +%s%N)
	vm -- sh -c "$bin/bench spin 250; cat /proc/weft_vclock" < /dev/null > out
	between "real ns" 0 4000000000 $(($(date +%s%N) - start)) &&
		between "virtual ns" 2000000000 2000001000 "$(sed -n 's/^time_ns: //p' out)" &&
		expect "processes that spun" 2 "$(grep -c '^spinner: .* forced 0 comm bench$' out)"
}

# verbs of the distribution on a device of the kernel's own
verbs() {
	command -v ibv_rc_pingpong ibv_devinfo rdma > verbs || { echo "skip: needs ibverbs-utils"; return 1; }
	vm -- sh -c 'rdma system; modprobe rdma_rxe &&
		ip link add v0 type veth peer name v1 && ip addr add 10.0.0.1/24 dev v0 &&
		ip link set v0 up && ip link set v1 up && sleep 2 &&
		rdma link add rxe0 type rxe netdev v0 || exit
		ls /dev/infiniband; ibv_devinfo -d rxe0 | grep state
		ibv_rc_pingpong -e -c -n 200 -g 1 -d rxe0 > server & sleep 1
		ibv_rc_pingpong -e -c -n 200 -g 1 -d rxe0 127.0.0.1 && wait $! && cat server' < /dev/null > out 2>&1
	expect code 0 $? && grep -q 'netns exclusive' out && grep -q PORT_ACTIVE out &&
		expect files "rdma_cm umad0 uverbs0" "$(grep -xE 'rdma_cm|(umad|uverbs)[0-9]' out | xargs)" &&
		expect "sides that got all" 2 "$(grep -c '^1638400 bytes' out)" || { cat out; return 1; }
}

# Who was proved to wait looks again without being executed: 600 looks, which would be 600
# signals and the steps of as many loops.
spin_kept() {
	vm -- sh -c "$bin/selftest_spin memory 10000 3; cat /proc/weft_vclock" < /dev/null > out
	between looks 590 620 "$(sed -n 's/^looks_time: //p' out)" &&
		between signals 0 300 "$(sed -n 's/^stops_signals: //p' out)" || { cat out; return 1; }
}

# Random loops that wait end when they have to, executed by the processor or not.
spin_loops() {
	local seed

	for seed in 1 2 3; do
		vm -- sh -c "$bin/selftest_loops $seed 200; cat /proc/weft_vclock" < /dev/null > out
		grep -qE '^0 of [1-9][0-9]+ loops ended too early$' out &&
			grep -q '^spinner: .* proven [1-9][0-9]* forced 0 comm selftest_loops$' out ||
			{ cat out; return 1; }
	done
}

spinner_named() {
	vm -- sh -c "$bin/selftest_spin memory 3000 3; cat /proc/weft_vclock" < /dev/null > out
	grep -q '^spinner: .* forced 0 comm selftest_spin$' out && grep -qx 'forced_calls: 0' out ||
		{ cat out; return 1; }
	vm -- sh -c "$bin/selftest_spin epoll 3000 3; cat /proc/weft_vclock" < /dev/null > out
	! grep '^spinner:' out
}

# ping asks, yields and reads the clock in turn
spin_several_ways() {
	vm -- sh -c 'ping -q -c 3 -i 0.005 127.0.0.1; cat /proc/weft_vclock' < /dev/null > out
	grep -q '3 received, 0% packet loss' out && grep -qx 'forced_calls: 0' out &&
		! grep '^spinner:' out || { cat out; return 1; }
	between ns 2010000000 2012000000 "$(sed -n 's/^time_ns: //p' out)"
}

# two waits that cannot be proved, the second beside a task that polls
spin_forced() {
	vm -- sh -c "$bin/selftest_spin counter 3000 1; cat /proc/weft_vclock" < /dev/null > out &&
		between counter 3000000 3000100 "$(head -n 1 out)" &&
		grep -q '^spinner: .* proven 0 forced [1-9][0-9]* comm selftest_spin$' out ||
		{ cat out; return 1; }
	vm -- sh -c "$bin/selftest_spin poll 3000 1 & $bin/selftest_spin counter 3000 1; wait" < /dev/null > out
	expect "both waits" 2 "$(grep -cE '^3[0-9]{6}$' out)"
}

# What computes in memory is not taken for one that waits: no time passes but
# the nanosecond from one reading of the clock to the next.
compute() {
	vm -- timeout 60 sh -c "$bin/selftest_compute 60000000 && cat /proc/weft_vclock" < /dev/null > out
	expect code 0 $? && expect ways 12 "$(grep -cE '^[a-z0-9-]+ 1$' out)" && ! grep '^spinner:' out || { cat out; return 1; }
}

# rdtsc in all forms: six of them trap once at each place and no more, so that of
# 2 x 8 x 1100 readings two in eight are signals
counter() {
	vm "$@" -- sh -c "$bin/selftest_counter && cat /proc/weft_vclock" < /dev/null > out &&
		expect ways 16 "$(grep -cE '^[a-z-]+ 0$' out)" || { cat out; return 1; }
	grep -qx 'userspace: ptrace' out ||
		between "signals" 4400 4800 "$(sed -n 's/^stops_signals: //p' out)"
}

# the bases of FS and GS, also where they take calls of the host
bases() {
	vm "$@" -- sh -c "$bin/selftest_bases; cat /proc/weft_vclock" < /dev/null > out &&
		expect ways 4 "$(grep -cE '^[a-z]+ 0$' out)" || { cat out; return 1; }
}

bases_calls() {
	bases --kernel bases=calls && { grep -qx 'userspace: ptrace' out || expect how "bases: calls" "$(grep ^bases: out)"; }
}

# the same on a host that does not stop them
counter_text() {
	counter --kernel counter=text && expect how "counter: text" "$(grep ^counter: out)"
}

# 40 thousand calls, of which 6 thousand are by a jump to a syscall, or look like another
calls() {
	vm -- sh -c "$bin/selftest_calls && cat /proc/weft_vclock" < /dev/null > out &&
		expect ways 18 "$(grep -cE '^[a-z]+ 0$' out)" || { cat out; return 1; }
	grep -qx 'userspace: ptrace' out ||
		between "signals" 6000 6500 "$(sed -n 's/^stops_calls: //p' out)"
}

# of a thousand calls of each of 40 programs that follow on one another, too
calls_of_many() {
	vm -- sh -c "for i in \$(seq 40); do $bin/selftest_calls quietly || exit 1; done
		cat /proc/weft_vclock" < /dev/null > out || { cat out; return 1; }
	grep -qx 'userspace: ptrace' out ||
		between "signals" 40 8000 "$(sed -n 's/^stops_calls: //p' out)"
}

# what programs have mapped, after fork(), with other rights, elsewhere, after others
mapped() {
	vm -- "$bin/selftest_memory" < /dev/null > out && expect ways 5 "$(grep -c ' 0$' out)" ||
		{ cat out; return 1; }
}

# Memory beyond the first 512 MiB is free from the beginning, counts where limits are
# parts of it (6 MiB is as much as TCP takes), and can all be used.
late_memory() {
	vm --mem 2G -- sh -c 'free -m | awk "/^Mem/ { print \$2, \$4 }"
		cut -f 3 /proc/sys/net/ipv4/tcp_rmem
		python3 -c "
size = 1600 << 20
b = bytearray(size)
for i in range(0, size, 4096): b[i] = i >> 12 & 255
print(sum(b[i] != i >> 12 & 255 for i in range(0, size, 4096)))"
		free -m | awk "/^Mem/ { print \$2, \$4 }"' < /dev/null > out || { cat out; return 1; }
	mapfile -t line < out
	between "total" 1950 2048 "${line[0]% *}" && between "free" 1850 2048 "${line[0]#* }" &&
		expect "TCP" 6291456 "${line[1]}" && expect "lost" 0 "${line[2]}" &&
		between "free again, less an eighth on the CPU's own list" 1594 2048 "${line[3]#* }"
}

# There is room for all modules of the kernel at once, also where others were before.
modules_fit() {
	local names n

	mapfile -t names < <(find "$vm_dir"/lib -name '*.ko' -printf '%f\n')
	n=${#names[@]}
	vm -- sh -c 'from=$1
		shift
		for round in 1 2 3; do
			modprobe -d "$from" -a "$@" && grep -c . /proc/modules
			while grep -q . /proc/modules; do
				awk "\$3 == 0 { print \$1 }" /proc/modules | xargs rmmod || break
			done
		done' modules "$vm_dir" "${names[@]%.ko}" < /dev/null > out 2>&1 || { cat out; return 1; }
	expect "loaded" "$n $n $n" "$(xargs < out)"
}

# a program that is ended for a wrong access ends alone
wild() {
	vm -- sh -c 'python3 -c "import ctypes; ctypes.string_at(8)"; echo $?
		python3 -c "import ctypes; ctypes.memset(8, 1, 1)"; echo $?' < /dev/null > out 2> err
	expect codes "139 139" "$(xargs < out)"
}

# a spinning command takes Ctrl-C, and a signal from within
spin_killed() {
	local way

	for way in clock memory; do
		vm -- timeout -s INT 5 "$bin/selftest_spin" $way 100000000 1 < /dev/null
		expect "$way" 124 $? || return
	done
}

clock_resolution() {
	between "two readings" 1 2000 "$(vm -- python3 -c 'import time; a = time.monotonic_ns(); print(time.monotonic_ns() - a)' < /dev/null)" &&
		between "three sleeps of 1 us" 3000 3010 "$(vm -- "$bin/selftest_spin" sleep 1 3 < /dev/null)"
}

vector_registers() {
	vm -- "$bin/selftest_fp" < /dev/null
}

# twice WHAT COMMAND... - two machines, the same output
twice() {
	local what=$1

	shift
	vm --seed 3 -- "$@" < /dev/null > out1 2>&1 || { cat out1; return 1; }
	vm --seed 3 -- "$@" < /dev/null > out2 2>&1
	[ -s out1 ] && cmp out1 out2 || { diff out1 out2; echo "$what differs"; return 1; }
}

repeat_python() {
	twice python python3 -c 'import os, random, socket, time
print(time.time_ns(), random.random(), os.urandom(8), id(object()), os.getpid(), hash("x"))
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname())
print({str(i) for i in range(50)})'
}

repeat_spin() {
	# when the host stops a program that computes is the host's business
	twice "waiting for memory" sh -c "$bin/bench spin 100; grep -v 'spinner\|stops_signals' /proc/weft_vclock"
}

repeat_iperf() {
	command -v iperf3 > /dev/null || { echo "skip: needs iperf3"; return 1; }
	twice iperf3 sh -c "$path"'; ip netns exec a iperf3 -s -1 > /dev/null & sleep 3
		iperf3 -J -c 10.0.0.2 -n 32M; nstat -a; grep -v "spinner\|stops_signals" /proc/weft_vclock'
}

repeat_mpi() {
	command -v mpicc mpirun > /dev/null || { echo "skip: needs Open MPI"; return 1; }
	mpicc -O2 -o mpi "$here/selftest_mpi.c" || return
	twice "4 ranks on 4 nodes" "$here/selftest_mpi.sh" ./mpi 4 1 1048576 &&
		twice "4 ranks on 2 nodes" "$here/selftest_mpi.sh" ./mpi 2 2 65536 &&
		grep -q 'us$' out1
}

iperf_goodput() {
	command -v iperf3 > /dev/null || { echo "skip: needs iperf3"; return 1; }
	vm -- sh -c "$path"'; ip netns exec a iperf3 -s -1 -J > server & sleep 3
		iperf3 -c 10.0.0.2 -n 64M > client; wait' < /dev/null
	# payload 1448 of 1514 bytes at 100 Gb/s, less the slow start of 64 MB
	python3 - <<'END'
import json, sys
rate = json.load(open("server"))["end"]["sum_received"]["bits_per_second"] / 1e9
sys.exit(0 if 90 < rate <= 100 * 1448 / 1514 else f"{rate} Gb/s")
END
}

echo "KTAP version 1"
for test in exit_code killed_by_signal not_runnable wrong_usage separate_outputs \
	binary_clean stdin_file stdin_pipe stdin_slow_pipe stdin_null stdin_shared_file \
	output_closed signals terminal progress no_terminal root_read_only layers_vanish \
	layers_show_host cwd_writable rw_writable environment arguments devices loopback forward forward_secret \
	namespaces log_file time_out panic boot_failure nothing_left kill_launcher \
	ordinary_user large_pages memory_ahead two_at_once cpus_apart virtual_sleep real_sleep start_time same_seed \
	clock_resolution cpu_rate spin_exact spin_clock spin_again spin_kept spin_loops spinner_named spin_several_ways spin_forced spin_killed compute counter counter_text bases bases_calls calls calls_of_many mapped late_memory modules_fit wild vector_registers \
	verbs iperf_goodput repeat_python repeat_spin repeat_iperf repeat_mpi; do
	t $test $test
done
echo "1..$count"
[ "$count" -gt 0 ] || exit 4
[ "$failed" -eq 0 ]
