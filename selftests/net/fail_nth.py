# SPDX-License-Identifier: GPL-2.0-or-later
"""Run a command whose Nth allocation in the kernel fails.

usage: fail_nth.py N COMMAND [ARGUMENT]...

Uses the kernel's fault injection for one task, /proc/thread-self/fail-nth.
The allocations of exec() count too.
"""

import os
import sys


def main():
    with open("/proc/thread-self/fail-nth", "w", encoding="ascii") as f:
        f.write(sys.argv[1])
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
