# SPDX-License-Identifier: GPL-2.0-or-later
"""Run a command whose Nth allocation in the kernel fails.

usage: fail_nth.py N|count COMMAND [ARGUMENT]...

With "count" none fails, and their number is printed instead of what the command
prints. Uses the kernel's fault injection for one task, fail-nth in /proc. The
allocations of exec() count too, those of the command's children do not.
"""

import os
import subprocess
import sys

NEVER = 1 << 30


def set_nth(n):
    with open("/proc/thread-self/fail-nth", "w", encoding="ascii") as f:
        f.write(str(n))


def count(command):
    with subprocess.Popen(command, preexec_fn=lambda: set_nth(NEVER),
                          stdout=subprocess.DEVNULL) as child:
        # ended but not reaped, it still has its file
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        with open(f"/proc/{child.pid}/fail-nth", encoding="ascii") as f:
            print(NEVER - int(f.read()))
    return child.returncode


def main():
    if sys.argv[1] == "count":
        return count(sys.argv[2:])
    set_nth(int(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
