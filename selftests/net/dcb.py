# SPDX-License-Identifier: GPL-2.0-or-later
"""The dcb tool reads and sets a NIC, and its traffic feels it.

	a -- switch -- b	100 Gb/s
"""

import errno
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time

from ktap import expect, expect_in, tell_documented
from netlink import NESTED, NETLINK_ROUTE, Netlink, attribute, attributes
from two_nodes import ADDRESS, Lab, inside, run, udp

SO_PRIORITY = 12
RTM_GETDCB, RTM_SETDCB, IEEE_SET, IEEE_GET = 78, 79, 20, 21
ATTR_IFNAME, ATTR_IEEE = 1, 13
ETS, PFC, APPS, MAXRATE, BUFFER = 1, 2, 3, 7, 10	# in ATTR_IEEE
PAYLOAD = 1400
FRAME = PAYLOAD + 42	# as Linux counts it
WIRE = FRAME + 24	# with FCS, preamble and gap
LINE = 10 ** 11
QUANTUM = 1024		# bytes for a weight of 1, unless the NIC says otherwise
THRESHOLD = 16384

# b stops class after class when it has 16 KiB; in time, with as much headroom.
ACCOUNTS = [("buffer-class", {"class": c, "threshold": THRESHOLD,
                              "headroom": 16384}) for c in range(8)]


def pfc_port(enable):
    return [("port-params", {"discipline": "pfc", "pfc": {"enable": enable}})]


def pfc_lab(enable):
    """The NICs' priorities as said; the switch has all of them, and room."""
    room = [("buffer-class", {"class": c, "threshold": 10 ** 6,
                              "headroom": 65536}) for c in range(8)]
    return Lab(pfc_port(255) + room,
               pfc_port(enable) + ACCOUNTS + [("rx-buffer", 10 ** 6)])


