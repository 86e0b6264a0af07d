#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Print what the operations of a guest cost in real time.
#
# usage: bench.sh [--flavor FLAVOR] [--clock virtual|real]
#
# Each figure is the time of a run with many operations less that of a run
# with none, divided by their number; the best of three.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
flavor=fast
clock=virtual
while [ $# -gt 0 ]; do
	case $1 in
	--flavor) flavor=$2 ;;
	--clock) clock=$2 ;;
	*) echo "usage: bench.sh [--flavor FLAVOR] [--clock virtual|real]" >&2; exit 1 ;;
	esac
	shift 2
done

make -s -C "$here" >&2
vm_dir=${WEFT_VM_DIR:-$("$here/build.sh" "$flavor")}
bin=$(cd "$here/../../build/vm" && pwd)
cd "$bin"

# run_ns OPERATION COUNT - real time of a whole machine that does that
run_ns() {
	local best=0 start took i

	for i in 1 2 3; do
		start=$(date +%s%N)
		./weft-vm --vm-dir "$vm_dir" --clock "$clock" -- ./bench "$1" "$2" < /dev/null
		took=$(($(date +%s%N) - start))
		[ "$i" -gt 1 ] && [ "$took" -ge "$best" ] || best=$took
	done
	echo "$best"
}

# line OPERATION COUNT TEXT
line() {
	local none=$1 many

	none=$(run_ns "$1" 0)
	many=$(run_ns "$1" "$2")
	printf '%-44s %8.1f us\n' "$3" "$(bc <<< "scale=3; ($many - $none) / $2 / 1000")"
}

printf '%-44s %8.1f ms\n' "boot, run a program, power off" \
	"$(bc <<< "scale=3; $(run_ns syscall 0) / 1000000")"
line syscall 200000 "system call"
line clock 200000 "clock_gettime (each also moves time)"
line tsc 20000 "rdtsc (each also moves time)"
line fault 5000 "page fault, anonymous"
line walk 40000 "page of fresh memory, one after the other"
line switch 10000 "byte to another process and back"
line spin 1000 "word in memory to another process and back"
line exec 200 "posix_spawn of /bin/true"
