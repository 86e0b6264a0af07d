#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What weft does for programs that speak verbs: devices in their nodes, named and
# gone in time, parameters as planned and set, and the environment of programs.
# shellcheck disable=SC2016 # expanded in the node
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need jq ping rdma ss ibv_rc_pingpong smpquery

# lab PROFILE [LINE]... - two hosts on a switch
lab() {
	local profile=$1

	shift
	{
		echo "name: test"
		echo "profile: $profile"
		printf '%s\n' "$@"
		echo 'nodes: [{name: "host[0-1]"}]'
		echo 'switches: [{name: leaf}]'
		echo 'links: [{ends: ["host[0-1]", leaf]}]'
	} | up > /dev/null
}

# with TEST PROFILE [LINE]... - a test with such a lab
with() {
	trap 'weft down --all > /dev/null' EXIT
	lab "${@:2}"
	# shellcheck disable=SC2086 # words
	$1
}

# devices [NODE] - what the node sees, or the test itself
devices() {
	if [ $# -gt 0 ]; then
		on "$1" rdma -j dev | jq -r '[.[].ifname] | join(" ")'
	else
		rdma -j dev | jq -r '[.[].ifname] | join(" ")'
	fi
}

# known [LAB] - what weft knows of devices, in the order of NICs
known() {
	jq -r '[.nodes[].nics[] | .rdma_device // "none"] | join(" ")' "/run/weft/${1:-test}.json"
}

# In each node its own device, with the NIC's address as its second GID.
own_devices() {
	expect "host" "" "$(devices)"
	expect "nodes" "weft0, weft1" "$(devices host0), $(devices host1)"
	expect "sysfs" weft1 "$(on host1 ls /sys/class/infiniband)"
	expect "parent" eth0 "$(on host1 ls /sys/class/infiniband/weft1/device/net)"
	expect "netdev" eth0 "$(on host1 rdma -j link | jq -r '.[0].netdev')"
	expect "state" ACTIVE "$(on host1 rdma -j link | jq -r '.[0].state')"
	expect "GID" 0000:0000:0000:0000:0000:ffff:0a00:0002 \
		"$(on host1 cat /sys/class/infiniband/weft1/ports/1/gids/1)"
	expect "known" "weft0 weft1" "$(known)"
	expect "shown" "host0.eth0 weft0 host1.eth0 weft1" "$(weft show verbs --json |
		jq -r '[.[] | .nic, .device] | join(" ")')"
}

# On InfiniBand the netdev below the device would be that of IPoIB, which is not there.
hca() {
	local parent=/sys/class/infiniband/weft0/device

	expect "parent" ../../.. "$(on host0 readlink $parent | grep -o '^\.\./\.\./\.\.')"
	expect "below it" "" "$(on host0 ls -d $parent/net 2> /dev/null)"
	expect "no OUI" 0xffffff "$(on host0 ibv_devinfo | awk '$1 == "vendor_id:" { print $2 }')"
	expect "in NodeInfo" 0xffffff "$(on host0 smpquery nodeinfo 1 |
		awk -F '[:.]+' '$1 == "VendorId" { print $2 }')"
}

# link_local ADDRESSES - the first GID is the link-local address of the MAC address. Peers
# and the node itself reach it though nodes have no IPv6 address, and send nothing by
# themselves.
link_local() {
	local addresses=$1

	expect "GID" fe80:0000:0000:0000:0000:0aff:fe00:0002 \
		"$(on host1 cat /sys/class/infiniband/weft1/ports/1/gids/0)"
	expect "IPv6 addresses" "$addresses" "$(on host0 ip -6 -o addr show dev eth0 | wc -l)"
	[ "$addresses" -gt 0 ] || expect "packets of sockets" 0 "$(sent host0)"
	# Some time passes until the kernel answers for an address of its own.
	[ "$addresses" -eq 0 ] || on host0 ping -6 -c 1 -w 5 fe80::aff:fe00:2%eth0
	pair 18515 ibv_rc_pingpong -g 0 -n 100 -c
	on host0 ibv_rc_pingpong -g 0 -n 100 -c > /dev/null &
	slowwait 5 listens host0 18515
	on host0 ibv_rc_pingpong -g 0 -n 100 -c localhost
	wait $!
}

