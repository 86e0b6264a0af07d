#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Speed of the model on fat trees of three tiers (tree.c), compared with another commit.
#
# usage: tree.sh [--vs DIR] [--runs N] [--cpu N] [--misses] [--discipline NAME] [K]...
#
#   --vs DIR   a checked-out tree whose model is run in turn with this one; 279e157 or later
#   --runs N   runs of each (default 5); medians are printed
#   --cpu N    bind the runs to this CPU
#   --misses   count instructions and cache misses by cachegrind instead (1 MiB of L2)
#   K          sizes (default 8 16 32)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here

fail() {
	echo "tools/bench/tree.sh: $*" >&2
	exit 1
}

# number OPTION VALUE - check that a value is a number
number() {
	[[ $2 =~ ^[0-9]+$ ]] || fail "$1: expected a number, got \"$2\""
	echo "$2"
}

# build DIR NAME - build the benchmark with the model of a tree
build() {
	make -s -C "$here" "CORE=$1/kernel" "TREE=$tmp/$2" "$tmp/$2" >&2
}

# field PATTERN - print the number before a pattern in the output of a run
field() {
	sed -nE "s/.* ([0-9.]+) $1.*/\\1/p"
}

median() {
	sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# runs K - run each build in turn and print medians and results
runs() {
	local i name

	for ((i = 1; i <= count; i++)); do
		for name in "${names[@]}"; do
			"${bind[@]}" "$tmp/$name" --discipline "$discipline" "$1" >> "$tmp/$name.$1"
		done
	done
	for name in "${names[@]}"; do
		printf '%-5s %-6s %8.3f M hops/s (median of %d), %s\n' "k=$1" "$name" \
			"$(field 'M hops.s' < "$tmp/$name.$1" | median)" "$count" \
			"$(sed -n '1s/.*hops\/s, //p' "$tmp/$name.$1")"
	done
	[ ${#names[@]} -eq 1 ] || awk -v k="$1" \
		-v a="$(field 'M hops.s' < "$tmp/this.$1" | median)" \
		-v b="$(field 'M hops.s' < "$tmp/other.$1" | median)" \
		'BEGIN { printf "k=%-3d this / other: %.2f\n", k, a / b }'
}

# misses K - run each build once in a simulated cache
misses() {
	local name

	for name in "${names[@]}"; do
		valgrind --tool=cachegrind --cache-sim=yes --D1=32768,8,64 \
			--LL=1048576,16,64 --cachegrind-out-file=/dev/null \
			"$tmp/$name" --discipline "$discipline" "$1" > "$tmp/$name.$1" 2> "$tmp/log"
		awk -v k="$1" -v name="$name" \
			-v hops="$(field hops < "$tmp/$name.$1")" '
			{ gsub(",", "") }
			/I +refs/ { refs = $4 }
			/D1 +misses/ { first = $4 }
			/LLd misses/ { second = $4 }
			END { printf "k=%-3d %-6s %.0f instructions, %.2f misses of L1, %.2f of L2 for each hop\n",
				k, name, refs / hops, first / hops, second / hops }' "$tmp/log"
	done
}

other=
count=5
bind=()
discipline=pfc
measure=runs
while [ $# -gt 0 ]; do
	case $1 in
	--vs)
		other=$(cd "${2:?--vs DIR}" && pwd)
		shift
		;;
	--runs)
		count=$(number "$1" "${2-}")
		shift
		;;
	--cpu)
		bind=(taskset -c "$(number "$1" "${2-}")")
		shift
		;;
	--discipline)
		discipline=${2:?--discipline NAME}
		shift
		;;
	--misses) measure=misses ;;
	--help)
		sed -n '3,/^set/s/^# \{0,1\}//p' "$0"
		exit 0
		;;
	-*) fail "$1: see --help" ;;
	*) break ;;
	esac
	shift
done
[ $# -gt 0 ] || set -- 8 16 32
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
names=(this)
build "$(cd "$here/../.." && pwd)" this
if [ "$other" ]; then
	names+=(other)
	build "$other" other
fi
for k; do
	"$measure" "$(number K "$k")"
done
