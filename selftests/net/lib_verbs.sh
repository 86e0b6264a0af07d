# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What tests of verbs share, on top of lib.sh: labs with RDMA devices, and
# programs that come as server and client.

[ -e /sys/module/weft_rdma ] || skip_all "weft_rdma.ko is not loaded"

# exact PROGRAM - go on only where time is exact, with a program of this directory, whose
# path is in $WEFT_PROGRAM
exact() {
	local path

	path=$(built "$1") || skip_all "$1 is not built"
	export "WEFT_${1^^}=$path"
	[ "$clock" = virtual ] || skip_all "only the virtual clock is exact"
}

# chain PROFILE SWITCHES [LINE]... - host0 and host1 with switches between, until
# the end of the test
chain() {
	local i profile=$1 last=$(($2 - 1))

	shift 2
	trap 'weft down --all > /dev/null 2>&1' EXIT
	{
		echo "name: test"
		echo "profile: $profile"
		printf '%s\n' "$@"
		echo 'nodes: [{name: "host[0-1]"}]'
		echo "switches: [{name: \"s[0-$last]\"}]"
		echo "links:"
		echo "  - {ends: [host0, s0]}"
		echo "  - {ends: [host1, s$last]}"
		for ((i = 0; i < last; i++)); do
			echo "  - {ends: [s$i, s$((i + 1))]}"
		done
	} | up > /dev/null
}

# hosts PROFILE HOSTS [LINE]... - on one switch, until they are taken down
hosts() {
	local profile=$1 last=$(($2 - 1))

	shift 2
	{
		echo "name: test"
		echo "profile: $profile"
		printf '%s\n' "$@"
		echo "nodes: [{name: \"host[0-$last]\"}]"
		echo "switches: [{name: leaf}]"
		echo "links: [{ends: [\"host[0-$last]\", leaf]}]"
	} | up > /dev/null
}

# star PROFILE HOSTS [LINE]... - the same, until the end of the test
star() {
	trap 'weft down --all > /dev/null 2>&1' EXIT
	hosts "$@"
}

# pair PORT PROGRAM [ARGUMENT]... - a server on host1, and its client on host0,
# which gets the server's address; its output is in $tmp/client
pair() {
	local port=$1 err=0

	shift
	slowwait 5 is_free host1 "$port" || return 1
	on host1 "$@" > "$tmp/server" 2>&1 &
	slowwait 5 listens host1 "$port" || return 1
	on host0 "$@" "$(address host1)" > "$tmp/client" 2>&1 || err=$?
	wait $! || err=$?
	[ $err -eq 0 ] || {
		echo "$*: exit code $err"
		cat "$tmp/server" "$tmp/client"
	}
	return $err
}

# managed - does a server of the connection manager wait on host1?
managed() {
	on host1 rdma -j resource show cm_id | grep -q '"LISTEN"'
}

# manage SERVER CLIENT - a server of the connection manager on host1, and its client
# on host0: commands with their options; the server's address follows
manage() {
	local err=0

	# shellcheck disable=SC2086 # words
	on host1 $1 > "$tmp/server" 2>&1 &
	slowwait 20 managed
	# shellcheck disable=SC2086
	on host0 $2 "$(address host1)" > "$tmp/client" 2>&1 || err=$?
	wait $! || err=$?
	[ $err -eq 0 ] || {
		echo "$2: exit code $err"
		cat "$tmp/server" "$tmp/client"
	}
	return $err
}

# perftest PROGRAM [ARGUMENT]... - the line of figures of one of perftest's tools
perftest() {
	pair 18515 "$@" -F >&2 || return 1
	awk '/^ *#bytes/ { head = 1; next } head && NF > 3 { print; exit }' "$tmp/client"
}

# within PERCENT LAW FOUND [SLACK] - is the figure that of the law? SLACK is what
# the figure was rounded by
within() {
	awk -v p="$1" -v law="$2" -v found="$3" -v slack="${4:-0}" 'BEGIN {
		d = found > law ? found - law : law - found
		printf "%s, law %s (%+.2f %%)\n", found, law, 100 * (found / law - 1)
		exit !(d <= law * p / 100 + slack)
	}'
}

# both_layers PROGRAM FUNCTION - all tests that a program has, with two hosts, over
# InfiniBand and over Ethernet; the function gets the index of the GID to use and
# the number of the test
both_layers() {
	local gid i names profile

	mapfile -t names <<< "$("$1")"
	ktap_begin $((2 * ${#names[@]}))
	while read -r profile gid; do
		hosts "$profile" 2
		for i in "${!names[@]}"; do
			t "$profile: ${names[i]}" "$2" "$gid" "$i"
		done
		down > /dev/null
	done <<- END
		ib-edr 0
		ethernet-100g 1
	END
	ktap_end
}

# rdma_device NODE - its one RDMA device
rdma_device() {
	on "$1" ls /sys/class/infiniband
}

# loop PROGRAM GID_INDEX TEST - on the one device of host0
loop() {
	on host0 timeout -k 1 20 "$1" "$(rdma_device host0)" "$2" "$3"
}

# uverbs_of DEVICE - the number of its file in /dev
uverbs_of() {
	grep -lx "$1" /sys/class/infiniband_verbs/*/ibdev | grep -o '[0-9]*/ibdev' |
		cut -d / -f 1
}
