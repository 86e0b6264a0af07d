#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The test runner itself, with stand-ins for the tests; and that no test can be passed by
# a contrary result, or failed by a slow machine.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. selftests/ktap.sh

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# tree TEXT - a tree of its own with the checks a, b and c, whose script is TEXT; $1 is
# the name
tree() {
	rm -rf "${tmp:?}"/*
	mkdir -p "$tmp"/{bin,marks,scripts,selftests}
	cp selftests/run.sh selftests/ktap.awk "$tmp/selftests"
	printf '%s\n' "static/a 1" "static/b 3" "static/c 2" > "$tmp/selftests/times"
	# shellcheck disable=SC2016 # the script's own
	printf '%s\n' '#!/bin/bash' 'cd "$(dirname "$0")/.." || exit 1' \
		'[ "$1" != --list ] || exec echo a b c' "$1" > "$tmp/scripts/kcheck.sh"
	chmod +x "$tmp/scripts/kcheck.sh"
}

run() {
	PATH=$tmp/bin:$PATH "$tmp/selftests/run.sh" static/a static/b static/c
}

failing() {
	local code=0

	# shellcheck disable=SC2016 # the script's own
	tree '[ "$1" != a ]'
	WEFT_CHECK_LANES=1 run > "$tmp/out" || code=$?
	expect "exit code" 1 $code
	expect "results" "2 passed, 1 failed, 0 skipped" "$(tail -n 1 "$tmp/out")"
	expect "suites of user space" "$(make -s -C selftests/user list | xargs -n 1)" \
		"$(selftests/run.sh --list | sed -n 's,^user/,,p')"
	expect_match "make check in user" ' -k( |$)' \
		"$(make -n -C selftests/user check | grep -- run-cli)"
}

# All three wait for one another.
beside() {
	# shellcheck disable=SC2016 # the script's own
	tree 'touch "marks/$1"
		for _ in $(seq 600); do
			[ "$(ls marks | wc -l)" -lt 3 ] || exit 0
			sleep 0.1
		done
		exit 1'
	printf '#!/bin/sh\necho 3\n' > "$tmp/bin/nproc"
	chmod +x "$tmp/bin/nproc"
	expect "results" "3 passed, 0 failed, 0 skipped" "$(run | tail -n 1)"
}

longest_first() {
	tree true
	expect "order" "b c a" "$(WEFT_CHECK_LANES=1 run |
		sed -n 's,^ok [0-9]* static/,,p' | xargs)"
}

# What hangs is ended after a time that no test takes, and nothing of the kernel's own
# harness ends one earlier.
limits() {
	local limit

	tree true
	# shellcheck disable=SC2016 # the script's own
	printf '%s\n' '#!/bin/sh' 'echo "$3" >> "${0%/*}/../limits"; shift 3' 'exec "$@"' \
		> "$tmp/bin/timeout"
	chmod +x "$tmp/bin/timeout"
	run > "$tmp/out"
	limit=$(sort -u "$tmp/limits")
	expect_in "seconds" 1200 7200 "$limit"
	for file in $(git ls-files 'selftests/*settings'); do
		expect_in "$file" "$limit" 86400 "$(sed -n 's/^timeout=//p' "$file")"
	done
}

# A host's clock measures the host. Inside the virtual machine it is fabric time, so that
# programs of selftests/net may read it.
sound() {
	expect "a verdict that unfaithful ones match, too" "" \
		"$(grep -rnE "expect_match .*'([^'^]|\^[^']*[.*])*\bfaithful" selftests \
			--include='*.sh')"
	expect "limits in real time" "" "$(grep -rnE \
		'SECONDS - |(_s|_ms|seconds) < [0-9.]+( *[])"'\'']| and|$)|date \+%s' selftests/host selftests/user \
		--include='*.sh' | grep -v '^selftests/user/runner.sh:')"
}

ktap_begin 5
t "a failing test hides no other" failing
t "as many beside each other as there are CPUs" beside
t "the longest first" longest_first
t "no test is ended that does not hang" limits
t "no test depends on the host's speed" sound
ktap_end
