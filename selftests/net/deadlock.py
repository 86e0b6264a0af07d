# SPDX-License-Identifier: GPL-2.0-or-later
"""Rings of switches: what deadlocks, what breaks it, what does not deadlock.

	    h0     h1
	    |      |
	.- s0 --> s1 -.		10 Gb/s, 100 ns; all links are both ways
	|             |
	'- s3 <-- s2 -'		host i sends to host i + h, clockwise
	    |      |
	    h3     h2

Turns give the host of each switch half of the next link, so that with h = 3 all
the buffers of the ring fill with packets that wait for each other; with h = 2
the half that is left is what the one flow that passes through wants: each host
gets C / 2 and a ring of three carries 1.5 C. (The model's own tests,
selftests/unit/pfc_fabric.c and ib_fabric.c, show it for more sizes.)

A buffer of the ring holds at most HOLD packets. From the instant on at which
one of its links is stuck, the one before can send at most the HOLD packets that
its far end has room for, and takes turns with the host of that switch
meanwhile: 2 HOLD slots, and so on around the ring. FILL is that for four links,
with as much again for the time in which the buffers fill at the beginning: the
deadlock is there within FILL of the first packet, and a link that is stuck,
less than FILL before the last packet came that anyone got.
"""

import fcntl
import os
import select
import signal
import socket
import struct
import sys
import termios
import time

import cluster
import ktap
from cluster import Cluster, headroom
from ktap import expect, expect_in
from netns import SO_RCVBUFFORCE, SO_SNDBUFFORCE, SO_TIMESTAMPNS, now, receive

RATE, PROPAGATION = 10 ** 10, 100000
REACT = 67 * cluster.QUANTUM * 10 ** 12 // RATE	# IEEE 802.3, 31B.3.7
FRAME = 1514
PAYLOAD = FRAME - 42
SLOT = (FRAME + 24) * 8 * 10 ** 9 / RATE	# ns
XOFF = 20 * FRAME
HEADROOM = headroom(RATE, PROPAGATION, REACT, FRAME + 24)
HOLD = (XOFF + HEADROOM) // FRAME + 1
FILL = 4 * 2 * 2 * HOLD * SLOT
MS = 10 ** 6	# ns
POLL, DETECT, RESTORE = MS, 5 * MS, 5 * MS
HOQ = 4096 << 10	# ns
PORT = 5000

# All that a switch of three ports can hold, and turns among its ports.
BULK = [("buffer-total", 3 * (XOFF + HEADROOM)), ("arbiter", 1),
        ("buffer-class", {"class": 0, "threshold": XOFF,
                          "headroom": HEADROOM, "xon": FRAME})]
TURNS = [("arbiter", 1)]
DISCIPLINES = {
    "pfc": ({"pfc": {"enable": 1}, "react": REACT}, BULK),
    "pause": ({"react": REACT}, BULK),
    "credit": ({"credit": {"blocks": HOLD * 25}}, TURNS),
    "nvlink": ({"flit": [("hdr", HOLD * 6), ("data", HOLD * 96)]}, TURNS),
}


