# SPDX-License-Identifier: GPL-2.0-or-later
"""What becomes of a packet's priority, of its ECN field, of its tail.

	a -- switch -- b	100 Gb/s, and 1 Gb/s to b where a queue is wanted
"""

import socket
import struct
import sys
import time

from ktap import expect, tell_documented
from netns import SO_RCVBUFFORCE
from two_nodes import ADDRESS, Lab, inside, udp

SO_PRIORITY, IP_RECVTOS = 12, 13
FROM_A, TO_B = 0, 3	# wires
ECT0, CE = 2, 3

# The kernel's priority of a socket with a DSCP, by its last three bits
# (rt_tos2priority(): two bits of the old TOS, and a third for its cost).
TOS_PRIORITY = [0, 0, 2, 2, 6, 6, 4, 4]


def send(count=1, priority=0, tos=None, length=1000):
    s = udp("a")
    if tos is None:
        s.setsockopt(socket.SOL_SOCKET, SO_PRIORITY, priority)
    else:
        s.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
    for _ in range(count):
        s.sendto(bytes(length), (ADDRESS["b"], 5000))
    s.close()
    # Time stands still while nobody waits, and so does what is on a wire.
    time.sleep(0.001)


def receiver():
    s = udp("b")
    s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 26)
    s.setsockopt(socket.IPPROTO_IP, IP_RECVTOS, 1)
    s.bind((ADDRESS["b"], 5000))
    s.settimeout(0.1)
    return s


def receive(s):
    """The TOS of all that arrives."""
    fields = []
    try:
        while True:
            data = s.recvmsg(2000, 100)[1]
            fields += [struct.unpack_from("=B", d[2])[0] for d in data]
    except TimeoutError:
        return fields


def sent(lab):
    return lab.classes(FROM_A, "tx_packets")


def since(before, after):
    """What a counter of classes grew by."""
    return {c: n - before.get(c, 0) for c, n in after.items()
            if n > before.get(c, 0)}


def dscp(problems):
    """The DSCP of a socket sets its priority, and that the class."""
    lab = Lab([], [])
    for code in range(64):
        before = sent(lab)
        send(tos=code << 2)
        expect(problems, f"DSCP {code}", {TOS_PRIORITY[code & 7]: 1},
               since(before, sent(lab)))
    lab.end()


def table(problems):
    """The NIC's table sets the class, or drops."""
    vl = [1, 0, 3, 2, 15, 2, 1] + [0] * 9
    lab = Lab([], [("port-params", {"classes": 4, "vl": bytes(vl)})])
    for priority in range(7):
        before = sent(lab)
        send(priority=priority)
        cls = vl[priority]
        expect(problems, f"priority {priority}", {} if cls == 15 else {cls: 1},
               since(before, sent(lab)))
    expect(problems, "drops", {"sl_drop": 1}, lab.drops(FROM_A))
    lab.end()


def levels(problems):
    """A switch with a table per service level changes the class."""
    vl = bytes([7, 6, 5, 4, 3, 2, 1, 0] + [15] * 8)
    lab = Lab([("sl2vl", 1), ("vl", vl)], [])
    for priority in range(7):
        before = lab.classes(TO_B, "tx_packets")
        send(priority=priority)
        expect(problems, f"priority {priority}", {7 - priority: 1},
               since(before, lab.classes(TO_B, "tx_packets")))
    lab.end()


def marks(problems):
    """What the switch marks arrives as CE; what knows no ECN, unmarked."""
    red = {"red": {"class": 0, "kmin": 5000, "kmax": 5000}}
    lab = Lab([("port-params", red)], [], rate=10 ** 9)
    s = receiver()
    send(count=50, tos=ECT0)
    fields = receive(s)
    marked = lab.classes(TO_B, "marked").get(0, 0)
    expect(problems, "datagrams", 50, len(fields))
    expect(problems, "CE", marked, fields.count(CE))
    expect(problems, "ECT", 50 - marked, fields.count(ECT0))
    if not 0 < marked < 50:
        problems.append(f"marked: {marked} of 50")
    send(count=50, tos=0)
    expect(problems, "without ECN", [0] * 50, receive(s))
    lab.end()


def truncated():
    """Packets that b's IP found shorter than they say."""
    with open("/proc/thread-self/net/netstat", encoding="ascii") as f:
        names, values = [line.split() for line in f
                         if line.startswith("IpExt:")]
    return int(dict(zip(names, values))["InTruncatedPkts"])


def trims(problems):
    """What the switch cuts arrives cut: as so many truncated packets."""
    trim = {"queue-limit": 10000,
            "trim": {"classes": 1, "class": 7, "len": 64}}
    lab = Lab([("port-params", trim)], [], rate=10 ** 9)
    s = receiver()
    before = inside("b", truncated)
    send(count=50)
    whole = len(receive(s))
    cut = lab.classes(TO_B, "trimmed").get(0, 0)
    expect(problems, "whole and cut", 50, whole + cut)
    expect(problems, "truncated", cut, inside("b", truncated) - before)
    expect(problems, "drops", [], lab.lost())
    if not 0 < cut < 50:
        problems.append(f"cut: {cut} of 50")
    lab.end()


def main():
    sys.exit(tell_documented((dscp, table, levels, marks, trims)))


if __name__ == "__main__":
    main()
