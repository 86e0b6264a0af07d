# SPDX-License-Identifier: GPL-2.0-or-later
"""Sockets of several nodes in one process, with receive times.

One process sees both ends of a path, so that what it measures needs no second
clock and no protocol.
"""

import contextlib
import ctypes
import os
import socket
import struct
import time

CLONE_NEWNET = 0x40000000
PR_SET_TIMERSLACK = 29
TIMER_ABSTIME = 1
SO_TIMESTAMPNS = 35
SO_SNDBUFFORCE = 32
SO_RCVBUFFORCE = 33

# Bytes before and behind the payload of a UDP datagram in an Ethernet frame,
# without the frame check sequence, as the length of a frame counts in Linux.
UDP_HEADERS = 14 + 20 + 8

_libc = ctypes.CDLL(None, use_errno=True)


def _set(fd, name):
    """Enter the network namespace of a descriptor, and close that."""
    try:
        if _libc.setns(fd, CLONE_NEWNET):
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error), name)
    finally:
        os.close(fd)


def enter(node):
    """Make what follows happen in the network namespace of a node."""
    _set(os.open(f"/run/netns/{node}", os.O_RDONLY), node)


@contextlib.contextmanager
def inside(node):
    """The same for a block: weft down ends a process that stays."""
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        enter(node)
        yield
    finally:
        _set(home, "own namespace")


def udp(node, address, port=0):
    """A UDP socket in a node, with receive times and large buffers."""
    enter(node)
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 28)
    s.bind((address, port))
    return s


def now():
    """The clock that receive times are of, in ns."""
    return time.clock_gettime_ns(time.CLOCK_REALTIME)


def sleep_until(when):
    """Sleep until now() is a given time, without the usual slack."""
    _libc.prctl(PR_SET_TIMERSLACK, 1)
    seconds, ns = divmod(when, 1000000000)
    until = struct.pack("@qq", seconds, ns)
    while now() < when:
        _libc.clock_nanosleep(time.CLOCK_REALTIME, TIMER_ABSTIME, until, None)


def receive(s):
    """A datagram: its bytes, the sender, the time at which it came in (ns)."""
    data, ancillary, _, sender = s.recvmsg(65536, 64)
    for level, kind, value in ancillary:
        if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS:
            seconds, ns = struct.unpack("@qq", value)
            return data, sender, seconds * 1000000000 + ns
    raise RuntimeError("a datagram without a time")
