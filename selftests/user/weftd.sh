#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# weftd without a lab, under the sanitisers: clients of all kinds, and that it
# ends in order, with nothing lost of its memory.
#
# usage: weftd.sh WEFTD
#
# It has a /run and a loopback interface of its own.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. selftests/ktap.sh

if [ -z "${WEFT_TEST_OWN:-}" ]; then
	unshare --mount --net true 2> /dev/null ||
		skip_all "namespaces cannot be made here"
	WEFT_TEST_OWN=1 exec unshare --mount --net selftests/user/weftd.sh "$@"
fi
mount -t tmpfs tmpfs /run || skip_all "nothing can be mounted here"
ip link set lo up || exit 1

weftd=$1
tmp=$(mktemp -d)
# shellcheck disable=SC2317 # called by trap
finish() {
	[ -z "${pid:-}" ] || kill -KILL "$pid" 2> /dev/null
	rm -rf "$tmp"
}
trap finish EXIT

client() {
	python3 selftests/net/weftd.py "$1"
}

started() {
	local left=500

	until [ -S /run/weft/weftd.sock ]; do
		left=$((left - 1))
		[ $left -gt 0 ] || { cat "$tmp/log"; return 1; }
		sleep 0.02
	done
	expect "modes" "600 600" "$(stat -c %a /run/weft/weftd.sock /run/weft/http.token | xargs)"
}

second() {
	local code=0

	"$weftd" 2> "$tmp/second" || code=$?
	expect "code" 1 $code
	expect "message" "weftd: weftd runs already (pid $pid): \`weft daemon stop\` ends it" \
		"$(cat "$tmp/second")"
}

# With a /run of its own, but the same loopback interface.
port_taken() {
	local code=0

	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --mount sh -c 'mount -t tmpfs tmpfs /run; exec "$0" --http "$1"' \
		"$weftd" "$port" 2> "$tmp/taken" || code=$?
	expect "code" 4 $code
	expect "message" "weftd: 127.0.0.1:$port: choose another port with --http: Address already in use" \
		"$(cat "$tmp/taken")"
}

mistakes() {
	local code=0

	"$weftd" --http 65536 2> "$tmp/err" || code=$?
	expect "code" 1 $code
	expect "http" "weftd: --http 65536: expected off, or 0 to 65535" "$(cat "$tmp/err")"
	expect "sample" "weftd: --sample 1ns: expected a time such as 1ms, 1us at least" \
		"$("$weftd" --sample 1ns 2>&1)"
	expect "words" "weftd: expected no arguments; see weftd --help" \
		"$("$weftd" now 2>&1)"
	expect_match "help" '^usage: weftd ' "$("$weftd" --help)"
}

ends() {
	expect "code" 0 "$end"
	expect "left" "http.token" "$(ls /run/weft)"
	expect "told" "" "$(cat "$tmp/log")"
}

readonly port=19468
"$weftd" --http $port 2> "$tmp/log" &
pid=$!

ktap_begin 13
t "it starts" started
t "a second one does not" second
t "nor one whose port is taken" port_taken
t "mistakes on the command line" mistakes
t "many requests at once" client together
t "too many clients" client crowd
t "another user" client stranger
t "who comes in" client doors
t "what the page may load" client policy
t "too many connections" client flood
t "slow connections" client slow
t "noise" client noise
kill "$pid"
wait "$pid"
end=$?
pid=
t "it ends, and loses no memory" ends
ktap_end
