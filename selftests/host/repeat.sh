#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two runs with one seed write the same report, byte for byte: for iperf3, for
# MPI, for a Python program, and for that one with processes under ptrace. So do runs in
# which the idle task goes to the fabric's next event by itself and runs with a timer for
# each. Another seed places flows elsewhere.
#
#	host[0-1] -- leaf0 = spine[0-1] = leaf1 -- host[2-3]
cd "$(dirname "$0")/../.." || exit 1
. selftests/ktap.sh

weft=build/user/weft
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

cat > "$tmp/clos.yaml" << 'END'
name: clos
profile: ethernet-400g
nodes: [{name: "host[0-3]", mtu: 9000}]
switches: [{name: "leaf[0-1]"}, {name: "spine[0-1]"}]
links:
  - {ends: ["host[0-1]", leaf0]}
  - {ends: ["host[2-3]", leaf1]}
  - {ends: [leaf0, "spine[0-1]"]}
  - {ends: [leaf1, "spine[0-1]"]}
END

# report SEED FILE COMMAND...
report() {
	local seed=$1 file=$2

	shift 2
	$weft run "$tmp/clos.yaml" --clock virtual --seed "$seed" -q \
		--report "$file" "$@"
}

# $WEFT_USERSPACE of the second run
second=inside

# twice COMMAND... - the reports and the outputs of two runs are the same
twice() {
	report 7 "$tmp/one" "$@" > "$tmp/out.one"
	WEFT_USERSPACE=$second report 7 "$tmp/two" "$@" > "$tmp/out.two"
	[ -s "$tmp/one" ] || {
		echo "the report is empty"
		return 1
	}
	grep -q '"tx_packets": *[1-9]' "$tmp/one" || {
		echo "no packet went over the fabric"
		return 1
	}
	cmp "$tmp/one" "$tmp/two" || {
		diff "$tmp/one" "$tmp/two" | head -n 20
		return 1
	}
	diff "$tmp/out.one" "$tmp/out.two"
}

python() {
	twice -- sh -c 'weft exec host3 -- python3 selftests/host/echo.py serve &
		sleep 1; python3 selftests/host/echo.py host3; wait'
}

# Under ptrace a run takes more real time, and the same fabric time.
ptrace() {
	second=ptrace
	python
}

# leaping ON - the report and the machine's counters, with leaps or without
leaping() {
	# shellcheck disable=SC2016 # the guest's shell expands
	LEAPS=$1 report 7 "$tmp/$1" -- sh -c '
		echo $LEAPS > /sys/module/vclock_leap/parameters/on
		mpirun -np 4 build/demo/allreduce --min 65536 --max 1048576
		cat /proc/weft_vclock' > "$tmp/all.$1"
	grep -vE "^(leaps|stops_.*|switches|spinner):" "$tmp/all.$1" > "$tmp/out.$1"
	sed -n 's/^leaps: //p' "$tmp/all.$1"
}

leaps() {
	local with without

	with=$(leaping Y)
	without=$(leaping N)
	expect "reports" "" "$(diff "$tmp/Y" "$tmp/N")" || return
	expect "outputs" "" "$(diff "$tmp/out.Y" "$tmp/out.N")" || return
	[ "$with" -gt $((without + 20000)) ] || {
		echo "$with leaps with, $without without"
		return 1
	}
}

# placement SEED - packets that each wire carried: of ten flows, from given ports, one
# of the first, two of the second, four of the third and so on, so that the sum says
# which ones it was, and is the same on each machine
placement() {
	report "$1" "$tmp/seed" -- python3 -c '
import socket
for i in range(10):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("", 20000 + i))
        for _ in range(1 << i):
            s.sendto(bytes(100), ("host3", 9))' > "$tmp/out"
	jq -c '[.links[] | select((.from | startswith("leaf")) and
		(.to | startswith("spine"))) | .tx_packets]' "$tmp/seed"
}

other_seed() {
	local one two

	one=$(placement 1)
	two=$(placement 2)
	expect "placement with the same seed" "$one" "$(placement 1)"
	[ "$one" != "$two" ] || {
		echo "both seeds give $one"
		return 1
	}
}

ktap_begin 6
t "iperf3" twice -- sh -c 'weft exec host2 -- iperf3 -s -1 -D; sleep 0.1;
	iperf3 -J -c host2 -n 64M'
t "MPI" twice --mpi -- build/demo/allreduce --min 65536 --max 1048576
t "a Python program" python
t "a Python program under ptrace" ptrace
t "with leaps and without" leaps
t "another seed places flows elsewhere" other_seed
ktap_end
