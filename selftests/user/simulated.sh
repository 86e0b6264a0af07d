# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What tests of weft simulate share; they set $weft.

# MPI leaves memory allocated at its end
export ASAN_OPTIONS=detect_leaks=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_base_warn_component_unused=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# leaves [WIRE] - four leaves and two spines of InfiniBand; WIRE: what links between them have
leaves() {
	cat <<- END
		name: leaves
		profile: ib-ndr
		nodes: [{name: "host[0-15]"}]
		switches: [{name: "leaf[0-3]"}, {name: "spine[0-1]"}]
		links:
		- {ends: ["host[0-3]", leaf0]}
		- {ends: ["host[4-7]", leaf1]}
		- {ends: ["host[8-11]", leaf2]}
		- {ends: ["host[12-15]", leaf3]}
		- {ends: ["leaf[0-3]", "spine[0-1]"], join: all${1:+, $1}}
	END
}

# two_leaves GROUPS - of 100 Gb/s, with a link between them; GROUPS of the topology, lines
two_leaves() {
	printf 'name: two\nprofile: ethernet-100g\n%s\n' "$1"
	cat <<- END
		nodes: [{name: "host[0-7]"}]
		switches: [{name: "leaf[0-1]"}]
		links:
		- {ends: ["host[0-3]", leaf0]}
		- {ends: ["host[4-7]", leaf1]}
		- {ends: [leaf0, leaf1]}
	END
}

# incast SIZE - seven hosts to the first one
incast() {
	for i in 1 2 3 4 5 6 7; do
		echo "host$i host0 $1"
	done
}

# has_mpi MPI - was weft built with it?
has_mpi() {
	[ -e "$(dirname "$weft")/mpi/$1.so" ]
}

# ranks MPI N ARGUMENT... - what the ranks of a job print together, exit code and report
ranks() {
	rm -f "$tmp/report"
	timeout 600 "mpirun.$1" -np "$2" "$weft" simulate "${@:3}" --report "$tmp/report" 2> "$tmp/ranks" || {
		code=$?
		grep '^weft' "$tmp/ranks" || cat "$tmp/ranks"
		echo "exit code $code"
	}
	[ ! -e "$tmp/report" ] || cat "$tmp/report"
}
