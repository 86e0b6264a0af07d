#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Flows are spread over equal paths: by a seeded hash, or packet by packet.
#
#	            .- spine0 -.
#	host0 -- leaf0  ...  leaf1 -- host1
#	            '- spine3 -'
#
# ECMP: of n = 2000 flows, n_i take spine i. If each is drawn independently with
# probability 1/4, the sum of (n_i - n/4)^2 / (n/4) has a chi-square distribution
# with 3 degrees of freedom, above 16.27 once in 1000. Addresses, ports and seeds are
# given, so that it is the same on each machine.
#
# Spray: packets take the paths in turn, so no two counts differ by more than 1.
. "$(dirname "$0")/lib.sh"
need jq

readonly flows=2000

clos() {
	cat <<- END
	name: clos
	profile: ethernet-400g
	switch: {select: $1}
	nodes: [{name: "host[0-1]"}]
	switches: [{name: "leaf[0-1]"}, {name: "spine[0-3]"}]
	links:
	  - {ends: [host0, leaf0]}
	  - {ends: [host1, leaf1]}
	  - {ends: [leaf0, "spine[0-3]"]}
	  - {ends: [leaf1, "spine[0-3]"]}
	END
}

# uplinks - packets sent from leaf0 to each spine so far
uplinks() {
	weft report --json | jq -r '[.links[] | select((.from | startswith("leaf0:")) and
		(.to | startswith("spine"))) | .tx_packets] | join(" ")'
}

# placed SELECT SEED FLOWS PACKETS - packets on each uplink
placed() {
	local before after

	clos "$1" | up --seed "$2" > /dev/null
	before=$(uplinks)
	python3 "$net_dir/flows.py" host0 "$(address host0)" \
		host1 "$(address host1)" "$3" "$4" >&2
	after=$(uplinks)
	down >&2
	paste -d ' ' <(tr ' ' '\n' <<< "$before") <(tr ' ' '\n' <<< "$after") |
		awk '{ printf "%s%d", (NR > 1 ? " " : ""), $2 - $1 }'
}

chi_square() {
	local counts

	counts=$(placed ecmp "$1" $flows 1)
	echo "$counts" > "$tmp/placed.$1"
	expect "paths" 4 "$(wc -w <<< "$counts")"
	awk -v n=$flows '{
		for (i = 1; i <= NF; i++) {
			x += ($i - n / NF) ^ 2 / (n / NF)
			sum += $i
		}
		print "counts", $0, "chi-square", x
		exit !(x <= 16.27 && sum == n)
	}' <<< "$counts"
}

same_seed() {
	expect "placement" "$(cat "$tmp/placed.1")" "$(placed ecmp 1 $flows 1)"
}

other_seed() {
	local one two

	one=$(cat "$tmp/placed.1")
	two=$(cat "$tmp/placed.2")
	[ "$one" != "$two" ] || {
		echo "both seeds place the flows as $one"
		return 1
	}
}

# One flow stays on one path.
one_flow() {
	expect "paths used" 1 "$(placed ecmp 1 1 100 | tr ' ' '\n' | grep -cv '^0$')"
}

spray() {
	local counts

	counts=$(placed spray 1 1 1001)
	awk '{
		lo = hi = $1
		for (i = 1; i <= NF; i++) {
			sum += $i
			if ($i < lo) lo = $i
			if ($i > hi) hi = $i
		}
		print "counts", $0
		exit !(NF == 4 && sum == 1001 && hi - lo <= 1)
	}' <<< "$counts"
}

ktap_begin 7
for seed in 1 2 3; do
	t "ECMP, seed $seed: chi-square" chi_square $seed
	weft down > /dev/null 2>&1
done
t "the same seed places the flows alike" same_seed
t "another seed places them differently" other_seed
t "one flow keeps to one path" one_flow
t "spray: paths differ by at most one packet" spray
ktap_end
