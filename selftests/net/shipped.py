# SPDX-License-Identifier: GPL-2.0-or-later
"""A lab that weft brings up, with a profile as it ships, and what it counts.

The nodes are host0, host1, ... in the order of their links; the kernel's ids of
nodes, links and wires are looked up by the names that weft gave them.
"""

import json
import tempfile
import time

from netlink import Weft, decode
from two_nodes import inside, run, text

FROM_NODE, TO_NODE = 0, 1	# wires of a link, if the node is named first

MTU = {"ib-edr": 4092, "ib-ndr": 4092, "ethernet-100g": 9000,
       "ethernet-400g": 9000, "nvlink5": 9000, "ethernet-uec-400g": 9000}
RATE = {"ib-edr": 100 * 10 ** 9, "ib-ndr": 400 * 10 ** 9,
        "ethernet-100g": 100 * 10 ** 9, "ethernet-400g": 400 * 10 ** 9,
        "nvlink5": 7200 * 10 ** 9, "ethernet-uec-400g": 400 * 10 ** 9}


def shown(kind):
    return json.loads(run(f"weft show {kind} --json"))


class Lab:
    """A topology, brought up; the lines of its file after name and profile."""

    def __init__(self, profile, lines):
        self.profile = profile
        self.mtu = MTU[profile]
        self.rate = RATE[profile]
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
            f.write("\n".join(["name: test", f"profile: {profile}"] + lines))
            f.flush()
            run(f"weft up {f.name} --clock virtual")
        self.weft = Weft()
        self.fabric = shown("fabric")[0]["id"]
        self.switch = shown("switches")[0]
        self.nics = {n["name"].split(".")[0]: n for n in shown("nics")}
        self.links = {link["link"]: link["id"] for link in shown("links")}

    @property
    def frame(self):
        """Bytes of a frame of one MTU, FCS excluded."""
        return self.mtu + 14

    @property
    def datagram(self):
        """Bytes of UDP that fill one MTU."""
        return self.mtu - 28

    def take(self, node, **how):
        """Say how a node takes what arrives: rx-stop (a mask), rx-rate."""
        how = {name.replace("_", "-"): n for name, n in how.items()}
        self.weft.do("nic-set", {"fabric": self.fabric,
                                 "id": self.nics[node]["id"], **how})

    def wires(self, link):
        """State of both wires of a link."""
        answer = self.weft.do("link-get", {"fabric": self.fabric,
                                           "id": self.links[link]})[0]
        return [w for n, w in decode("link", answer[4:]) if n == "wire"]

    def port(self, link, wire, counter):
        """A counter of the port that sends on a wire."""
        return counters(self.wires(link)[wire], "counter").get(counter, 0)

    def cls(self, link, wire, number, counter):
        """The same of one of its classes."""
        for name, pairs in self.wires(link)[wire]:
            if name == "class" and pairs[0][1] == number:
                return counters(pairs, "counter").get(counter, 0)
        return 0

    def lost(self):
        """What ports, NICs and queueing disciplines lost, anywhere."""
        found = [(link, why, n) for link in self.links
                 for wire in self.wires(link)
                 for why, n in counters(wire, "drop").items()]
        for node in self.nics:
            found += [(node, q["kind"], q["drops"]) for q in qdiscs(node)]
            about = json.loads(run(f"ip -j -s -n {node} link show eth0"))[0]
            found += [(node, way, about["stats64"][way]["dropped"])
                      for way in ("rx", "tx")]
        return [entry for entry in found if entry[2]]

    def end(self):
        """The lab goes, and after a while its namespaces with their NICs."""
        run("weft down")
        time.sleep(0.1)


def counters(pairs, kind):
    """The counters of a kind among decoded attributes, by name."""
    return {text(dict(entry)["name"]): dict(entry)["value"]
            for name, entry in pairs if name == kind}


def qdiscs(node):
    """The queueing disciplines below "mq", which has the sums."""
    found = json.loads(run(f"tc -j -s -n {node} qdisc show dev eth0"))
    return [q for q in found if q["kind"] != "mq"]


def backlog(node):
    """Packets that wait in the queueing disciplines."""
    return sum(q["qlen"] for q in qdiscs(node))


def address(node):
    """The address of a node's first NIC: its number, counted from 1."""
    return f"10.0.0.{int(node.removeprefix('host')) + 1}"


def snmp(node, protocol, name):
    """A counter of a node's IP stack."""
    def read():
        with open("/proc/thread-self/net/snmp", encoding="ascii") as f:
            return [line.split() for line in f
                    if line.startswith(protocol + ":")]
    names, values = inside(node, read)
    return int(dict(zip(names, values))[name])
