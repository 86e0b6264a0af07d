#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Inside a guest: load the module, run a test program, unload the module, and
# look for traces that the kernel left of anything that went wrong.
#
# usage: in_guest.sh MODULE_DIR PROGRAM [ARGUMENT]...
#
# To the program's own results it adds two: that the module can be unloaded
# (nothing holds it, so nothing was left over), and that the log is clean.

modules=$(cd "$1" && pwd) || exit 1
shift
export WEFT_MODULES=$modules
# not the caller's: what a test runs is what Debian has installed
export PATH=$PWD/build/user:/usr/sbin:/usr/bin:/sbin:/bin

# What a kernel prints when something is wrong, whatever its configuration.
readonly splat='WARNING: |BUG: |KASAN|UBSAN|INFO: task .* blocked|possible (recursive|circular) locking|suspicious RCU|inconsistent lock state|rcu.*(stall|detected)|refcount_t|Oops|general protection|ODEBUG|unregister_netdevice: waiting|scheduling while atomic|sleeping function called|unreferenced object|leaked reference|Kernel panic|SLUB|use-after-free|list_(add|del) corruption'

result() {
	if [ "$1" -eq 0 ]; then
		echo "ok $2"
	else
		echo "not ok $2"
		failed=1
	fi
}

# leaks - ask kmemleak, where there is one; it needs two looks to be sure
leaks() {
	local file=/sys/kernel/debug/kmemleak

	[ -w $file ] || return 0
	echo scan > $file
	sleep 6
	echo scan > $file
	cat $file
}

# watch_races - have KCSAN, where it is, look at one access in 200, not in 4,000: most of
# them are a lock's or a program's
watch_races() {
	[ -w /sys/kernel/debug/kcsan ] || return 0
	echo 200 > /sys/module/kcsan/parameters/skip_watch
	echo on > /sys/kernel/debug/kcsan
}

# load MODULE - unless it is there
load() {
	[ ! -e "/sys/module/$1" ] || return 0
	insmod "$modules/$1.ko" || {
		echo "Bail out! $1.ko cannot be loaded"
		dmesg | tail -n 20
		exit 1
	}
}

# load_all - verbs only where they were built, and the kernel can have them
load_all() {
	load weft
	[ -e /sys/module/ib_core ] ||
		modprobe -qa ib_core ib_uverbs ib_umad rdma_ucm 2> /dev/null
	[ ! -e /sys/module/ib_core ] || [ ! -e "$modules/weft_rdma.ko" ] ||
		load weft_rdma
}

# unload_one MODULE - the kernel ends a namespace some time after its last process
unload_one() {
	local left=100

	until rmmod "$1" 2> /dev/null; do
		left=$((left - 1))
		[ $left -gt 0 ] || {
			rmmod "$1"
			return 1
		}
		sleep 0.05
	done
}

unload() {
	local module

	for module in weft_kunit weft_rdma weft; do
		[ ! -e /sys/module/$module ] || unload_one $module || return 1
	done
}

mountpoint -q /sys/kernel/debug ||
	mount -t debugfs debugfs /sys/kernel/debug 2> /dev/null
failed=0
dmesg -C
watch_races
load_all
"$@"
code=$?

[ -z "${WEFT_SYMBOLS:-}" ] || cat /proc/kallsyms > "$WEFT_SYMBOLS"
unload
result $? "the module can be unloaded"
found=$({ dmesg | awk -f tools/qemu/races.awk; leaks; } | grep -E -A 30 -- "$splat" | head -n 120)
[ -z "$found" ]
result $? "the kernel's log is clean"
[ -z "$found" ] || printf '%s\n' "$found" | sed 's/^/# | /'

[ $code -ne 0 ] || code=$failed
exit $code
