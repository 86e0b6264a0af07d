#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Topologies of real systems: each comes up, and each node pings all others, on
# each of the networks that it shares with them.
. "$(dirname "$0")/lib.sh"

# design PAIRS TOPOLOGY [KEY=VALUE]... - PAIRS is a sum over networks
design() {
	local pairs=$1

	shift
	weft topology "$@" | up > /dev/null
	python3 "$net_dir/topologies.py" "$pairs"
	down > /dev/null
}

ktap_begin 8
t "three tiers, 16 hosts" design $((16 * 15)) fat-tree-k4
t "oversubscribed, 8 hosts" design $((8 * 7)) fat-tree leaves=2 spines=2 \
	hosts-per-leaf=4 oversubscription=2
t "torus of 9 hosts" design $((9 * 8)) torus-3x3
t "torus with a size of 2, 8 hosts" design $((8 * 7)) torus size=2x2x2
t "dragonfly of 12 hosts" design $((12 * 11)) dragonfly-12
# 8 NICs each, one on each rail
t "rails between 4 hosts" design $((8 * 4 * 3)) rail-optimized hosts=4 spines=2 hosts-per-su=2
# NVLink in the host, rails everywhere
t "DGX H100, 32 GPUs" design $((32 * 7 + 32 * 31)) dgx-h100-4
t "NVL72 racks of 8 GPUs with a front end" design $((16 * 7 + 2 * 16 * 15)) nvl72 \
	racks=2 gpus=8 rails=4 spines=1 front-end.profile=ethernet-100g
ktap_end
