# SPDX-License-Identifier: GPL-2.0-or-later
"""64 TCP flows into one port: what loses nothing, and how long it takes.

	n0 .. n63 -- switch -- sink	100 Gb/s each

All senders begin at one instant with 200 kB each; Reno's slow start, ended by
nothing but a loss or the receive window of at least 128 KiB, offers the switch
64 of these windows, far more than its buffer. What is lossless loses nothing
and sends nothing twice. Drop-tail with the same buffer drops, and so do pauses
when they come without the headroom that what is under way needs.

The first windows, 640 packets, last for a hundred round trips without queues,
so the wire to the sink is busy from the first packet on: the last byte comes
2 p after the time that all packets take there. Besides them that wire carries
control frames for what the sink sends. Nobody pauses it; an update of credit
has 8 bytes and comes each 4.096 us (2 of 10,000); most flits ride on packets. A
thousandth covers all of that.
"""

import select
import socket
import sys
import time

import cluster
import ktap
from cluster import Cluster, headroom, snmp
from ktap import expect, expect_in
from netns import SO_RCVBUFFORCE, SO_SNDBUFFORCE, now, sleep_until

SENDERS, BYTES = 64, 200000
RATE, PROPAGATION = 10 ** 11, 100000
REACT = 394 * cluster.QUANTUM * 10 ** 12 // RATE	# IEEE 802.3, 31B.3.7
MTU, HEADERS = 1500, 52		# IPv4, TCP with time stamps
FRAME = MTU + 14
WINDOW = 1 << 17
XOFF = 16384
HEADROOM = headroom(RATE, PROPAGATION, REACT, FRAME + 24)
BUFFER = (SENDERS + 1) * (XOFF + HEADROOM)

ACCOUNT = [("buffer-class", {"class": 0, "threshold": XOFF,
                             "headroom": HEADROOM})]
SHORT = [("buffer-class", {"class": 0, "threshold": XOFF,
                           "headroom": FRAME})]
TURNS = [("arbiter", 1)]
BULK = [("buffer-total", BUFFER)] + TURNS
LIMIT = {"queue-limit": BUFFER}
ETHERNET, CREDIT = {}, {"overhead": 24, "min-frame": 0}
FLIT = {"payload": 256, "unit": 16, "overhead": 16, "min-frame": 0}
# parameters of ports, of the switch, of wires
DISCIPLINES = {
    "pfc": ({"pfc": {"enable": 1}, "react": REACT}, BULK + ACCOUNT, ETHERNET),
    "credit": ({"credit": {"blocks": (XOFF + HEADROOM) // 64}}, TURNS, CREDIT),
    "nvlink": ({"flit": [("hdr", 1024), ("data", (XOFF + HEADROOM) // 16)]},
               TURNS, FLIT),
    "drop-tail": (LIMIT, BULK, ETHERNET),
    "late": ({"pfc": {"enable": 1}, "react": REACT}, BULK + SHORT, ETHERNET),
}
NAMES = {"late": "pfc"}


def on_wire(length, wire):
    """Bytes that a frame takes: in one piece, or in packets of the link."""
    overhead, payload = wire.get("overhead", 24), wire.get("payload")
    if not payload:
        return length + overhead
    filled = -(-length // wire["unit"]) * wire["unit"]
    return filled + -(-length // payload) * overhead


def least(wire):
    """Time that all packets take on the bottleneck, in ns."""
    mss = MTU - HEADERS
    full, rest = divmod(BYTES, mss)
    flow = full * on_wire(FRAME, wire)
    flow += on_wire(rest + HEADERS + 14, wire) if rest else 0
    return SENDERS * flow * 8 * 10 ** 9 / RATE


def incast(discipline):
    port, switch, wire = DISCIPLINES[discipline]
    port = [("port-params", {"discipline": NAMES.get(discipline, discipline),
                            "classes": 1, **port})]
    senders = [f"n{i}" for i in range(SENDERS)]
    lab = Cluster(senders + ["sink"], port)
    leaf = lab.switch(SENDERS + 1, port + switch)
    for i, node in enumerate(lab.nodes):
        lab.join(node, (leaf, i), {"rate": RATE, "propagation": PROPAGATION,
                                   **wire})
        lab.route(leaf, node, i)
    lab.up([(n, "sink") for n in senders])
    return lab


def listen():
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, WINDOW)
    s.bind(("", 5000))
    s.listen(SENDERS)
    return s


def reno():
    """A socket that takes all bytes at once."""
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 4 * BYTES)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"reno")
    return s


def collect(flows):
    """The bytes of each flow, and when the last one came."""
    got = dict.fromkeys(flows, 0)
    poll = select.epoll()
    for s in flows:
        poll.register(s, select.EPOLLIN)
    files = {s.fileno(): s for s in flows}
    room = bytearray(1 << 20)
    last = 0
    while sum(got.values()) < SENDERS * BYTES:
        for fd, _ in poll.poll(10) or [(None, None)]:
            if fd is None:
                return got, last
            got[files[fd]] += files[fd].recv_into(room)
        last = now()
    return got, last


def transfer(lab):
    """Run the flows: bytes of each, and the time until the last byte in ns."""
    server = lab.inside("sink", listen)
    clients = [lab.inside(n, reno) for n in lab.nodes[:-1]]
    flows = []
    for s in clients:
        s.connect((lab.address("sink"), 5000))
        flows.append(server.accept()[0])
    time.sleep(0.001)
    start = now() + 10 ** 6
    sleep_until(start)
    for s in clients:
        s.sendall(bytes(BYTES))
    got, last = collect(flows)
    return list(got.values()), last - start


def retransmitted(lab):
    return sum(lab.inside(n, snmp, "RetransSegs") for n in lab.nodes)


def lossless(discipline):
    problems = []
    lab = incast(discipline)
    got, took = transfer(lab)
    bound = least(DISCIPLINES[discipline][2]) + 2 * PROPAGATION // 1000
    print(f"# {discipline}: {took} ns of at least {bound:.0f}")
    expect(problems, "bytes", [BYTES] * SENDERS, got)
    expect_in(problems, "time in ns", bound, 1.001 * bound, took)
    expect(problems, "lost", {}, lab.drops())
    expect(problems, "sent twice", 0, retransmitted(lab))
    held = sum(link[0] > 0 for link in lab.counter("tx_wait_ps"))
    expect(problems, "senders held back", SENDERS, held)
    lab.delete()
    lab.forget()
    return problems


def lossy(discipline, why):
    problems = []
    lab = incast(discipline)
    got, took = transfer(lab)
    drops = lab.drops()
    print(f"# {discipline}: {took} ns, lost {drops}")
    expect(problems, "bytes", [BYTES] * SENDERS, got)
    expect(problems, "reasons", [why], list(drops))
    if retransmitted(lab) == 0:
        problems.append("nothing was sent twice")
    lab.delete()
    lab.forget()
    return problems


if __name__ == "__main__":
    sys.exit(ktap.run(
        [(f"{d}: nothing is lost, at line rate", lossless, d)
         for d in ("pfc", "credit", "nvlink")] +
        [("drop-tail with the same buffer loses", lossy, "drop-tail",
          "buffer_full"),
         ("pfc without enough headroom loses", lossy, "late",
          "headroom_full")]))
