# SPDX-License-Identifier: GPL-2.0-or-later
"""A sender into a stopped receiver ends up blocked, and loses nothing.

	a -- switch -- b	100 Gb/s

b takes nothing. a sends until send() blocks, which it does when its socket may
have no more under way: what it sent is in the socket's queueing discipline, the
NIC's ring, the switch, b's receive buffer. Then b goes on and must get all of
it, in order. Of two classes only the one that b does not take is stopped.
"""

import errno
import json
import os
import socket
import struct
import subprocess
import sys

from netlink import CLONE_NEWNET, Weft, decode, libc
from netns import SO_RCVBUFFORCE, enter

ADDRESS = {"a": "10.9.0.1", "b": "10.9.0.2"}
LENGTH = 1400
SO_PRIORITY = 12
STOPPED, FREE = 3, 0	# classes

# 16 KiB until pause, and headroom for what is under way then: on 100 Gb/s and
# 100 ns of cable (1250 bytes there, 1250 back) two frames and a pause frame
# each way are less than 16 KiB.
ACCOUNTS = [("buffer-class", {"class": c, "threshold": 16384,
                              "headroom": 16384}) for c in range(8)]
DISCIPLINES = {
    "pfc": ({"pfc": {"enable": 255}}, ACCOUNTS, 10 ** 6),
    "pause": ({}, ACCOUNTS, 10 ** 6),
    "credit": ({"credit": {"blocks": 128}}, [], None),
    "nvlink": ({"flit": [("hdr", 64), ("data", 1024)]}, [], None),
    "pcie": ({"flit": [("hdr", 64), ("data", 1024)]}, [], None),
}


def run(words):
    return subprocess.run(words.split(), check=True, stdout=subprocess.PIPE,
                          text=True).stdout


class Lab:
    """Two nodes and a switch, with a discipline."""

    def __init__(self, discipline):
        params, accounts, total = DISCIPLINES[discipline]
        params = {"discipline": discipline, **params}
        self.weft = Weft()
        self.fabric = self.make("fabric-new", [])
        switch = [("fabric", self.fabric), ("ports", 2),
                  ("port-params", params)] + accounts
        self.switch = self.make("switch-new", switch)
        self.nic = {}
        self.link = []
        for node in ADDRESS:
            self.join(node, params, [("rx-buffer", total)] + accounts
                      if total else [])
        self.up()

    def make(self, command, values):
        answer = self.weft.do(command, values)[0]
        return dict(decode(command.split("-", maxsplit=1)[0],
                           answer[4:]))["id"]

    def join(self, node, params, buffer):
        run(f"ip link add w0 netns {node} type weft")
        fd = os.open(f"/run/netns/{node}", os.O_RDONLY)
        self.nic[node] = self.make("nic-attach", [
            ("fabric", self.fabric), ("ifname", "w0"), ("netns-fd", fd),
            ("port-params", params)] + buffer)
        os.close(fd)
        port = len(self.link)
        self.link.append(self.make("link-new", {
            "fabric": self.fabric, "a": {"nic": self.nic[node]},
            "b": {"switch": self.switch, "port": port},
            "wire": {"rate": 10 ** 11, "propagation": 100000}}))
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

    def lost(self):
        """What the fabric, the sender's NIC and its queues lost."""
        lost = []
        for link in self.link:
            answer = self.weft.do("link-get", {"fabric": self.fabric,
                                               "id": link})[0]
            for name, wire in decode("link", answer[4:]):
                if name == "wire":
                    lost += [tuple(dict(v).values()) for n, v in wire
                             if n == "drop"]
        about = json.loads(run("ip -j -s -n a link show w0"))[0]
        lost.append(("tx", about["stats64"]["tx"]["dropped"]))
        for qdisc in json.loads(run("tc -j -s -n a qdisc show dev w0")):
            lost.append((qdisc["kind"], qdisc["drops"]))
        return [(what, n) for what, n in lost if n]

    def end(self):
        self.weft.do("fabric-del", {"id": self.fabric})
        for node in ADDRESS:
            run(f"ip -n {node} link del w0")


def udp(node):
    """A socket in a node, made from outside."""
    outside = os.open("/proc/self/ns/net", os.O_RDONLY)
    enter(node)
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    libc.setns(outside, CLONE_NEWNET)
    os.close(outside)
    return s


def sender(priority):
    s = udp("a")
    s.setsockopt(socket.SOL_SOCKET, SO_PRIORITY, priority)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO,
                 struct.pack("@qq", 0, 100000))
    return s


def receiver(port):
    s = udp("b")
    s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 26)
    s.bind((ADDRESS["b"], port))
    s.settimeout(0.1)
    return s


def send(s, port, most):
    """Send numbered datagrams: how many, and whether it blocked."""
    for number in range(most):
        try:
            s.sendto(struct.pack("=I", number).ljust(LENGTH, b"."),
                     (ADDRESS["b"], port))
        except BlockingIOError as error:
            return number, error.errno == errno.EAGAIN
    return most, False


def receive(s):
    """The numbers of all that arrives."""
    numbers = []
    try:
        while True:
            numbers.append(struct.unpack_from("=I", s.recv(LENGTH))[0])
    except TimeoutError:
        return numbers


def expect(problems, what, expected, got):
    if expected != got:
        problems.append(f"{what}: expected {expected}, got {got}")


def stopped(lab):
    """The stopped class blocks; the other one does not; nothing is lost."""
    problems = []
    held, free = receiver(5000), receiver(5001)
    lab.stop(1 << STOPPED)
    count, blocked = send(sender(STOPPED), 5000, 20000)
    expect(problems, "blocked", True, blocked)
    expect(problems, "taken", [], receive(held))
    expect(problems, "of the other class", (3000, False),
           send(sender(FREE), 5001, 3000))
    expect(problems, "taken of it", list(range(3000)), receive(free))
    lab.stop(0)
    expect(problems, "taken at last", list(range(count)), receive(held))
    expect(problems, "lost", [], lab.lost())
    return problems


def whole(lab):
    """All classes are stopped, and go on."""
    problems = []
    held = receiver(5000)
    lab.stop(255)
    count, blocked = send(sender(FREE), 5000, 20000)
    expect(problems, "blocked", True, blocked)
    lab.stop(0)
    expect(problems, "taken at last", list(range(count)), receive(held))
    expect(problems, "lost", [], lab.lost())
    return problems


def main():
    # "pause" knows no classes.
    tests = [(d, t) for d in DISCIPLINES for t in (whole, stopped)
             if (d, t) != ("pause", stopped)]
    failed = 0
    print(f"KTAP version 1\n1..{len(tests)}")
    for number, (discipline, test) in enumerate(tests, 1):
        lab = Lab(discipline)
        problems = test(lab)
        lab.end()
        failed += bool(problems)
        print("not ok" if problems else "ok", number,
              f"{discipline}: {test.__doc__}")
        for problem in problems:
            print("# |", problem[:300])
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
