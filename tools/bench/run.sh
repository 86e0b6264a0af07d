#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The real time of runs on the virtual clock: seconds, packets sent by hosts, and stops of
# processes per packet.
#
# usage: run.sh [--vs DIR] [--runs N] [--json] [CASE]...
#
#   --vs DIR   also run the built tree DIR, in turn with this one, and print ratios
#   --runs N   runs of each case in each tree (default 3); medians are printed
#   --json     print each figure of each run, and the medians, as JSON
#
#   pair           a lab of two nodes up and down
#   mpi            Open MPI starts 8 ranks of true
#   allreduce      ring all-reduce of 4 MiB, 8 ranks on ib-8, as scripts/demo.sh does it
#   fat-tree       all-reduce from 4 KiB to 64 MiB, 16 ranks on fat-tree-16
#   rails          all-reduce from 1 to 4 KiB, 64 GPUs of 8 DGX H100
#   write-bw       ib_write_bw on ib-8
#   write-lat      ib_write_lat on ib-8
#   ucx            all-reduce of 1 MiB, 8 ranks on roce-8, Open MPI over UCX over verbs
#   torch          one step of a small model, torch.distributed over Gloo, on ib-8
#
# Both trees run the programs of this one. A stop is a switch from a process to the guest's
# kernel: stops_calls, stops_faults, stops_signals and switches of /proc/weft_vclock. If a
# kernel does not count these, calls and clock_reads are shown as "calls+reads".
set -euo pipefail
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly tree
readonly cases=(pair mpi allreduce fat-tree rails write-bw write-lat ucx torch)
readonly allreduce=$tree/build/demo/allreduce

fail() {
	echo "tools/bench/run.sh: $*" >&2
	exit 1
}

usage() {
	sed -n '3,/^set/s/^# \{0,1\}//p' "$0"
}

# go TOPOLOGY COMMAND [OPTION]... - do one run with $weft and print its figures as JSON
go() {
	local topology=$1 begin end

	rm -f "$tmp"/{report,vclock}
	begin=${EPOCHREALTIME/,/.}
	# shellcheck disable=SC2016 # the guest's shell expands
	"$weft" run "$topology" --clock virtual --seed 1 -q --rw "$tmp" \
		--report "$tmp/report" "${@:3}" -- sh -c 'eval "$1"; code=$?
			cat /proc/weft_vclock > "$2"/vclock; exit $code' \
			bench "$2" "$tmp" > "$tmp/out" 2>&1 < /dev/null || {
		cat "$tmp/out" >&2
		fail "$weft: $topology: the run failed"
	}
	end=${EPOCHREALTIME/,/.}
	awk -F ': *' '/^(calls|clock_reads|stops_[a-z]*|switches):/ {
		print $1, $2 + 0
	}' "$tmp/vclock" | jq -R -n -c --arg from "$begin" --arg to "$end" \
		--slurpfile report "$tmp/report" '
		[inputs | split(" ") | {(.[0]): (.[1] | tonumber)}] | add // {}
		| with_entries(select(.key | startswith("stops_") or . == "switches"))
			as $new
		| (if ([$new[]] | add // 0) == 0 then {"calls+reads": (.calls + .clock_reads)}
		   else $new end) as $kinds
		| {real_s: (($to | tonumber) - ($from | tonumber)),
		   packets: ([$report[0].nics[].tx_packets] | add),
		   stops: ([$kinds[]] | add), kinds: $kinds}'
}

# demo TOPOLOGY RANKS MIN MAX [OPTION]... - do a run with the settings of scripts/demo.sh
demo() {
	OMPI_MCA_coll_tuned_use_dynamic_rules=1 \
	OMPI_MCA_coll_tuned_allreduce_algorithm=4 \
	OMPI_MCA_btl_tcp_eager_limit=16777216 \
	OMPI_MCA_btl_tcp_rndv_eager_limit=16777216 \
	OMPI_MCA_btl_tcp_max_send_size=16777216 \
		go "$1" "mpirun -np $2 $allreduce --min $3 --max $4 --warmup 1 --iters 1" \
		"${@:5}"
}

# perftest PROGRAM
perftest() {
	go ib-8 "weft exec host1 -- $1 -d weft1 -F > /dev/null & sleep 0.1
		$1 -d weft0 -F host1 && wait"
}

