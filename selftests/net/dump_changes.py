# SPDX-License-Identifier: GPL-2.0-or-later
"""A dump during which somebody changes the fabric says so.

Who reads a dump in parts may see one half from before a change and the other from
after it; the flag NLM_F_DUMP_INTR of the later parts tells. Here between the first
part and the second a setting is made by dcb or devlink.

	a -- switch -- b	100 Gb/s
"""

import struct
import sys

import dcb
import devlink
import ktap
from netlink import (ACK, COMMANDS, DUMP, NLMSG_DONE, REQUEST, Weft, encode)

DUMP_INTERRUPTED = 0x10


class Reader(Weft):
    """A socket that reads a dump in parts, and something happens between two."""

    def __init__(self):
        super().__init__()
        self.parts = 0
        self.interrupted = False

    def part(self):
        """Read one part. Whether there are more."""
        raw = self.socket.recv(1 << 17)
        self.parts += 1
        while raw:
            size, kind, flags = struct.unpack_from("=IHH", raw)
            self.interrupted |= bool(flags & DUMP_INTERRUPTED)
            if kind == NLMSG_DONE:
                return False
            raw = raw[(size + 3) & ~3:]
        return True

    def dump(self, between):
        payload = struct.pack("=BBH", COMMANDS.index("link-get") + 1, 1, 0)
        payload += encode("link", {"fabric": 0})
        self.socket.send(struct.pack("=IHHII", 16 + len(payload), self.family,
                                     REQUEST | ACK | DUMP, 77, 0) + payload)
        more = self.part()
        between()
        while more:
            more = self.part()


def changed(problems, change, *arguments):
    """The change is told of, and a dump without one says nothing of the kind."""
    def between():
        ktap.expect(problems, "accepted", True, change(*arguments) in (True, 0))

    quiet, busy = Reader(), Reader()
    quiet.dump(lambda: None)
    busy.dump(between)
    ktap.expect_in(problems, "parts of the dump", 3, 100, busy.parts)
    ktap.expect(problems, "interrupted", (False, True),
                (quiet.interrupted, busy.interrupted))


def more_links():
    """As many links as do not fit into one part."""
    weft = Weft()
    weft.do("switch-new", {"fabric": 0, "ports": 32})
    for port in range(0, 32, 2):
        weft.do("link-new", {"fabric": 0, "a": {"switch": 1, "port": port},
                             "b": {"switch": 1, "port": port + 1},
                             "wire": {"rate": 10 ** 11}})


def main():
    lab = devlink.lossless_lab()
    more_links()
    port = devlink.DEV + "/0"
    code = ktap.tell([
        ("dcb pfc", changed, dcb.set_, "a", "pfc", "prio-pfc", "3:off"),
        ("dcb buffer", changed, dcb.set_, "a", "buffer", "buffer-size",
         "0:30000"),
        ("dcb ets", changed, dcb.set_, "a", "ets", "tc-tsa", "all:strict"),
        ("dcb maxrate", changed, dcb.set_, "a", "maxrate", "tc-maxrate",
         "0:1gbit"),
        ("devlink sb pool", changed, devlink.set_, "sb", "pool", "set",
         devlink.DEV, "pool", "0", "size", "9000000", "thtype", "static"),
        ("devlink sb port pool", changed, devlink.set_, "sb", "port", "pool",
         "set", port, "pool", "0", "th", "5000000"),
        ("devlink sb tc bind", changed, devlink.set_, "sb", "tc", "bind", "set",
         port, "tc", "0", "type", "ingress", "pool", "0", "th", "900000"),
    ])
    lab.end()
    return code


if __name__ == "__main__":
    sys.exit(main())
