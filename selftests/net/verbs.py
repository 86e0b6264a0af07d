# SPDX-License-Identifier: GPL-2.0-or-later
"""Hosts with RDMA devices at one switch, who write to the first of them."""

import os
import subprocess

from netlink import decode
from shipped import FROM_NODE, TO_NODE, Lab, counters

WRITERS = os.environ.get("WEFT_VERBS_WRITERS", "verbs_writers")
HEADER = {"ib-edr": 26, "ethernet-100g": 82}	# of a packet of RC, on the wire
RETH = 16
OVERHEAD = 24			# of a frame, in the profiles
PACKET = 4096			# payload of a packet


def wire_bytes(profile, size):
    """Bytes on the wire of a write of whole packets."""
    return size + size // PACKET * HEADER[profile] + RETH


class Star(Lab):
    """host0 and the writers host1, ... at the switch leaf."""

    def __init__(self, profile, writers, lines=()):
        self.writers = [f"host{i}" for i in range(1, writers + 1)]
        super().__init__(profile, [
            *lines, f'nodes: [{{name: "host[0-{writers}]"}}]',
            "switches: [{name: leaf}]",
            f'links: [{{ends: ["host[0-{writers}]", leaf]}}]'])

    def verbs(self, node):
        """The counters of a node's RDMA device."""
        answer = self.weft.do("nic-get", {"fabric": self.fabric,
                                          "id": self.nics[node]["id"]})[0]
        return counters(dict(decode("nic", answer[4:]))["verbs"], "counter")

    def total(self, name):
        """A counter of all devices."""
        return sum(self.verbs(n)[name] for n in ["host0"] + self.writers)

    def sent(self, node):
        """Bytes of a node's packets on the wire; control frames do not count."""
        port = counters(self.wires(self.link(node))[FROM_NODE], "counter")
        return port["tx_bytes"] + OVERHEAD * port["tx_packets"]

    def pauses(self):
        """Pauses and resumes that the switch sent."""
        return sum(self.cls(self.link(n), TO_NODE, c, "tx_pause")
                   for n in ["host0"] + self.writers for c in range(8))

    @staticmethod
    def link(node):
        return f"{node}-leaf"

    def write(self, *options, writers=None):
        """Begin to write; returns the process when the first one begins."""
        process = subprocess.Popen(
            [WRITERS, *map(str, options), "host0", *(writers or self.writers)],
            stdout=subprocess.PIPE, text=True)
        if process.stdout.readline() != "begin\n":
            process.wait()
            raise ChildProcessError(f"{WRITERS}: {process.returncode}")
        return process


def ends(process):
    """When the writers of a process were done, by name, in ns."""
    out, _ = process.communicate()
    if process.returncode:
        raise ChildProcessError(f"{WRITERS}: {process.returncode}")
    return {node: int(time) for node, time in map(str.split, out.splitlines())}


def stop(process):
    """End writers who write for ever."""
    process.kill()
    process.communicate()


def jain(shares):
    """1 if all are equal, 1 / n if one has all."""
    return sum(shares) ** 2 / len(shares) / sum(s * s for s in shares)
