# SPDX-License-Identifier: GPL-2.0-or-later
"""A process that does what it likes at the socket of the aggregation manager.

usage: sharp_socket.py SOCKET

It says what it must not say, in any order, and closes at any moment; at last it keeps as many
connections as it gets. Prints how many these are.
"""

import random
import socket
import struct
import sys

# struct weft_sharp_message
FORMAT = "=IIQIIIIIII4xQQQ200s"
HELLO, JOIN, TREE, READY, PAYLOAD, STARTED, GO, FAILED, LEAVE, CALLS, NOTED = range(1, 12)
SIZE = struct.calcsize(FORMAT)


def message(kind, version=2, key=7, size=2):
    return struct.pack(FORMAT, version, kind, key, size, 0, 0, 0, 1, 64, 0, 1, 1, 1, b"")


def connect(path):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.settimeout(5)
    s.connect(path)
    return s


def said(s):
    """Whether the manager wants us."""
    got = s.recv(4096)
    return len(got) == SIZE and struct.unpack_from("=II", got)[1] == HELLO


def send(s, raw):
    try:
        s.send(raw)
    except OSError:
        pass


def main():
    path, draw = sys.argv[1], random.Random(1)
    # who leaves before there is a group, and comes again
    for _ in range(3):
        with connect(path) as s:
            assert said(s)
            send(s, message(JOIN))
            send(s, message(LEAVE))
            send(s, message(JOIN))
    with connect(path) as a, connect(path) as b:
        for s in (a, b):
            assert said(s)
            send(s, message(JOIN))
    for i in range(300):
        with connect(path) as s:
            if not said(s):
                continue
            for _ in range(draw.randrange(8)):
                raw = message(draw.randrange(14), draw.choice((1, 2, 2, 2)),
                              draw.randrange(3), draw.choice((0, 1, 2, 3, 2 ** 32 - 1)))
                send(s, raw[:draw.choice((SIZE, SIZE, SIZE, 0, 1, SIZE - 1))] or b"x")
            if i % 3 == 0:
                send(s, bytes(4000))
    kept = []
    for _ in range(300):
        s = connect(path)
        try:
            if not said(s):
                break
        except OSError:
            break
        kept.append(s)
    print(len(kept), flush=True)
    # until the other end says that it is enough
    sys.stdin.read()


main()