# The same network is on each rail: the GID's netdev says which one.
link_local_rails() {
	{
		echo "name: test"
		echo "profile: ethernet-100g"
		echo 'nodes: [{name: "host[0-1]"}]'
		echo 'switches: [{name: "leaf[0-1]"}]'
		echo 'links: [{ends: ["host[0-1]", leaf0]}, {ends: ["host[0-1]", leaf1]}]'
	} | up > /dev/null
	trap 'weft down --all > /dev/null' EXIT
	on host1 ibv_rc_pingpong -d weft3 -g 0 -n 100 -c > /dev/null &
	slowwait 5 listens host1 18515
	on host0 ibv_rc_pingpong -d weft1 -g 0 -n 100 -c host1
	wait $!
	expect "requests on rails" "0 0 1 1" "$(weft show verbs --json |
		jq -r 'sort_by(.nic[-4:]) | map([.tx_messages, 1] | min) | join(" ")')"
}

# sent NODE - packets of sockets that its NIC has sent
sent() {
	on "$1" cat /sys/class/net/eth0/statistics/tx_packets
}

# Names are free at once when a lab is down, and a second lab takes the next ones.
names() {
	expect "first" "mlx5_0 mlx5_1" "$(known)"
	weft up "$tmp/second.yaml" "${clock_option[@]}" > /dev/null
	expect "second" "mlx5_2 none mlx5_3" "$(known second)"
	weft down --lab test > /dev/null
	lab ethernet-100g 'nic: {verbs: {device: mlx5_}}'
	expect "again" "mlx5_0 mlx5_1" "$(known)"
	weft down --lab second > /dev/null
	expect "left" "mlx5_0, mlx5_1" "$(devices host0), $(devices host1)"
}

second_lab() {
	cat > "$tmp/second.yaml" << 'END'
name: second
profile: ib-edr
nic: {verbs: {device: mlx5_}}
nodes: [{name: a}, {name: b, verbs: {device: none}}, {name: c}]
switches: [{name: s}]
links: [{ends: [a, s]}, {ends: [b, s]}, {ends: [c, s]}]
END
	with names ethernet-100g 'nic: {verbs: {device: mlx5_}}'
}

# verbs KEY - of host0, by jq
verbs() {
	weft show verbs --json | jq -c ".[0]$1"
}

parameters() {
	expect "model" "1000000 215000000 7 3" \
		"$(verbs '' | jq -r '"\(.doorbell_ps) \(.message_rate) \(.qp_cache) \(.cnp_priority)"')"
	expect "reaction" '"dcqcn"' "$(verbs .congestion)"
	expect "DCQCN" "40000000 5" \
		"$(verbs .dcqcn | jq -r '"\(.ai_rate_bps) \(.g)"')"
	weft set nic host0 verbs.qp-cache 0 verbs.congestion none verbs.dcqcn.ai-rate 7Mbps \
		verbs.ibcc.cct 0:3,1:4
	expect "changed" '0 none 7000000' "$(verbs '' |
		jq -r '"\(.qp_cache) \(.congestion) \(.dcqcn.ai_rate_bps)"')"
	expect "kept" "1000000 5" "$(verbs '' | jq -r '"\(.doorbell_ps) \(.dcqcn.g)"')"
	expect "table" '[3,16388,16388,256]' "$(verbs .ibcc.cct | jq -c '[.[0:3][], length]')"
	expect "other NIC" 7 "$(weft show verbs --json | jq '.[1].qp_cache')"
}

# mistake CODE MESSAGE ARGUMENT... - weft set refuses it, and nothing changes
mistake() {
	local want=$1 text=$2 code=0 before

	shift 2
	before=$(weft show verbs --json)
	weft set nic "$@" > "$tmp/out" 2> "$tmp/err" || code=$?
	expect "exit code of $*" "$want" "$code"
	expect "message of $*" "$text" "$(cat "$tmp/err")"
	expect "parameters after $*" "$before" "$(weft show verbs --json)"
}

refusals() {
	mistake 1 'weft set: there is no parameter "door" of verbs' host0 verbs.door 1us
	mistake 1 'weft set: doorbell: "1": expected a time such as 500ns (ps, ns, us, ms, s)' \
		host0 verbs.doorbell 1
	mistake 1 'weft set: "door": expected rx-rate, rx-stop or verbs.KEY' \
		host0 door 1us
	mistake 2 'weft set: min 9 is above limit 3 (attribute verbs.ibcc)' \
		host0 verbs.doorbell 2us verbs.ibcc.limit 3 verbs.ibcc.min 9
}

