#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The demo: Open MPI's ring all-reduce between 8 nodes over InfiniBand NDR,
# lossless 400 Gb/s Ethernet and NVLink 5, side by side, each beside what theory
# allows; the last one twice, to show that a run repeats bit for bit. And the same
# call where InfiniBand's switch reduces (SHARP), beside the model without programs.
#
# usage: demo.sh [ARGUMENT OF allreduce]...    (default 4 MiB to 64 MiB, once)
#
#   demo.sh --min 4096                         more sizes, from 4 KiB on
#   demo.sh --min 4194304 --factor 4           fewer: 4, 16 and 64 MiB
#
# A machine takes one CPU, so as many run beside one another as there are CPUs. Each
# row is shown when it is there, and between them, on a terminal, how far the runs are.
# Reports are in build/demo. Fails if a result is wrong, if a packet of a
# lossless class was lost, if the two reports differ or if a run was not faithful.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly weft=build/user/weft out=build/demo
# the columns: the name of each one's files, what it is called
readonly columns=(ib-8 ib-8-sharp single-switch-8 nvlink-8)
readonly names=(ib-ndr "ib-ndr, SHARP" ethernet-400g nvlink5)
readonly sizes=4KiB-64MiB
# a run each: its topology, the name of its files, what it is called; the longest first
readonly run_of=(ib-8 ib-8 single-switch-8 nvlink-8 nvlink-8)
readonly file_of=(ib-8-sharp ib-8 single-switch-8 nvlink-8 nvlink-8-again)
readonly name_of=("ib-ndr, SHARP" ib-ndr ethernet-400g nvlink5 "nvlink5 again")

declare -a pid=() begun=() rows=()
shown=

# The algorithm whose bound the table shows; and blocks are sent without asking
# first: a handshake per block would cost more than the block on the fast link.
export OMPI_MCA_coll_tuned_use_dynamic_rules=1
export OMPI_MCA_coll_tuned_allreduce_algorithm=4
export OMPI_MCA_btl_tcp_eager_limit=16777216
export OMPI_MCA_btl_tcp_rndv_eager_limit=16777216
export OMPI_MCA_btl_tcp_max_send_size=16777216

# numbers FILE - its lines that begin with a number
numbers() {
	awk '$1 ~ /^[0-9]+$/' "$1"
}

# simulated TOPOLOGY - what reductions in switches take, without programs
simulated() {
	local bytes

	$weft bound "$1" --algorithm ring --sizes $sizes | numbers - | while read -r bytes _; do
		$weft simulate "$1" --workload "allreduce:sharp:$bytes" --json |
			jq -r --arg bytes "$bytes" '"\($bytes) \([.flows[].end_ps] | max / 1e12)"'
	done
}

# bounds NUMBER - the least time of each size; the name of the file
bounds() {
	local file=$out/${run_of[$1]}.bounds

	case ${file_of[$1]} in
	*-sharp)
		file=$out/${file_of[$1]}.bounds
		simulated "${run_of[$1]}" > "$file"
		;;
	*)
		$weft bound "${run_of[$1]}" --algorithm ring --sizes $sizes > "$file"
		;;
	esac
	echo "$file"
}

# start NUMBER ARGUMENT... - one run: table, report, errors, progress
#
# The program has the same arguments in both runs of NVLink: they go over the fabric.
start() {
	local n=$1 topology=${run_of[$1]} as=$out/${file_of[$1]} least net=tcp

	shift
	[ "${as%-sharp}" = "$as" ] || net=sharp
	rm -f "$as".{json,progress}
	least=$(bounds "$n")
	$weft run "$topology" --clock virtual --seed 1 --quiet --net $net \
		--report "$as.json" --progress "$as.progress" \
		--mpi -- $out/allreduce --bounds "$least" "$@" \
		> "$as.table" 2> "$as.errors" < /dev/null &
	pid[n]=$!
	begun[n]=$SECONDS
	rows[n]=0
}

# erase - the line of progress
erase() {
	[ -z "$shown" ] || printf '\r\033[K' >&2
	shown=
}

# show_rows NUMBER - those that are new
show_rows() {
	local bytes time busbw ratio _

	while read -r bytes time _ busbw _ ratio _; do
		erase
		printf '%4d s  %-14s %10d bytes %10s us %9s GB/s  ratio %s\n' \
			$SECONDS "${name_of[$1]}" "$bytes" "$time" "$busbw" "$ratio"
		rows[$1]=$((rows[$1] + 1))
	done < <(numbers "$out/${file_of[$1]}.table" | tail -n "+$((rows[$1] + 1))")
}

