# SPDX-License-Identifier: GPL-2.0-or-later
"""A stream of datagrams through a link or a switch that fails, to the packet.

send NETNS ADDRESS COUNT PLACE AFTER DURATION: one every 10 us, from the moment at which
PLACE, link=ID or switch=ID, was asked to be down AFTER us later, for DURATION us. It
begins outside of the node, where the fabric is.
receive COUNT: prints the ranges of those that did not arrive, and how many came late.
"""

import ctypes
import os
import socket
import sys
import time

from netlink import CLONE_NEWNET, Weft, libc

PORT = 4000
SPACING = 10_000
SLACK = 1000
PS_PER_US = 1_000_000
PR_SET_TIMERSLACK = 29
KINDS = {"link": 0, "switch": 15}       # down, reboot


def wait_until(when):
    left = when - time.monotonic_ns()
    if left > 0:
        time.sleep(left / 1e9)


def enter(netns):
    fd = os.open(netns, os.O_RDONLY)
    if libc.setns(fd, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), netns)
    os.close(fd)


def send(netns, address, count, place, after, duration):
    what, number = place.split("=")
    libc.prctl(PR_SET_TIMERSLACK, 1)
    weft = Weft()
    enter(netns)
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    start = time.monotonic_ns()
    weft.do("fault-new", {"fabric": 0, what: int(number),
                          "kind": KINDS[what],
                          "after": after * PS_PER_US,
                          "duration": duration * PS_PER_US})
    # A few ns, and far less than to where a datagram is in the balance.
    if time.monotonic_ns() - start > SLACK:
        sys.exit(f"asking took {time.monotonic_ns() - start} ns")
    for number in range(count):
        wait_until(start + number * SPACING)
        sock.sendto(number.to_bytes(8, "little"), (address, PORT))


def ranges(numbers):
    found = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return " ".join(f"{first}-{last}" for first, last in found) or "none"


def receive(count):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    sock.bind(("", PORT))
    sock.settimeout(0.5)
    missing, next_one, late = set(range(count)), 0, 0
    while next_one < count:
        number = int.from_bytes(sock.recv(64), "little")
        missing.discard(number)
        late += number < next_one
        next_one = max(next_one, number + 1)
    print(ranges(sorted(missing)), f"late {late}")


if __name__ == "__main__":
    if sys.argv[1] == "send":
        send(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5],
             *map(int, sys.argv[6:]))
    else:
        receive(int(sys.argv[2]))
