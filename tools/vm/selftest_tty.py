#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Run weft-vm on a pseudo-terminal: size, echo, Ctrl-C, size change; and a pipeline
whose other end writes to the same terminal.

usage: selftest_tty.py WEFT-VM [OPTION]...
"""
import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

SCRIPT = """
trap 'echo caught' INT
tty > /dev/null && echo is-terminal
stty size
cat
stty size
exit 9
"""


def set_size(fd, rows, cols):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))


seen = b""


def read_until(fd, word, limit=20.0):
    """Wait until the terminal shows a word; what follows is kept."""
    global seen
    end = time.monotonic() + limit
    while word not in seen:
        if not select.select([fd], [], [], max(0, end - time.monotonic()))[0]:
            sys.exit(f"no {word!r}; seen: {seen!r}")
        try:
            seen += os.read(fd, 4096)
        except OSError:
            sys.exit(f"terminal closed before {word!r}; seen: {seen!r}")
    seen = seen.split(word, 1)[1]


def spawn(argv):
    """The process, on a terminal; also that terminal and its settings."""
    global seen
    seen = b""
    pid, fd = pty.fork()
    if pid == 0:
        time.sleep(0.2)
        os.execvp(argv[0], argv)
    return pid, fd, termios.tcgetattr(fd)


def end(pid, fd, code, before):
    _, status = os.waitpid(pid, 0)
    if os.waitstatus_to_exitcode(status) != code:
        sys.exit(f"status {status}")
    if termios.tcgetattr(fd)[:4] != before[:4]:
        sys.exit("the terminal's settings were not restored")


def pipeline():
    """While the machine waits for a key, lines end as usual."""
    pid, fd, before = spawn(["sh", "-c", '"$@" | cat', "-", *sys.argv[1:],
                             "--", "sh", "-c", "echo one; echo two; read key"])
    read_until(fd, b"one\r\ntwo\r\n")
    os.write(fd, b"\n")
    end(pid, fd, 0, before)


def main():
    pipeline()
    pid, fd, before = spawn(sys.argv[1:] + ["--", "sh", "-c", SCRIPT])
    set_size(fd, 33, 77)
    read_until(fd, b"is-terminal\r\n")
    read_until(fd, b"33 77\r\n")
    os.write(fd, b"abc\n")
    read_until(fd, b"abc\r\nabc\r\n")
    set_size(fd, 40, 99)
    time.sleep(0.5)
    os.write(fd, b"\x03")
    read_until(fd, b"caught\r\n")
    read_until(fd, b"40 99\r\n")
    end(pid, fd, 9, before)


if __name__ == "__main__":
    main()