# reached NUMBER - how far a run is
reached() {
	local phase fabric=- packets=- _

	[ ! -s "$out/${file_of[$1]}.progress" ] ||
		read -r phase _ fabric packets < "$out/${file_of[$1]}.progress"
	printf '%s: %d s' "${name_of[$1]}" $((SECONDS - begun[$1]))
	[ "${phase:-boot}" != boot ] || printf ', starts'
	[ "$fabric" = - ] || printf ', fabric time %d.%03d ms, %d packets' \
		$((fabric / 1000000)) $((fabric / 1000 % 1000)) "$packets"
}

# show_progress - one line, where there is a terminal
show_progress() {
	local n text='' cols

	[ -t 1 ] && [ -t 2 ] && [ ${#pid[@]} -gt 0 ] || return 0
	for n in "${!pid[@]}"; do
		text+="${text:+ | }$(reached "$n")"
	done
	cols=$(stty size <&2 | cut -d ' ' -f 2)
	[ "${cols:-0}" -gt 0 ] || cols=80
	printf '\r%s\033[K' "${text:0:cols-1}" >&2
	shown=1
}

# ended NUMBER - what is left to say of a run; fails if it did
ended() {
	local code=0

	wait "${pid[$1]}" || code=$?
	unset "pid[$1]"
	erase
	cat "$out/${file_of[$1]}.errors" >&2
	if [ $code -eq 0 ]; then
		show_rows "$1"
		echo "(${file_of[$1]}: $((SECONDS - begun[$1])) s of real time)"
	else
		echo "${file_of[$1]}: the run failed with exit code $code" >&2
		return 1
	fi
}

# stop - end what runs, however the demo ends; a machine leaves nothing behind
stop() {
	trap '' INT TERM
	erase
	[ ${#pid[@]} -eq 0 ] || kill -KILL "${pid[@]}" 2> /dev/null || true
	wait 2> /dev/null
}

# run_all ARGUMENT... - all runs, as many at a time as there are CPUs
run_all() {
	local cpus n next=0

	cpus=$(nproc)
	while [ $next -lt ${#run_of[@]} ] || [ ${#pid[@]} -gt 0 ]; do
		while [ $next -lt ${#run_of[@]} ] && [ ${#pid[@]} -lt "$cpus" ]; do
			start $next "$@"
			next=$((next + 1))
		done
		sleep 0.5
		for n in "${!pid[@]}"; do
			show_rows "$n"
			kill -0 "${pid[$n]}" 2> /dev/null || ended "$n"
		done
		show_progress
	done
	erase
}

# table - the tables beside one another
table() {
	printf '%10s' ''
	printf ' | %-27s' "${names[@]}"
	printf '\n%10s' bytes
	for _ in "${names[@]}"; do
		printf ' | %9s %10s %6s' 'time us' busbw ratio
	done
	echo
	awk '$1 ~ /^[0-9]+$/ {
		if (!($1 in row))
			order[n++] = $1
		row[$1] = row[$1] sprintf(" | %9s %10s %6s", $2, $4, $6)
	}
	END {
		for (i = 0; i < n; i++)
			printf "%10d%s\n", order[i], row[order[i]]
	}' "${tables[@]}"
}

# verdict REPORT - what the run says of itself; fails if it is not good
verdict() {
	jq -r '(.verdict | if .faithful then "faithful"
		else "not faithful: " + (.reasons | join("; ")) end) +
		", lost in lossless classes: \(.lossless.losses | length)"' "$1"
	jq -e '.verdict.faithful and .lossless.losses == []' "$1" > /dev/null
}

[ $# -gt 0 ] || set -- --min 4194304 --warmup 1 --iters 1
mkdir -p $out
tables=("${columns[@]/#/$out/}")
tables=("${tables[@]/%/.table}")
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
echo "All-reduce of 32-bit integers, 8 ranks: a ring on three fabrics, and once again; and in a switch"
run_all "$@"
echo
echo "busbw in GB/s, ratio to the bound"
table
echo
if ! awk '$1 ~ /^[0-9]+$/ && $7 != 0 { exit 1 }' "${tables[@]}"; then
	echo "a result is wrong" >&2
	exit 1
fi
for column in "${columns[@]}"; do
	echo "$column: $(verdict "$out/$column.json")"
done
cmp $out/nvlink-8.json $out/nvlink-8-again.json || {
	echo "the two reports differ" >&2
	exit 1
}
echo "The two reports, $out/nvlink-8.json and $out/nvlink-8-again.json, are the same, byte for byte."