class Ring(Cluster):
    """n switches in a ring, a host at each."""

    def __init__(self, n, hops, discipline, params=None, where=None):
        """PARAMS are more ones of the switches, or of the first WHERE."""
        flow, bulk = DISCIPLINES[discipline]
        port = {"discipline": discipline, "classes": 1, **flow}
        super().__init__([f"h{i}" for i in range(n)], [("port-params", port)])
        more = dict(port)
        for key, value in (params or {}).items():
            more[key] = {**port.get(key, {}), **value}
        for i in range(n):
            own = more if where is None or i < where else port
            self.switch(3, [("port-params", own)] + bulk)
        for i, switch in enumerate(self.switches):
            self.wire(f"h{i}", (switch, 0))
            self.wire((switch, 1), (self.switches[(i + 1) % n], 2))
            for j, node in enumerate(self.nodes):
                self.route(switch, node, 0 if i == j else 1)
        self.pairs = [(f"h{i}", f"h{(i + hops) % n}") for i in range(n)]
        self.up(self.pairs)
        self.takers = [self.inside(d, taker) for _, d in self.pairs]
        self.givers = [self.inside(s, giver, self.address(d))
                       for s, d in self.pairs]
        self.children = []

    def wire(self, a, b):
        self.join(a, b, {"rate": RATE, "propagation": PROPAGATION})

    def send(self):
        """Send from now on, as much as the sockets take."""
        for s in self.givers:
            pid = os.fork()
            if not pid:
                blast(s)
            self.children.append(pid)
        return now()

    def quiet(self):
        """The senders end, even those that are blocked."""
        for pid in self.children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        self.children = []

    def moved(self):
        """Frames sent so far, by link of the ring."""
        return [link[0] for link in self.counter("tx_packets")]

    def peaks(self):
        """The most that was held of what came over each link of the ring."""
        return [cluster.counters(c, "counter").get("buffer_peak", 0)
                for link in self.wires()[1::2] for n, c in link[1]
                if n == "class"]

    def kept(self):
        """Bytes of the senders that are not given back."""
        return [struct.unpack("=i", fcntl.ioctl(s, termios.TIOCOUTQ,
                                                bytes(4)))[0]
                for s in self.givers]

    def forget(self):
        for s in self.takers + self.givers:
            s.close()
        super().forget()


def taker():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 28)
    s.bind(("", PORT))
    return s


def giver(address):
    """A socket that has less under way than the queueing discipline holds."""
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 1 << 19)
    s.connect((address, PORT))
    return s


def blast(s):
    """Send while there is a way. Where all is dropped at once, time has to
    pass; 128 packets are more than are taken up meanwhile."""
    try:
        while True:
            for _ in range(128):
                s.send(bytes(PAYLOAD))
            time.sleep(1e-6)
    except OSError:
        os._exit(0)


def collect(takers, until):
    """(receiver, time) of all datagrams up to a time, in order."""
    seen = []
    poll = select.epoll()
    files = {s.fileno(): (i, s) for i, s in enumerate(takers)}
    for fd in files:
        poll.register(fd, select.EPOLLIN)
    while now() < until:
        for fd, _ in poll.poll((until - now()) / 1e9):
            i, s = files[fd]
            seen.append((receive(s)[2], i))
    return sorted((when, i) for when, i in seen if when <= until)


def stuck(problems, lab):
    """Nothing moves, and all senders wait for room."""
    before = lab.moved()
    time.sleep(0.01)
    expect(problems, "moves", before, lab.moved())
    writable = select.select([], lab.givers, [], 0)[1]
    expect(problems, "senders that may send", [], writable)


def deadlock(discipline):
    """The ring stops, loses nothing, and can be taken away."""
    problems = []
    lab = Ring(4, 3, discipline)
    start = lab.send()
    seen = collect(lab.takers, start + 20 * MS)
    last = seen[-1][0] - start if seen else 0
    print(f"# {discipline}: {len(seen)} datagrams until {last} ns,"
          f" FILL is {FILL:.0f} ns")
    expect_in(problems, "last datagram", SLOT, FILL, last)
    stuck(problems, lab)
    expect(problems, "lost", {}, lab.drops())
    lab.delete()
    lab.quiet()
    expect(problems, "kept", [0] * 4, lab.kept())
    lab.forget()
    return problems


def taken(discipline):
    """Of a ring that has stopped, the hosts go first."""
    problems = []
    lab = Ring(4, 3, discipline)
    lab.send()
    time.sleep(0.02)
    stuck(problems, lab)
    for node in lab.nodes:
        cluster.run(f"ip -n {node} link del w0")
    lab.quiet()
    expect(problems, "kept", [0] * 4, lab.kept())
    lab.delete()
    lab.forget()
    return problems


