# SPDX-License-Identifier: GPL-2.0-or-later
"""An RDMA device comes and goes while allocations in the kernel fail.

usage: rdma_link.py NODE DEVICE NETDEV

The device is there at the beginning, and at the end. The Nth allocation of the
request that makes it fails, and that of the one that removes it, N being 1, 2, 3
and then a tenth more each time, until neither needs so many. A request that is
refused leaves things as they were.
"""

import errno
import json
import os
import socket
import struct
import subprocess
import sys

import netns

NETLINK_RDMA = 20
NLDEV, NEWLINK, DELLINK = 5, 3, 4
DEV_INDEX, DEV_NAME, NDEV_NAME, LINK_TYPE = 1, 2, 51, 65
REQUEST, ACK = 1, 4


def attribute(kind, data):
    padded = data + bytes(-len(data) % 4)
    return struct.pack("=HH", 4 + len(data), kind) + padded


def string(kind, text):
    return attribute(kind, text.encode() + b"\0")


class Failing:
    """Requests of which one allocation fails."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                                    NETLINK_RDMA)
        self.socket.bind((0, 0))
        self.file = os.open("/proc/thread-self/fail-nth", os.O_RDWR)

    def request(self, command, attributes, n):
        """Send one; return its error, and whether an allocation failed."""
        message = struct.pack("=IHHII", 16 + len(attributes),
                              NLDEV << 10 | command, REQUEST | ACK, 1, 0)
        message += attributes
        os.pwrite(self.file, str(n).encode(), 0)
        try:
            self.socket.send(message)
            answer = self.socket.recv(65536)
            error = -struct.unpack_from("=i", answer, 16)[0]
        except OSError as e:
            error = e.errno
        failed = int(os.pread(self.file, 16, 0)) == 0
        os.pwrite(self.file, b"0", 0)
        return error, failed


def index_of(device):
    """Of a device of this node, None if there is none."""
    out = subprocess.run(["rdma", "-j", "dev"], check=True,
                         capture_output=True).stdout
    for dev in json.loads(out or "[]"):
        if dev["ifname"] == device:
            return dev["ifindex"]
    return None


def check(error, there, wanted, what):
    # it was done or not, what had no memory is the answer
    if error == errno.ENOBUFS:
        return
    if (there is not None) != (wanted if not error else not wanted):
        sys.exit(f"{what}: error {error}, device {there}")


def main():
    node, device, netdev = sys.argv[1:4]
    netns.enter(node)
    failing = Failing()
    new = (string(DEV_NAME, device) + string(LINK_TYPE, "weft") +
           string(NDEV_NAME, netdev))
    n, refused, more = 1, 0, True
    while more:
        error, more = failing.request(
            DELLINK, attribute(DEV_INDEX, struct.pack("=I", index_of(device))), n)
        there = index_of(device)
        check(error, there, False, f"removed, allocation {n}")
        refused += error != 0
        if there is None:
            error, failed = failing.request(NEWLINK, new, n)
            more = more or failed
            refused += error != 0
            check(error, index_of(device), True, f"made, allocation {n}")
        while index_of(device) is None:
            failing.request(NEWLINK, new, 0)
        n = n + 1 + n // 10
    print(f"{n} allocations, refused {refused} times")
    # if it never was, nothing was injected
    sys.exit(refused <= 3)


main()
