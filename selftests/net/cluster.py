# SPDX-License-Identifier: GPL-2.0-or-later
"""A fabric of as many nodes and switches as a test wants, by netlink alone.

A node is a network namespace of its name with one NIC, w0. Nothing but the
test's own packets is on the wires: there is no IPv6 and no ARP.
"""

import os
import socket
import struct
import subprocess

from netlink import (DUMP, NETLINK_ROUTE, RTM_NEWLINK, Netlink, Weft, attribute,
                     attributes, decode)
from two_nodes import inside, text

QUANTUM = 512	# bit times

RTM_NEWADDR, RTM_NEWNEIGH, RTM_GETQDISC = 20, 28, 38
REPLACE, CREATE = 0x100, 0x400
IFA_ADDRESS, IFA_LOCAL = 1, 2
NDA_DST, NDA_LLADDR = 1, 2
NUD_PERMANENT = 0x80
IFF_UP = 1
TCA_STATS = 3


def run(words, lines=None):
    """A command, which must succeed, with lines for its standard input."""
    return subprocess.run(words.split(), check=True, text=True,
                          stdout=subprocess.PIPE,
                          input=lines and "\n".join(lines)).stdout


def batch(lines):
    run("ip -batch -", lines)


def quiet():
    """Set up this namespace: no IPv6, no TCP connection depends on another."""
    for name, value in (("ipv6/conf/default/disable_ipv6", 1),
                        ("ipv4/tcp_no_metrics_save", 1),
                        ("ipv4/tcp_slow_start_after_idle", 0)):
        with open(f"/proc/sys/net/{name}", "w", encoding="ascii") as f:
            f.write(str(value))


def counters(pairs, kind):
    """The counters of a kind among decoded attributes, by name."""
    found = {}
    for name, entry in pairs:
        if name == kind:
            what, value = list(dict(entry).values())
            found[text(what)] = value
    return found


class Cluster:
    """A fabric; what is made is known by the ids that the kernel gave."""

    def __init__(self, nodes, nic=()):
        """Make the nodes, and give each a NIC with the parameters given."""
        self.weft = Weft()
        self.nodes = nodes
        self.nic = {}
        self.links = []
        self.switches = []
        self.fabric = self.weft.make("fabric-new", [])
        batch([f"netns add {n}" for n in nodes])
        for node in nodes:
            self.inside(node, quiet)
        batch([f"link add w0 address {self.mac(n)} netns {n} type weft"
               for n in nodes])
        for node in nodes:
            self.attach(node, list(nic))

    inside = staticmethod(inside)

    def address(self, node):
        return f"10.9.{self.nodes.index(node) + 1}.1"

    def mac(self, node):
        return f"02:00:00:00:00:{self.nodes.index(node) + 1:02x}"

    def attach(self, node, nic):
        fd = os.open(f"/run/netns/{node}", os.O_RDONLY)
        self.nic[node] = self.weft.make("nic-attach", [
            ("fabric", self.fabric), ("ifname", "w0"), ("netns-fd", fd)] + nic)
        os.close(fd)

    def switch(self, ports, params):
        """A switch; returns its id."""
        self.switches.append(self.weft.make("switch-new", [
            ("fabric", self.fabric), ("ports", ports)] + list(params)))
        return self.switches[-1]

    def end(self, end):
        """An end of a link: a node's name, or a switch and its port."""
        if isinstance(end, str):
            return {"nic": self.nic[end]}
        return {"switch": end[0], "port": end[1]}

    def join(self, a, b, wire):
        """A link; returns its number, the place of its state in wires()."""
        self.links.append(self.weft.make("link-new", {
            "fabric": self.fabric, "a": self.end(a), "b": self.end(b),
            "wire": wire}))
        return len(self.links) - 1

    def route(self, switch, node, port):
        self.weft.do("route-set", {"fabric": self.fabric, "switch": switch,
                                   "dst": self.nic[node], "port": port})

    def up(self, pairs):
        """Addresses, and what each of a pair needs to reach the other."""
        peers = {n: {} for n in self.nodes}
        for pair in pairs:
            for node, other in (pair, pair[::-1]):
                peers[node][self.address(other)] = self.mac(other)
        for node in self.nodes:
            self.inside(node, configure, self.address(node), peers[node])

    def wires(self):
        """State of all wires: of each link the one from a, the one from b."""
        found = []
        for link in self.links:
            answer = self.weft.do("link-get", {"fabric": self.fabric,
                                               "id": link})[0]
            found.append([w for n, w in decode("link", answer[4:])
                          if n == "wire"])
        return found

    def counter(self, name):
        """A counter of the ports that send on the wires, as wires()."""
        return [[counters(w, "counter").get(name, 0) for w in link]
                for link in self.wires()]

    def classes(self, name):
        """The sum of a counter over all classes and ports."""
        return sum(counters(c, "counter").get(name, 0)
                   for link in self.wires() for w in link
                   for n, c in w if n == "class")

    def drops(self):
        """What the ports and the queues of the nodes lost, by reason."""
        found = {}
        for link in self.wires():
            for wire in link:
                for why, n in counters(wire, "drop").items():
                    found[why] = found.get(why, 0) + n
        for node in self.nodes:
            found["qdisc"] = found.get("qdisc", 0) + self.inside(node, queued)
        return {why: n for why, n in found.items() if n}

    def delete(self):
        """The fabric alone goes; nodes and NICs stay."""
        self.weft.do("fabric-del", {"id": self.fabric})

    def forget(self):
        """Nodes and NICs go."""
        batch([f"netns del {n}" for n in self.nodes])


