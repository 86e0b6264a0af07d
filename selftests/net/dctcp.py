# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's DCTCP over a step mark: the highest queue is K + N packets.

	n0 .. nN-1 --40 Gb/s-- switch --10 Gb/s-- sink

A packet is marked if it finds K packets queued. selftests/unit/dctcp.c derives
the highest queue, and it is exact: the first packet with a mark makes the queue
K + 1 long; until its acknowledgement is back each other source adds one packet,
as each adds one per round trip; then all are cut. So Qmax = K + N.

What it takes for a source to be that regular:

- an acknowledgement for each packet (the route's quickack);
- a packet for each acknowledgement, and not several together at times
  (gso_max_segs 1 at the NIC), all of one length (whole segments).

With delayed acknowledgements there is an acknowledgement for two packets: one
packet of each source may be at the sink and count as under way, so that the
queue is up to N shorter than the windows allow when the first mark is made, and
comes to be as long as they do: Qmax <= K + 2 N. With super-packets besides, of
B segments at the most, a source may hold back up to B, and send them at once:
Qmax <= K + N (1 + B).

Slow start doubles windows until it sees a mark, and would be what makes the
highest queue. So it takes place in a class of its own with a low threshold:
the flows then go on in the class in question.
"""

import os
import socket
import sys
import time

import cluster
import ktap
from cluster import Cluster, snmp
from ktap import expect, expect_in
from netns import SO_RCVBUFFORCE, now

RATE = 10 ** 10
FRAME = 1514
SLOT = (FRAME + 24) * 8 * 10 ** 12 // RATE	# ps
MSS = 1448
SO_PRIORITY = 12
EARLY, MAIN = 0, 1	# classes
EARLY_K = 2
NEVER = 10 ** 6		# packets
REGULAR = "gso_max_segs 1", "quickack 1"

# Parameters of ports, of the switch. Nothing is held back: an account, or the
# credit of a link, has room for 200 frames.
ROOM = 200 * FRAME
DISCIPLINES = {
    "drop-tail": ([], []),
    "pfc": ([("pfc", {"enable": 3})], [
        ("buffer-class", {"class": c, "threshold": ROOM, "headroom": ROOM})
        for c in range(2)]),
    "credit": ([("credit", {"blocks": 200 * 25})], []),
}


def dctcp():
    s = socket.socket()
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"dctcp")
    s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 22)
    return s


def listen():
    s = dctcp()
    s.bind(("", 5000))
    s.listen(64)
    return s


def red(cls, packets):
    """A packet is marked that finds this many."""
    limit = packets * FRAME - 1
    return ("red", {"class": cls, "kmin": limit, "kmax": limit})


class Bottleneck(Cluster):
    """n DCTCP flows, a threshold of k packets, rtt slots without a queue."""

    def __init__(self, n, k, rtt, device, route, discipline):
        port, switch = DISCIPLINES[discipline]
        port = [("classes", 2), ("discipline", discipline)] + port
        super().__init__([f"n{i}" for i in range(n)] + ["sink"],
                         [("port-params", port)])
        port = port + [red(EARLY, EARLY_K), red(MAIN, k)]
        leaf = self.switch(n + 1, [("port-params", port)] + switch)
        for i, node in enumerate(self.nodes):
            self.wire(node, (leaf, i), rtt if node == "sink" else 0)
            self.route(leaf, node, i)
        self.up([(node, "sink") for node in self.nodes[:-1]])
        for node in self.nodes:
            self.inside(node, cluster.batch, [
                f"link set w0 {device}",
                f"route replace 10.9.0.0/16 dev w0 initcwnd 2 {route}"])
        self.connect()

    def wire(self, node, end, rtt):
        self.join(node, end, {"rate": RATE if rtt else 4 * RATE,
                              "propagation": rtt * SLOT // 2})

    def connect(self):
        server = self.inside("sink", listen)
        self.givers = [self.inside(n, dctcp) for n in self.nodes[:-1]]
        self.takers = []
        for s in self.givers:
            s.connect((self.address("sink"), 5000))
            self.takers.append(server.accept()[0])

    def classify(self, cls):
        for s in self.givers:
            s.setsockopt(socket.SOL_SOCKET, SO_PRIORITY, cls)

    def give(self, segments):
        """Start to send that much in each flow; returns the processes."""
        data = bytes(segments * MSS)
        return ([child(s.sendall, data) for s in self.givers] +
                [child(take, s, len(data)) for s in self.takers])

    def peak(self):
        """The longest queue for the sink, in packets."""
        return self.counter("queue_peak")[-1][1] / FRAME

    def sent(self):
        """Packets sent to the sink so far, and the time."""
        return self.counter("tx_packets")[-1][1], now()


def child(call, *args):
    pid = os.fork()
    if not pid:
        call(*args)
        os._exit(0)
    return pid


def take(s, left):
    while left:
        left -= len(s.recv(min(left, 1 << 20)))


def wait(children):
    for pid in children:
        os.waitpid(pid, 0)


def early(problems, lab, k):
    """End slow start, and see that it made no higher queue than K."""
    lab.classify(EARLY)
    for _ in range(3):
        wait(lab.give(200))
        time.sleep(.01)
    expect_in(problems, "queue of slow start", 1, k, lab.peak())
    lab.classify(MAIN)


def busy(problems, lab, span):
    """The way to the sink is never idle in the middle of a time.

    Updates of credit of two lanes take 16 bytes of the 5120 between two ticks.
    """
    time.sleep(span / 4e12)
    sent, at = lab.sent()
    time.sleep(span / 4e12)
    then, until = lab.sent()
    slots = (until - at) * 1000 / SLOT
    expect_in(problems, "packets", slots / (1 + 16 / 5120) - 1, slots + 1,
              then - sent)


def flows(n, k, rtt, segments, device, route, discipline="drop-tail"):
    """Run them: problems, the highest queue."""
    problems = []
    lab = Bottleneck(n, k, rtt, device, route, discipline)
    early(problems, lab, min(k, 100))
    children = lab.give(segments)
    busy(problems, lab, n * segments * SLOT)
    wait(children)
    peak, marked = lab.peak(), lab.classes("marked")
    print(f"# N {n}, K {k}: highest queue {peak}, marked {marked}")
    expect(problems, "lost", {}, lab.drops())
    expect(problems, "sent twice", 0,
           sum(lab.inside(node, snmp, "RetransSegs") for node in lab.nodes))
    lab.delete()
    lab.forget()
    return problems, peak


def exact(n, k, rtt, segments, discipline="drop-tail"):
    problems, peak = flows(n, k, rtt, segments, *REGULAR, discipline)
    expect(problems, "highest queue in packets", k + n, peak)
    return problems


def bounded(n, k, rtt, segments, burst, device, route):
    problems, peak = flows(n, k, rtt, segments, device, route)
    expect_in(problems, "highest queue in packets", k + 1,
              k + n * (1 + burst), peak)
    return problems


def unmarked(n, rtt, segments):
    """What holds the queue are the marks.

    Without, the sum W of the windows grows by n in W slots, so P packets after
    which it was small it is sqrt(2 n P), all but rtt of it in the queue.
    """
    problems, peak = flows(n, NEVER, rtt, segments, *REGULAR)
    law = (2 * n * n * segments) ** .5 - rtt
    expect_in(problems, "highest queue in packets", .9 * law, 1.1 * law, peak)
    return problems


# N, K, packets of a round trip, segments of each flow
SETS = [(1, 40, 10, 6000), (2, 40, 10, 4000), (4, 40, 10, 3000),
        (8, 60, 10, 2500), (16, 65, 10, 1500), (2, 100, 30, 6000),
        (3, 65, 20, 5000)]

TESTS = [(f"{n} flows, K = {k}, {rtt} packets of a round trip: K + N", exact,
          n, k, rtt, count) for n, k, rtt, count in SETS]
TESTS += [(f"{d}: K + N", exact, n, k, 10, 3000, d)
          for d in ("pfc", "credit") for n, k in ((2, 40), (4, 40), (8, 60))]
TESTS += [("delayed acknowledgements: K + 2 N", bounded, n, k, 10, 3000, 1,
           "gso_max_segs 1", "") for n, k in ((2, 40), (4, 40), (8, 60))]
TESTS += [("super-packets of 8 segments: K + 9 N", bounded, n, k, 10, 3000, 8,
           "gso_max_segs 8", "") for n, k in ((2, 40), (4, 40))]
TESTS += [("without marks the queue grows", unmarked, 4, 10, 1000)]

if __name__ == "__main__":
    sys.exit(ktap.run(TESTS))
