# SPDX-License-Identifier: GPL-2.0-or-later
"""iperf3 between the nodes of a lab, and what is on its wires meanwhile.

Each pair has a server of its own. Its clients send datagrams of one MTU as fast
as their sockets take them.
"""

import json
import subprocess
import time

import netns
from shipped import TO_NODE, address

# Bytes on the wire: of a frame of one MTU, of a control frame.
#   InfiniBand: 24 more (see the profile); 8 for a flow-control packet
#   Ethernet: FCS 4, preamble and gap 20; 84 for a pause
#   NVLink: a header of 16 for each 256 bytes, the last packet in units of 16
#   (9014 = 35 * 256 + 54); a flit
SLOT = {"ib-ndr": (4106 + 24, 8), "ethernet-400g": (9014 + 24, 84),
        "nvlink5": (35 * (256 + 16) + 64 + 16, 16), "ethernet-uec-400g": (9014 + 24, 8)}


class Pair:
    """A server, and its client when it has begun."""

    def __init__(self, lab, client, server, port):
        self.server = self.start(server, "-s", "-1", "-p", str(port))
        self.client = None
        self.words = [client, "-J", "-u", "-c", address(server), "-p",
                      str(port), "-l", str(lab.datagram), "-b", "0"]

    def begin(self, dscp, *how):
        self.client = self.start(*self.words, "--dscp", str(dscp), *how)
        time.sleep(1e-4)

    @staticmethod
    def start(node, *words):
        return subprocess.Popen(
            ["ip", "netns", "exec", node, "iperf3", *words],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def result(self):
        """What the client has to say at its end."""
        said, _ = self.client.communicate(timeout=30)
        self.server.communicate(timeout=30)
        return json.loads(said)["end"]["sum"]

    def kill(self):
        """End both; what is under way arrives, ends of connections included."""
        for process in (self.client, self.server):
            process.kill()
            process.communicate()
        time.sleep(1e-3)


class Window:
    """Packets on some (link, wire, class) in a time of so many slots."""

    def __init__(self, lab, places, slots):
        slot, control = SLOT[lab.profile]
        start, before = netns.now(), self.look(lab, places)
        netns.sleep_until(start + int(slots * slot * 8e9 / lab.rate))
        after = self.look(lab, places)
        self.slots = (netns.now() - start) * lab.rate / 8e9 / slot
        self.count = [b[0] - a[0] for a, b in zip(before, after)]
        self.control = sum(b[1] - a[1] for a, b in
                           zip(before, after)) * control / slot

    @staticmethod
    def look(lab, places):
        return [(lab.cls(link, wire, number, "tx_packets"),
                 lab.port(link, wire, "tx_control"))
                for link, wire, number in places]


def into(link, number):
    """The class of a number on the wire to the node of a link."""
    return link, TO_NODE, number
