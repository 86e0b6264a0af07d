#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Interrupt moderation: the instants at which a host is told of frames, and how
# often, are the closed form.
#
#	host0 -- leaf -- host1		10 Gb/s, 9000 bytes
#
# Frames of L bytes that are sent at one instant come t = 8 (L + 24) / C apart, the
# first one D = tx + t + 2 p + d + rx later (one_way.sh), the k-th one at A(k) = D +
# k t, k from 0. With L = 1351, t is 1100 ns. With rx-usecs T = 8 us a frame that is
# held waits for the next floor(T / t) = 7: they share an interrupt T after it came.
#
# Adaptive, the first R = 16 frames of a run are not held. A gap begins t + min(t,
# tx + rx) = t + g behind a frame.
. "$(dirname "$0")/lib.sh"
need ethtool jq

[ "$clock" = virtual ] || skip_all "exact on the virtual clock only"

length=1351
t=1100 T=8000 tx=280 rx=230		# ns
D=$(awk "BEGIN { print $tx + $t + 2 * 25.25 + 425 + $rx }")
g=$((tx + rx))

# moderate WORD... - ethtool -C at host1
moderate() {
	on host1 ethtool -C eth0 "$@"
}

# counters - the six counters of host1: all, once, frames, usecs, gap, frames told
counters() {
	on host1 ethtool -S eth0 | awk '
		$1 ~ /^rx_(interrupts|moderated)/ { printf "%s%s", s, $2; s = " " }'
}

# burst COUNT BURSTS TIME ALL ONCE FRAMES USECS GAP - the k-th frame of each burst is
# told of at TIME, which may use k and the names above, and the counters rise so
burst() {
	local before after

	before=$(counters)
	python3 "$net_dir/moderation.py" burst host0 "$(address host0)" \
		host1 "$(address host1)" $length "$1" "$2" > "$tmp/times"
	after=$(counters)
	expect lines $(($1 * $2)) "$(wc -l < "$tmp/times")"
	awk -v t=$t -v T=$T -v D="$D" -v g=$g '
		{
			k = $1
			want = '"${3//$'\n'/ }"'
			if ($2 < want - 1 || $2 > want + 1) {
				print "frame " k ": expected " want " ns, got " $2
				bad = 1
			}
		}
		END { exit bad }' "$tmp/times"
	expect "interrupts, once, frames, usecs, gap, frames told" \
		"${*:4:5} $(($1 * $2))" "$(paste -d ' ' \
		<(tr ' ' '\n' <<< "$before") <(tr ' ' '\n' <<< "$after") |
		awk '{ printf "%s%d", s, $2 - $1; s = " " }')"
}

# off: each frame by itself, when it comes
off() {
	expect "at first, ethernet-400g's" "8 128 on" "$(settings)"
	moderate adaptive-rx off rx-usecs 0 rx-frames 0
	burst 64 1 'D + k * t' 64 64 0 0 0
}

# 64 = 8 times 8 frames
by_time() {
	moderate rx-usecs 8
	burst 64 1 'D + int(k / 8) * 8 * t + T' 8 0 0 8 0
}

# the fifth frame comes after 4 t < T; the last three wait for T
by_count() {
	moderate rx-frames 5
	burst 63 1 'k < 60 ? D + (int(k / 5) * 5 + 4) * t : D + 60 * t + T' \
		13 0 12 1 0
}

# without adaptive-rx, also one that is alone waits
alone_fixed() {
	moderate rx-frames 0
	burst 1 5 'D + T' 5 0 0 5 0
}

# 16 at once, 5 times 8, and four that a gap ends
adaptive() {
	moderate adaptive-rx on
	burst 60 1 'k < 16 ? D + k * t : k < 56 ?
		D + (16 + int((k - 16) / 8) * 8) * t + T : D + 60 * t + g' \
		22 16 0 5 1
}

# 16 at once, 9 times 5, and two that a gap ends
adaptive_count() {
	moderate rx-frames 5
	burst 63 1 'k < 16 ? D + k * t : k < 61 ?
		D + (16 + int((k - 16) / 5) * 5 + 4) * t : D + 63 * t + g' \
		26 16 9 0 1
}

alone_adaptive() {
	burst 1 5 'D' 5 5 0 0 0
}

# messages of up to R frames, with a gap before each
messages() {
	burst 16 5 'D + k * t' 80 80 0 0 0
}

# settings - of host1, by ethtool: rx-usecs, rx-frames, adaptive-rx
settings() {
	on host1 ethtool -c eth0 | awk '
		$1 == "Adaptive" { adaptive = $3 }
		$1 ~ /^rx-(usecs|frames):$/ { printf "%s ", $2 }
		END { print adaptive }'
}