def silence(problems, seen, start, low, high):
    """The first silence begins within FILL, and is as long as the law says."""
    times = [when for when, _ in seen]
    gaps = [(b - a, a - start) for a, b in zip(times, times[1:])
            if b - a > low / 2]
    print(f"# {len(seen)} datagrams, silences {gaps[:3]}")
    if gaps:
        expect_in(problems, "silence from", 0, FILL, gaps[0][1])
        expect_in(problems, "silence for", low - FILL, high + FILL, gaps[0][0])
    else:
        problems.append("no silence, or one without end")


def watched(action, where, low, why):
    """Stuck since the first look, found after DETECT; a look each POLL."""
    problems = []
    dog = {"watchdog": action, "poll": POLL * 1000, "detect": DETECT * 1000,
           "restore": RESTORE * 1000}
    lab = Ring(4, 3, "pfc", {"pfc": dog}, where)
    start = lab.send()
    seen = collect(lab.takers, start + int(low + POLL + 2 * FILL))
    silence(problems, seen, start, low, low + POLL)
    expect(problems, "reasons", [why], list(lab.drops()))
    found = lab.classes("watchdogs")
    expect_in(problems, "storms", 1, where, found)
    lab.quiet()
    lab.delete()
    lab.forget()
    return problems


def aged(discipline):
    """All heads are dropped each HOQ, until one of the buffers has room.

    With credit the first one makes room. With pauses a buffer must get down to
    XON from what came until the pause, which was the most that it ever held.
    """
    problems = []
    lab = Ring(4, 3, discipline, {"age": {"hoq": HOQ * 1000}})
    start = lab.send()
    seen = collect(lab.takers, start + int(HOQ / 2))
    held = min(lab.peaks())
    heads = 1
    if discipline in ("pfc", "pause"):
        heads = -(-(held - XOFF + FRAME) // FRAME)
    seen += collect(lab.takers, start + int(heads * HOQ + 2 * FILL))
    silence(problems, seen, start, heads * HOQ, heads * HOQ)
    expect(problems, "reasons", ["hoq_life"], list(lab.drops()))
    lab.quiet()
    lab.delete()
    lab.forget()
    return problems


def goes(discipline, n, hops):
    """Each host gets C / h, for ever: 1000 datagrams in 1000 h slots, to 2.

    Updates of credit take 8 bytes of the 5120 between two ticks: 1.6 of 1000.
    """
    problems = []
    lab = Ring(n, hops, discipline)
    start = lab.send() + int(FILL)
    seen = collect(lab.takers, start + int(1000 * hops * SLOT))
    shares = [sum(i == j and when >= start for when, i in seen)
              for j in range(n)]
    print(f"# {discipline}: shares {shares}")
    for share in shares:
        expect_in(problems, "datagrams", 996, 1002, share)
    lab.quiet()
    expect(problems, "lost", {}, lab.drops())
    lab.delete()
    lab.forget()
    return problems


TESTS = [(f"{d}: 4 switches and 3 hops stop", deadlock, d)
         for d in DISCIPLINES]
TESTS += [(f"{d}: the hosts of a ring that has stopped go", taken, d)
          for d in DISCIPLINES]
# Where all drop, nobody gets anything before they have ended that; where one
# does, the flow does that does not pass it; who forwards overruns the next.
TESTS += [("watchdogs that drop", watched, 1, 4, DETECT + RESTORE, "watchdog"),
          ("one watchdog that drops", watched, 1, 1, DETECT, "watchdog"),
          ("watchdogs that forward", watched, 2, 4, DETECT, "headroom_full"),
          ("one watchdog that forwards", watched, 2, 1, DETECT,
           "headroom_full")]
TESTS += [(f"{d}: head-of-queue life", aged, d) for d in DISCIPLINES]
TESTS += [(f"{d}: {n} switches and {h} hops go on", goes, d, n, h)
          for d in DISCIPLINES for n, h in ((3, 2), (4, 2))]

if __name__ == "__main__":
    sys.exit(ktap.run(TESTS))