# ways - the variables on standard input that say which way programs take
ways() {
	grep -E '^(OMPI_MCA_(pml|osc|btl)(_ucx.*)?=|UCX|FI_|NCCL|WEFT_NET)' |
		LC_ALL=C sort | tr '\n' ' '
}

environment() {
	expect "default" 'FI_PROVIDER=^verbs,efa NCCL_NET=Socket OMPI_MCA_btl=^openib,uct,ofi OMPI_MCA_osc=^ucx OMPI_MCA_pml=ob1 UCX_TLS=tcp,self,sm WEFT_NET=tcp ' \
		"$(weft exec host1 -- env | ways)"
	expect "verbs" 'FI_PROVIDER=verbs NCCL_IB_GID_INDEX=1 NCCL_IB_HCA=weft NCCL_NET=IB OMPI_MCA_btl=^openib,uct,ofi OMPI_MCA_osc=sm,ucx OMPI_MCA_pml=ucx OMPI_MCA_pml_ucx_devices=any OMPI_MCA_pml_ucx_tls=any UCX_RC_VERBS_RX_QUEUE_LEN=1024 UCX_RC_VERBS_TX_BUFS_GROW=256 UCX_RNDV_THRESH=16m UCX_TLS=rc,ud,self,sm UCX_UD_VERBS_RX_BUFS_GROW=256 UCX_UD_VERBS_TX_BUFS_GROW=256 WEFT_NET=verbs ' \
		"$(weft exec --net verbs host1 -- env | ways)"
	expect "the user's" 'UCX_TLS=ud ' \
		"$(UCX_TLS=ud weft exec --net verbs host1 -- env | grep UCX_TLS | ways)"
	expect "inherited" 'WEFT_NET=verbs ' \
		"$(weft exec --net verbs host0 -- weft exec host1 -- env | grep WEFT_NET= | ways)"
	expect "daemons of MPI" 'HWLOC_PLUGINS_PATH=/nonexistent PMIX_MCA_gds=hash' \
		"$(weft exec host1 -- env | grep -E '^(PMIX|HWLOC)' | sort | xargs)"
	expect "the user's" PMIX_MCA_gds=ds21 \
		"$(PMIX_MCA_gds=ds21 weft exec host1 -- env | grep PMIX)"
	expect "locked memory" unlimited "$(on host1 sh -c 'ulimit -l')"
}

no_devices() {
	local code=0

	expect "known" "none none" "$(known)"
	expect "nodes" "" "$(devices host0)"
	expect "shown" '[]' "$(weft show verbs --json | jq -c .)"
	weft exec --net verbs host0 -- true 2> "$tmp/err" || code=$?
	expect "exit code" 125 "$code"
	expect "message" 'weft exec: node "host0" has no RDMA device: `weft doctor` says what is missing' \
		"$(cat "$tmp/err")"
}

# busy - host0 has sent some requests
busy() {
	[ "$(verbs .tx_messages)" -gt 100 ]
}

# A lab goes away under its programs, and its devices with it.
down_under_traffic() {
	on host1 ibv_rc_pingpong -g 1 -n 100000000 > /dev/null 2>&1 &
	slowwait 20 listening host1 18515
	on host0 ibv_rc_pingpong -g 1 -n 100000000 host1 > /dev/null 2>&1 &
	slowwait 20 busy
	down > /dev/null
	expect "devices" "" "$(devices)"
	expect "namespaces" "" "$(ip netns)"
	wait
}

ktap_begin 13
t "nodes see their own devices" with own_devices ethernet-400g
t "what an HCA shows" with hca ib-ndr
t "link-local GID" with "link_local 0" ethernet-400g
t "link-local GID, IPv6 on" with "link_local 1" ethernet-400g 'settings: {ipv6: on}'
t "link-local GID, neighbours: arp" with "link_local 0" ethernet-400g 'settings: {neighbours: arp}'
t "link-local GID on a second rail" link_local_rails
t "names of devices" second_lab
t "parameters as planned and set" with parameters ethernet-400g \
	'nic: {verbs: {doorbell: 1us, message-rate: 215M, qp-cache: 7, cnp-priority: 3, dcqcn: {ai-rate: 40Mbps}}}'
t "refused parameters" with refusals ib-ndr
t "which way programs take" with environment ethernet-400g
t "no devices on request" with no_devices ib-ndr 'nic: {verbs: {device: none}}'
t "no devices on NVLink" with no_devices nvlink5
t "down under traffic" with down_under_traffic ethernet-400g
ktap_end
