#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Adapters that a subnet manager manages: opensm, as Debian ships it, sets their
# ports, and what it sets is what they do.
#
#	host0 -- host1		or three hosts on a switch
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need opensm ping ibstat sminfo saquery smpquery ibportstate ibv_rc_pingpong ibv_asyncwatch

readonly MKEY=0x1122334455667788
datagram=$(built verbs_datagram) || skip_all "verbs_datagram is not built"

# wired - two hosts, whose adapters are wired to each other
wired() {
	trap 'weft down --all > /dev/null 2>&1' EXIT
	up > /dev/null <<- END
	name: test
	profile: ib-ndr
	subnet-manager: external
	nodes: [{name: "host[0-1]"}]
	links: [{ends: [host0, host1]}]
	END
}

# manager NODE [OPTION]... - opensm there, until the lab goes
manager() {
	local node=$1

	mkdir -p "$tmp/$node"
	on "$node" env OSM_TMP_DIR="$tmp/$node" OSM_CACHE_DIR="$tmp/$node" \
		opensm -f "$tmp/$node/log" "${@:2}" > "$tmp/$node/out" 2>&1 &
}

# managed NODE - a manager has made the port there active
managed() {
	[ "$(port_of "$1" State)" = Active ]
}

# port_of NODE KEY - of ibstat
port_of() {
	on "$1" ibstat | sed -n "s/^\t*$2: //p" | sed -n '$p'
}

# both KEY - of both ports
both() {
	echo "$(port_of host0 "$1") $(port_of host1 "$1")"
}

# ask NODE LID OPERATION KEY - what smpquery of a LID says
ask() {
	on "$1" smpquery "$3" "$2" | sed -nE "s/^$4:\.*//p"
}

# talks NODE NODE - RC between them
talks() {
	local port=18515

	slowwait 5 is_free "$2" $port || return 1
	on "$2" ibv_rc_pingpong -n 100 -c > "$tmp/server" 2>&1 &
	slowwait 5 listens "$2" $port || return 1
	on "$1" ibv_rc_pingpong -n 100 -c "$(address "$2")" > "$tmp/client" 2>&1
}

# Nothing but management passes until there is a manager.
starts() {
	wired
	expect "at first" "Initializing Initializing" "$(both State)"
	expect "without LIDs" "0 0" "$(both "Base lid")"
	refused on host0 ping -c 1 -W 1 "$(address host1)" > "$tmp/out"
	expect "directed" Initialize "$(on host0 smpquery -D portinfo 0,1 |
		sed -nE 's/^LinkState:\.*//p')"
	manager host0
	slowwait 20 managed host1
	expect "managed" "Active Active" "$(both State)"
	expect "LIDs" "1 2" "$(both "Base lid")"
	talks host0 host1
	expect "master" "SMINFO_MASTER" "$(on host1 sminfo | awk '{ print $NF }')"
	expect "records" 2 "$(on host0 saquery | grep -c "NodeRecord dump")"
	expect "is a manager" IsSM "$(on host1 smpquery portinfo 1 | grep -o 'IsSM$')"
}

# What a manager sets at a port is told to who watches it, each once.
told() {
	wired
	on host1 stdbuf -oL ibv_asyncwatch > "$tmp/events" &
	slowwait 20 grep -q "async event FD" "$tmp/events"
	manager host0
	slowwait 20 grep -q PORT_ACTIVE "$tmp/events"
	expect "events" "CLIENT_REREGISTER LID_CHANGE PORT_ACTIVE SM_CHANGE" \
		"$(grep -oE 'EVENT_(LID|SM|CLIENT|PORT)[A-Z_]*' "$tmp/events" |
			sed 's/EVENT_//' | sort -u | paste -sd ' ')"
}

