#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The C compiler for linux.sh: headers that most files of Linux read are compiled once.
# Reading them took two thirds of the time of a kernel.
#
# usage: linux_cc.sh COMPILER [ARGUMENT]...
#
# $WEFT_PCH is an empty directory to begin with. When one of $WEFT_PCH_SAMPLES, which stand
# for all files of the kernel and of modules, is compiled, so are the headers before, with
# its options. A file is compiled without them
#  - if it has other options,
#  - if it defines a name beforehand that these headers know: they could mean another
#    thing then. Names that they have in macros alone do not count: defined_late, and what
#    the build says of the file itself;
#  - if the compiler does not take it with the headers: some have names of their own for
#    what is in there.

set -u

readonly headers=(module kernel slab sched mm fs netdevice skbuff ../net/sock
	../net/net_namespace)
readonly defined_late='pr_fmt|dev_fmt'

readonly all=("$@")
readonly cc=$1
shift

# the file alone, as it was asked for
plainly() {
	exec "${all[@]}"
}

[ -n "${WEFT_PCH:-}" ] || plainly

# What was asked for, and what of it decides about headers. Options that warn do not; of
# directories there are more for some, with headers of their own.
source='' object='' own=() options=() others=() included=() suffix=kernel
while [ $# -gt 0 ]; do
	case $1 in
	-c) ;;
	-o) object=$2; shift ;;
	-include) included+=("$2"); shift ;;
	-DKBUILD_*=* | -D__KBUILD_*=*) own+=("${1#-D}") ;;
	-Wp,-MMD,*) depend=$1 ;;
	-W* | -I*) others+=("$1") ;;
	-DMODULE) suffix=module; options+=("$1") ;;
	*.c) source=$1 ;;
	*) options+=("$1") ;;
	esac
	shift
done
readonly pch=$WEFT_PCH/$suffix.h
if [ -z "$source" ] || [ "${#own[@]}" -eq 0 ] || [ -z "${depend:-}" ]; then
	plainly
fi

# compile_headers - and note the options, and all names in there
compile_headers() {
	{
		printf "#include \"$PWD/%s\"\n" "${included[@]}"
		printf '#include <linux/%s.h>\n' "${headers[@]}"
	} > "$pch"
	"$cc" "${options[@]}" "${others[@]}" -MMD -MF "$pch.d" -o "$pch.gch" -x c-header \
		"$pch" &&
		sed '1s/^[^:]*://; s/\\$//' "$pch.d" | xargs cat |
		grep -oE '[A-Za-z_][A-Za-z0-9_]*' | LC_ALL=C sort -u > "$pch.names" &&
		echo "${options[*]} ${included[*]}" > "$pch.options"
}

# names - what the file defines before the last thing that it includes
names() {
	awk '/^[ \t]*#[ \t]*include/ { until = n }
	     sub(/^[ \t]*#[ \t]*(define|undef)[ \t]+/, "") {
		     sub(/[^A-Za-z0-9_].*/, "")
		     name[n++] = $0
	     }
	     END { for (i = 0; i < until; i++) print name[i] }' "$source"
}

[[ " $WEFT_PCH_SAMPLES " != *" $source "* ]] || compile_headers || plainly
[ -e "$pch.options" ] || plainly
[ "${options[*]} ${included[*]}" = "$(< "$pch.options")" ] || plainly
known=$(names | grep -xFf - "$pch.names")
! grep -qvxE "$defined_late" <<< "${known:-pr_fmt}" || plainly

# What is this file's alone, after the headers. Visibility is not kept in them.
readonly prelude=$WEFT_PCH/${object//\//,}.h
{
	for macro in "${own[@]}"; do
		echo "#define ${macro%%=*} ${macro#*=}"
	done
	for macro in $known; do
		echo "#undef $macro"
	done
	for header in "${included[@]}"; do
		[[ $header != */hidden.h ]] || echo "#include \"$PWD/$header\""
	done
} > "$prelude"
said=$("$cc" "${options[@]}" "${others[@]}" "$depend" -Werror=invalid-pch -include "$pch" \
	-include "$prelude" -c -o "$object" "$source" 2>&1) || plainly
[ -z "$said" ] || printf '%s\n' "$said" >&2
