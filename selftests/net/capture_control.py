# SPDX-License-Identifier: GPL-2.0-or-later
"""What a capture tells of the control frames on a link.

	a -- switch -- b	the link of b is captured

Both wires: 0 from b to the switch, 1 from the switch to b.
"""

import socket
import sys
import time

from back_pressure import LENGTH, receiver, run_labs, sender
from netlink import Refusal, Weft, decode
from netns import SO_RCVBUFFORCE
from two_nodes import ADDRESS

PAUSE, PFC, CREDIT, FLIT = range(4)
FRAME = 14 + 20 + 8 + LENGTH
CLASS, PACKETS = 3, 40
QUANTA = 65535


class Capture:
    """Everything on the link of b."""

    def __init__(self, lab):
        self.weft = Weft()
        self.weft.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 26)
        self.where = {"fabric": lab.fabric, "link": lab.link[1]}
        self.weft.do("capture-start", self.where)

    def frames(self):
        """What came so far, oldest first."""
        found = []
        self.weft.socket.settimeout(0)
        while True:
            try:
                raw = self.weft.socket.recv(1 << 17)
            except BlockingIOError:
                self.weft.socket.settimeout(None)
                return found
            found.append(dict(decode("capture", raw[20:])))


def numbers(pairs):
    """All that a control frame has are numbers; "vl" is a table elsewhere."""
    return [(n, int.from_bytes(v, sys.byteorder) if isinstance(v, bytes) else v)
            for n, v in pairs]


def control(frames, kind, wire):
    """Control frames of a kind on a wire."""
    found = [numbers(f["control"]) for f in frames
             if "control" in f and f["direction"] == wire]
    return [c for c in found if dict(c)["type"] == kind]


def send(packets, priority):
    r = receiver(9)	# keeps b from answering
    s = sender(priority)
    for _ in range(packets):
        s.sendto(bytes(LENGTH), (ADDRESS["b"], 9))
        time.sleep(1e-6)
    return r


def quanta(frame):
    return [v for n, v in frame if n == "quanta"]


def check(what, wanted, got):
    return [] if wanted == got else [f"{what}: expected {wanted}, got {got}"]


def stopped(lab, kind, classes, named):
    """b takes nothing for a while: what it says, and what then arrives."""
    capture = Capture(lab)
    lab.stop(classes)
    keep = send(PACKETS, CLASS)
    said = control(capture.frames(), kind, 0)
    lab.stop(0)
    time.sleep(0.001)
    frames = capture.frames()
    last = control(frames, kind, 0)[-1:]
    wrong = check("enabled", {named}, {dict(c)["enable"] for c in said + last})
    wrong += check("quanta of the stop", [QUANTA],
                   [q for q in quanta(said[0]) if q] if said else None)
    wrong += check("quanta of the end", {0}, set(quanta(last[0]) if last else []))
    return wrong + check("pauses of the switch", [], control(frames, kind, 1))


def pfc(lab):
    """a class that b does not take: XOFF and XON of that class"""
    return stopped(lab, PFC, 1 << CLASS, 1 << CLASS)


def credit_flow(lab):
    """the limit that b tells, FCCL, is what arrived and its buffer of 128"""
    capture = Capture(lab)
    keep = send(PACKETS, 0)
    time.sleep(0.001)
    frames = capture.frames()
    keep.close()
    said = [dict(c) for c in control(frames, CREDIT, 0)]
    said = [c for c in said if c["vl"] == 0]
    # 1442 + 24 bytes are 23 blocks of 64.
    return (check("op", {0}, {c["op"] for c in said}) +
            check("limit", [(PACKETS * 23 + 128) % 4096],
                  [c["fccl"] for c in said][-1:]))


def credit_init(lab):
    """a link that comes up: an initial packet for each lane, both ways"""
    capture = Capture(lab)
    for up in (0, 1):
        lab.weft.do("link-set", {
            "fabric": lab.fabric, "id": lab.link[1], "wire": {"up": up}})
    time.sleep(0.001)
    frames = capture.frames()
    wrong = []
    for wire in (0, 1):
        lanes = {dict(c)["vl"] for c in control(frames, CREDIT, wire)
                 if dict(c)["op"] == 1}
        wrong += check(f"lanes on wire {wire}", set(range(8)), lanes)
    return wrong


def packets(lab):
    """packets: length, class, order, and the bytes that snaplen allows"""
    capture = Capture(lab)
    capture.weft.do("capture-stop", capture.where)
    capture.weft.do("capture-start", {**capture.where, "snaplen": 42})
    keep = send(PACKETS, CLASS)
    time.sleep(0.001)
    frames = [f for f in capture.frames() if "control" not in f]
    keep.close()
    times = [f["time"] for f in frames]
    return (check("packets", PACKETS, len(frames)) +
            check("length", {FRAME}, {f["length"] for f in frames}) +
            check("class", {CLASS}, {f["class"] for f in frames}) +
            check("wire", {1}, {f["direction"] for f in frames}) +
            check("destination", {lab.nic["b"]}, {f["dst"] for f in frames}) +
            check("data", {42}, {len(f["data"]) for f in frames}) +
            check("order", sorted(set(times)), times))


def refusals(lab):
    """who captures twice, stops what is not captured, or names no link"""
    capture = Capture(lab)
    nowhere = {**capture.where, "link": 99}
    wrong = []
    for asker, command, where, text in (
            (capture.weft, "capture-start", capture.where,
             "this socket captures the link already"),
            (Weft(), "capture-stop", capture.where,
             "this socket does not capture the link"),
            (Weft(), "capture-start", nowhere,
             "fabric has no link of this id"),
            (Weft(), "capture-start", {"fabric": lab.fabric},
             "link id is missing")):
        try:
            asker.do(command, where)
            wrong.append(f"{command} {where}: not refused")
        except Refusal as refusal:
            wrong += check(command, text, refusal.text)
    return wrong


def teardown(lab):
    """sockets and the link that go while packets are under way"""
    captures = [Capture(lab) for _ in range(8)]
    send(PACKETS, 0).close()
    for capture in captures[:4]:
        capture.weft.socket.close()
    send(PACKETS, 0).close()
    lab.weft.do("link-del", {"fabric": lab.fabric, "id": lab.link[1]})
    try:
        captures[4].weft.do("capture-stop", captures[4].where)
    except Refusal as refusal:
        return check("stop", "fabric has no link of this id", refusal.text)
    return ["a link that is gone could be captured"]


def main():
    tests = [("pfc", packets), ("pfc", pfc), ("credit", credit_flow),
             ("credit", credit_init), ("pfc", refusals), ("pfc", teardown),
             ("credit", teardown)]
    sys.exit(run_labs(tests))


if __name__ == "__main__":
    main()
