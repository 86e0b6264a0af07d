#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What keeps users and nodes apart that use verbs. Name spaces of devices are
# exclusive: a process sees and opens those of its own node only, whoever it is.
# Keys, handles and limits are tested by root and by an ordinary user.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_verbs.sh
. "$net_dir/lib_verbs.sh"
need setpriv ibv_devices jq smpquery perfquery rping

program=$(built verbs_isolation) || skip_all "verbs_isolation is not built"
program=$(for_all "$program")/verbs_isolation

# nobody NODE COMMAND... - as an ordinary user
nobody() {
	on "$1" setpriv --reuid 65534 --regid 65534 --clear-groups "${@:2}"
}

# listed WHO NODE - the devices that libibverbs finds, in order
listed() {
	"$@" ibv_devices | awk 'NR > 2 { print $1 }' | sort | tr '\n' ' '
}

# opens WHO NODE NUMBER - how it ends when one opens a device by its name in /dev
opens() {
	"$1" "$2" python3 -c "
import errno, os
try:
    os.open('/dev/infiniband/uverbs$3', os.O_RDWR)
    print('ok')
except OSError as e:
    print(errno.errorcode[e.errno])"
}

# own_devices WHO
own_devices() {
	local first second

	trap 'weft down > /dev/null' EXIT
	hosts "$profile" 2
	expect "host0" "weft0 " "$(listed "$1" host0)"
	expect "host1" "weft1 " "$(listed "$1" host1)"
	first=$(uverbs_of weft0)
	second=$(uverbs_of weft1)
	expect "own" "ok ok" \
		"$(opens "$1" host0 "$first") $(opens "$1" host1 "$second")"
	expect "foreign" "EPERM EPERM" \
		"$(opens "$1" host0 "$second") $(opens "$1" host1 "$first")"
}

# alone WHO GID_INDEX TEST
alone() {
	"$1" host0 timeout -k 1 60 "$program" weft0 "$2" "$3"
}

# management GID_INDEX - whatever users sent, host0 answers, and is answered
management() {
	local lid

	if [ "$1" -eq 0 ]; then
		lid=$(on host0 cat /sys/class/infiniband/weft0/ports/1/lid)
		expect_match "QP0" "NodeType:.*Channel Adapter" \
			"$(on host1 timeout -k 1 20 smpquery nodeinfo "$lid" 2>&1)"
		expect_match "QP1" "PortXmitPkts" \
			"$(on host1 timeout -k 1 20 perfquery "$lid" 2>&1)"
	else
		manage "timeout -k 1 20 rping -s -C 2" "timeout -k 1 20 rping -c -C 2 -a"
	fi
}

mapfile -t names <<< "$("$program")"
ktap_begin $((4 * (${#names[@]} + 2)))
while read -r profile gid; do
	for who in on nobody; do
		as=root
		[ $who = on ] || as="an ordinary user"
		t "$profile, $as: own devices only" own_devices $who
		hosts "$profile" 2
		for i in "${!names[@]}"; do
			t "$profile, $as: ${names[i]}" alone $who "$gid" "$i"
		done
		t "$profile, $as: management goes on" management "$gid"
		down > /dev/null
	done
done << END
ib-edr 0
ethernet-100g 1
END
ktap_end