# A manager in wait takes over when the one at work is killed.
standby() {
	wired
	manager host0 -p 5
	slowwait 20 managed host1
	printf 'sminfo_polling_timeout 500\npolling_retry_number 2\n' > "$tmp/conf"
	manager host1 -p 3 -F "$tmp/conf"
	slowwait 20 grep -q "Entering STANDBY" "$tmp/host1/log"
	expect "in wait" SMINFO_STANDBY "$(on host0 sminfo 2 | awk '{ print $NF }')"
	expect "the same, directed" SMINFO_STANDBY \
		"$(on host0 sminfo -D 0,1 | awk '{ print $NF }')"
	pkill -KILL -f "opensm -f $tmp/host0/log"
	slowwait 20 grep -q "Entering MASTER" "$tmp/host1/log"
	slowwait 20 test "$(port_of host0 "SM lid")" = 2
	talks host0 host1
}

# set_port NODE ROUTE COMMAND - by ibportstate there, which gives a port without a LID
# one of its own choice
set_port() {
	on "$1" ibportstate -C "weft${1#host}" -P 1 -D "$2" 1 "$3"
}

# Both ends of a wire are down together, and come back together.
down_and_up() {
	wired
	expect "one end set to DOWN" "Initialize" \
		"$(set_port host0 0,1 reset | sed -nE 's/^LinkState:\.*//p' | tail -n 1)"
	expect "both train again" "Initializing Initializing" "$(both State)"
	set_port host1 0 disable > "$tmp/out"
	expect "disabled" "Down Down" "$(both State)"
	expect "physically" "Polling Disabled" "$(both "Physical state")"
	refused on host0 smpquery -C weft0 -P 1 -D portinfo 0,1 > "$tmp/out" 2>&1
	set_port host1 0 enable > "$tmp/out"
	expect "enabled" "Initializing Initializing" "$(both State)"
	interrupted
}

# A port that goes to DOWN takes what is under way with it: nobody makes it active
# again, as the manager sweeps once.
interrupted() {
	local client

	manager host0 -o
	slowwait 20 managed host1
	on host1 ibv_rc_pingpong -e -n 1000000000 > "$tmp/server" 2>&1 &
	slowwait 5 listens host1 18515
	on host0 ibv_rc_pingpong -e -n 1000000000 "$(address host1)" \
		> "$tmp/client" 2>&1 &
	client=$!
	slowwait 5 grep -q "remote address" "$tmp/client"
	set_port host0 0,1 reset > "$tmp/out"
	expect "from ACTIVE" "Initializing Initializing" "$(both State)"
	refused wait $client
	expect_match "verbs" "transport retry counter exceeded" "$(cat "$tmp/client")"
	refused on host0 ping -c 1 -W 1 "$(address host1)" > "$tmp/out"
}

# three [OPTION]... - hosts on a switch, with a manager
three() {
	star ib-ndr 3 "subnet-manager: external"
	manager host0 "$@"
	slowwait 20 managed host1
	slowwait 20 managed host2
}

# Two limited members hear nothing of each other, but talk to a full one. A message of
# ibv_rc_pingpong is 4096 bytes, its MTU 1024, and its retry count 7: each of the four
# packets is sent 1 + 7 times, and each is a violation. The manager is told.
partitions() {
	echo "Default=0x7fff : ALL=limited, SELF=full ;" > "$tmp/partitions"
	three -P "$tmp/partitions"
	talks host1 host0
	talks host0 host2
	lid=$(port_of host2 "Base lid")
	expect "none yet" 0 "$(ask host0 "$lid" portinfo PkeyViolations)"
	refused talks host1 host2
	expect "violations" $((4 * (1 + 7))) \
		"$(ask host0 "$lid" portinfo PkeyViolations)"
	expect_match "trap" "Bad P_Key:0x7fff" "$(grep "Bad P_Key:" "$tmp/host0/log")"
	expect "counted by nobody else" 0 \
		"$(ask host0 "$(port_of host1 "Base lid")" portinfo PkeyViolations)"
}

# With protection 2 even a Get needs the key; the manager hears of those without.
keys() {
	printf 'm_key %s\nm_key_protection_level 2\nm_key_lease_period 60\n' $MKEY \
		> "$tmp/conf"
	three -F "$tmp/conf"
	lid=$(port_of host2 "Base lid")
	refused on host1 smpquery -t 100 nodeinfo "$lid" > "$tmp/out" 2>&1
	expect "with the key" Active "$(on host1 smpquery -y $MKEY portinfo "$lid" |
		sed -nE 's/^LinkState:\.*//p')"
	expect "violations" 1 "$(on host1 smpquery -y $MKEY portinfo "$lid" |
		sed -nE 's/^MkeyViolations:\.*//p')"
	slowwait 20 grep -q "num:256" "$tmp/host0/log"
}

