# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs of programs whose collectives switches reduce: with $net, "sharp" or "nvls", on $topology.

# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need jq mpirun

net=${net:-sharp}
topology=${topology:-ib-8}
calls=$(built sharp_calls) || skip_all "sharp_calls is missing: it needs mpicc and libibverbs-dev"
mpi=$(built mpi_reduce) || skip_all "mpi_reduce is missing: it needs mpicc"

# sharp TOPOLOGY [ARGUMENT]... - a run; its output is in $tmp/out, its report in $tmp/report
sharp() {
	if weft run -q "$1" "${clock_option[@]}" --net "$net" --report "$tmp/report" "${@:2}" \
		> "$tmp/out" 2>&1; then
		return 0
	fi
	cat "$tmp/out"
	return 1
}

# client TOPOLOGY ARGUMENT... - sharp_calls, whose MPI uses no switches itself
client() {
	sharp "$1" -- env LD_PRELOAD= mpirun -x LD_PRELOAD "$calls" "${@:2}"
}

# reduced KEY - of the report
reduced() {
	jq ".reductions.$1" "$tmp/report"
}

# programs PROGRAM RANKS BY_HOSTS [ARGUMENT]... - what is left to hosts are products,
# operations of the user's own, what one process does alone, and what of several of a node
programs() {
	local program=$1 ranks=$2 by_hosts=$3

	shift 3
	sharp "$topology" "$@" "$program" 1 100 3001
	expect "output" "$ranks ranks: 0 wrong" "$(cat "$tmp/out")"
	expect "groups" 4 "$(reduced groups)"
	expect "by hosts" "$by_hosts" "$(reduced by_hosts)"
	[ "$(reduced in_switches)" -gt 2000 ]
}

open_mpi() {
	programs "$mpi" 8 808 --mpi --
}

two_ranks() {
	programs "$mpi" 16 1616 --ppn 2 --mpi --
}

mpich() {
	local its

	its=$(built mpi_reduce_mpich) || skip "mpi_reduce_mpich is missing: it needs libmpich-dev"
	programs "$its" 8 808 -- mpiexec.mpich -n 8
}

# breaks COMMAND - once there is a group, in which an all-reduce follows another
breaks() {
	cat > "$tmp/break.sh" <<- END
		export LD_PRELOAD=
		mpirun -x LD_PRELOAD -np 8 $calls wait &
		until weft show aggregators --json | grep -q results; do
			sleep 0.001
		done
		sleep 0.001
		$1
		wait
	END
	sharp "$topology" -- sh "$tmp/break.sh" || :
}