# will_not TEXT WORD... - ethtool -C refuses that, and nothing changes
will_not() {
	local before

	before=$(settings)
	refused moderate "${@:2}" 2> "$tmp/refusal"
	expect_match "$*" "$1" "$(cat "$tmp/refusal")"
	expect "after $*" "$before" "$(settings)"
}

bad_values() {
	will_not 'rx-usecs must be 0 to 4095' rx-usecs 4096 rx-frames 7
	will_not 'rx-frames must be 0 to 65535' rx-usecs 7 rx-frames 65536
	will_not 'unsupported parameter' tx-usecs 8
	moderate rx-usecs 4095 rx-frames 65535
	expect "the most" "4095 65535 on" "$(settings)"
}

# What is held is told when the moderation changes: of one frame, at once.
change() {
	local before

	moderate adaptive-rx off rx-usecs 4000 rx-frames 0
	before=$(counters)
	on host0 python3 -c "import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.sendto(b'x', ('$(address host1)', 9))"
	sleep 0.001
	expect "interrupts while it is held" "${before%% *}" \
		"$(counters | cut -d ' ' -f 1)"
	moderate rx-usecs 0
	expect "interrupts, once" "$((${before%% *} + 1))" \
		"$(counters | cut -d ' ' -f 1)"
}

# Frames that wait until the host takes some again come at one instant.
one_instant() {
	local before after

	moderate adaptive-rx off rx-usecs 0
	before=$(counters)
	weft set nic host1 rx-stop all
	on host0 python3 -c "import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(10):
    s.sendto(b'x', ('$(address host1)', 9))"
	sleep 0.001
	expect "while it takes none" "$before" "$(counters)"
	weft set nic host1 rx-stop none
	sleep 0.001
	after=$(counters)
	expect "interrupts" $((${before%% *} + 1)) "${after%% *}"
	expect "frames" $((${before##* } + 10)) "${after##* }"
}

longest() {
	python3 "$net_dir/moderation.py" gro host0 "$(address host0)" \
		host1 "$(address host1)" 4000000
}

# GRO makes one packet of the frames of an interrupt; of one frame it cannot.
gro() {
	moderate adaptive-rx off rx-usecs 0
	expect_in "longest packet, off" 9000 9014 "$(longest)"
	moderate rx-usecs 50
	expect_in "longest packet, 50 us" 18000 65550 "$(longest)"
	moderate rx-usecs 0
}

# A topology says it, and weft show nics and ethtool show it.
from_topology() {
	topology 10Gbps 2 "nic: {moderation: {rx-usecs: 9, rx-frames: 7, adaptive-rx: off}}" |
		up > /dev/null
	expect "ethtool" "9 7 off" "$(settings)"
	expect "weft show nics" '{"a":"off","f":7,"i":0,"u":9}' \
		"$(weft show nics --json | jq -cS '.[1].moderation |
		{u: .rx_usecs, f: .rx_frames, a: .adaptive_rx, i: .rx_interrupts}')"
	down > /dev/null
}

# bad_key REGEX MODERATION - a topology with that is refused
bad_key() {
	topology 10Gbps 2 "nic: {moderation: {$2}}" > "$tmp/bad.yaml"
	refuses 1 "bad.yaml:3:[0-9]+: moderation\.$1" up "$tmp/bad.yaml" --dry-run
}

bad_keys() {
	bad_key 'rx-usecs: 4096: expected 0 to 4095' 'rx-usecs: 4096'
	bad_key 'rx-frames: 65536: expected 0 to 65535' 'rx-frames: 65536'
	bad_key 'adaptive-rx: "often": expected off or on' 'adaptive-rx: often'
}

topology 10Gbps 2 | up > /dev/null || exit 1
ktap_begin 14
t "off: each frame when it comes" off
t "rx-usecs: one interrupt for 8 frames" by_time
t "rx-frames: one interrupt for 5 frames" by_count
t "rx-usecs: a frame alone waits" alone_fixed
t "adaptive: a stream is held after 16 frames" adaptive
t "adaptive: rx-frames" adaptive_count
t "adaptive: a frame alone does not wait" alone_adaptive
t "adaptive: messages of 16 frames do not wait" messages
t "bad values change nothing" bad_values
t "a change tells of what is held" change
t "frames of one instant share an interrupt" one_instant
t "GRO over the frames of an interrupt" gro
down > /dev/null
t "from a topology" from_topology
t "mistakes in a topology" bad_keys
ktap_end
