#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion in bash and zsh: every command and option that the help knows, and
# none that the program does not take.
#
# usage: completion.sh WEFT
#
# The program is asked a thousand times, so it is the one without sanitisers: with them it
# takes seven times as long to start.
weft=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. selftests/ktap.sh

# The labs that are up are those of a /run of its own.
if [ -z "${RUN_OF_ITS_OWN:-}" ]; then
	map=()
	[ "$(id -u)" -eq 0 ] || map=(--map-root-user)
	unshare "${map[@]}" --mount true 2> /dev/null || skip_all "unshare --mount is not allowed"
	RUN_OF_ITS_OWN=1 exec unshare "${map[@]}" --mount \
		selftests/user/completion.sh "$weft"
fi
mount -t tmpfs tmpfs /run
mkdir /run/weft
readonly nodes='[{"name": "host0", "nics": [{"ifname": "eth0"}, {"ifname": "eth1"}]}, {"name": "host1", "nics": []}]'
echo "{\"up\": true, \"nodes\": $nodes}" > /run/weft/mine.json
echo "{\"up\": true, \"nodes\": []}" > /run/weft/other.json

tmp=$(mktemp -d)
readonly tmp
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C
unset WEFT_LAB
ln -s "$weft" "$tmp/weft"
export PATH=$tmp:$PATH

# Without an answer there would be nothing to miss in the completion.
weft help | grep -q '^  run ' || exit 1

# one_line - words, each once
one_line() {
	sort -u | tr '\n' ' '
}

# commands - of all words that begin a line of the help, those that have a help
commands() {
	cat "$tmp/commands"
}

for word in $(weft help | grep -oE '^ +[a-z-]+' | sort -u); do
	! weft "$word" --help > /dev/null 2>&1 || echo "$word"
done > "$tmp/commands"

# takes COMMAND OPTION - whether the program knows it: it comes to the help after
# it, with a value or without one, or complains about the value
takes() {
	weft "$1" "$2" --help 2>&1 < /dev/null | grep -q '^usage:' ||
		weft "$1" "$2" 1 --help 2>&1 < /dev/null |
		grep -qE "^(usage:|weft $1: $2[: ])"
}

# options COMMAND - of all that its help mentions, those that the program takes, in a line;
# asked once for all shells
options() {
	local o

	[ -e "$tmp/options.$1" ] || {
		for o in $(weft "$1" --help | grep -oE -- '--[a-z][a-z-]*' | sort -u); do
			! takes "$1" "$o" || echo "$o"
		done
		echo --help
	} | one_line > "$tmp/options.$1"
	cat "$tmp/options.$1"
}

# ask SHELL - complete all lines that the tests look at
ask() {
	local c lines=("weft " "weft show " "weft set " "weft set link x "
		"weft set fabric cpu " "weft set fabric phases "
		"weft run " "weft run pair --net " "weft send --net "
		"weft run pair --phases " "weft headroom --asic "
		"weft bound pair --collective " "weft bound pair --algorithm "
		"weft run --web " "weft daemon start --http " "weft up --name "
		"weft run pair -- ec" "weft rsh host ec" "weft topology "
		"weft draw -o x " "weft fault " "weft fault add "
		"weft fault add loss x " "weft fault add misroute x "
		"weft traffic " "weft traffic add "
		"weft traffic add permutation "
		"weft scenario " "weft scenario check " "weft scenario check x "
		"weft scenario play " "weft scenario start "
		"weft scenario stop " "weft top --lab " "weft report -l "
		"weft top --lab=m" "weft exec " "weft exec -l mine "
		"weft exec --lab=mine " "weft exec -lmine "
		"weft exec -l mine host0 -- ec" "weft set nic "
		"weft set -l mine nic " "weft set nic x verbs.congestion "
		"weft help "
		"weft run pair --scenario "
		"weft assert " "weft assert lossless u")

	for c in $(commands); do
		lines+=("weft $c --")
	done
	case $1 in
	bash) bash selftests/user/complete.bash user/completion/weft "${lines[@]}" ;;
	zsh) zsh -f selftests/user/complete.zsh "$PWD/user/completion" "${lines[@]}" ;;
	esac > "$tmp/$1" 2> "$tmp/$1.err"
}

