# SPDX-License-Identifier: GPL-2.0-or-later
"""Replies that a socket has no room for: what was asked for is then not there.

A reply tells what a new object is called. A socket whose receive queue is full gets
neither that nor the error, so the request must have had no effect. All happens in a
network namespace of its own.
"""

import errno
import socket
import struct
import subprocess
import sys

import ktap
from netlink import (ACK, CLONE_NEWNET, COMMANDS, DUMP, REQUEST, Refusal, Weft,
                     decode, encode, unshare)

REQUESTS = 200


class Deaf(Weft):
    """A socket that sends requests, and reads nothing until it is told to."""

    def __init__(self):
        super().__init__()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        self.socket.setblocking(False)

    def ask(self, command, values):
        kinds = command.split("-", maxsplit=1)[0]
        payload = struct.pack("=BBH", COMMANDS.index(command) + 1, 1, 0)
        payload += encode(kinds, values)
        self.sequence += 1
        self.socket.send(struct.pack("=IHHII", 16 + len(payload), self.family,
                                     REQUEST | ACK, self.sequence, 0) + payload)

    def replies(self):
        """How many replies came, acknowledgements and errors left out."""
        count = 0
        while True:
            try:
                raw = self.socket.recv(1 << 17)
            except BlockingIOError:
                return count
            except OSError as error:
                if error.errno != errno.ENOBUFS:
                    raise
                continue
            while raw:
                size, kind = struct.unpack_from("=IH", raw)
                count += kind == self.family
                raw = raw[(size + 3) & ~3:]


def replies_and_objects(problems, weft, command, values, dump=None):
    def there():
        return len(weft.do(command.replace("new", "get"), dump or {}, DUMP))

    before = there()
    deaf = Deaf()
    for _ in range(REQUESTS):
        deaf.ask(command, values)
    told = deaf.replies()
    ktap.expect(problems, "objects, as many as replies", told, there() - before)
    # Otherwise the queue was not full.
    ktap.expect_in(problems, "replies", 1, REQUESTS - 1, told)


def attached(problems, weft):
    """A NIC is attached once: without the reply it can be attached again."""
    deaf = Deaf()
    for _ in range(REQUESTS):
        deaf.ask("switch-get", {"fabric": 0, "id": 0})
    deaf.ask("nic-attach", {"fabric": 0, "ifname": "w0"})
    ktap.expect(problems, "NICs", 0,
                len(weft.do("nic-get", {"fabric": 0}, DUMP)))
    for name in ("w0", "w1"):
        try:
            weft.do("nic-attach", {"fabric": 0, "ifname": name})
        except Refusal as refusal:
            problems.append(f"{name}: {refusal}")


def held(problems, weft, command, values):
    """What begins by a trigger takes the trigger with it only if it was there."""
    weft.do("trigger-new", {"fabric": 0, "kind": 0, "name": "never"})
    deaf = Deaf()
    for _ in range(REQUESTS):
        deaf.ask("switch-get", {"fabric": 0, "id": 0})
    deaf.ask(command, {"fabric": 0, "trigger": 0, **values})
    get = command.replace("new", "get")
    ktap.expect(problems, "objects that hold it", 0,
                sum(dict(decode(get.split("-", maxsplit=1)[0], answer[4:])).get("trigger") == 0
                    for answer in weft.do(get, {"fabric": 0}, DUMP)))
    ktap.expect(problems, "triggers", 1,
                len(weft.do("trigger-get", {"fabric": 0}, DUMP)))
    try:
        weft.do("trigger-del", {"fabric": 0, "id": 0})
    except Refusal as refusal:
        problems.append(f"its end: {refusal}")


def main():
    unshare(CLONE_NEWNET)
    for name in ("w0", "w1"):
        subprocess.run(f"ip link add {name} type weft".split(), check=True)
    weft = Weft()
    weft.do("fabric-new", {"max-nics": 4})
    weft.do("switch-new", {"fabric": 0, "ports": 2})
    weft.do("link-new", {"fabric": 0, "a": {"switch": 0, "port": 0},
                         "b": {"switch": 0, "port": 1},
                         "wire": {"rate": 10 ** 11}})
    of_fabric = {"fabric": 0}
    return ktap.tell([
        ("NICs", attached, weft),
        ("switches", replies_and_objects, weft, "switch-new",
         {"fabric": 0, "ports": 2}, of_fabric),
        ("a fault's trigger", held, weft, "fault-new", {"link": 0, "kind": 0}),
        ("a generator's trigger", held, weft, "traffic-new",
         {"nic": 0, "dst": 1, "window": 1, "depth": 1}),
        ("triggers", replies_and_objects, weft, "trigger-new",
         {"fabric": 0, "kind": 0, "name": "never"}, of_fabric),
        ("faults", replies_and_objects, weft, "fault-new",
         {"fabric": 0, "link": 0, "kind": 0, "after": 10 ** 15}, of_fabric),
        ("generators", replies_and_objects, weft, "traffic-new",
         {"fabric": 0, "nic": 0, "dst": 1, "window": 1, "depth": 1,
          "after": 10 ** 15}, of_fabric),
        ("fabrics", replies_and_objects, weft, "fabric-new", {"max-nics": 1}),
    ])


if __name__ == "__main__":
    sys.exit(main())
