#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The demo: Open MPI's ring all-reduce between 8 nodes on two leaves and two
# spines at 400 Gb/s, beside what theory allows; twice, to show that a run
# repeats bit for bit.
#
# usage: demo.sh [ARGUMENT OF allreduce]...
#
# Reports are in build/demo/report-[12].json. Fails if a result is wrong, if the
# two reports differ or if a run was not faithful.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly weft=build/user/weft out=build/demo topology=fat-tree-8
readonly sizes=4KiB-64MiB

# The algorithm whose bound the table shows.
export OMPI_MCA_coll_tuned_use_dynamic_rules=1
export OMPI_MCA_coll_tuned_allreduce_algorithm=4

# run NUMBER ARGUMENT... - one run with its report
run() {
	local number=$1 start=$SECONDS

	shift
	rm -f "$out/report-$number.json"
	$weft run $topology --clock virtual --seed 1 --quiet \
		--report "$out/report-$number.json" \
		--mpi -- $out/allreduce --bounds $out/bounds "$@"
	echo "(run $number: $((SECONDS - start)) s of real time)"
}

mkdir -p $out
$weft bound $topology --sizes $sizes > $out/bounds
run 1 "$@" | tee $out/table-1
echo
echo "Once more, with the same seed:"
run 2 "$@" > $out/table-2
tail -n 1 $out/table-2
cmp $out/report-1.json $out/report-2.json || {
	echo "the two reports differ" >&2
	exit 1
}
echo "The two reports, $out/report-[12].json, are the same, byte for byte."
jq -r '.verdict | if .faithful then "Verdict: faithful"
	else "Verdict: not faithful: " + (.reasons | join("; ")) end' $out/report-1.json
jq -e .verdict.faithful $out/report-1.json > /dev/null