# offers SHELL LINE - what it offers there
offers() {
	awk -F '\t' -v line="$2" '$1 == line && $2 != "" {
		sub(/ $/, "", $2)
		print $2
	}' "$tmp/$1" | one_line
}

answers() {
	need_shell "$1"
	timeout 1500 bash -c "$(declare -f ask commands); tmp=$tmp; ask $1"
	expect "errors" "" "$(cat "$tmp/$1.err")"
}

need_shell() {
	command -v "$1" > /dev/null || skip "$1 is missing"
	[ "$1" = zsh ] || [ -r /usr/share/bash-completion/bash_completion ] ||
		skip "bash-completion is missing"
}

each_command() {
	need_shell "$1"
	expect "commands" "$( (commands; echo help version --help --version | tr ' ' '\n') |
		one_line)" "$(offers "$1" "weft ")"
}

each_option() {
	local c

	need_shell "$1"
	for c in $(commands); do
		expect "options of weft $c" "$(options "$c")" \
			"$(offers "$1" "weft $c --")"
	done
}

# kinds - those that weft show wants instead of a fish
kinds() {
	weft show fish 2>&1 | sed 's/.*expected //; s/; see.*//; s/ or /, /' |
		tr -d ' ' | tr ',' '\n'
}

arguments() {
	local t

	need_shell "$1"
	expect "kinds" "$(kinds | one_line)" "$(offers "$1" "weft show ")"
	expect "commands to be helped with" "$(commands | one_line)" \
		"$(offers "$1" "weft help ")"
	expect "things to set" "fabric link nic " "$(offers "$1" "weft set ")"
	expect_match "CPUs of a fabric" "(^| )none " "$(offers "$1" "weft set fabric cpu ")"
	expect "settings of a link" "down lanes-up rate up " \
		"$(offers "$1" "weft set link x ")"
	for t in $(weft topologies --json | jq -r '.[].name'); do
		expect_match "topologies" "(^| )$t " "$(offers "$1" "weft run ")"
		expect_match "after -o FILE" "(^| )$t " \
			"$(offers "$1" "weft draw -o x ")"
	done
	for t in single-switch fat-tree torus; do
		expect_match "generators" "(^| )$t " "$(offers "$1" "weft topology ")"
	done
}

# Of two labs none is meant unless it is named.
labs() {
	need_shell "$1"
	expect "labs" "mine other " "$(offers "$1" "weft top --lab ")"
	expect "labs by the letter" "mine other " "$(offers "$1" "weft report -l ")"
	expect "a lab after =" "mine " "$(offers "$1" "weft top --lab=m")"
	expect "no nodes" "" "$(offers "$1" "weft exec ")"
	expect "nodes" "host0 host1 " "$(offers "$1" "weft exec -l mine ")"
	expect "nodes of --lab=" "host0 host1 " "$(offers "$1" "weft exec --lab=mine ")"
	expect "nodes of -lmine" "host0 host1 " "$(offers "$1" "weft exec -lmine ")"
	expect "no NICs" "" "$(offers "$1" "weft set nic ")"
	expect "NICs" "host0.eth0 host0.eth1 " "$(offers "$1" "weft set -l mine nic ")"
}

faults() {
	need_shell "$1"
	expect "what to do" "add del list " "$(offers "$1" "weft fault ")"
	expect "kinds" "blackhole buffer corrupt credit-loss delay down duplicate ecn flap forget hang loss misroute pause-storm rate reboot reorder sharp-down sharp-slow slow " \
		"$(offers "$1" "weft fault add ")"
	expect "keys" "at= burst= count= duration= period= probability= seed= start= " \
		"$(offers "$1" "weft fault add loss x ")"
	expect "of switches" "at= count= dst= duration= flows= period= port= seed= start= " \
		"$(offers "$1" "weft fault add misroute x ")"
}

traffic() {
	need_shell "$1"
	expect "what to do" "add del list " "$(offers "$1" "weft traffic ")"
	expect "patterns" "all-to-all incast on-off permutation trace " \
		"$(offers "$1" "weft traffic add ")"
	expect "keys" "at= bytes= depth= duration= from= off= on= order= rate= seed= size= sl= start= times= window= " \
		"$(offers "$1" "weft traffic add permutation ")"
}