# many_lids LMC - a host has 2^LMC LIDs, and is reached by each of them: by the first
# two, and by the first and the last of the upper half.
many_lids() {
	local base i half=$((1 << ($1 - 1)))

	base=$(port_of host2 "Base lid")
	expect "LMC" "$1" "$(port_of host2 LMC)"
	expect "aligned" 0 $((base % (1 << $1)))
	for i in 0 1 $half $((2 * half - 1)); do
		expect "LID $i" "$base" "$(ask host0 $((base + i)) portinfo Lid)"
	done
	refused on host0 smpquery -t 100 portinfo $((base + 2 * half)) > "$tmp/out" 2>&1
	talks host1 host2
}

# An LMC that the switch has no room for is refused, and changes nothing.
lids() {
	local lid

	three -l 2
	many_lids 2
	lid=$(port_of host2 "Base lid")
	refused on host0 ibportstate "$lid" 1 lmc 4 > "$tmp/out" 2>&1
	expect "LMC" 2 "$(port_of host2 LMC)"
}

# With room at the switch a port has up to 128 LIDs.
most_lids() {
	star ib-ndr 3 "subnet-manager: external" "switch: {lmc: 7}"
	manager host0 -l 7
	slowwait 20 managed host1
	slowwait 20 managed host2
	many_lids 7
}

# switch_lid - of the only switch
switch_lid() {
	on host0 ibswitches | sed -nE 's/.* lid ([0-9]+) .*/\1/p'
}

# heard NUMBER LID - the manager has heard of such a trap of this LID
heard() {
	grep -q "num:$1 .* from LID:$2 " "$tmp/host0/log"
}

# Datagrams to QP1 with a Q_Key that is not its own are heard by no adapter and no
# switch, count once each, and are told to the manager.
qkeys() {
	local lid

	three
	for lid in "$(port_of host2 "Base lid")" "$(switch_lid)"; do
		expect "none yet" 0 "$(ask host0 "$lid" portinfo QkeyViolations)"
		refused heard 258 "$lid"
		on host1 "$datagram" "$lid" 1 0x10001
		slowwait 20 heard 258 "$lid"
		expect "violations" 1 "$(ask host0 "$lid" portinfo QkeyViolations)"
	done
}

# A partition that a switch is not in: its port 0 does not hear it, and tells.
foreign() {
	local lid

	printf 'Default=0x7fff : ALL=full ;\nP=0x1 : 0xafffe000001=full, 0xafffe000002=full ;\n' \
		> "$tmp/partitions"
	three -P "$tmp/partitions"
	lid=$(switch_lid)
	expect "P_Key of host1" 0x8001 "$(on host1 smpquery pkeys "$(port_of host1 "Base lid")" |
		grep -o 0x8001)"
	expect "by the common one" 0x0000 "$(on host1 python3 "$net_dir/mads.py" perf "$lid")"
	refused heard 257 "$lid"
	expect "by the other one" none \
		"$(on host1 python3 "$net_dir/mads.py" perf "$lid" 1)"
	expect "violations" 1 "$(ask host0 "$lid" portinfo PkeyViolations)"
	slowwait 20 heard 257 "$lid"
}

# gid NODE INDEX - of its port
gid() {
	on "$1" sh -c "cat /sys/class/infiniband/*/ports/1/gids/$2"
}

# has_gid NODE INDEX GID
has_gid() {
	[ "$(gid "$1" "$2")" = "$3" ]
}

