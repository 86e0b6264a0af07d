# SPDX-License-Identifier: GPL-2.0-or-later
#
# The kernel's log, less the races that KCSAN saw between parts of the kernel: those of
# its file systems and of its memory management are known, and not the module's. A
# race counts where the module is on the way to one of the two accesses.
/BUG: KCSAN: / {
	race = ""
	inside = 1
}
inside {
	race = race $0 "\n"
	if (/Reported by Kernel Concurrency Sanitizer/) {
		if (race ~ /\[weft/)
			printf "%s", race
		inside = 0
	}
	next
}
{ print }
END { printf "%s", inside ? race : "" }
