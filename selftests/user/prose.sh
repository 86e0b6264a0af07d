#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# scripts/check_prose.py finds each kind of breach, and only breaches.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. selftests/ktap.sh

command -v mandoc > /dev/null || skip_all "mandoc is missing"
command -v rst2man > /dev/null || skip_all "rst2man (python3-docutils) is missing"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# words N [WORD] - a sentence of N words, without its stop
words() {
	seq -f "${2:-word}%g" "$1" | xargs
}

# found FILE - what the check says of it, and fails if the exit code does not fit
found() {
	local code=0 text

	text=$(scripts/check_prose.py "$1") || code=$?
	printf '%s' "$text"
	[ $code -eq "$([ -z "$text" ]; echo $?)" ]
}

# quiet NAME TEXT, finds NAME LINE WORDS TEXT - the text as a file of that name
quiet() {
	printf '%b\n' "$2" > "$tmp/$1"
	expect "$1" "" "$(found "$tmp/$1")"
}

finds() {
	printf '%b\n' "$4" > "$tmp/$1"
	expect "$1" "$tmp/$1:$2: $3 words, 35 at most: ${5:-word1 word2 word3 word4 word5 word6 word7 word8} ..." \
		"$(found "$tmp/$1")"
}

paragraphs() {
	quiet a.rst "$(words 35).\n$(words 35)! $(words 35)"
	finds a.rst 4 36 "Short.\n\nShort. More.\n$(words 36)."
	finds a.rst 4 36 "Short.\n\n* Short.\n* $(words 36)"
	finds a.rst 2 36 "term\n    $(words 36)"
	quiet a.rst "A file.rst $(words 33)."
	finds a.rst 1 36 "Short, e.g. $(words 34)." "Short, e.g. word1 word2 word3 word4 word5 word6"
}

# What is no sentence, and what is one word.
literals() {
	quiet a.rst "Thus::\n\n    $(words 99)\n"
	quiet a.rst ".. $(words 99)"
	quiet a.rst "$(words 34) \`\`$(words 9). $(words 9)\`\`."
	finds a.rst 1 36 "\`\`a b. c\`\` $(words 35)." "a b. c word1 word2 word3 word4 word5 word6 word7"
	finds a.rst 1 36 "\`\`a.\`\` $(words 35)." "a. word1 word2 word3 word4 word5 word6 word7"
}

tables() {
	local bar="=== ==="

	quiet a.rst "$bar\na   $(words 20)\nb   $(words 20)\n    $(words 15)\n$bar"
	finds a.rst 3 36 "$bar\na   b\nc   $(words 36)\n$bar"
}

markdown() {
	quiet a.md "# $(words 40)\n\n$(words 35)\n\n    $(words 40)\n\n\`\`\`\n$(words 40)\n\`\`\`\n| $(words 30) | $(words 30) |"
	quiet a.md "$(words 34) \`$(words 9)\`. [$(words 30)](a b c d e f g h)"
	finds a.md 3 36 "Short.\n\n* $(words 36)"
	finds a.md 2 36 "| a | b |\n| c | $(words 36) |"
}

malformed() {
	printf '*open\n' > "$tmp/a.rst"
	expect_match "complaint" "a.rst:1: .*emphasis" "$(found "$tmp/a.rst")"
}

# built HELP PAGE - a build whose weft has one command with this help, and this page
built() {
	mkdir -p "$tmp/build/man"
	{
		printf '#!/bin/sh\n[ $# -gt 1 ] || { echo "  run    it"; exit; }\n'
		printf "cat <<- 'END'\n%b\nEND\n" "$1"
	} > "$tmp/build/weft"
	printf '#!/bin/sh\n' > "$tmp/build/weftd"
	chmod +x "$tmp/build/weft" "$tmp/build/weftd"
	printf '.TH X 1 2026-01-01\n.SH NAME\nx \\- y\n%b\n' "$2" > "$tmp/build/man/x.1"
	scripts/check_prose.py --build "$tmp/build" | grep -v '^README\|^Documentation\|^user' || true
}

helps() {
	expect "80 columns" "" "$(built "usage:\n$(printf '%080d' 0)" "y")"
	expect "81 columns" "weft run --help:2: 81 columns, 80 at most: $(printf '%081d' 0) ..." \
		"$(built "usage:\n$(printf '%081d' 0)" "y")"
}

pages() {
	expect_match "page" 'x.1:5:2: WARNING' "$(built "usage:" ".sp\n.ft NOWHERE\ny")"
}

# A help whose list is not understood, and a build without pages, are no success.
nothing() {
	built "usage:" "y" > /dev/null
	printf '#!/bin/sh\necho none\n' > "$tmp/build/weft"
	expect_match "list" 'lists no commands' "$(scripts/check_prose.py --build "$tmp/build" 2>&1)"
	built "usage:" "y" > /dev/null
	rm "$tmp/build/man/x.1"
	expect_match "pages" 'no man pages' "$(scripts/check_prose.py --build "$tmp/build" 2>&1)"
}

ktap_begin 8
t "sentences of paragraphs, lists and definitions" paragraphs
t "literals are one word, and blocks no sentences" literals
t "cells of tables" tables
t "Markdown" markdown
t "what docutils complains of" malformed
t "help texts" helps
t "man pages" pages
t "nothing to check is an error" nothing
ktap_end