one_pair() { go pair true; }
one_mpi() { go ib-8 'mpirun -np 8 true'; }
one_allreduce() { demo ib-8 8 4194304 4194304; }
one_fat-tree() {
	go fat-tree-16 "mpirun -np 16 $allreduce --min 4096 --max 67108864 --warmup 1 --iters 1"
}
one_rails() {
	"$weft" topology dgx-h100-4 hosts=8 name=rails > "$tmp/rails.yaml"
	go "$tmp/rails.yaml" "mpirun -np 64 $allreduce --min 1024 --max 4096 --warmup 1 --iters 1"
}
one_write-bw() { perftest ib_write_bw; }
one_write-lat() { perftest ib_write_lat; }
one_ucx() { demo roce-8 8 1048576 1048576 --net verbs; }
one_torch() { go ib-8 "'$tree/user/share/examples/torch_nodes.py' 8"; }

# sample - do all runs and print the figures of each, one JSON object per line
sample() {
	local run dir name

	for name in "${chosen[@]}"; do
		for ((run = 1; run <= runs; run++)); do
			for dir in "${trees[@]}"; do
				weft=$dir/build/user/weft
				[ -x "$weft" ] || fail "$dir is not built: make -C $dir"
				! [ -t 2 ] || printf '\r%s, run %d of %d: %s\033[K' \
					"$name" "$run" "$runs" "$dir" >&2
				"one_$name" > "$tmp/sample"
				jq -c --arg name "$name" --arg tree "$dir" \
					'{case: $name, tree: $tree} + .' "$tmp/sample"
			done
		done
	done
	! [ -t 2 ] || printf '\r\033[K' >&2
}

# medians - print medians per case and tree; with --vs also ratios of this tree to the other
medians() {
	jq -s '
		def median: sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2;
		def ratio($a; $b): if ($b // 0) > 0 then $a / $b else null end;
		{runs: ., medians: (group_by([.case, .tree]) | map({
			case: .[0].case, tree: .[0].tree,
			real_s: (map(.real_s) | median),
			packets: (map(.packets) | median),
			stops: (map(.stops) | median),
			kinds: ([.[].kinds | to_entries[]] | group_by(.key) |
				map({(.[0].key): (map(.value) | median)}) | add)
		} | .stops_per_packet = ratio(.stops; .packets)))}
		| .ratios = [.medians | group_by(.case)[] | select(length == 2)
			| (map(select(.tree == $ours))[0]) as $a
			| (map(select(.tree != $ours))[0]) as $b
			| {case: $a.case, real_s: ratio($a.real_s; $b.real_s),
			   stops: ratio($a.stops; $b.stops)}]' --arg ours "$tree" "$tmp/samples"
}

# table - print medians and ratios as text
table() {
	printf '%-10s %9s %10s %10s %8s  %s\n' case 'real s' packets stops each kinds
	jq -r '
		def digits($n): pow(10; $n) as $p | if . == null then "-"
			else . * $p | round / $p end;
		(.medians[] | [.case, (.real_s | digits(2)), .packets, .stops,
			(.stops_per_packet | digits(2)),
			([.kinds | to_entries[] | "\(.key) \(.value)"] | join(", ")) +
			(if .tree == $ours then "" else "  (\(.tree))" end)]),
		(.ratios[] | [.case, (.real_s | digits(3)), "", (.stops | digits(3)), "",
			"this tree / the other one"])
		| map(tostring) | join("\u001f")' --arg ours "$tree" |
		while IFS=$'\x1f' read -r name real packets stops each kinds; do
			printf '%-10s %9s %10s %10s %8s  %s\n' "$name" "$real" "$packets" \
				"$stops" "$each" "$kinds"
		done
}

trees=("$tree")
runs=3
json=
while [ $# -gt 0 ]; do
	case $1 in
	--vs)
		trees+=("$(cd "${2:?--vs DIR}" && pwd)")
		shift
		;;
	--runs)
		[[ ${2-} =~ ^[1-9][0-9]*$ ]] || fail "--runs: expected a number from 1"
		runs=$2
		shift
		;;
	--json) json=1 ;;
	--help)
		usage
		exit 0
		;;
	-*) fail "$1: see --help" ;;
	*) break ;;
	esac
	shift
done
[ ${#trees[@]} -le 2 ] || fail "--vs: one tree"
chosen=("$@")
[ $# -gt 0 ] || chosen=("${cases[@]}")
for name in "${chosen[@]}"; do
	[[ " ${cases[*]} " == *" $name "* ]] || fail "$name: no such case; there are ${cases[*]}"
done
[ -x "$allreduce" ] || fail "this tree is not built: make"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
sample > "$tmp/samples"
medians > "$tmp/result"
if [ "$json" ]; then
	cat "$tmp/result"
else
	table < "$tmp/result"
fi
