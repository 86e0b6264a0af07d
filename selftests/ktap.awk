# SPDX-License-Identifier: GPL-2.0-or-later
#
# Read what one test program printed, write one line for each result:
#
#	pass|fail|skip FS name FS reason
#
# with the control character FS (octal 034) between, as names may have spaces
# and may be empty.
#
# A result with subtests stands for them and is left out, unless it alone says
# that something is wrong. A program that prints no KTAP is one result, by its
# exit code. The program also fails if it ended early.
#
# usage: awk -v code=EXIT_CODE -f ktap.awk LOG

function record(depth, state, name, reason) {
	count[depth]++
	item[depth, count[depth]] = state "\t" name "\t" reason
	if (state == "fail")
		bad[depth]++
}

# prefixed(line, parent) - the subtest's line with the parent's name in front
function prefixed(line, parent,   f) {
	split(line, f, "\t")
	return f[1] "\t" (parent == "" ? f[2] : parent "/" f[2]) "\t" f[3]
}

# adopt(depth, parent) - move the results below depth up to it
function adopt(depth, parent,   i) {
	for (i = 1; i <= count[depth + 1]; i++)
		item[depth, ++count[depth]] = \
			prefixed(item[depth + 1, i], parent)
	bad[depth] += bad[depth + 1]
	count[depth + 1] = bad[depth + 1] = 0
}

function result(depth, state, name, reason,   below) {
	below = count[depth + 1]
	if (below) {
		if (state == "fail" && bad[depth + 1])
			state = "pass"
		adopt(depth, name)
		if (state != "fail")
			return
	}
	record(depth, state, name, reason)
}

function parse(line,   depth, state, name, reason) {
	match(line, /^ */)
	depth = int(RLENGTH / 4)
	sub(/^ */, "", line)
	state = line ~ /^ok/ ? "pass" : "fail"
	sub(/^(not )?ok *[0-9]* *(- )?/, "", line)
	name = line
	reason = ""
	if (match(line, /#[ \t]*(SKIP|skip)[ \t]*/)) {
		state = "skip"
		reason = substr(line, RSTART + RLENGTH)
		name = substr(line, 1, RSTART - 1)
	}
	sub(/[ \t]*(#.*)?$/, "", name)
	if (!depth)
		done++
	result(depth, state, name, reason)
}

/^ *1\.\.[0-9]+/ {
	if ($0 ~ /^1/) {
		split($1, plan, /\.\./)
		expected += plan[2]
		ktap = 1
	}
	if ($0 ~ /^1\.\.0/) {
		reason = $0
		sub(/^1\.\.0[ \t]*#?[ \t]*(SKIP|skip)?[ \t]*/, "", reason)
		record(0, "skip", "", reason)
	}
	next
}

/^ *(not )?ok([ \t]|$)/ { parse($0); next }

/^Bail out!/ { record(0, "fail", $0, "") }

NF { last = $0 }

END {
	for (d = 8; d >= 0; d--)
		adopt(d, "")
	if (code == 124 || code == 137)
		record(0, "fail", "ends in time", "")
	else if (ktap && done < expected)
		record(0, "fail", "reports all of its " expected " results", "")
	else if (code == 4 && !count[0])
		record(0, "skip", "", last)
	else if (code != 0 && code != 4 && !bad[0])
		record(0, "fail", count[0] ? "exit code is 0, not " code : "", "")
	else if (!count[0])
		record(0, "pass", "", "")
	for (i = 1; i <= count[0]; i++) {
		gsub(/\t/, "\034", item[0, i])
		print item[0, i]
	}
}
