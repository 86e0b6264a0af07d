#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Say how far a build of linux.sh is, until the caller ends or kills this: one line that
# is written over on a terminal, else a line every four seconds. It is not part of what
# names a kernel in the cache.
#
# usage: compiling.sh WHO [LOG]
#
# LOG is make's, by default build.log, with a line for each file.
set -u

readonly who=${1:?usage: compiling.sh WHO [LOG]} log=${2:-build.log}

# what was done so far
done_so_far() {
	local n

	n=$(grep -cE '^ +(CC|AS|LD|AR|HOSTCC)\>' "$log" 2> /dev/null)
	if [ "${n:-0}" -gt 0 ]; then
		echo "$n files done, last: $(tail -n 1 "$log" | tr -s ' ' | cut -c 1-50)"
	else
		echo "at work"
	fi
}

period=4
begin='' end='\n'
if [ -t 2 ]; then
	period=1 begin='\r' end='\033[K'
fi
while sleep $period && kill -0 "$PPID" 2> /dev/null; do
	# shellcheck disable=SC2059 # the ends are formats
	printf "$begin  %s [%3ds] %s$end" "$who" "$SECONDS" "$(done_so_far)" >&2
done
