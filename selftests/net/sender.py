# SPDX-License-Identifier: GPL-2.0-or-later
"""What a sending socket is told of its datagrams, as they go onto the wire.

usage: sender.py zerocopy|stamps ADDRESS COUNT

Sends COUNT datagrams and prints, a line each: with zerocopy, the nanoseconds after
which the pages of one came back; with stamps, how often one was stamped.
"""

import collections
import select
import socket
import struct
import sys
import time

SO_ZEROCOPY, MSG_ZEROCOPY = 60, 0x4000000
SO_TIMESTAMPING = 37
TX_SOFTWARE, SOFTWARE, OPT_ID, OPT_TSONLY = 1 << 1, 1 << 4, 1 << 7, 1 << 11
IP_RECVERR = 11
ORIGIN_TIMESTAMPING, ORIGIN_ZEROCOPY = 4, 5
PAYLOAD = bytes(1400)


def told(sock):
    """The extended errors that wait: origin, info, data."""
    _, ancillary, _, _ = sock.recvmsg(2048, 2048, socket.MSG_ERRQUEUE)
    for level, kind, data in ancillary:
        if (level, kind) == (socket.IPPROTO_IP, IP_RECVERR):
            _, origin, _, _, _, info, last = struct.unpack_from("=IBBBBII", data)
            yield origin, info, last


def wait(sock, seconds):
    """Whether something is told in time."""
    poll = select.poll()
    poll.register(sock, 0)
    return bool(poll.poll(seconds * 1000))


def zerocopy(sock, address, count):
    sock.setsockopt(socket.SOL_SOCKET, SO_ZEROCOPY, 1)
    for _ in range(count):
        begin = time.monotonic_ns()
        sock.sendto(PAYLOAD, MSG_ZEROCOPY, address)
        if not wait(sock, 10):
            sys.exit("the pages did not come back")
        for origin, _, _ in told(sock):
            if origin == ORIGIN_ZEROCOPY:
                print(time.monotonic_ns() - begin)


def stamps(sock, address, count):
    sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPING,
                    TX_SOFTWARE | SOFTWARE | OPT_ID | OPT_TSONLY)
    seen = collections.Counter()
    for _ in range(count):
        sock.sendto(PAYLOAD, address)
    while wait(sock, 1):
        for origin, _, number in told(sock):
            if origin == ORIGIN_TIMESTAMPING:
                seen[number] += 1
    for number in range(count):
        print(seen[number])


def main():
    what, address, count = sys.argv[1:]
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    {"zerocopy": zerocopy, "stamps": stamps}[what](sock, (address, 9),
                                                   int(count))


if __name__ == "__main__":
    main()
