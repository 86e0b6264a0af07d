#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# weftd as a service of systemd, by the unit that is installed: it is started, comes
# back after it was killed, but not after a wrong option, and labs do not mind.
#
# systemd is the first process of PID and mount namespaces of its own, as in a
# container; what it would set up there besides is masked.
. "$(dirname "$0")/lib.sh"
need jq unshare nsenter setpriv systemctl
[ -x /lib/systemd/systemd ] || skip_all "systemd is missing"
[ "$clock" = virtual ] || skip_all "only in a machine of its own"

unit=/run/systemd/system/weftd.service

# inside COMMAND... - where systemd and its services are
inside() {
	nsenter -t "$manager" -p -m "$@"
}

ctl() {
	inside systemctl "$@"
}

# property NAME - of the service
property() {
	ctl show -P "$1" weftd.service
}

# is NAME VALUE - whether the service has that property
is() {
	[ "$(property "$1")" = "$2" ]
}

# weft in there, for all that lib.sh has
weft() {
	inside weft "$@"
}

# install_unit OPTIONS - as "make install" does, with options for weftd
install_unit() {
	sed "s,@SBINDIR@/weftd,$(command -v weftd) $1," \
		"$net_dir/../../user/share/systemd/weftd.service.in" > "$unit"
}

# boot - systemd, with the service
boot() {
	local name

	mkdir -p /run/systemd/system
	for name in systemd-journald{,-audit,-dev-log}.socket systemd-journald.service \
		systemd-tmpfiles-setup{,-dev}.service systemd-udevd{-control,-kernel}.socket \
		systemd-udevd.service systemd-udev-trigger.service systemd-sysctl.service \
		systemd-modules-load.service systemd-binfmt.service; do
		ln -s /dev/null "/run/systemd/system/$name"
	done
	install_unit "--http off"
	unshare --pid --fork --mount --mount-proc env container=other \
		/lib/systemd/systemd --system --unit=weftd.service \
		--log-target=null --show-status=no > /dev/null 2>&1 &
	slowwait 10 has_manager
	manager=$(pgrep -P $! -x systemd)
	trap 'weft down --all > /dev/null 2>&1; kill -KILL $manager; cleanup' EXIT
}

has_manager() {
	pgrep -P $! -x systemd > /dev/null
}

starts() {
	slowwait 10 is ActiveState active
	slowwait 10 answers
	expect "pid" "$(property MainPID)" "$(pid)"
}

pid() {
	weft daemon status --json | jq .pid
}

answers() {
	weft daemon status --json | jq -e .running > /dev/null
}

knows() {
	[ "$(weft daemon status --json | jq -c '[.labs[]?.name]')" = "$1" ]
}

# Its successor, another process, knows the lab, in which all goes on.
comes_back() {
	local before

	topology 100Gbps 2 | up > /dev/null
	slowwait 5 knows '["test"]'
	before=$(pid)
	inside kill -KILL "$before"
	slowwait 5 is NRestarts 1
	slowwait 5 knows '["test"]'
	[ "$(pid)" != "$before" ]
	expect "pid" "$(property MainPID)" "$(pid)"
	weft exec host0 -- ping -q -c 1 -W 1 host1 > /dev/null
}

# A restart on demand takes no process of a lab along.
restarts() {
	weft exec host0 -- sleep 300 &
	slowwait 5 sleeps
	ctl restart weftd.service
	slowwait 5 knows '["test"]'
	sleeps
	pkill -x sleep
	wait
	weft exec host0 -- ping -q -c 1 -W 1 host1 > /dev/null
}

sleeps() {
	pgrep -x sleep > /dev/null
}

# Faults, and freezing a process of another user, by a file that only that one reads.
works() {
	local file=$tmp/private/scenario.yaml sleeper

	weft down
	topology 100Gbps 2 | up > /dev/null
	slowwait 5 knows '["test"]'
	mkdir -m 700 "$tmp/private"
	printf '%s\n' "name: service" "timeline:" \
		"  - {fault: loss, on: host0, probability: 1}" \
		"  - {node: host1, do: freeze}" > "$file"
	chown -R 65534 "$tmp/private"
	weft exec host1 -- setpriv --reuid 65534 --clear-groups sleep 300 > /dev/null 2>&1 &
	slowwait 5 pgrep -u 65534 -x sleep > /dev/null
	sleeper=$(pgrep -u 65534 -x sleep)
	weft scenario start --lab test "$file" > /dev/null
	slowwait 5 grep -q '^State:.*T' "/proc/$sleeper/status"
	expect "fault" loss "$(weft fault list --json | jq -r '.[].kind')"
	weft scenario stop --lab test > /dev/null
	slowwait 5 grep -q '^State:.*S' "/proc/$sleeper/status"
	expect "fault" "" "$(weft fault list --json | jq -r '.[].kind')"
	kill "$sleeper"
	# nsenter stops itself when what it started is stopped
	pkill -CONT -x nsenter
	wait
}

# status NAME - of the process, as the kernel has it
status() {
	# shellcheck disable=SC2016 # awk's own fields
	inside awk -v name="$1:" '$1 == name { print $2 }' "/proc/$(pid)/status"
}

# What it does not need is taken from it.
hardened() {
	expect "new privileges" 1 "$(status NoNewPrivs)"
	expect "system calls" 2 "$(status Seccomp)"
	# KILL, DAC_READ_SEARCH, NET_ADMIN, SYS_PTRACE, SYS_ADMIN
	expect "capabilities" "$(printf '%016x' $((1 << 5 | 1 << 2 | 1 << 12 | 1 << 19 | 1 << 21)))" \
		"$(status CapEff)"
	# labs that come later are mounts
	expect "mounts" "$(inside readlink /proc/1/ns/mnt)" \
		"$(inside readlink "/proc/$(pid)/ns/mnt")"
}

stops() {
	ctl stop weftd.service
	expect "state" inactive "$(property ActiveState)"
	expect "running" false "$(weft daemon status --json | jq .running)"
	weft exec host0 -- ping -q -c 1 -W 1 host1 > /dev/null
	weft down
}

# Nothing would be better the next time.
gives_up() {
	install_unit "--http nowhere"
	ctl daemon-reload
	ctl start weftd.service || :
	slowwait 5 is ActiveState failed
	sleep 2
	expect "exit code" 1 "$(property ExecMainStatus)"
	expect "restarts" 0 "$(property NRestarts)"
}

boot
ktap_begin 7
t "is started" starts
t "comes back after it was killed" comes_back
t "is restarted" restarts
t "does its work" works
t "has no more rights than that takes" hardened
t "is stopped" stops
t "gives up after a wrong option" gives_up
ktap_end
