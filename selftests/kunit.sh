#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Load the module's own unit tests and print their results. Called by
# in_guest.sh, which has loaded weft.ko.
set -u

insmod "$WEFT_MODULES/weft_kunit.ko" || {
	echo "Bail out! weft_kunit.ko cannot be loaded"
	dmesg | tail -n 20
	exit 1
}
ls /sys/kernel/debug/kunit/weft*/results > /dev/null || exit 1
cat /sys/kernel/debug/kunit/weft*/results
! grep -q '^not ok' /sys/kernel/debug/kunit/weft*/results
