#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The manual: a page for each command and file format, which describes each option
# that the program takes, and no other; and examples that work.
#
# usage: man.sh WEFT
# shellcheck disable=SC2016 # $ of examples
weft=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. selftests/ktap.sh

command -v mandoc > /dev/null || skip_all "mandoc is missing"
/usr/bin/python3 -c 'import docutils' 2> /dev/null || skip_all "docutils is missing"
tmp=$(mktemp -d)
readonly tmp out=${weft%/*}
trap 'rm -rf "$tmp"' EXIT
# leaks of a process that is about to end are not worth a report
export ASAN_OPTIONS=detect_leaks=0 LC_ALL=C
unset WEFT_LAB
make -s -C user O="$out" SAN=1 man || exit 1

readonly formats="capture expectations profile recording report scenario topology"
readonly sections="NAME SYNOPSIS DESCRIPTION OPTIONS EXIT_STATUS EXAMPLES SEE_ALSO"

# one_line - words, each once
one_line() {
	sort -u | tr '\n' ' '
}

commands() {
	"$weft" complete "" | grep -vE '^(help|version|--.*)	' | cut -f 1
}

# text PAGE - as people read it
text() {
	mandoc -Tascii -O width=100 "$1" | col -bx
}

# once NAME COMMAND... - what it prints, which is asked for again and again
once() {
	[ -e "$tmp/once-$1" ] || "${@:2}" > "$tmp/once-$1"
	cat "$tmp/once-$1"
}

# page NAME - the text of a page of the manual
page() {
	once "$1" text "$out/man/$1"
}

# section NAME - of the text
section() {
	awk -v name="$1" '/^[A-Z]/ { on = $0 == name } on && !/^[A-Z]/'
}

# taken COMMAND - the options that the program takes
taken() {
	once "taken-$1" complete_options "$1"
}

complete_options() {
	[ "$1" = rsh ] || "$weft" complete "$1" -- | cut -f 1 | grep '^--'
	echo --help
}

# taken_anywhere - the options of all commands
taken_anywhere() {
	local c

	for c in $(commands); do
		taken "$c"
	done | sort -u
}

# described - those that the list of options describes of the page whose text is read
described() {
	section OPTIONS | grep -oE '^       (-[a-z], )?--[a-z-]+' |
		sed 's/.*--/--/'
}

# mentioned - those that the text has anywhere before the examples
mentioned() {
	sed '/^EXAMPLES/,$d' | grep -oE -- '(^|[^a-z-])--[a-z][a-z-]*' | sed 's/.*--/--/'
}

# wrong_options COMMAND TEXT - "+OPTION" if only the text has it, "-OPTION" if only
# the program; "?OPTION" if it is mentioned and no command has it
wrong_options() {
	comm -3 <(taken "$1" | sort -u) <(described <<< "$2" | sort -u) |
		sed 's/^\t/+/; t; s/^/-/'
	comm -13 <(once anywhere taken_anywhere) <(mentioned <<< "$2" | sort -u) | sed 's/^/?/'
}

a_page_each() {
	expect "commands" "$(commands | one_line)" \
		"$(cd "$out/man" && echo weft-*.1 | sed 's/weft-\([a-z]*\)\.1/\1/g' | tr ' ' '\n' | one_line)"
	expect "formats" "$(tr ' ' '\n' <<< "$formats" | one_line)" \
		"$(cd "$out/man" && echo weft-*.5 | sed 's/weft-\([a-z]*\)\.5/\1/g' | tr ' ' '\n' | one_line)"
	expect "others" "weft.1 weftd.8" "$(cd "$out/man" && echo weft.1 ./*.8 | sed 's,\./,,g')"
}

each_section() {
	local c s

	for c in $(commands); do
		for s in $sections; do
			[ -n "$(page "weft-$c.1" | section "${s/_/ }")" ] ||
				{ echo "weft-$c(1) has no $s"; return 1; }
		done
	done
}

each_option() {
	local c

	for c in $(commands); do
		expect "options of weft-$c(1)" "" "$(wrong_options "$c" "$(page "weft-$c.1")")"
	done
}

daemon() {
	expect "options" "$("$out/weftd" --help | grep -oE '^  --[a-z]+' | one_line)" \
		"$(page weftd.8 | described | sed 's/^/  /' | one_line)"
}

# A page that lacks an option, or has one too many, is found.
mistakes() {
	sed 's/\\-\\-all/\\-\\-everything/' "$out/man/weft-down.1" > "$tmp/one.1"
	expect "options that differ" "---all +--everything ?--everything " \
		"$(wrong_options down "$(text "$tmp/one.1")" | tr '\n' ' ')"
}

# Each page has the others that it names.
references() {
	local file name

	for file in "$out"/man/weft*.[158]; do
		for name in $(page "${file##*/}" | grep -oE '\bweftd?(-[a-z]+)?\([158]\)' | sort -u); do
			[ -e "$out/man/$(tr '(' . <<< "${name%)}")" ] ||
				{ echo "$file: there is no $name"; return 1; }
		done
	done
}

kinds_of_show() {
	local kind text

	text=$(page weft-show.1 | section DESCRIPTION)
	for kind in $("$weft" complete show ""); do
		expect_match "kinds" "(^|[ ,])$kind([ ,]|\$)" "$text"
	done
}

# examples COMMAND - the lines of its page that begin with "weft"
examples() {
	page "weft-$1.1" | section EXAMPLES | sed -n 's/^ *weft /weft /p'
}

# known_options COMMAND OPTION... - all are options of it
known_options() {
	local command=$1 word

	shift
	for word; do
		case $word in
		-- | \|) return 0 ;;
		--*) taken "$command" | grep -qx -- "$word" ||
			{ echo "weft $command: no $word"; return 1; } ;;
		esac
	done
}

# Options of an example are those of its commands.
options_of_examples() {
	local c part
	local -a word

	for c in $(commands); do
		[ -n "$(examples "$c")" ] || { echo "weft-$c(1) has no example"; return 1; }
		while read -r part; do
			read -r -a word <<< "$part"
			known_options "${word[@]:1}"
		done < <(examples "$c" | sed 's/ && /\n/g')
	done
}

# Those that need neither a lab nor a kernel succeed.
examples_work() {
	local c line n=0

	mkdir -p "$tmp/bin" "$tmp/here"
	ln -sf "$weft" "$tmp/bin/weft"
	for c in plan bound simulate headroom draw profiles topologies topology; do
		while read -r line; do
			(cd "$tmp/here" && PATH=$tmp/bin:$PATH bash -o pipefail -c "$line" > out) ||
				{ echo "$line: failed"; return 1; }
			n=$((n + 1))
		done < <(examples "$c")
	done
	expect "a file of an example" "<?xml" "$(head -c 5 "$tmp/here/fat-tree-16.svg")"
	[ "$n" -ge 15 ] || { echo "only $n examples"; return 1; }
}

ktap_begin 9
t "a page for each command and format" a_page_each
t "all sections" each_section
t "each option, and no other" each_option
t "options of weftd" daemon
t "an option too many or too few is found" mistakes
t "pages that are referred to exist" references
t "weft show: each kind" kinds_of_show
t "options of examples" options_of_examples
t "examples work" examples_work
ktap_end