def configure(address, peers):
    """Give w0 of this namespace an address, and the MACs of its peers."""
    route = Netlink(NETLINK_ROUTE)
    w0 = socket.if_nametoindex("w0")
    raw = socket.inet_aton(address)
    route.request(RTM_NEWADDR, struct.pack("=BBBBi", socket.AF_INET, 16, 0, 0, w0) +
                  attribute(IFA_LOCAL, raw) + attribute(IFA_ADDRESS, raw), CREATE)
    route.request(RTM_NEWLINK, struct.pack("=BBHiII", 0, 0, 0, w0, IFF_UP, IFF_UP))
    for peer, mac in peers.items():
        route.request(RTM_NEWNEIGH, struct.pack("=BBHiHBB", socket.AF_INET, 0, 0, w0,
                                                NUD_PERMANENT, 0, 0) +
                      attribute(NDA_DST, socket.inet_aton(peer)) +
                      attribute(NDA_LLADDR, bytes.fromhex(mac.replace(":", ""))),
                      CREATE | REPLACE)


def queued():
    """What the queueing disciplines and the NIC of this namespace lost."""
    lost = 0
    with open("/proc/thread-self/net/dev", encoding="ascii") as f:
        for line in f:
            if line.strip().startswith("w0:"):
                lost += int(line.split(":")[1].split()[11])
    for answer in Netlink(NETLINK_ROUTE).request(RTM_GETQDISC, bytes(20), DUMP):
        # struct tc_stats: bytes, packets, drops
        lost += struct.unpack_from("=QII", attributes(answer[20:])[TCA_STATS])[2]
    return lost


def snmp(name):
    """A counter of TCP in this namespace."""
    with open("/proc/thread-self/net/snmp", encoding="ascii") as f:
        names, values = [line.split() for line in f
                         if line.startswith("Tcp:")]
    return int(dict(zip(names, values))[name])


def headroom(rate, propagation, react, most):
    """Bytes that may arrive after a pause was decided, at the most.

    C (2p + react) + R + 84 + 2 L, with R the frame that the pause waits for and
    L the largest one; times are in ps. See Documentation/headroom.rst.
    """
    flight = rate * (2 * propagation + react) // (8 * 10 ** 12) + 1
    return flight + 84 + 3 * most
