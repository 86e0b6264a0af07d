# SPDX-License-Identifier: GPL-2.0-or-later
"""Two nodes and a switch, made without the help of a library.

	a -- switch -- b

The nodes are the network namespaces a and b, which the caller makes.
"""

import json
import os
import socket
import subprocess

from netlink import CLONE_NEWNET, Weft, decode, libc
from netns import enter

ADDRESS = {"a": "10.9.0.1", "b": "10.9.0.2"}
RATE = 10 ** 11


def run(words):
    return subprocess.run(words.split(), check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def text(raw):
    return raw.rstrip(b"\0").decode()


class Lab:
    """A switch and two nodes, with the parameters of switch and NICs given.

    The wires are of 100 Gb/s, but those to and from b if a rate is given.
    """

    def __init__(self, switch, nic, rate=RATE):
        self.weft = Weft()
        self.fabric = self.weft.make("fabric-new", [])
        self.switch = self.weft.make("switch-new", [("fabric", self.fabric),
                                               ("ports", 2)] + switch)
        self.nic = {}
        self.link = []
        self.join("a", nic, RATE)
        self.join("b", nic, rate)
        self.up()

    def join(self, node, nic, rate):
        run(f"ip link add w0 netns {node} type weft")
        fd = os.open(f"/run/netns/{node}", os.O_RDONLY)
        self.nic[node] = self.weft.make("nic-attach", [
            ("fabric", self.fabric), ("ifname", "w0"), ("netns-fd", fd)] + nic)
        os.close(fd)
        port = len(self.link)
        self.link.append(self.weft.make("link-new", {
            "fabric": self.fabric, "a": {"nic": self.nic[node]},
            "b": {"switch": self.switch, "port": port},
            "wire": {"rate": rate, "propagation": 100000}}))
        self.weft.do("route-set", {"fabric": self.fabric,
                                   "switch": self.switch,
                                   "dst": self.nic[node], "port": port})
        run(f"ip -n {node} addr add {ADDRESS[node]}/24 dev w0")

    def up(self):
        """What the nodes' stacks multicast has a way, too."""
        self.weft.do("route-set", [("fabric", self.fabric),
                                   ("switch", self.switch), ("flood", True),
                                   ("port", 0), ("port", 1)])
        for node in ADDRESS:
            run(f"ip -n {node} link set w0 up")
        for node, other in (("a", "b"), ("b", "a")):
            link = json.loads(run(f"ip -j -n {other} link show w0"))[0]
            run(f"ip -n {node} neigh replace {ADDRESS[other]} "
                f"lladdr {link['address']} dev w0")

    def stop(self, classes):
        self.weft.do("nic-set", {"fabric": self.fabric, "id": self.nic["b"],
                                 "rx-stop": classes})

    def wires(self):
        """State of the wires from a, to a, from b, to b."""
        wires = []
        for link in self.link:
            answer = self.weft.do("link-get", {"fabric": self.fabric,
                                               "id": link})[0]
            wires += [w for n, w in decode("link", answer[4:]) if n == "wire"]
        return wires

    def classes(self, wire, counter):
        """A counter of the classes that send on a wire, where it is not 0."""
        found = {}
        for name, cls in self.wires()[wire]:
            if name != "class":
                continue
            for what, entry in cls[1:]:
                values = list(dict(entry).values())
                if what == "counter" and text(values[0]) == counter:
                    found[cls[0][1]] = values[1]
        return found

    def drops(self, wire):
        """What was lost at the port that sends on a wire, by reason."""
        found = [list(dict(v).values()) for n, v in self.wires()[wire]
                 if n == "drop"]
        return {text(why): n for why, n in found if n}

    def lost(self):
        """What the fabric, the sender's NIC and its queues lost."""
        lost = [d for wire in range(4) for d in self.drops(wire).items()]
        about = json.loads(run("ip -j -s -n a link show w0"))[0]
        lost.append(("tx", about["stats64"]["tx"]["dropped"]))
        for qdisc in json.loads(run("tc -j -s -n a qdisc show dev w0")):
            lost.append((qdisc["kind"], qdisc["drops"]))
        return [(what, n) for what, n in lost if n]

    def end(self):
        self.weft.do("fabric-del", {"id": self.fabric})
        for node in ADDRESS:
            run(f"ip -n {node} link del w0")


def inside(node, call, *args):
    """What CALL returns in a node."""
    outside = os.open("/proc/self/ns/net", os.O_RDONLY)
    enter(node)
    result = call(*args)
    libc.setns(outside, CLONE_NEWNET)
    os.close(outside)
    return result


def udp(node):
    """A socket in a node."""
    return inside(node, socket.socket, socket.AF_INET, socket.SOCK_DGRAM)
