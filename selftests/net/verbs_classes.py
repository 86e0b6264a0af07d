# SPDX-License-Identifier: GPL-2.0-or-later
"""Sockets and verbs who share a port: in one class, by tables, and strictly.

	host1, host2, ... -- leaf -- host0	100 Gb/s each

Sockets send datagrams of one MTU, verbs write 64 KiB in packets of 4 KiB, both to
host0 and, unless said otherwise, as fast as they can. What passes on the wire to
host0 is counted by class, and what of it are verbs there: a packet that is under
way at the begin or the end of a window may count in one and not in the other.

At a switch, one class. Ports take turns by packets, whatever these are of: of k
ports of which v send verbs, v / k of the packets are. InfiniBand's packets are of
about one length. Over Ethernet sockets' are longer, and so get more of the bytes.

At a NIC, one class: its ring is a queue, in which both are in the order of their
coming. Sockets that ask for less than is left get all of it, and verbs the rest.
Else the ring holds between half its limit Q and Q. Verbs keep n packets of F bytes
inside the NIC, with L = rate * tx-latency

	n = floor(L / F) + 1

and when one leaves, the next one joins the end of the ring. Sockets, with frames
of S bytes, are woken when less than Q / 2 is there, and then fill the ring at once:

	from  a = the most frames with a S + n F < Q / 2
	by    s = ceil((Q - a S - n F) / S)  to  b = a + s

A packet of verbs that joins when u frames have left since the ring was filled has
b - u of them ahead. When these have left, b have since it was filled, so that from
then on u = b mod s, and (b - u) = k s with k = floor(b / s) are ahead of it each
time. So of n + k s packets n are of verbs. (PCIe would let them in one at a time;
one that comes when the ring is full has to wait for the next fill.)

By tables (vlarb.rst): packets of either kind are 65 blocks of 64 bytes. An entry of
weight w sends ceil(w / 65) of them in a visit; with a high table and the limit h,
that one sends ceil(64 h / 65), at least one, for each of the low one.

Strictly, by a class without a weight or a high table without limit: nothing passes
of the other one, and all of it when the first one has ended.
"""

import math
import os
import signal
import socket
import sys
import time

import netns
from ktap import expect, expect_in, tell
from shipped import TO_NODE, address, counters
from two_nodes import inside, udp
from verbs import HEADER, OVERHEAD, PACKET, Star, stop

PORT = 5000
SNDBUF = 1 << 20	# more than a ring, less than a queueing discipline
SETTLE, SPAN = 0.002, 0.002	# s
VERBS = 3		# service level of verbs that have a class of their own
ALONE = "nic: {verbs: {congestion: none}}"


class Sockets:
    """A process that sends datagrams from a node to host0."""

    def __init__(self, lab, node, gap=0):
        """Every GAP ns, or without pause."""
        to = address("host0"), PORT + int(node.removeprefix("host"))
        self.sink = inside("host0", netns.udp, "host0", *to)
        self.pid = os.fork()
        if self.pid:
            return
        try:
            self.send(udp(node), to, bytes(lab.datagram), gap)
        finally:
            os._exit(1)

    @staticmethod
    def send(s, to, data, gap):
        s.setsockopt(socket.SOL_SOCKET, netns.SO_SNDBUFFORCE, SNDBUF)
        s.connect(to)
        s.send(b"")
        time.sleep(0.0005)	# until host0's address is known
        start = netns.now()
        while True:
            if gap:
                start += gap
                netns.sleep_until(start)
            s.send(data)

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self.sink.close()


class Window:
    """Packets on the wire to host0 in a while, after another while."""

    def __init__(self, lab, settle=SETTLE):
        time.sleep(settle)
        start, before, verbs = self.look(lab)
        time.sleep(SPAN)
        end, after, seen = self.look(lab)
        self.time = end - start
        self.cls = {c: n - before[c] for c, n in after.items()}
        self.all = sum(self.cls.values())
        self.verbs = seen - verbs
        self.sockets = self.all - self.verbs

    @staticmethod
    def look(lab):
        wire = lab.wires("host0-leaf")[TO_NODE]
        cls = {pairs[0][1]: counters(pairs, "counter")["tx_packets"]
               for name, pairs in wire if name == "class"}
        return time.monotonic_ns(), cls, lab.verbs("host0")["rx_packets"]

    def full(self, problems, lab, what):
        """Was the wire busy all the time? Updates of credit are little."""
        bytes_ = (self.sockets * (lab.frame + OVERHEAD) +
                  self.verbs * (PACKET + HEADER[lab.profile] + 1))
        expect_in(problems, what, 0.998, 1.002,
                  bytes_ * 8e9 / lab.rate / self.time)


def begin(lab, sockets, verbs, level=0, gap=0):
    """Who sends datagrams, and who writes; nodes by their numbers."""
    first = [Sockets(lab, f"host{i}", gap) for i in sockets]
    return first, lab.write("-l", level, writers=[f"host{i}" for i in verbs])


def end(problems, lab, sockets, writers):
    """Who still sends ends; nothing was lost."""
    for s in sockets:
        s.end()
    if writers:
        stop(writers)
    expect(problems, "lost", [], lab.lost())
    lab.end()


def at_switch(problems, profile, sockets, verbs):
    """A class of a switch's port, with so many ports that send to it."""
    ports = sockets + verbs
    lab = Star(profile, ports, [ALONE])
    pids, writers = begin(lab, range(1, sockets + 1),
                          range(sockets + 1, ports + 1))
    seen = Window(lab)
    print(f"# {seen.verbs} of {seen.all} are of verbs, law {verbs}/{ports}")
    expect_in(problems, "verbs", seen.all * verbs / ports - 2,
              seen.all * verbs / ports + 2, seen.verbs)
    seen.full(problems, lab, "wire")
    end(problems, lab, pids, writers)


