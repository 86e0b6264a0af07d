#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The tutorials of simulations: their commands, as they stand there, print their numbers.
#
# usage: planning.sh WEFT
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. selftests/ktap.sh
ktap_begin 2

weft=$1
tutorials=$PWD/Documentation/tutorials
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ln -s "$weft" "$tmp/weft"

# commands TUTORIAL - its blocks of commands, but not what a command prints
commands() {
	awk '/::$/ { block = 1; next }
	     /^[^ ]/ { block = 0 }
	     block && !/^    weft simulate: / { sub(/^    /, ""); print }' "$tutorials/$1.rst"
}

# play TUTORIAL - run all its commands in one shell; what they print is in $tmp/out
play() {
	commands "$1" > "$tmp/$1.sh"
	(cd "$tmp" && PATH=$tmp:$PATH bash "$tmp/$1.sh" > out 2>&1) || true
}

# printed TUTORIAL TIME... - a time of the tutorial is printed, and it is in the tutorial
printed() {
	local time

	for time in "${@:2}"; do
		expect_match "$1: prints" "[ ]$time\$" "$(cat "$tmp/out")"
		expect_match "$1: says" "(^|[ ])$time( |,|;|\$)" "$(cat "$tutorials/$1.rst")"
	done
}

size() {
	play fabric-size
	printed fabric-size 2.80045ms 1.33463ms 2.41288ms 4.7658ms 86.3898us
	expect "rings that are alike" 3 "$(grep -c '2.80045ms' "$tmp/out")"
}

routings() {
	play routings
	printed routings 202.287us 340.802us 185.126us 94.0681us 99.4902us 100.216us \
		91.4656us 96.5091us 96.6899us 5.73622us 8.13434us 19.1053us 28.0953us
	expect_match "sent again" ', 0 lost, 4728 sent again' "$(cat "$tmp/out")"
}

t "how large a fabric" size
t "two routings" routings
ktap_end
