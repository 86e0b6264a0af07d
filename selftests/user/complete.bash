# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What bash completes at the end of command lines: "LINE<tab>WORD" for each word.
# A line that ends with a blank has a new word begun.
#
# usage: complete.bash COMPLETION LINE...
. /usr/share/bash-completion/bash_completion
# shellcheck source=../../user/completion/weft
. "$1"
shift
# there is no line editor to be told how to show them
compopt() { :; }

for line in "$@"; do
	COMP_LINE=$line
	read -r -a COMP_WORDS <<< "$COMP_LINE"
	[[ $COMP_LINE != *' ' ]] || COMP_WORDS+=("")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMP_POINT=${#COMP_LINE}
	COMP_TYPE=9
	COMP_KEY=9
	COMPREPLY=()
	_weft "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" \
		"${COMP_WORDS[COMP_CWORD - 1]}"
	[ "${#COMPREPLY[@]}" -eq 0 ] ||
		printf '%s\n' "${COMPREPLY[@]/#/$line$'\t'}"
done
