# SPDX-License-Identifier: GPL-2.0-or-later
#
# What an interactive zsh completes at the end of command lines: "LINE<tab>WORD"
# for each word. The keys are typed on a terminal of its own, and what the
# completion offers is written down.
#
# usage: complete.zsh DIR LINE...
zmodload zsh/zpty
dir=$1
out=$(mktemp)
trap 'rm -f $out' EXIT
shift
zpty shell zsh -f -i
zpty -w shell "PROMPT=; OUT=${(q)out}; fpath=(${(q)dir} \$fpath)"
zpty -w shell 'autoload -Uz compinit; compinit -D -u; bindkey "^I" complete-word'
# Calls that only sort out matches are not offers.
zpty -w shell 'compadd() {
	local -a offers
	if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
		builtin compadd -A offers "$@"
		print -rl -- $offers >> $OUT
	fi
	builtin compadd "$@"
}'
# Not on a key that others begin with: the shell would wait for the next.
zpty -w shell 'finish() { print END >> $OUT; zle kill-buffer }
	zle -N finish; bindkey "^O" finish'

for line in "$@"; do
	: > $out
	zpty -n -w shell $line$'\t\C-O'
	repeat 1500; do
		# A terminal that nobody reads fills up, and the shell waits for it.
		while zpty -r -t shell > /dev/null; do :; done
		grep -q '^END$' $out && break
		sleep 0.02
	done
	for word in ${(f)"$(< $out)"}; do
		[[ $word == END ]] || print -r -- $line$'\t'$word
	done
done
zpty -d shell
