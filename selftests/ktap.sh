# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Results in KTAP, for the shell tests. A test is a function; what it prints is
# shown if it fails; it is skipped if it calls skip.
#
#	ktap_begin 2
#	t "two nodes answer" answer
#	t "and a third" third
#	ktap_end

readonly ktap_skip=4

ktap_count=0
ktap_failed=0
ktap_skipped=0

# ktap_begin N - say how many results follow
ktap_begin() {
	echo "KTAP version 1"
	echo "1..$1"
}

# skip REASON - leave the test as skipped
skip() {
	echo "skip: $*"
	exit $ktap_skip
}

# skip_all REASON - end the program as skipped
skip_all() {
	echo "1..0 # SKIP $*"
	exit $ktap_skip
}

# t NAME FUNCTION [ARGUMENT]... - run a test in a shell of its own
t() {
	local name=$1 text code

	shift
	ktap_count=$((ktap_count + 1))
	text=$(set -e; "$@" 2>&1)
	code=$?
	if [ $code -eq 0 ]; then
		echo "ok $ktap_count $name"
	elif [ $code -eq $ktap_skip ] && [ "${text##*skip: }" != "$text" ]; then
		ktap_skipped=$((ktap_skipped + 1))
		echo "ok $ktap_count $name # SKIP ${text##*skip: }"
	else
		ktap_failed=$((ktap_failed + 1))
		[ -z "$text" ] || sed 's/^/# /' <<< "$text"
		echo "not ok $ktap_count $name"
	fi
}

# expect WHAT WANTED GOT
expect() {
	[ "$2" = "$3" ] && return
	echo "$1: expected \"$2\", got \"$3\""
	return 1
}

# expect_in WHAT LOW HIGH GOT - a number in [LOW, HIGH]
expect_in() {
	awk -v lo="$2" -v hi="$3" -v x="$4" \
		'BEGIN { exit !(x == x + 0 && x >= lo && x <= hi) }' && return
	echo "$1: expected $2 to $3, got \"$4\""
	return 1
}

# expect_match WHAT REGEX TEXT
expect_match() {
	grep -qE -- "$2" <<< "$3" && return
	echo "$1: nothing matches \"$2\" in:"
	echo "$3"
	return 1
}

# refused COMMAND... - it must fail
refused() {
	if "$@"; then
		echo "should have failed: $*"
		return 1
	fi
}

# ktap_end - leave with the exit code that kselftest wants
ktap_end() {
	[ $ktap_failed -eq 0 ] || exit 1
	[ $ktap_skipped -lt $ktap_count ] || exit $ktap_skip
	exit 0
}
