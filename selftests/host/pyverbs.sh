#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# rdma-core's own tests (python3-pyverbs) on both link layers.
#
# $RDMA_CORE is a source tree of the release that is installed; its tests are run
# from there. None may fail but one, and each that is skipped has a reason that the
# page Documentation/model/rdma-tests.rst lists.
cd "$(dirname "$0")/../.." || exit 1
. selftests/ktap.sh

tests=${RDMA_CORE:-/none}/tests
[ -e "$tests/run_tests.py" ] || skip_all "no tests in \$RDMA_CORE"
/usr/bin/python3 -c 'import pyverbs' 2> /dev/null || skip_all "no python3-pyverbs"

weft=build/user/weft
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Features of other providers and of machines with a GPU, and what only runs elsewhere.
readonly elsewhere='over non (MLX5|EFA) device|MLX5 device|cuda|dri/render|PCI device must'
readonly missing='Extended (QP|CQ)|Create XRCD|ODP|Device memory|MW access|memory window|custom mr
Rereg MR|Parent Domain|QP type 8|Raw Packet|RAW QP|root on Ethernet|real time
with(out)? extended attrs|Huge pages'
readonly layer='net interface|skip RoCE test|gid indices populated|No supported port'

# judge PROFILE LEAST - at least so many tests pass
judge() {
	local failed reason

	cat > "$tmp/topology.yaml" <<- END
		name: pair
		profile: $1
		nodes: [{name: "host[0-1]"}]
		switches: [{name: leaf}]
		links: [{ends: ["host[0-1]", leaf]}]
	END
	PYTHONDONTWRITEBYTECODE=1 $weft run -q "$tmp/topology.yaml" --clock virtual -- \
		sh -c "cd '$tests' && /usr/bin/python3 run_tests.py -v" > "$tmp/out" 2>&1 || true
	grep '^Ran ' "$tmp/out"
	failed=$(sed -n 's/^\(FAIL\|ERROR\): \(test[a-z0-9_]*\) .*/\2/p' "$tmp/out" | tr '\n' ' ')
	# It counts on completions that come while no time passes.
	expect "failed" "test_resize_cq " "$failed"
	expect_in "passed" "$2" 1000 "$(grep -c '\(^\|\.\.\. \)ok$' "$tmp/out")"
	reason=$(grep -o "skipped ['\"].*" "$tmp/out" |
		grep -Ev "$elsewhere|${missing//$'\n'/|}|$layer" || true)
	expect "unknown reasons to skip" "" "$reason"
}

ktap_begin 2
t "RoCE" judge ethernet-400g 60
t "InfiniBand" judge ib-ndr 45
ktap_end