def ring_law(lab, limit, latency):
    """Of how many packets how many are of verbs; LATENCY in ns."""
    packet = PACKET + HEADER[lab.profile] - OVERHEAD
    n = int(lab.rate * latency / 8e9 / packet) + 1
    least = math.ceil((limit / 2 - n * packet) / lab.frame) - 1
    fill = math.ceil((limit - least * lab.frame - n * packet) / lab.frame)
    return n, n + (least + fill) // fill * fill


def at_nic(problems, profile, limit, latency):
    """A class of a NIC, whose ring sockets fill."""
    lab = Star(profile, 1, [f"nic: {{queue-limit: {limit}, "
                            f"tx-latency: {latency}ns, "
                            "verbs: {congestion: none, "
                            "pcie-rate: unlimited}}"])
    pids, writers = begin(lab, [1], [1])
    seen = Window(lab)
    n, of = ring_law(lab, limit, latency)
    print(f"# {seen.verbs} of {seen.all} are of verbs, law {n}/{of}")
    expect_in(problems, "verbs", n * (seen.all / of - 1),
              n * (seen.all / of + 1), seen.verbs)
    seen.full(problems, lab, "wire")
    end(problems, lab, pids, writers)


def paced(problems, profile, part):
    """A class of a NIC, of which sockets ask for a part."""
    lab = Star(profile, 1, [ALONE])
    gap = round((lab.frame + OVERHEAD) * 8e9 / lab.rate / part)
    pids, writers = begin(lab, [1], [1], gap=gap)
    seen = Window(lab)
    print(f"# {seen.sockets} datagrams, law {seen.time / gap:.1f}")
    expect_in(problems, "sockets", seen.time / gap - 2, seen.time / gap + 2,
              seen.sockets)
    seen.full(problems, lab, "wire")
    end(problems, lab, pids, writers)


def tables(problems, writer, high, low, limit, ratio):
    """InfiniBand's tables, at the NIC of both or at the switch."""
    lab = Star("ib-edr", max(1, writer), [
        f"port: {{vlarb-high: [{high}], vlarb-low: [{low}], "
        f"high-limit: {limit}}}"])
    pids, writers = begin(lab, [1], [writer], VERBS)
    seen = Window(lab)
    visits = [seen.cls[c] / n for c, n in zip((0, VERBS), ratio)]
    print(f"# {seen.cls[0]} of sockets, {seen.cls[VERBS]} of verbs")
    expect_in(problems, "visits", visits[0] - 1, visits[0] + 1, visits[1])
    seen.full(problems, lab, "wire")
    end(problems, lab, pids, writers)


def strict(problems, profile, first, line):
    """FIRST, "sockets" or "verbs", starves the other one, and then ends."""
    lab = Star(profile, 1, [ALONE, line])
    pids, writers = begin(lab, [1], [1], VERBS)
    seen = Window(lab)
    mine, other = (VERBS, 0) if first == "verbs" else (0, VERBS)
    expect(problems, "of the other", 0, seen.cls[other])
    seen.full(problems, lab, "who is first")
    if first == "verbs":
        stop(writers)
        writers = None
    else:
        pids.pop().end()
    seen = Window(lab)
    expect(problems, "of who was first", 0, seen.cls[mine])
    seen.full(problems, lab, "the other")
    end(problems, lab, pids, writers)


def high_first(high, low):
    return f'port: {{vlarb-high: ["{high}:65"], vlarb-low: ["{low}:65"], ' \
           "high-limit: 255}"


SWITCH = [("ib-edr", 1, 1), ("ib-edr", 1, 3), ("ib-edr", 2, 1),
          ("ethernet-100g", 1, 1), ("ethernet-100g", 2, 2)]
NIC = [("ib-edr", 65536, 350), ("ib-edr", 131072, 1000),
       ("ib-edr", 262144, 2000), ("ethernet-100g", 65536, 350),
       ("ethernet-100g", 131072, 700)]
PACED = [("ib-edr", 0.25), ("ib-edr", 0.75), ("ethernet-100g", 0.5)]
TABLES = [("", '"0:65", "3:195"', 0, (1, 3)), ("", '"0:255", "3:65"', 0, (4, 1)),
          ("", '"0:130", "3:195"', 0, (2, 3)), ('"3:65"', '"0:65"', 0, (1, 1)),
          ('"3:65"', '"0:65"', 4, (1, 4)), ('"0:65"', '"3:65"', 7, (7, 1))]
STRICT = [("ethernet-100g", "verbs", "port: {weights: [1, 1, 1, 0, 1, 1, 1, 1]}"),
          ("ethernet-100g", "sockets", "port: {weights: [0, 1, 1, 1, 1, 1, 1, 1]}"),
          ("ib-edr", "verbs", high_first(3, 0)),
          ("ib-edr", "sockets", high_first(0, 3))]


def main():
    tests = [(f"{p}: one class of a switch, {s} to {v}", at_switch, p, s, v)
             for p, s, v in SWITCH]
    tests += [(f"{p}: one class of a NIC, {q} bytes, {t} ns", at_nic, p, q, t)
              for p, q, t in NIC]
    tests += [(f"{p}: one class of a NIC, sockets ask for {x}", paced, p, x)
              for p, x in PACED]
    tests += [(f"tables of a {where}: {t[-1][0]} to {t[-1][1]}, limit {t[2]}",
               tables, node, *t)
              for where, node in (("NIC", 1), ("switch", 2)) for t in TABLES]
    tests += [(f"{p}: {first} first", strict, p, first, line)
              for p, first, line in STRICT]
    sys.exit(tell(tests))


if __name__ == "__main__":
    main()
