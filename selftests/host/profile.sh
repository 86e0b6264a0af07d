#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tools/qemu/weft-qemu --profile counts what the kernel executes: a system call that a
# program does N times has N calls, and each takes as many instructions.
cd "$(dirname "$0")/../.." || exit 1
. selftests/ktap.sh

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
command -v qemu-system-x86_64 > /dev/null || {
	echo "1..0 # SKIP qemu-system-x86 is not installed"
	exit 0
}

# The shell's own kill; 100 are more than all else in the machine does.
calls() {
	# shellcheck disable=SC2016 # the guest's shell expands
	tools/qemu/weft-qemu --kernel 6.12 --icount --profile "$tmp/profile" -- \
		bash -c 'for ((i = 0; i < 1000; i++)); do kill -0 $$; done'
	read -r instructions calls <<< "$(awk '$3 == "__x64_sys_kill" { print $1, $2 }' "$tmp/profile")"
	expect_in "calls" 1000 1100 "$calls"
	expect_in "instructions of each" 5 1000 $((instructions / calls))
	expect "most first" "" "$(sort -rnc "$tmp/profile" 2>&1)"
	expect_match "user space" '^ *[0-9]+ +[0-9]+ \(user space\)$' "$(grep -F '(user space)' "$tmp/profile")"
}

# What is not there cannot be written.
nowhere() {
	expect_match "error" "$tmp/none/profile: No such file or directory" \
		"$(tools/qemu/weft-qemu --kernel 6.12 --icount --profile "$tmp/none/profile" -- true 2>&1)"
}

ktap_begin 2
t "calls are counted" calls
t "a file that cannot be written" nowhere
ktap_end