# A GUID that a manager adds is a GID that works; that of the adapter stays.
guids() {
	local first lid

	three
	lid=$(port_of host2 "Base lid")
	first=$(gid host2 0)
	expect "Set" 0x0000 "$(on host0 python3 "$net_dir/mads.py" guid "$lid" 3 0x2c90300abcdef)"
	expect "Set of the first" 0x0000 "$(on host0 python3 "$net_dir/mads.py" guid "$lid" 0 7)"
	expect "GUIDs" "0x00000afffe000003 0x0000000000000000 0x0000000000000000 0x0002c90300abcdef" \
		"$(on host0 smpquery guidinfo "$lid" | grep -oE '0x[0-9a-f]{16}' | head -n 4 |
			paste -sd ' ')"
	slowwait 5 has_gid host2 3 fe80:0000:0000:0000:0002:c903:00ab:cdef
	expect "the first GID" "$first" "$(gid host2 0)"
	on host2 ibv_rc_pingpong -n 100 -g 3 > "$tmp/server" 2>&1 &
	slowwait 5 listens host2 18515
	on host1 ibv_rc_pingpong -n 100 -g 0 "$(address host2)" > "$tmp/client" 2>&1
	expect_match "the server's GID" "remote address:.* GID fe80::2:c903:ab:cdef" \
		"$(cat "$tmp/client")"
}

# A name is the node's, and its manager hears of a new one by a trap.
names() {
	three
	on host2 sh -c 'echo "rack 7" > /sys/class/infiniband/weft2/node_desc'
	slowwait 20 grep -q "num:144" "$tmp/host0/log"
	expect "name" "rack 7" "$(on host0 smpquery nodedesc \
		"$(port_of host2 "Base lid")" | sed -E 's/^Node Description:\.*//; s/ *$//')"
	slowwait 20 on host0 sh -c 'saquery | grep -q "rack 7"'
}

# between - states of both ports of the link between the switches, as host0 sees them
between() {
	local route

	for route in 0,1 0,1,2; do
		on host0 smpquery -D portinfo $route 2 | sed -nE 's/^LinkState:\.*//p'
	done | paste -sd ' '
}

# without_verbs COMMAND... - while weft_rdma is not loaded
without_verbs() {
	[ -n "${WEFT_MODULES:-}" ] || {
		echo "WEFT_MODULES does not say where weft_rdma.ko is"
		return 1
	}
	rmmod weft_rdma
	"$@"
	insmod "$WEFT_MODULES/weft_rdma.ko"
}

# rdma_link NODE DEVICE - the node has it again
rdma_link() {
	on "$1" rdma link add "$2" type weft netdev "$(device "$1")"
}

# A switch repeats a trap for as long as it has agents: it can begin another one when
# they are back.
lost_trap() {
	local lid

	three
	lid=$(switch_lid)
	pkill -KILL -f "opensm -f $tmp/host0/log"
	on host1 "$datagram" "$lid" 1 0x10001
	without_verbs sleep 3
	rdma_link host0 weft0
	rdma_link host1 weft1
	rm "$tmp/host0/log"
	manager host0
	slowwait 20 managed host1
	lid=$(switch_lid)
	refused heard 258 "$lid"
	on host1 "$datagram" "$lid" 1 0x10001
	slowwait 20 heard 258 "$lid"
}

# break_and_mend - the link between the switches
break_and_mend() {
	weft set link s0-s1 down
	weft set link s0-s1 up
}

# A link between switches fails and comes back while weft_rdma is not loaded: its ports
# are in INIT then, and the next manager makes them active.
unloaded() {
	chain ib-ndr 2 "subnet-manager: external"
	manager host0
	slowwait 20 managed host1
	talks host0 host1
	pkill -KILL -f "opensm -f $tmp/host0/log"
	without_verbs break_and_mend
	rdma_link host0 weft0
	rdma_link host1 weft1
	expect "at first" "Initialize Initialize" "$(between)"
	manager host0
	slowwait 20 managed host1
	expect "with a manager" "Active Active" "$(between)"
	talks host0 host1
}

ktap_begin 14
t "from INIT to ACTIVE" starts
t "events" told
t "a manager in wait" standby
t "both ends of a wire" down_and_up
t "partitions" partitions
t "M_Key" keys
t "LMC" lids
t "the largest LMC" most_lids
t "wrong Q_Key" qkeys
t "wrong P_Key at a switch" foreign
t "further GUIDs" guids
t "node description" names
t "a link that fails while nobody looks" unloaded
t "a trap that nobody repeats" lost_trap
ktap_end
