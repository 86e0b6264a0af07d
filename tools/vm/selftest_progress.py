#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The line of progress of weft-vm, on a pseudo-terminal, and its file.

usage: selftest_progress.py WEFT-VM DIRECTORY

The kernel is a stand-in, this very program, that writes what a kernel would: the page,
the messages of init, and the command's output.
"""
import mmap
import os
import pty
import re
import stat
import struct
import subprocess
import sys
import time

STATUS, TERMINAL = 14, 16
VM_END, VM_START = 3, 4


def say(kind, body=b""):
    os.write(STATUS, struct.pack("HHI", kind, 0, len(body)) + body)


def tell(page, time_ns, packets, updates):
    page[0:24] = struct.pack("QQQ", time_ns, packets, updates)


def write(text):
    os.write(TERMINAL, text)


def kernel(words):
    """Two seconds of silence until a line appears, one until the next.

    First virtual time is 10 ms after 2.5 s and more.
    """
    fd = int(next(w for w in words if w.startswith("vclock_page=")).split("=")[1])
    page = mmap.mmap(fd, 4096, mmap.MAP_SHARED)
    say(VM_START)
    write(b"begin\r\n")
    tell(page, 2_010_000_000, 41, 1)
    time.sleep(2.5)
    write(b"first\r\n")
    tell(page, 3_500_000_000, 42, 1)
    time.sleep(2.5)
    tell(page, 4_000_000_000, 43, 2)
    time.sleep(1)
    write(b"second\r\nprompt> ")
    time.sleep(2.5)
    write(b"\r\n\033[1mbold\033[m\r\n")
    time.sleep(2.5)
    write(b"\033[2J\r\n")
    time.sleep(2.5)
    tell(page, 5_000_000_000, 44, 3)
    say(VM_END, struct.pack("I", 7))


def line(text):
    return b"\r" + text + b"\033[K"


def expect(what, wanted, got):
    if wanted != got:
        sys.exit(f"{what}: expected {wanted!r}, got {got!r}")


def masked(text):
    """Real seconds are not ours to foretell."""
    text = re.sub(rb"\d+ times", b"N times", text)
    parts = text.split(b"weft: ")
    return b"weft: ".join(parts[:1] + [b"N" + p.lstrip(b"0123456789") for p in parts[1:]])


def on_terminal(words):
    pid, fd = pty.fork()
    if pid == 0:
        time.sleep(0.2)
        os.execv(words[0], words)
    return pid, fd


def seen_on(pid, fd):
    """What the terminal showed: each line once, and not how slowly a busy host boots."""
    seen = b""
    while True:
        try:
            got = os.read(fd, 4096)
        except OSError:
            break
        if not got:
            break
        seen += got
    _, status = os.waitpid(pid, 0)
    expect("exit code", 7, os.waitstatus_to_exitcode(status))
    seen = re.sub(rb"(\rweft: N[^\r]*)\1+", rb"\1", masked(seen))
    boots = line(b"weft: N s, the machine boots") + b"\r\033[K"
    return seen.removeprefix(boots)


def main():
    launcher, work = map(os.path.abspath, sys.argv[1:3])
    stand_in = os.path.join(work, "linux")
    with open(stand_in, "w", encoding="ascii") as f:
        f.write(f"#!/bin/sh\nexec {sys.executable} {os.path.abspath(__file__)} \"$@\"\n")
    os.chmod(stand_in, stat.S_IRWXU)
    reached = os.path.join(work, "reached")
    base = [launcher, "--vm-dir", work]
    os.environ["TERM"] = "xterm"

    shown = on_terminal([*base, "--progress", "--progress-file", reached, "--", "x"])
    plain = on_terminal([*base, "--", "x"])
    piped = subprocess.run([*base, "--progress", "--", "x"], check=False,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    lines = subprocess.run([*base, "--progress", "--progress-line", "1", "--", "x"],
                           check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    expect("pipe", (7, b""), (piped.returncode, piped.stderr))
    expect("pipe, earlier line",
           (7, b"weft: N s real time, fabric time 0.010000 s, N times slower, 41 packets\n"),
           (lines.returncode, masked(lines.stderr)))
    expect("terminal",
           b"begin\r\n" +
           line(b"weft: N s real time, fabric time 0.010000 s, N times slower, "
                b"41 packets") +
           b"\r\033[Kfirst\r\n" +
           line(b"weft: N s, fabric time 1.500000 s, 42 packets sent") +
           line(b"weft: N s, fabric time 2.000000 s, 43 packets sent") +
           b"\r\033[Ksecond\r\nprompt> \r\n\033[1mbold\033[m\r\n" +
           line(b"weft: N s, fabric time 2.000000 s, 43 packets sent") +
           b"\r\033[K\033[2J\r\n", seen_on(*shown))
    with open(reached, encoding="ascii") as f:
        words = f.read().split()
    expect("file", ["end", "3000000000", "44"], [words[0], *words[2:]])
    expect("without --progress",
           b"begin\r\nfirst\r\nsecond\r\nprompt> \r\n\033[1mbold\033[m\r\n\033[2J\r\n",
           seen_on(*plain))


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].startswith("mem="):
        kernel(sys.argv[1:])
    else:
        main()
