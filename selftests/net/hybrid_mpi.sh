#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Open MPI and MPICH on 2 hosts of 4 GPUs, a node each with one address: what each
# NIC sends for a collective is what its algorithm says, inside a host over NVLink
# and between hosts over InfiniBand.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_hybrid.sh"
need jq mpirun

program=$(built mpi_bytes) || skip_all "mpi_bytes is missing: it needs mpicc"

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

# MPICH takes UCX, which has TCP on the node's device. The algorithm of an all-to-all
# does not matter while blocks are not passed on.
mpich() {
	local its

	its=$(built mpi_bytes_mpich)
	[ "$its" ] || skip "mpi_bytes_mpich is missing: it needs libmpich-dev"
	on gpu0 env MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=reduce_scatter_allgather \
		MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial mpiexec.mpich -n 8 \
		"$its" $block 2 allreduce alltoall bcast > "$tmp/sent"
	collective allreduce halving
	collective alltoall
	collective bcast binomial
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

# Recursive halving and doubling: a half goes to the rank whose lowest bit differs, a
# quarter to that with another second one, both in the host, an eighth to the third's,
# and as much on the way back.
halving_bytes() {
	local n=$(($2 ? block / 4 : block * 3 / 2))

	echo $n $n
}

# Binomial tree: 0 sends to 4, 2 and 1, 4 to 6 and 5, 2 to 3 and 6 to 7.
binomial_bytes() {
	local tx rx=1

	case $1.$2 in
	0.0 | 4.0) tx=2 ;;
	0.1 | [26].0) tx=1 ;;
	*) tx=0 ;;
	esac
	case $1.$2 in
	0.* | 4.0 | [1-35-7].1) rx=0 ;;
	esac
	echo $((tx * block)) $((rx * block))
}

# wire KIND - what the ports of all NICs KIND have sent, in the order of nodes
wire() {
	weft show ports --json | jq --arg nic "$1" \
		'.[] | select(.port | startswith("gpu") and endswith($nic)).tx_bytes'
}

# since FILE - how much more each port has sent than FILE says
since() {
	paste - "$1" | awk '{ print $1 - $2 }'
}

# over_rails COLLECTIVE NODE0 OTHERS - by verbs, of which there are none on NVLink: all
# of it takes the rails, four times, as the first one counts here. Control messages and
# acknowledgements are 64 KiB and 5 % at most of what is sent, 2 % of what comes in.
over_rails() {
	local n want=$2

	wire eth1 > "$tmp/rails"
	wire eth0 > "$tmp/nvlink"
	WEFT_NET=verbs mpi 3 "$1" > /dev/null
	for n in $(wire eth1 | since "$tmp/rails"); do
		expect_in "$1, rail" $((4 * want)) \
			$((4 * (want * 105 + 7 * block * 2) / 100 + 65536)) "$n"
		want=$3
	done
	for n in $(wire eth0 | since "$tmp/nvlink"); do
		expect_in "$1, NVLink" 0 65536 "$n"
	done
}

verbs() {
	[ -e /sys/module/weft_rdma ] || skip "weft_rdma.ko is not loaded"
	over_rails allreduce $ring $ring
	over_rails alltoall $((7 * block)) $((7 * block))
	over_rails bcast $((7 * block)) 0
}

weft up hybrid-8 "${clock_option[@]}" > /dev/null || exit 1
ktap_begin 6
t "collectives" collectives
t "all-reduce" collective allreduce
t "all-to-all" collective alltoall
t "broadcast" collective bcast
t "the three over verbs" verbs
t "the three of MPICH" mpich
weft down > /dev/null
ktap_end
