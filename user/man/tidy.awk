# SPDX-License-Identifier: GPL-2.0-or-later
#
# Make what rst2man wrote a page that mandoc -Tlint accepts: with a DATE, with a font that
# every roff knows, without paragraphs after headings, with lines of 80 bytes, and with
# tables as wide as the page.

BEGIN { width = 80; filled = 1 }

# put LINE, in parts of at most 80 bytes; a part must not begin like a request
function wrap(line,	words, n, i, out) {
	n = split(line, words, " ")
	out = words[1]
	for (i = 2; i <= n; i++) {
		if (length(out) + 1 + length(words[i]) > width && words[i] !~ /^[.']/) {
			print out
			out = words[i]
		} else {
			out = out " " words[i]
		}
	}
	print out
}

/^\.TH / { sub(/ "" ""$/, " \"" date "\" \"\"") }
/^\.ft C$/ { $0 = ".ft CR" }
/^\|(l\|)+\.$/ { sub(/l\|\.$/, "lx|.") }
/^\.nf/ { filled = 0 }
/^\.fi/ { filled = 1 }
/^\.sp$/ && heading { next }
!/^\.\\"/ && !/^\.$/ { heading = /^\.S[HS] / }
length($0) > width && filled && !/^[.']/ { wrap($0); next }
{ print }
