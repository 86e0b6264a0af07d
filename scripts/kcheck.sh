#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Static checks of the sources, each by its name.
#
# usage: kcheck.sh --list
#        kcheck.sh CHECK [FILE]...
#
# Each check prints what it finds and exits with 1 if that is anything; with 4
# if its tool is missing. It looks at files under version control: a new one is
# checked from "git add" on, and what programs left in the tree is not. FILEs restrict
# the checks that go file by file (checkpatch, shellcheck, codespell, spdx, words,
# python, prose), and may be any.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly checks=(layers spec json checkpatch sparse-6.1 sparse-6.12 kernel-doc
	clang-tidy clang-tidy-deep cppcheck shellcheck codespell spdx python words prose)

usage() {
	sed -n '3,/^$/s/^# \{0,1\}//p' "$0" >&2
	exit 1
}

# tool NAME - end as skipped unless it is there
tool() {
	command -v "$1" > /dev/null && return
	echo "$1 is missing: scripts/setup.sh check installs it"
	exit 4
}

# ours [PATTERN]... - files under version control, NUL between
ours() {
	git ls-files -z --cached -- "$@" |
		while IFS= read -r -d '' f; do
			[ ! -f "$f" ] || printf '%s\0' "$f"
		done
}

# sources_of PATTERN... -- [FILE]... - the FILEs, or all that match a PATTERN
sources_of() {
	local patterns=()

	while [ "$1" != -- ]; do
		patterns+=("$1")
		shift
	done
	shift
	if [ $# -gt 0 ]; then
		printf '%s\0' "$@"
	else
		ours "${patterns[@]}"
	fi
}

# silent COMMAND... - fails if the command fails or prints anything
silent() {
	local text code=0

	text=$("$@" 2>&1) || code=$?
	[ -z "$text" ] || { printf '%s\n' "$text"; code=1; }
	return $code
}

# What was found clean before, in whatever clone, is not looked at again: all of it takes
# many minutes of CPU, so that is kept with what else takes minutes.
stamps=${WEFT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/weft}/clean
export stamps

# stamp_of WORD... - the name of the file that is there if what is on standard input was
# found clean, by the check and the versions that the words are
stamp_of() {
	echo "$stamps/$({ echo "$*"; cat; } | sha256sum | cut -c1-32)"
}
export -f stamp_of

# put_stamp NAME... - these are clean
put_stamp() {
	mkdir -p "$stamps"
	touch "$@"
}
export -f put_stamp

# content_of - of the files on standard input, NUL between, their names as well
content_of() {
	xargs -0 -r sha256sum
}

check_layers() {
	scripts/check_layers.py
}

check_spec() {
	scripts/ynl-regen.sh --check
}

# The tables of keys are those of the schema.
check_json() {
	scripts/json_keys.py --check
}

check_checkpatch() {
	local script ignored key hash file code=0 files=() new=()

	script=$(scripts/kernel-scripts.sh)/checkpatch.pl
	ignored=$(sed '/^#/d; s/ .*//' .checkpatch-ignore | paste -sd ,)
	key=$(stamp_of checkpatch "$ignored" < "$script")
	while read -r hash file; do
		[ -e "$key-$hash-${file//\//+}" ] && continue
		files+=("$file")
		new+=("$key-$hash-${file//\//+}")
	done < <(sources_of 'kernel/*.[ch]' 'user/*.[ch]' 'tools/*.[ch]' \
			'selftests/*.[ch]' -- "$@" |
		{ grep -zv '_gen\.[ch]$\|include/uapi/linux/weft.h$' || true; } | content_of)
	[ ${#files[@]} -gt 0 ] || return 0
	printf '%s\0' "${files[@]}" |
		silent xargs -0 -n 16 -P "$(nproc)" "$script" --no-tree --strict \
			--terse -q --no-summary --show-types \
			--ignore "$ignored" -f || code=1
	# a cache that it leaves behind
	rm -f .checkpatch-camelcase.*
	[ $code -ne 0 ] || put_stamp "${new[@]}"
	return $code
}

# sparse VERSION - build the module with every warning that there is
sparse() {
	local kdir out log stamp

	tool sparse
	kdir=$(tools/qemu/headers.sh "$1") || exit 4
	stamp=$(ours kernel Kbuild scripts/build-module.sh | content_of |
		stamp_of sparse "$kdir" "$(command sparse --version)" "$(gcc --version)")
	[ ! -e "$stamp" ] || return 0
	out=build/sparse-$1
	log=$out.log
	rm -rf "$out"
	mkdir -p build
	scripts/build-module.sh "$kdir" "$out" C=2 CF=-D__CHECK_ENDIAN__ W=1 \
		> "$log" 2>&1 || { tail -n 30 "$log"; return 1; }
	# the build's own notices about the compiler and BTF are not about us
	if grep -E '(warning|error):' "$log"; then
		return 1
	fi
	put_stamp "$stamp"
}

check_sparse-6.1() { sparse 6.1; }
check_sparse-6.12() { sparse 6.12; }

check_kernel-doc() {
	local script stamp

	script=$(scripts/kernel-scripts.sh)/kernel-doc
	stamp=$(ours 'kernel/*.[ch]' 'user/lib/*.[ch]' | content_of |
		stamp_of kernel-doc "$(sha256sum "$script")")
	[ ! -e "$stamp" ] || return 0
	ours 'kernel/*.[ch]' 'user/lib/*.[ch]' |
		{ grep -zv '_gen\.[ch]$\|include/uapi/linux/weft.h$' || true; } |
		silent xargs -0 -r "$script" -none -Wall || return
	put_stamp "$stamp"
}

# units PATTERN... - the C files of user space, one a line
units() {
	ours "$@" | tr '\0' '\n'
}

# flags - how user space is compiled, as far as the checkers care
flags() {
	echo "-std=gnu11 -D_GNU_SOURCE -Ikernel/include/uapi -Iuser -Iuser/cli -Iuser/lib"
	pkg-config --cflags libnl-3.0 libnl-genl-3.0 libcyaml yaml-0.1 \
		jansson libevent
}

# tidy_one FLAGS HEADERS FILE - clang-tidy over one file, unless that very file
# with these headers was found clean before
#
# One file at a time: the analyzer of clang 14 takes va_start() for missing in
# all but the first of several.
tidy_one() {
	local text stamp

	stamp=$(cat "$3" .clang-tidy | stamp_of tidy "$@")
	[ ! -e "$stamp" ] || return 0
	# shellcheck disable=SC2086 # a list of words
	text=$(clang-tidy --quiet --warnings-as-errors='*' "$3" -- $1 2>&1) || {
		grep -v '^[0-9]* warnings\|^Suppressed\|^Use -header' <<< "$text"
		return 1
	}
	put_stamp "$stamp"
}

# tidy FLAGS PATTERN... - clang-tidy over the files, on both CPUs
tidy() {
	local headers

	headers=$({ ours '*.h' | xargs -0 cat; clang-tidy --version; } | sha256sum)
	export -f tidy_one
	# shellcheck disable=SC2016 # expanded by the inner shell
	units "${@:2}" | xargs -r -n 1 -P "$(nproc)" \
		bash -c 'tidy_one "$0" "$1" "$2"' "$1" "$headers"
}

# tidy_all [FLAG]... - all that it looks at
tidy_all() {
	local code=0

	tool clang-tidy
	mkdir -p build/check/workload
	protoc-c --c_out=build/check/workload --proto_path=user/lib/workload chakra.proto
	# the programs of the machine's self test do on purpose what one should not
	tidy "$(flags) -Ibuild/check $(mpicc.openmpi --showme:compile 2> /dev/null) $*" 'user/*.c' ':!user/lib/sim/*' 'tools/vm/*.c' \
		':!tools/vm/selftest_*' || code=1
	# the simulator is built with the model
	tidy "$(flags) -Ikernel -include selftests/unit/shim/core_internal.h $*" \
		'user/lib/sim/*.c' || code=1
	tidy "-std=gnu11 -Ikernel -include selftests/unit/shim/core_internal.h $*" \
		'kernel/core/*.c' || code=1
	return $code
}

# The analyzer follows paths through a function until it has seen 225,000 states, which
# takes most of the time. By day it gives a function up after 20,000.
check_clang-tidy() {
	tidy_all -Xclang -analyzer-config -Xclang max-nodes=20000
}

check_clang-tidy-deep() {
	tidy_all
}

# cpp ARGUMENT... - cppcheck that fails if it finds anything
cpp() {
	silent cppcheck -q -j "$(nproc)" --std=c11 --error-exitcode=1 --inline-suppr \
		--enable=warning,performance,portability \
		--suppressions-list=.cppcheck-suppress "$@"
}

check_cppcheck() {
	local code=0 stamp

	tool cppcheck
	stamp=$(ours '*.[ch]' .cppcheck-suppress scripts/kcheck.sh | content_of |
		stamp_of cppcheck "$(cppcheck --version)")
	[ ! -e "$stamp" ] || return 0
	# shellcheck disable=SC2046 # lists of words
	cpp -Ikernel --include=selftests/unit/shim/core_internal.h \
		$(units 'kernel/core/*.c') || code=1
	# shellcheck disable=SC2046 # lists of words
	cpp -Ikernel/include/uapi -Iuser -Iuser/cli -Iuser/lib \
		$(units 'user/*.c' ':!user/lib/sim/*' 'tools/*.c') || code=1
	# shellcheck disable=SC2046 # lists of words
	cpp -Ikernel/include/uapi -Ikernel -Iuser/lib \
		--include=selftests/unit/shim/core_internal.h $(units 'user/lib/sim/*.c') || code=1
	[ $code -ne 0 ] || put_stamp "$stamp"
	return $code
}

# scripts_of [FILE]... - shell scripts among them, by their first line
scripts_of() {
	sources_of -- "$@" |
		xargs -0 -r awk 'FNR == 1 {
			if (/^#!.*(\/|env )(ba|da)?sh( |$)/) printf "%s%c", FILENAME, 0
			nextfile
		}'
}

# Scripts read others, so that what was found clean is all that was looked at.
check_shellcheck() {
	local stamp

	tool shellcheck
	stamp=$({ scripts_of "$@"; ours '*.bash' '*.sh' .shellcheckrc; } | content_of |
		stamp_of shellcheck "$*" "$(shellcheck --version)")
	[ ! -e "$stamp" ] || return 0
	scripts_of "$@" | xargs -0 -r -n 10 -P "$(nproc)" shellcheck -x
	put_stamp "$stamp"
}

check_codespell() {
	tool codespell
	sources_of -- "$@" |
		{ grep -zv '^COPYING$\|/corpus/' || true; } |
		silent xargs -0 -r codespell -q 3 -I .codespell-ignore
}

check_spdx() {
	local bad

	bad=$(sources_of -- "$@" |
		{ grep -zv '^COPYING$\|^MAINTAINERS$\|\.kunitconfig$\|/corpus/\|\.md$\|\.json$\|\.png$' || true; } |
		xargs -0 -r awk '
			FNR == 1 && file != "" && !seen { print file }
			FNR == 1 { file = FILENAME; seen = 0 }
			FNR <= 3 && /SPDX-License-Identifier: / { seen = 1 }
			END { if (file != "" && !seen) print file }')
	[ -z "$bad" ] && return
	printf '%s: no SPDX-License-Identifier in the first three lines\n' "$bad"
	return 1
}

check_python() {
	sources_of '*.py' -- "$@" |
		xargs -0 -r /usr/bin/python3 -c '
import sys
bad = 0
for name in sys.argv[1:]:
    if not name.endswith(".py"):
        continue
    try:
        compile(open(name).read(), name, "exec")
    except SyntaxError as e:
        print(f"{name}:{e.lineno}: {e.msg}")
        bad = 1
sys.exit(bad)'
}

# Words that mark unfinished work, and paths of one machine only. The words
# are put together so that this file does not contain them.
check_words() {
	local unfinished="\\b(TO""DO|FIX""ME|XX""X|HA""CK)\\b"
	local places="(^|[^[:alnum:]_.\$}])/(wo""rk|fa""rm|ho""me/[a-z]+)/"
	local found

	found=$(sources_of -- "$@" |
		{ grep -zv '^COPYING$\|/corpus/' || true; } |
		{ xargs -0 -r grep -nHIE -e "$unfinished" -e "$places" || true; })
	[ -z "$found" ] && return
	printf '%s\n' "$found"
	return 1
}

# Sentences, help texts and man pages. With FILEs only the sentences of these.
check_prose() {
	tool mandoc
	tool rst2man
	[ $# -gt 0 ] || make -s -C user all man
	scripts/check_prose.py "$@"
}

[ $# -gt 0 ] || usage
if [ "$1" = --list ]; then
	printf '%s\n' "${checks[@]}"
	exit 0
fi
[[ " ${checks[*]} " == *" $1 "* ]] || usage
"check_$1" "${@:2}"
