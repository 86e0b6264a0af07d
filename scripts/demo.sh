#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The demo: Open MPI's ring all-reduce between 8 nodes over InfiniBand NDR,
# lossless 400 Gb/s Ethernet and NVLink 5, side by side, each beside what theory
# allows; the last one twice, to show that a run repeats bit for bit.
#
# usage: demo.sh [ARGUMENT OF allreduce]...    (default 4 MiB to 64 MiB, once)
#
# Reports are in build/demo. Fails if a result is wrong, if a packet of a
# lossless class was lost, if the two reports differ or if a run was not faithful.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly weft=build/user/weft out=build/demo
readonly topologies=(ib-8 single-switch-8 nvlink-8)
readonly names=(ib-ndr ethernet-400g nvlink5)
readonly sizes=4KiB-64MiB

# The algorithm whose bound the table shows; and blocks are sent without asking
# first: a handshake per block would cost more than the block on the fast link.
export OMPI_MCA_coll_tuned_use_dynamic_rules=1
export OMPI_MCA_coll_tuned_allreduce_algorithm=4
export OMPI_MCA_btl_tcp_eager_limit=16777216
export OMPI_MCA_btl_tcp_rndv_eager_limit=16777216
export OMPI_MCA_btl_tcp_max_send_size=16777216

# run TOPOLOGY SUFFIX ARGUMENT... - one run: table and report
run() {
	local topology=$1 as=$1$2 start=$SECONDS

	shift 2
	rm -f "$out/$as.json"
	$weft bound "$topology" --sizes $sizes > "$out/$topology.bounds"
	$weft run "$topology" --clock virtual --seed 1 --quiet \
		--report "$out/$as.json" \
		--mpi -- $out/allreduce --bounds "$out/$topology.bounds" "$@" \
		> "$out/$as.table"
	echo "($as: $((SECONDS - start)) s of real time)"
}

# table - the three tables beside one another
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
	}' "${topologies[@]/#/$out/}"
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
for topology in "${topologies[@]}"; do
	run "$topology" '' "$@"
	ln -sf "$topology.table" "$out/$topology"
done
echo
echo "Ring all-reduce of 32-bit integers, 8 ranks; busbw in GB/s, ratio to the bound"
table
echo
if ! awk '$1 ~ /^[0-9]+$/ && $7 != 0 { exit 1 }' "${topologies[@]/#/$out/}"; then
	echo "a result is wrong" >&2
	exit 1
fi
for topology in "${topologies[@]}"; do
	echo "$topology: $(verdict "$out/$topology.json")"
done
run nvlink-8 -again "$@"
cmp $out/nvlink-8.json $out/nvlink-8-again.json || {
	echo "the two reports differ" >&2
	exit 1
}
echo "The two reports, $out/nvlink-8.json and $out/nvlink-8-again.json, are the same, byte for byte."