def dcb(node, *words):
    """What the tool says; None when it fails."""
    done = subprocess.run(["ip", "netns", "exec", node, "dcb", "-j", *words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode:
        return None
    return json.loads(done.stdout) if done.stdout.strip() else {}


def show(node, what):
    return dcb(node, what, "show", "dev", "w0")


def set_(node, what, *words):
    """Whether it was accepted."""
    return dcb(node, what, "set", "dev", "w0", *words) is not None


class Raw:
    """The kernel's own interface, which tells the error that the tool loses.

    As the tool does not wait for the acknowledgement of its first request, it
    takes that for the answer to its second.
    """

    def __init__(self, node):
        self.netlink = inside(node, Netlink, NETLINK_ROUTE)

    def request(self, kind, command, payload=b""):
        answer = self.netlink.request(kind, struct.pack("=BBH", 0, command, 0) +
                                      attribute(ATTR_IFNAME, b"w0\0") + payload)
        return attributes(answer[0][4:])[ATTR_IEEE]

    def get(self):
        return attributes(self.request(RTM_GETDCB, IEEE_GET))

    def set(self, kind, value):
        """The name of the error (ENOTSUP for EOPNOTSUPP), or 0."""
        nest = attribute(ATTR_IEEE | NESTED, attribute(kind, value))
        error = -self.request(RTM_SETDCB, IEEE_SET, nest)[0] & 0xff
        return errno.errorcode.get(error, error)

    def change(self, kind, changes):
        """Set what is there but for some bytes."""
        value = bytearray(self.get()[kind])
        for at, byte in changes.items():
            value[at] = byte
        return self.set(kind, bytes(value))

    def app(self, selector, priority, protocol):
        entry = struct.pack("=BBH", selector, priority, protocol)
        return self.set(APPS, attribute(1, entry))

    def maxrate(self, limits):
        """Limits by class, bits a second."""
        kbps = [limits.get(tc, 0) // 1000 for tc in range(8)]
        return self.set(MAXRATE, struct.pack("=8Q", *kbps))


def counters(node):
    text = run(f"ip netns exec {node} ethtool -S w0")
    pairs = [line.split(":") for line in text.splitlines()[1:]]
    return {name.strip(): int(value) for name, value in pairs}


def send(count, port=5000, **options):
    s = udp("a")
    if "priority" in options:
        s.setsockopt(socket.SOL_SOCKET, SO_PRIORITY, options["priority"])
    if "dscp" in options:
        s.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, options["dscp"] << 2)
    for _ in range(count):
        s.sendto(bytes(PAYLOAD), (ADDRESS["b"], port))
    s.close()
    # Time stands still while nobody waits, and so does what is on a wire.
    time.sleep(0.001)


class Blast:
    """Senders, one for each priority, that always have something to send."""

    def __init__(self, priorities):
        self.sink = udp("b")
        self.sink.bind((ADDRESS["b"], 5000))
        self.children = [self.start(p) for p in priorities]

    def start(self, priority):
        pid = os.fork()
        if pid:
            return pid
        s = udp("a")
        s.setsockopt(socket.SOL_SOCKET, SO_PRIORITY, priority)
        while True:
            s.sendto(bytes(PAYLOAD), (ADDRESS["b"], 5000))

    def frames(self, seconds):
        """What each priority sends in a time, when all have begun."""
        time.sleep(0.001)
        before = counters("a")
        time.sleep(seconds)
        after = counters("a")
        names = [f"tx_prio{p}_packets" for p in range(8)]
        return [after[n] - before[n] for n in names]

    def end(self):
        for pid in self.children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        self.sink.close()


def read_back(problems):
    """What is set is read back."""
    lab = pfc_lab(1)
    expect(problems, "PFC at first", [True] + [False] * 7,
           show("a", "pfc")["prio_pfc"])
    set_("a", "pfc", "prio-pfc", "3:on", "0:off")
    expect(problems, "PFC", [p == 3 for p in range(8)],
           show("a", "pfc")["prio_pfc"])
    ets = show("a", "ets")
    expect(problems, "ETS at first", ["strict"] * 8, ets["tc_tsa"])
    expect(problems, "classes at first", list(range(8)), ets["prio_tc"])
    set_("a", "ets", "tc-tsa", "all:ets", "tc-bw", "all:0", "0:30", "1:70",
         "prio-tc", "all:0", "4:1", "5:1", "6:1", "7:1")
    ets = show("a", "ets")
    expect(problems, "ETS", ["ets"] * 8, ets["tc_tsa"])
    expect(problems, "shares", [30, 70] + [0] * 6, ets["tc_bw"])
    expect(problems, "classes", [0] * 4 + [1] * 4, ets["prio_tc"])
    set_("a", "maxrate", "tc-maxrate", "1:10Gbit")
    expect(problems, "rate, bytes a second", 1250000000,
           show("a", "maxrate")["tc_maxrate"][1])
    Raw("a").maxrate({1: 10 ** 10})
    expect(problems, "rate, kbit/s", 10 ** 7,
           struct.unpack("=8Q", Raw("a").get()[MAXRATE])[1])
    set_("a", "buffer", "buffer-size", "3:20000")
    buffers = show("a", "buffer")
    expect(problems, "buffer", 20000, buffers["buffer_size"][3])
    expect(problems, "other buffer", 16384, buffers["buffer_size"][2])
    expect(problems, "all of it", 10 ** 6, buffers["total_size"])
    lab.end()


# Where things are in the kernel's structures.
BW, TSA, PRIO_TC = 3, 19, 27	# ieee_ets: of 8 classes or priorities each
MBC, DELAY = 2, 4		# ieee_pfc
SIZE = 8			# dcbnl_buffer: 4 bytes each, after prio2buffer
STRICT, CBS, VENDOR, SHARE = 0, 1, 255, 2


def refusals(problems):
    """What cannot be is refused, and changes nothing."""
    lab = pfc_lab(1)
    raw = Raw("a")
    before = raw.get()
    for what, kind, changes, error in (
            ("shares of 80 %", ETS, {TSA: SHARE, TSA + 1: SHARE, BW: 40,
                                     BW + 1: 40}, "EINVAL"),
            ("an ETS class without a share", ETS,
             {TSA: SHARE, TSA + 1: SHARE, BW: 100}, "EINVAL"),
            ("a class that is not there", ETS, {PRIO_TC: 8}, "EINVAL"),
            ("strict classes in another order", ETS,
             {PRIO_TC: 7, PRIO_TC + 7: 0}, "ENOTSUP"),
            ("a credit-based shaper", ETS, {TSA: CBS}, "ENOTSUP"),
            ("a vendor's own", ETS, {TSA: VENDOR}, "ENOTSUP"),
            ("an algorithm that is none", ETS, {TSA: 7}, "EINVAL"),
            ("MACsec", PFC, {MBC: 1}, "ENOTSUP"),
            ("a delay of one's own", PFC, {DELAY: 1}, "ENOTSUP"),
            ("another buffer", BUFFER, {3: 4}, "ENOTSUP"),
            ("more than the buffer", BUFFER, {SIZE + 14: 32}, "ENOSPC")):
        expect(problems, what, error, raw.change(kind, changes))
    expect(problems, "a rate of no wire", "ERANGE",
           raw.maxrate({0: 10 ** 15 + 1000}))
    for what, entry, error in (
            ("priority 8", (5, 8, 0), "EINVAL"),
            ("DSCP 64", (5, 1, 64), "EINVAL"),
            ("an Ethernet type", (1, 1, 2048), "ENOTSUP"),
            ("a port of TCP", (2, 1, 80), "ENOTSUP")):
        expect(problems, what, error, raw.app(*entry))
    expect(problems, "afterwards", before, raw.get())
    lab.end()
    lab = Lab([("port-params", {"discipline": "credit"})],
              [("port-params", {"discipline": "credit"})])
    raw = Raw("a")
    expect(problems, "PFC with credits", "ENOTSUP",
           raw.set(PFC, bytes(136)))
    expect(problems, "buffers with credits", "ENOTSUP",
           raw.set(BUFFER, bytes(44)))
    expect(problems, "what there is with credits", [], [
        kind for kind in raw.get() if kind in (PFC, BUFFER)])
    lab.end()


def shares(problems):
    """ETS: two priorities at 25 and 75 %.

    Weights are 1 and 3. Of classes that always have frames of L bytes, deficit
    round robin sends bytes b with |b0 / 1 - b1 / 3| < Q + L / 1 + L / 3.
    """
    lab = Lab([], [])
    set_("a", "ets", "tc-tsa", "0:ets", "1:ets", "tc-bw", "0:25", "1:75")
    blast = Blast([0, 1])
    sent = blast.frames(0.002)
    blast.end()
    expect(problems, "line rate", LINE * 0.002 // (WIRE * 8) // 10,
           sum(sent) // 10)
    bound = (QUANTUM + WIRE + WIRE / 3) / WIRE
    expect_in(problems, "deficit", -bound, bound, sent[0] - sent[1] / 3)
    lab.end()


def shared_class(problems):
    """ETS: a class of two priorities divides its 50 % among them.

    Weights are 2 for priority 0, 1 each for 1 and 2.
    """
    lab = Lab([], [])
    set_("a", "ets", "tc-tsa", "0:ets", "1:ets", "tc-bw", "0:50", "1:50",
         "prio-tc", "2:1")
    blast = Blast([0, 1, 2])
    sent = blast.frames(0.002)
    blast.end()
    for prio in (1, 2):
        bound = (QUANTUM + WIRE + WIRE / 2) / WIRE
        expect_in(problems, f"deficit of {prio}", -bound, bound,
                  sent[prio] - sent[0] / 2)
    lab.end()


def limits(problems):
    """Rate limit: a frame for each 8 B / R, whatever the others do."""
    lab = Lab([], [])
    raw = Raw("a")
    raw.maxrate({1: 10 ** 10})
    blast = Blast([1])
    sent = blast.frames(0.002)[1]
    each = WIRE * 8 / 10 ** 10
    expect_in(problems, "alone", 0.002 / each - 1, 0.002 / each + 1, sent)
    raw.maxrate({})
    sent = blast.frames(0.002)[1]
    each = WIRE * 8 / LINE
    expect_in(problems, "lifted", 0.002 / each - 1, 0.002 / each + 1, sent)
    blast.end()
    lab.end()


def lossless(problems):
    """PFC: a lossy class drops beyond its threshold, a lossless one stops."""
    lab = pfc_lab(255)
    fits = THRESHOLD // FRAME
    set_("b", "pfc", "prio-pfc", "3:off")
    lab.stop(255)
    send(500, priority=3)
    expect(problems, "lossy", {"rx_full": 500 - fits}, lab.drops(2))
    send(500, priority=4)
    expect(problems, "lossless", {"rx_full": 500 - fits}, lab.drops(2))
    asked = dcb("b", "-s", "pfc", "show", "dev", "w0")["requests"]
    expect(problems, "who asked for pauses", [p == 4 for p in range(8)],
           [n > 0 for n in asked])
    heard = dcb("b", "-s", "pfc", "show", "dev", "w0")["indications"]
    expect(problems, "who was asked", [0] * 8, heard)
    set_("b", "pfc", "prio-pfc", "3:on")
    lab.stop(0)
    time.sleep(0.001)
    lab.stop(255)
    send(500, priority=3)
    expect(problems, "lossless again", {"rx_full": 500 - fits}, lab.drops(2))
    lab.stop(0)
    lab.end()


def sent_by(what):
    before = counters("a")
    what()
    after = counters("a")
    names = {p: f"tx_prio{p}_packets" for p in range(8)}
    return {p: after[n] - before[n] for p, n in names.items()
            if after[n] > before[n]}


def applications(problems):
    """The application table: a DSCP has the priority that it says."""
    lab = Lab([], [])

    def voice():
        send(10, dscp=46)

    own = sent_by(voice)
    expect(problems, "of the socket", {4: 10}, own)
    dcb("a", "app", "add", "dev", "w0", "dscp-prio", "46:5")
    expect(problems, "of the DSCP", {5: 10}, sent_by(voice))
    expect(problems, "of another", {0: 10}, sent_by(lambda: send(10, dscp=10)))
    dcb("a", "app", "add", "dev", "w0", "default-prio", "2")
    expect(problems, "by default", {2: 10}, sent_by(lambda: send(10, dscp=10)))
    dcb("a", "app", "replace", "dev", "w0", "dscp-prio", "46:1")
    expect(problems, "replaced", {1: 10}, sent_by(voice))
    dcb("a", "app", "flush", "dev", "w0")
    expect(problems, "flushed", own, sent_by(voice))
    lab.end()


def main():
    sys.exit(tell_documented([read_back, refusals, shares, shared_class,
                              limits, lossless, applications]))


if __name__ == "__main__":
    main()
