# SPDX-License-Identifier: GPL-2.0-or-later
"""Senders into a receiver that is stopped, or slow, on profiles as they ship.

	host1 --.
	        leaf -- host0, which takes nothing, or a tenth of the rate
	host2 --'

What is where when nothing moves any more, in frames of L bytes:

Credits (ib-ndr, nvlink5, ethernet-uec-400g). Each receiver of a wire has room for F
frames: on InfiniBand 2048 blocks of 64 bytes, of which a frame takes ceil((L + 24) / 64);
on NVLink 1024 packets and 16384 flits of 16 bytes, of which it takes
ceil(L / 256) and ceil(L / 16); on Ultra Ethernet 4096 credits of 128 bytes. host1, which sends first, fills host0 and its own
port of the switch, 2 F; host2 its own port of the switch, F.

Pauses (ethernet-400g). A pool of S bytes with alpha 1 stops a sender that holds
as much as is free: host1 holds S / 2 of the switch and then host2 S / 4, each
within a frame; before, host1 has filled half of the pool of host0. To each
comes what arrives after the decision, at most the headroom.

A receiver that takes R bits per second takes a frame of L bytes every 8 L / R.
"""

import os
import socket
import struct
import sys
import time

import netns
from ktap import expect, expect_in, tell
from shipped import FROM_NODE, Lab, address, backlog, snmp
from two_nodes import inside, udp

PROFILES = ("ib-ndr", "ethernet-400g", "nvlink5", "ethernet-uec-400g")
SENDERS = ("host1", "host2")
RING = 65536		# bytes of a class at a NIC; below, one more is taken
QDISC = 1000		# packets, a pfifo_fast
LINES = ['nodes: [{name: "host[0-2]"}]', "switches: [{name: leaf}]",
         'links: [{ends: ["host[0-2]", leaf]}]']
PATTERN = os.urandom(1 << 16)


def content(number, length):
    """What the datagram of a number has in it."""
    start = number % 4096
    return struct.pack("=I", number) + PATTERN[start:start + length - 4]


def patience(s, seconds):
    """How long send() on a socket may block before it says EAGAIN."""
    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO,
                 struct.pack("@qq", 0, int(seconds * 1e6)))


class Udp:
    """Numbered datagrams of a node to host0, at a port of its own."""

    def __init__(self, lab, node, port):
        self.length = lab.datagram
        self.to = (address("host0"), port)
        self.sink = inside("host0", netns.udp, "host0", *self.to)
        self.sink.settimeout(0.05)
        self.socket = udp(node)
        patience(self.socket, 0.02)
        self.count = 0

    def send(self, most=100000):
        """Send until send() blocks, or so many; whether it blocked."""
        for _ in range(most):
            try:
                self.socket.sendto(content(self.count, self.length), self.to)
            except BlockingIOError:
                return True
            self.count += 1
        return False

    def arrived(self):
        """How many came, in order and intact; when each of them came."""
        times = []
        try:
            while True:
                data, _, when = netns.receive(self.sink)
                if data != content(len(times), self.length):
                    return None, times
                times.append(when)
        except TimeoutError:
            return len(times), times


class Tcp:
    """A connection from a node to host0, and the bytes that went through it."""

    def __init__(self, node, port):
        def listen():
            return socket.create_server((address("host0"), port))
        server = inside("host0", listen)
        self.socket = inside(node, socket.create_connection,
                             (address("host0"), port))
        self.sink = server.accept()[0]
        self.sink.setblocking(False)
        patience(self.socket, 0.02)
        self.sent = self.came = 0
        self.intact = True

    def send(self, most):
        """Send until send() blocks, or so many bytes; whether it blocked."""
        end = self.sent + most
        while self.sent < end:
            start = self.sent % len(PATTERN)
            try:
                self.sent += self.socket.send(PATTERN[start:start + end -
                                                      self.sent])
            except BlockingIOError:
                return True
        return False

    def take(self):
        """Take what has come."""
        try:
            while True:
                data = self.sink.recv(1 << 16)
                start = self.came % len(PATTERN)
                here = (PATTERN + PATTERN)[start:start + len(data)]
                self.intact = self.intact and data == here
                self.came += len(data)
        except BlockingIOError:
            return

    def run(self, span):
        """Send and take for some ns; (time, bytes that came) now and then."""
        marks = []
        now = start = netns.now()
        self.socket.setblocking(False)
        while now < start + span:
            self.send(1 << 24)
            self.take()
            marks.append((now, self.came))
            netns.sleep_until(now + 2000)
            now = netns.now()
        self.socket.setblocking(True)
        return marks

    def finish(self):
        """Take until all has come, for a second at the most."""
        end = netns.now() + 10 ** 9
        while self.came < self.sent and netns.now() < end:
            self.take()
            time.sleep(1e-4)


def pool_of(total, ports, accounts):
    """Shared bytes, and the headroom of class 0."""
    fixed = sum(a["reserve"] + a["headroom"] for a in accounts)
    return total - ports * fixed, accounts[0]["headroom"]