scenarios() {
	local s t

	need_shell "$1"
	expect "what to do" "check list play start status stop " \
		"$(offers "$1" "weft scenario ")"
	for s in $(weft scenario list); do
		for t in "scenario check " "scenario start " "scenario play " "run pair --scenario "; do
			expect_match "scenarios" "(^| )$s " "$(offers "$1" "weft $t")"
		done
	done
	expect_match "topologies" "(^| )pair " "$(offers "$1" "weft scenario check x ")"
	expect "no more" "" "$(offers "$1" "weft scenario stop ")"
}

# can_assert EXPECTATION - whether it can be expected of a lab, or of a phase of it
can_assert() {
	weft assert --lab none "$1" 2>&1 | grep -q 'no lab "none"' ||
		weft assert --lab none "$1" phase=x no-drops 2>&1 | grep -q 'no lab "none"'
}

# expectations - of those that weft assert wants instead of a fish
expectations() {
	local e v

	for e in $(weft assert --lab none fish 2>&1 |
		sed 's/.*expected //; s/,//g; s/ or / /'); do
		! can_assert "$e" || echo "$e"
		for v in 0.5 1ms 1Gbps; do
			! can_assert "$e=$v" || echo "$e="
		done
	done
}

asserts() {
	need_shell "$1"
	expect "expectations" "$(expectations | one_line)" \
		"$(offers "$1" "weft assert ")"
	expect "the next one" "utilisation-below= " \
		"$(offers "$1" "weft assert lossless u")"
}

# products - those that weft headroom wants instead of a fish
products() {
	weft headroom --rate 400Gbps --length 5 --asic fish 2>&1 |
		sed 's/.*expected //; s/; see.*//' | tr -d ' ' | tr ',' '\n'
}

# algorithms - of all collectives, by bounds of eight ranks
algorithms() {
	local c

	for c in allgather allreduce alltoall barrier broadcast point-to-point reduce reduce-scatter; do
		weft bound ib-8 --collective $c --json |
			jq -r '.bounds[0].seconds | keys[]'
	done
	echo floor
}

values() {
	local o

	need_shell "$1"
	expect "congestion control" "dcqcn ibcc none swift " \
		"$(offers "$1" "weft set nic x verbs.congestion ")"
	expect "networks" "efa nvls sharp tcp verbs " "$(offers "$1" "weft run pair --net ")"
	expect "carriers" "any tcp verbs " "$(offers "$1" "weft send --net ")"
	expect "rules of a lab" "above= auto least= none ports= quiet= " \
		"$(offers "$1" "weft set fabric phases ")"
	expect "rules" "above= auto least= none ports= quiet= " \
		"$(offers "$1" "weft run pair --phases ")"
	expect "collectives" "allgather allreduce alltoall barrier broadcast point-to-point reduce reduce-scatter " \
		"$(offers "$1" "weft bound pair --collective ")"
	expect "algorithms" "$(algorithms | one_line)" \
		"$(offers "$1" "weft bound pair --algorithm ")"
	expect "algorithms of the help" "$(algorithms | one_line)" \
		"$( (weft bound --help | sed -n '/^Algorithms:/,/^$/{/^ /{s/^  [a-z-]*  *//;p}}' |
			tr -s ', ' '\n'; echo floor) | one_line)"
	for o in "run --web" "daemon start --http" "up --name"; do
		expect "nothing for $o" "" "$(offers "$1" "weft $o ")"
	done
	expect "products" "$(products | one_line)" \
		"$(offers "$1" "weft headroom --asic ")"
}

others() {
	need_shell "$1"
	expect_match "after --" '(^| )echo ' "$(offers "$1" "weft run pair -- ec")"
	expect_match "after a node" '(^| )echo ' \
		"$(offers "$1" "weft exec -l mine host0 -- ec")"
	expect_match "after a host" '(^| )echo ' "$(offers "$1" "weft rsh host ec")"
}

ktap_begin 22
for shell in bash zsh; do
	t "$shell: it answers" answers $shell
	t "$shell: each command" each_command $shell
	t "$shell: each option" each_option $shell
	t "$shell: arguments" arguments $shell
	t "$shell: labs, nodes and NICs" labs $shell
	t "$shell: faults" faults $shell
	t "$shell: traffic" traffic $shell
	t "$shell: scenarios" scenarios $shell
	t "$shell: expectations" asserts $shell
	t "$shell: values of options" values $shell
	t "$shell: other programs' words" others $shell
done
ktap_end
