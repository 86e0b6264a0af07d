#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Open MPI and MPICH on 2 hosts of 4 GPUs, a node each with one address: what each
# NIC sends for a collective is what its algorithm says, inside a host over NVLink
# and between hosts over InfiniBand.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_hybrid.sh"
need jq mpirun

# built NAME - where a program of this directory is
built() {
	(cd "$net_dir" && realpath -e "../../build/selftests/$1" "./$1" 2> /dev/null) |
		head -n 1
}

program=$(built mpi_bytes)
readonly program
[ "$program" ] || skip_all "mpi_bytes is missing: it needs mpicc"

# mpi REPETITIONS COLLECTIVE... - from gpu0, by algorithms whose traffic is known
mpi() {
	on gpu0 mpirun -np 8 --mca coll_tuned_use_dynamic_rules 1 \
		--mca coll_tuned_allreduce_algorithm 4 \
		--mca coll_tuned_bcast_algorithm 1 \
		"$program" $block "$@"
}

collectives() {
	mpi 2 allreduce alltoall bcast > "$tmp/sent"
}

# MPICH takes UCX, which has TCP on the node's device; the algorithm of an
# all-to-all does not matter while blocks are not passed on.
mpich() {
	local its

	its=$(built mpi_bytes_mpich)
	[ "$its" ] || skip "mpi_bytes_mpich is missing: it needs libmpich-dev"
	on gpu0 mpiexec.mpich -n 8 "$its" $block 2 alltoall > "$tmp/sent"
	collective alltoall
}

# Ring: each rank sends 2 (n - 1) / n of it to the next one, which gpu3 and gpu7
# have in the other host.
readonly ring=$((2 * 7 * block / 8))

allreduce_bytes() {
	echo $((($1 % 4 == 3) == $2 ? ring : 0)) \
		$((($1 % 4 == 0) == $2 ? ring : 0))
}

# Linear: gpu0 sends it to each by itself.
bcast_bytes() {
	echo $(($1 == 0 ? (3 + $2) * block : 0)) \
		$(($1 > 0 && ($1 > 3) == $2 ? block : 0))
}

# wire KIND - what the ports of all NICs KIND have sent, in the order of nodes
wire() {
	weft show ports --json | jq --arg nic "$1" \
		'.[] | select(.port | startswith("gpu") and endswith($nic)).tx_bytes'
}

# There are no verbs on NVLink, so all of it takes the rails: four times, as the
# first one counts here.
verbs() {
	local rails nvlink n

	[ -e /sys/module/weft_rdma ] || skip "weft_rdma.ko is not loaded"
	rails=$(wire eth1)
	nvlink=$(wire eth0)
	WEFT_NET=verbs mpi 3 allreduce
	for n in $(paste <(wire eth1) - <<< "$rails" | awk '{ print $1 - $2 }'); do
		expect_in "rail" $((4 * ring)) $((4 * ring * 105 / 100)) "$n"
	done
	for n in $(paste <(wire eth0) - <<< "$nvlink" | awk '{ print $1 - $2 }'); do
		expect_in "NVLink" 0 65536 "$n"
	done
}

weft up hybrid-8 "${clock_option[@]}" > /dev/null || exit 1
ktap_begin 6
t "collectives" collectives
t "all-reduce" collective allreduce
t "all-to-all" collective alltoall
t "broadcast" collective bcast
t "all-reduce over verbs" verbs
t "all-to-all of MPICH" mpich
weft down > /dev/null
ktap_end