def rooms(lab):
    """Frames that host1 and host2 get rid of: least and most of each."""
    nic, size = lab.nics["host0"], lab.frame
    if lab.profile != "ethernet-400g":
        if "credit" in nic:
            room = nic["credit"]["blocks"][0] // -(-(size + 24) // 64)
        elif "cbfc" in nic:
            room = nic["cbfc"]["limit"][0] // -(-size // 128)
        else:
            room = min(nic["flit"]["hdr"][0] // -(-size // 256),
                       nic["flit"]["data"][0] // -(-size // 16))
        return (2 * room, 2 * room), (room, room)
    shared, over = pool_of(nic["rx_buffer"], 1, nic["buffer_classes"])
    leaf, more = pool_of(lab.switch["buffer"], 3,
                         lab.switch["buffer_classes"])
    return (((shared + leaf) // 2 // size - 2,
             ((shared + leaf) // 2 + over + more) // size + 2),
            (leaf // 4 // size - 1, (leaf // 4 + more) // size + 1))


def stopped(problems, profile):
    """Datagrams stop, each at its place, and go on."""
    lab = Lab(profile, LINES)
    flows = {n: Udp(lab, n, 5000 + i) for i, n in enumerate(SENDERS)}
    lab.take("host0", rx_stop=255)
    for (node, flow), (least, most) in zip(flows.items(), rooms(lab)):
        expect(problems, f"{node} blocks", True, flow.send())
        sent = lab.port(f"{node}-leaf", FROM_NODE, "tx_packets")
        waiting = backlog(node)
        expect_in(problems, f"{node}: gone", least, most, sent)
        expect_in(problems, f"{node}: in the qdisc", 1, QDISC, waiting)
        expect_in(problems, f"{node}: in the ring", 1, -(-RING // lab.frame),
                  flow.count - waiting - sent)
        time.sleep(0.01)
        expect(problems, f"{node}: sent later", sent,
               lab.port(f"{node}-leaf", FROM_NODE, "tx_packets"))
        expect(problems, f"{node} still blocks", True, flow.send())
    for node, flow in flows.items():
        expect(problems, f"{node}: taken", 0, flow.arrived()[0])
    lab.take("host0", rx_stop=0)
    for node, flow in flows.items():
        expect(problems, f"{node}: taken at last", flow.count,
               flow.arrived()[0])
    expect(problems, "lost", [], lab.lost())
    lab.end()


def both(problems, profile):
    """TCP behind UDP blocks as well, and sends nothing twice.

    The stop is shorter than 200 ms, TCP's least time-out for what got through
    to the fabric; what still waits in the host is not sent again in any case.
    """
    lab = Lab(profile, LINES)
    tcp = [Tcp(n, 6000 + i) for i, n in enumerate(SENDERS)]
    for flow in tcp:
        flow.run(10 ** 6)
        flow.finish()
    before = [flow.came for flow in tcp]
    flows = [Udp(lab, n, 5000 + i) for i, n in enumerate(SENDERS)]
    lab.take("host0", rx_stop=255)
    for flow in flows + tcp:
        expect(problems, "blocks", True, flow.send(1 << 30))
    for flow in tcp:
        flow.take()
    expect(problems, "taken of TCP", before, [flow.came for flow in tcp])
    for node in SENDERS:
        expect_in(problems, f"{node}: in the qdisc", 1, QDISC, backlog(node))
    lab.take("host0", rx_stop=0)
    for flow in tcp:
        flow.finish()
        expect(problems, "TCP", (flow.sent, True), (flow.came, flow.intact))
    for flow in flows:
        expect(problems, "UDP", flow.count, flow.arrived()[0])
    for node in SENDERS:
        expect(problems, f"{node}: sent twice", 0,
               snmp(node, "Tcp", "RetransSegs"))
    expect(problems, "lost", [], lab.lost())
    lab.end()


def slow(problems, profile):
    """Datagrams into a slow receiver: each comes when its turn is."""
    lab = Lab(profile, LINES)
    flow = Udp(lab, "host1", 5000)
    lab.take("host0", rx_rate=lab.rate // 10)
    most = 2 * rooms(lab)[0][1]
    for _ in range(most):
        if flow.send(1):
            problems.append("send() says EAGAIN")
    held = lab.cls("host1-leaf", FROM_NODE, 0, "wait_ps")
    expect(problems, "held back", True, held > 0)
    count, times = flow.arrived()
    expect(problems, "taken", most, count)
    each = 8e9 * lab.frame / (lab.rate // 10)
    wrong = [(i, t - times[0]) for i, t in enumerate(times)
             if abs(t - times[0] - i * each) > 1]
    expect(problems, "at another time than its own", [], wrong[:5])
    expect(problems, "lost", [], lab.lost())
    lab.end()


def slow_tcp(problems, profile):
    """TCP into a slow receiver: its share of each frame, and nothing twice.

    20 (IPv4) and 32 (TCP with time stamps) bytes of each MTU are no payload. A
    reading is late by 64 KiB at the most, which is what GRO may have at hand.
    """
    lab = Lab(profile, LINES)
    flow = Tcp("host1", 6000)
    lab.take("host0", rx_rate=lab.rate // 10)
    flow.run(5 * 10 ** 6)
    marks = flow.run(5 * 10 ** 6)
    span, came = [marks[-1][i] - marks[0][i] for i in (0, 1)]
    share = span * lab.rate / 8e10 * (lab.mtu - 52) / lab.frame
    expect_in(problems, f"bytes in {span} ns", share - 65536, share + 65536,
              came)
    flow.finish()
    expect(problems, "TCP", (flow.sent, True), (flow.came, flow.intact))
    expect(problems, "sent twice", 0, snmp("host1", "Tcp", "RetransSegs"))
    expect(problems, "lost", [], lab.lost())
    lab.end()


if __name__ == "__main__":
    sys.exit(tell([(f"{profile}: {test.__doc__.splitlines()[0]}", test, profile)
                   for profile in PROFILES
                   for test in (stopped, both, slow, slow_tcp)]))
