# SPDX-License-Identifier: GPL-2.0-or-later
# Turns gcov's "File / Lines executed" pairs into a table of the model's files.
/^File .*\/core\// {
	n = split($2, path, "/")
	name = path[n]
	gsub(/'/, "", name)
}
/^Lines executed:/ && name != "" {
	split($0, part, /[:% ]+/)
	lines = $NF
	share = part[3]
	printf "%-16s %6.2f %% of %d lines\n", name, share, lines
	all += lines
	hit += share * lines / 100
	name = ""
}
END {
	printf "%-16s %6.2f %% of %d lines\n", "total", 100 * hit / all, all
}
